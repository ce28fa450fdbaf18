"""One case in front of the members as the product's own jobs have it: same dossier, prompts, checks and caps."""

import asyncio
import hashlib
import random
import shlex
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.judge import Judge
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.priced_models import PricedModels
from ensemble_lsp.bench.purses import RunCaps, WayPurse
from ensemble_lsp.bench.replies import KeptReplies
from ensemble_lsp.bench.sets import Seen
from ensemble_lsp.bench.stopwatch import Stopwatch
from ensemble_lsp.bench.symbols import lines_of_symbol
from ensemble_lsp.bench.ways.catalogue import Way
from ensemble_lsp.bench.workspace import Place
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.core.budget import Budget, Limits
from ensemble_lsp.core.events import Action, EventBody, Mode
from ensemble_lsp.core.panel import Panel
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import DraftRecord, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.engine.job_parts import JobParts
from ensemble_lsp.engine.messages import JobOptions, JobStart, OpenDocument
from ensemble_lsp.engine.wiring import Wiring
from ensemble_lsp.ensemble.ports import Deliberation

CASE_SECONDS = 1_200.0
"""The deadline of one way on one case: far above what a CPU needs, so that it decides nothing."""

ACTIONS = {Subject.FIX: Action.FIX, Subject.REVIEW: Action.REVIEW}


@dataclass(slots=True)
class Attempt:
    """One way on one case, while it runs."""

    case: BenchCase
    way: Way
    deliberation: Deliberation
    budget: Budget
    models: PricedModels

    def outcome(self, **found: object) -> Outcome:
        """Return the outcome: what was found, and what it took. None, where a member could not be reached."""
        spent = self.budget.spent
        known: dict[str, object] = {
            "case": self.case.id,
            "group": self.case.group,
            "way": self.way.name,
            "clean": self.case.clean,
            "calls": spent.calls,
            "tokens_in": spent.tokens_in,
            "tokens_out": spent.tokens_out,
            "usd": spent.usd,
            "seconds": round(self.models.watch.seconds(), 2),
            "failed": "; ".join(dict.fromkeys(self.models.outages)),
        }
        return Outcome.model_validate({**known, **found})


@dataclass(frozen=True, slots=True)
class Examination:
    """What all ways share in one run."""

    subject: Subject
    wiring: Wiring
    parts: JobParts
    """Of the run: the panel, the gateway (which keeps no answers), the settings."""
    judge: Judge
    replies: KeptReplies
    caps: RunCaps
    seen: Seen
    """Which tests check the members' answers."""
    k: int
    rounds: int
    case_seconds: float = CASE_SECONDS
    """The deadline of one way on one case."""
    _verdicts: dict[tuple[str, str], bool] = field(default_factory=dict[tuple[str, str], bool])

    @property
    def panel(self) -> Panel:
        """Who sits."""
        return self.parts.panel

    @asynccontextmanager
    async def attempt(
        self,
        case: BenchCase,
        place: Place,
        way: Way,
        *,
        mode: Mode = Mode.PANEL,
        leaves_out: frozenset[str] = frozenset(),
        task: Task | None = None,
        emit: Callable[[EventBody], None] = lambda _event: None,
    ) -> AsyncGenerator[Attempt]:
        """Put a case in front of the members as a job of the product does; nothing is asked yet.

        `task` is what is asked of them, where it is not what the subject says.
        """
        watch = Stopwatch()
        start = JobStart(
            job=_job_id(case, way),
            workspace=str(place.workspace),
            task=task or self._task(case, mode),
            documents=tuple(
                OpenDocument(path=path, text=text, version=1) for path, text in place.documents.items()
            ),
            trusted=True,
            options=JobOptions(no_cache=True),
        )
        budget = Budget(self.limits)
        parts = replace(
            self.parts,
            budget=budget,
            overlays={path: SourceText(text) for path, text in place.documents.items()},
            redactor=Redactor(),
        )
        deliberation = await self.wiring.deliberation(
            start,
            parts,
            start.task,
            emit=emit,
            answer_now=asyncio.Event(),
            prior_drafts=(),
            save_draft=_forget,
            deadline=asyncio.get_running_loop().time() + self.case_seconds,
            randomness=random.Random(start.job),  # noqa: S311  (shuffles that can be repeated)
        )
        models = PricedModels(deliberation.models, self.replies, self.caps, watch)
        deliberation.models = models
        deliberation.purse = WayPurse(budget)
        deliberation.leaves_out = leaves_out
        # What the person dismissed in their own code is no measure of who finds what.
        deliberation.dismissal = lambda _path, _fingerprint: None
        try:
            yield Attempt(case, way, deliberation, budget, models)
        finally:
            await self.wiring.release(deliberation)

    @property
    def limits(self) -> Limits:
        """The caps of one way on one case: the settings' of a job, but for the time."""
        budget = self.parts.loaded.settings.budget
        return self.parts.loaded.policy.limits(
            Limits(usd=budget.usd, seconds=self.case_seconds, calls=budget.calls)
        )

    async def passes(self, case: BenchCase, changes: tuple[FileChange, ...]) -> bool:
        """Say whether the case's program is right after the changes; each program is judged once."""
        after = {
            change.path: change.after.text
            for change in changes
            if change.after is not None and change.path != case.path
        }
        program = next(
            (
                change.after.text
                for change in changes
                if change.path == case.path and change.after is not None
            ),
            None,
        )
        if program is None or program == case.files[case.path]:
            return False
        digest = hashlib.sha256(repr((program, sorted(after.items()))).encode()).hexdigest()
        if (case.id, digest) not in self._verdicts:
            self._verdicts[case.id, digest] = await self.judge.passes(case, program, after)
        return self._verdicts[case.id, digest]

    def _task(self, case: BenchCase, mode: Mode) -> Task:
        check = None
        if case.base and case.targets and self.subject is Subject.FIX and self.seen is Seen.VISIBLE:
            check = shlex.join(("pytest", "-q", *case.targets))
        return Task(
            action=ACTIONS[self.subject],
            path=case.path,
            # Of a program of its own the whole is in question; in somebody's project, the function.
            range=lines_of_symbol(case.files[case.path], case.symbol) if case.base else None,
            mode=mode,
            rounds=self.rounds,
            check=check,
        )


def _job_id(case: BenchCase, way: Way) -> str:
    """Return the same id for the same case and way in every run: shuffles are drawn from it."""
    digest = hashlib.sha256(f"{case.id}\0{way.name}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"bench-{digest[:12]}"


async def _forget(_draft: DraftRecord) -> None:
    """Drop a draft: the run keeps every answer itself."""
