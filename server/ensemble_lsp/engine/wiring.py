"""Where everything is put together: the only place that knows models, checks, context and store at once."""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

from ensemble_lsp.checks.check_parts import CheckParts
from ensemble_lsp.checks.detection import SandboxDescription, describe_sandbox, detect
from ensemble_lsp.checks.many_files import ManyFilesChecks
from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.context.definition_index import DefinitionIndex
from ensemble_lsp.context.editor_places import with_editor_diagnostics
from ensemble_lsp.context.gather import gather, redacted_task
from ensemble_lsp.context.grammars import language_of
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.core.budget import Budget, Limits
from ensemble_lsp.core.errors import ConsentRequired, UsageError
from ensemble_lsp.core.events import Action, EventBody
from ensemble_lsp.core.results import DraftRecord, JobResult, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.engine.asking import may_run_unconfined
from ensemble_lsp.engine.client import ConsentAsker
from ensemble_lsp.engine.dismissals import DismissalBook
from ensemble_lsp.engine.files import FILES_AT_ONCE
from ensemble_lsp.engine.history import summary_of, transcript_of
from ensemble_lsp.engine.job_parts import JobParts, WholeReview
from ensemble_lsp.engine.learning import Learner
from ensemble_lsp.engine.messages import (
    ConsentQuestion,
    DismissalNote,
    JobStart,
    JobSummary,
    OutcomeNote,
    PanelDescription,
    PanelQuery,
    Transcript,
)
from ensemble_lsp.engine.purging import Purged, PurgeScope, purge, would_purge
from ensemble_lsp.engine.purse import JobPurse
from ensemble_lsp.engine.recording import as_kept, without_secrets
from ensemble_lsp.engine.scoping import Scoped, title_of
from ensemble_lsp.engine.seating import Seating
from ensemble_lsp.engine.whole import (
    RoomForFiles,
    capped,
    files_at_once,
    kept_reviews,
    keys_of,
    question_of,
    typical_tokens,
)
from ensemble_lsp.ensemble.blind import voices_of
from ensemble_lsp.ensemble.deliberation import import_actions
from ensemble_lsp.ensemble.estimate import bound_on_calls, estimate, first_round_usd
from ensemble_lsp.ensemble.ports import Deliberation, Dossier
from ensemble_lsp.models.http_client import get_ready
from ensemble_lsp.settings_sources import LoadedSettings, load_settings
from ensemble_lsp.store.cache import StoredReplies
from ensemble_lsp.store.consent import ConsentStore
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.dismissals import DismissalStore
from ensemble_lsp.store.jobs import JobStore
from ensemble_lsp.store.ledger import Ledger
from ensemble_lsp.store.reviewed import ReviewedFiles
from ensemble_lsp.store.trust import TrustStore


class Wiring:
    """One process's engine parts. `open` is its only maker; `close` ends every process it started."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.ledger = Ledger(database)
        self.dismissals = DismissalBook(DismissalStore(database))
        self.consent = ConsentStore(database)
        self.trust = TrustStore(database)
        self.jobs = JobStore(database)
        self.reviewed = ReviewedFiles(database)
        self.learner = Learner(database, self.jobs)
        self.seating = Seating(database, self.consent, self.learner.outcomes)
        self._indexes: dict[Path, DefinitionIndex] = {}
        self._checks: dict[int, Checks] = {}
        self._ready = False

    @classmethod
    async def open(cls) -> "Wiring":
        """Open the store; a bad database is set aside, see `notices`."""
        return cls(await asyncio.to_thread(Database))

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know about the database."""
        return self._database.notices

    async def close(self) -> None:
        """End the embedded model and close the store."""
        for checks in self._checks.values():
            await checks.close()
        await self.seating.close()
        self.jobs.close()
        await asyncio.to_thread(self._database.close)

    async def warm(self) -> None:
        """Do what is slow and the same for every job: import litellm and all actions, try the sandbox."""
        await asyncio.gather(
            self.seating.warm(), detect(), asyncio.to_thread(import_actions), self.get_ready()
        )

    async def get_ready(self) -> None:
        """Import what the first call of a member needs, while the checks run on the code as it is."""
        if not self._ready:
            self._ready = True
            await asyncio.to_thread(get_ready)

    # -- one job --------------------------------------------------------------------------------------------

    async def with_kept_trust(self, start: JobStart) -> JobStart:
        """Return the start trusted by what the person told the terminal, where the editor has no say in it."""
        return start.model_copy(update={"trusted": await self._is_trusted(start)})

    async def _is_trusted(self, asked: JobStart | PanelQuery) -> bool:
        if asked.trusted or not asked.trust_kept:
            return asked.trusted
        return await self.trust.is_trusted(Path(asked.workspace))

    async def record_start(self, start: JobStart) -> LoadedSettings:
        """Write down that a job starts, before anything of it can go wrong; return the settings it runs under."""
        loaded = await self.load(start)
        await self.jobs.record_start(
            job=start.job,
            workspace=start.workspace,
            action=start.task.action,
            title=title_of(start.task),
            task=start.task.to_wire(),
            pid=os.getpid(),
            start=start.to_wire(),
            keep_transcript=loaded.settings.store.transcripts,
            keep_days=loaded.settings.store.keep_days,
        )
        return loaded

    async def prepare(
        self,
        start: JobStart,
        loaded: LoadedSettings,
        ask: ConsentAsker,
        say: Callable[[str], None],
        found: Scoped,
    ) -> JobParts:
        """Find the panel, ask for consent, set the caps; nothing is sent yet.

        Raises `ConfigurationError`, `NoModelReachable`, `ConsentRequired` or `UsageError`.
        """
        workspace = Path(start.workspace)
        if not await asyncio.to_thread(workspace.is_dir):
            raise UsageError(f"{workspace} is not a folder", field="workspace")
        settings = loaded.settings
        language = language_of(start.task.path or "")
        seated = await self.seating.seat(
            loaded, start.options, start.task.action, language, ask=ask, say=say, workspace=workspace
        )
        dismissals = await self.dismissals.known(workspace, trusted=start.trusted, rules=start.rules_folder)
        contents = found.contents
        keys = keys_of(start, seated.panel, settings, contents) if settings.store.transcripts else {}
        kept = {} if start.task.fresh else await kept_reviews(self.reviewed, keys, dismissals.dismissals)
        files = max(1, len(start.task.paths)) - len(kept)
        at_once = files_at_once(seated.panel) if contents else FILES_AT_ONCE
        limits = loaded.policy.limits(self._limits(start, loaded, len(seated.panel.members), files, at_once))
        budget = Budget(limits)
        tokens = settings.context.max_tokens
        expected = estimate(
            start.task,
            seated.panel,
            seated.gateway,
            tokens,
            files=files,
            typical_tokens=typical_tokens(contents, tokens) if contents else None,
            files_at_once=at_once,
        )
        estimated = capped(expected, limits)
        question = question_of(estimated, files, len(kept)) if contents else ""
        asked = ConsentQuestion(workspace=str(workspace), kind="spend", text=question)
        if question and not await ask(asked):
            raise ConsentRequired("nothing was sent: nobody agreed to what the review takes")
        path = start.task.path
        parts = JobParts(
            loaded=loaded,
            panel=seated.panel,
            gateway=seated.gateway,
            limits=limits,
            budget=budget,
            purse=JobPurse(start.job, budget, self.ledger, loaded.policy.day_usd(settings.budget.day_usd)),
            overlays={item.path: SourceText(item.text) for item in start.documents},
            redactor=Redactor(),
            calibration=await self.learner.claims.calibration(),
            estimate=estimated,
            uri=(workspace / path).as_uri() if path else workspace.as_uri(),
            unconfined=await may_run_unconfined(self.consent, start, loaded, ask),
            dismissals=dismissals,
        )
        if start.task.action is Action.REVIEW and len(start.task.paths) > 1:
            first = [voice.member for voice in voices_of(seated.panel, start.task.mode)]
            worst = first_round_usd(first, seated.gateway, tokens)
            room = RoomForFiles(budget, worst, len(first), estimated.usd_expected / max(1, files))
            checks = ManyFilesChecks(await self._check_parts(start, parts), start.task, settings)
            parts.whole = WholeReview(keys, kept, at_once, room, checks, found.listed)
        return parts

    def _limits(
        self, start: JobStart, loaded: LoadedSettings, members: int, files: int, at_once: int
    ) -> Limits:
        """Return the caps; unless a time was said for this job, each turn of several files has the usual one."""
        table, task = loaded.settings.budget, start.task
        calls = bound_on_calls(task.action, task.mode, members, task.rounds) * files
        said = start.options.overrides.get("budget")
        turns = 1 if isinstance(said, dict) and "seconds" in said else -(-files // at_once)
        return Limits(
            usd=table.usd,
            seconds=table.seconds * max(1, turns),
            calls=calls if table.calls is None else table.calls,
        )

    async def deliberation(
        self,
        start: JobStart,
        parts: JobParts,
        task: Task,
        *,
        emit: Callable[[EventBody], None],
        answer_now: asyncio.Event,
        prior_drafts: tuple[DraftRecord, ...],
        save_draft: Callable[[DraftRecord], Awaitable[None]],
        deadline: float | None,
        randomness: random.Random,
    ) -> Deliberation:
        """Gather the dossier of one path and put everything round the table."""
        workspace = Path(start.workspace)
        task = with_editor_diagnostics(task, start.editor)
        settings = parts.loaded.settings
        smallest = min(parts.panel.members, key=lambda member: member.context_tokens)
        dossier = await gather(
            task,
            workspace,
            overlays=parts.overlays,
            settings=settings.context,
            trusted=start.trusted,
            count_tokens=lambda text: parts.gateway.count_tokens(smallest, text),
            # Half of the smallest window: the other half is for our words, logs, and the answer.
            max_tokens=smallest.context_tokens // 2,
            redactor=parts.redactor,
            index=self._indexes.setdefault(workspace, DefinitionIndex()),
            editor=start.editor,
            rules=start.rules_folder,
            files=parts.whole.listed if parts.whole is not None else None,
        )
        checks = await self._checks_for(start, parts, task, dossier)
        deliberation = Deliberation(
            task=redacted_task(task, dossier),
            panel=parts.panel,
            models=parts.gateway,
            checks=checks,
            dossier=dossier,
            purse=parts.purse,
            budget=parts.budget,
            emit=without_secrets(emit, parts.redactor.redact_quoted),
            job=start.job,
            prior_drafts=prior_drafts,
            answer_now=answer_now,
            randomness=randomness,
            calibration=parts.calibration,
            dismissal=parts.dismissals.dismissals.reason_for,
            deadline=deadline,
            save_draft=save_draft,
        )
        self._checks[id(deliberation)] = checks
        return deliberation

    async def release(self, deliberation: Deliberation) -> None:
        """Remove the shadow copies of a deliberation that ended."""
        checks = self._checks.pop(id(deliberation), None)
        if checks is not None:
            await checks.close()

    async def _check_parts(self, start: JobStart, parts: JobParts) -> CheckParts:
        return await CheckParts.of(
            Path(start.workspace),
            parts.overlays,
            trusted=start.trusted,
            check_given=start.options.check_given and bool(start.task.check),
            unconfined=parts.unconfined,
            settings=parts.loaded.settings,
            secrets=parts.redactor,
        )

    async def _checks_for(self, start: JobStart, parts: JobParts, task: Task, dossier: Dossier) -> Checks:
        settings = parts.loaded.settings
        if parts.whole is not None and task.path is not None:
            return parts.whole.checks.of_file(task)
        return await Checks.open(
            Path(start.workspace),
            task,
            overlays=parts.overlays,
            trusted=start.trusted,
            check_given=start.options.check_given,
            unconfined=parts.unconfined,
            settings=settings,
            dossier=dossier,
            secrets=parts.redactor,
        )

    async def load(self, start: JobStart) -> LoadedSettings:
        """Read the settings that a job runs under, from every source.

        Raises `UsageError` when the folder that its rules were read from is gone.
        """
        if start.rules_folder is not None and not await asyncio.to_thread(start.rules_folder.is_dir):
            raise UsageError("the rules of this job are gone; start it anew", field="job")
        overrides = {**start.options.overrides, **({"local": True} if start.options.local else {})}
        return await asyncio.to_thread(
            load_settings,
            Path(start.workspace),
            editor=start.settings,
            environment=os.environ,
            overrides=overrides,
            trusted=start.trusted,
            rules=start.rules_folder,
        )

    # -- looking things up ----------------------------------------------------------------------------------

    async def describe_panel(self, query: PanelQuery) -> PanelDescription:
        """Say who would sit, why, at what price; nothing is sent but probes of servers on this machine."""
        overrides = {**query.options.overrides, **({"local": True} if query.options.local else {})}
        loaded = await asyncio.to_thread(
            load_settings,
            Path(query.workspace),
            editor=query.settings,
            environment=os.environ,
            overrides=overrides,
            trusted=await self._is_trusted(query),
        )
        return await self.seating.describe(loaded, query.options, await self.ledger.spent_today())

    async def describe_sandbox(self) -> SandboxDescription:
        """Say what confines the code that checks run."""
        return await describe_sandbox()

    def describe_embedded(self) -> str:
        """Say whether the embedded model could answer."""
        return self.seating.describe_embedded()

    async def transcript(self, job: str) -> Transcript:
        """Return everything kept of one job; raises `UnknownItem`."""
        return await transcript_of(self.jobs, job)

    async def summaries(self, workspace: str | None, limit: int) -> tuple[JobSummary, ...]:
        """Return recent jobs, newest first."""
        return tuple(summary_of(line) for line in await self.jobs.list(workspace, limit))

    async def record_result(
        self, start: JobStart, result: JobResult, seconds: float, redact: Callable[[str, str], str]
    ) -> None:
        """Write down how a job ended, secrets taken out by `redact`, and learn from what its checks said."""
        await self.jobs.finish(start.job, await asyncio.to_thread(as_kept, result, redact), seconds)
        await self.learner.checked(start.workspace, start.task, result)

    async def dismiss(self, note: DismissalNote) -> None:
        """Remember a dismissal where the settings say, and learn from it; raises `ConfigurationError`."""
        workspace = Path(note.workspace)
        loaded = await asyncio.to_thread(
            load_settings, workspace, editor=note.settings, environment=os.environ, trusted=note.trusted
        )
        shared = loaded.settings.review.dismissals == "shared"
        await self.dismissals.add(workspace, note.finding, note.reason, shared=shared)
        await self.learner.dismissed(note)

    async def would_purge(self, scope: PurgeScope) -> Purged:
        """Return what `purge` would remove."""
        return await would_purge(scope, self.jobs, StoredReplies(self._database))

    async def purge(self, scope: PurgeScope) -> Purged:
        """Remove what was kept; what was spent stays in the ledger."""
        if scope.workspace is not None:
            await self.reviewed.forget(workspace=scope.workspace)
        else:
            await self.reviewed.forget(older_than_days=None if scope.everything else scope.older_than_days)
        return await purge(scope, self.jobs, StoredReplies(self._database))

    async def record_outcome(self, note: OutcomeNote) -> None:
        """Learn from what the person did with a result."""
        await self.learner.told(note)
