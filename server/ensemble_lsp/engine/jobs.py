"""Runs jobs: each a task of its own, with an id, a stream of events, a budget and a deadline."""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ensemble_lsp.core.budget import Budget, Spend
from ensemble_lsp.core.errors import BudgetExceeded, EnsembleError, UnknownItem, UsageError
from ensemble_lsp.core.events import (
    Action,
    FindingMade,
    Finished,
    JobEvent,
    Phase,
    PhaseEntered,
    Seat,
    Started,
    Status,
)
from ensemble_lsp.core.results import DraftRecord, JobResult, Task
from ensemble_lsp.engine.asking import aloud
from ensemble_lsp.engine.client import ConsentAsker
from ensemble_lsp.engine.files import FilesInTurn
from ensemble_lsp.engine.messages import JobContinue, JobStart, JobSummary, OutcomeNote, Transcript
from ensemble_lsp.engine.recording import Recorder
from ensemble_lsp.engine.scoping import Scoped, only_path, scoped, with_lines, without_files
from ensemble_lsp.engine.whole import to_keep
from ensemble_lsp.engine.wiring import Wiring
from ensemble_lsp.ensemble.deliberation import deliberate
from ensemble_lsp.settings_sources import LoadedSettings

_log = logging.getLogger(__name__)

DEADLINE_GRACE = 10.0
"""Seconds after its deadline in which a job may still decide with what it has, before it is ended."""


@dataclass(slots=True)
class RunningJob:
    """One job while it runs."""

    start: JobStart
    answer_now: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[JobResult] | None = None
    budget: Budget | None = None
    drafts: list[DraftRecord] = field(default_factory=list[DraftRecord])
    redact: Callable[[str, str], str] = lambda _path, text: text
    """Takes out the job's secrets, known once it has read files."""
    files: FilesInTurn | None = None
    """Of a review of several files."""
    found: Scoped | None = None


class JobRunner:
    """All jobs of one engine process."""

    def __init__(
        self,
        wiring: Wiring,
        on_event: Callable[[JobEvent], None],
        on_result: Callable[[str, JobResult], None],
        ask_consent: ConsentAsker,
    ) -> None:
        self._wiring = wiring
        self._on_event = on_event
        self._on_result = on_result
        self._ask_consent = ask_consent
        self._running: dict[str, RunningJob] = {}

    def start(self, start: JobStart, prior_drafts: tuple[DraftRecord, ...] = ()) -> asyncio.Task[JobResult]:
        """Start a job in the background; raises `UsageError` when its id is taken."""
        if start.job in self._running:
            raise UsageError(f"a job {start.job!r} is running already", field="job")
        running = RunningJob(start)
        self._running[start.job] = running
        running.task = asyncio.ensure_future(self._run(running, prior_drafts))
        return running.task

    async def continue_from(self, request: JobContinue) -> asyncio.Task[JobResult]:
        """Start a job that goes on from the drafts of an earlier one; raises `UnknownItem`."""
        kept = await self._wiring.jobs.start_of(request.job)
        if kept is None:
            raise UnknownItem(f"no job {request.job!r}", field="job", hint="ensemble-lsp jobs lists them")
        earlier = JobStart.model_validate(kept)
        drafts = await self._wiring.jobs.drafts(request.job)
        task = earlier.task.model_copy(update={"mode": request.mode, "rounds": request.rounds})
        changes: dict[str, object] = {"job": request.new_job, "task": task}
        if request.trusted is False and earlier.trusted:
            changes |= {"trusted": False, "settings": request.settings}
        start = earlier.model_copy(update=changes)
        return self.start(start, prior_drafts=drafts)

    def cancel(self, job: str) -> None:
        """End a job; what was answered is kept. Unknown or ended jobs are left alone."""
        running = self._running.get(job)
        if running is not None and running.task is not None:
            running.task.cancel()

    def decide(self, job: str) -> None:
        """Decide now with what is there; raises `UnknownItem` when the job does not run."""
        running = self._running.get(job)
        if running is None:
            raise UnknownItem(f"no running job {job!r}", field="job")
        running.answer_now.set()

    async def close(self) -> None:
        """Cancel what runs and wait until it is written down."""
        tasks = [running.task for running in self._running.values() if running.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def transcript(self, job: str) -> Transcript:
        """Return everything kept of one job; raises `UnknownItem`."""
        return await self._wiring.transcript(job)

    async def summaries(self, workspace: str | None, limit: int) -> tuple[JobSummary, ...]:
        """Return recent jobs, newest first."""
        return await self._wiring.summaries(workspace, limit)

    async def record(self, note: OutcomeNote) -> None:
        """Learn from what the person did."""
        await self._wiring.record_outcome(note)

    async def _run(self, running: RunningJob, prior_drafts: tuple[DraftRecord, ...]) -> JobResult:
        start = running.start
        recorder = Recorder(start.job, self._on_event, self._wiring.jobs)
        began = time.monotonic()
        cancelled: asyncio.CancelledError | None = None
        try:
            start = running.start = await self._wiring.with_kept_trust(start)
            loaded = await self._wiring.record_start(start)
            writing = asyncio.ensure_future(recorder.keep_writing())
            try:
                result = await self._deliberate(running, recorder, loaded, prior_drafts)
            finally:
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)
        except asyncio.CancelledError as problem:
            cancelled = problem
            result = self._ended(running, Status.CANCELLED, "cancelled; what was answered is kept")
        except BudgetExceeded as problem:
            result = self._ended(running, Status.OVER_BUDGET, str(problem), problem)
        except EnsembleError as problem:
            result = self._ended(running, Status.FAILED, str(problem), problem)
        except Exception as problem:  # noqa: BLE001
            # The job rim: the person gets an end, the log the traceback.
            _log.exception("job %s failed", start.job)
            result = self._ended(
                running, Status.FAILED, f"internal error: {type(problem).__name__}: {problem}"
            )
        self._on_result(start.job, result)
        seconds = time.monotonic() - began
        finished = Finished(status=result.status, reason=result.reason, spend=result.spend, seconds=seconds)
        try:
            await asyncio.shield(
                recorder.finish(
                    finished,
                    lambda: self._wiring.record_result(start, result, seconds, running.redact),
                )
            )
        finally:
            del self._running[start.job]
        if cancelled is not None and (task := asyncio.current_task()) is not None:
            task.uncancel()
        return result

    def _ended(
        self, running: RunningJob, status: Status, reason: str, problem: Exception | None = None
    ) -> JobResult:
        spend = running.budget.spent if running.budget is not None else Spend()
        error = type(problem).__name__ if problem is not None else ""
        if running.files is not None and running.found is not None:
            # What was finished of the files is worth as much as if the others had been, too.
            # The status first: without any file finished it would be "nothing", which says that all was looked at.
            so_far = with_lines(running.files.so_far().model_copy(update={"status": status}), running.found)
            reason = f"{reason}; {len(so_far.reviewed)} of {running.files.total} files were looked at"
            return so_far.model_copy(
                update={
                    "status": status,
                    "reason": _going_on(reason, running),
                    "error": error,
                    "spend": spend,
                }
            )
        return JobResult(status=status, reason=reason, error=error, spend=spend, drafts=tuple(running.drafts))

    async def _deliberate(
        self,
        running: RunningJob,
        recorder: Recorder,
        loaded: LoadedSettings,
        prior_drafts: tuple[DraftRecord, ...],
    ) -> JobResult:
        found = await scoped(running.start, loaded)
        if found.nothing:
            return without_files(found)
        start, running.found = found.start, found
        ask = aloud(self._ask_consent, recorder.note)
        parts = await self._wiring.prepare(start, loaded, ask, recorder.note, found)
        running.budget = parts.budget
        running.redact = parts.redactor.redact
        kept = parts.whole.kept if parts.whole is not None else {}
        recorder.emit(
            Started(
                action=start.task.action,
                uri=parts.uri,
                panel=tuple(
                    Seat(member=member.id, family=member.family, model=member.model, local=member.local)
                    for member in parts.panel.members
                ),
                estimate=parts.estimate,
                mode=start.task.mode,
                notes=(
                    *parts.panel.notes,
                    *parts.loaded.notices,
                    *found.notes,
                    *_about_kept(kept, len(start.task.paths)),
                    *(parts.dismissals.notes if start.task.action is Action.REVIEW else ()),
                ),
            )
        )

        async def save_draft(draft: DraftRecord) -> None:
            if not found.contents:
                # Of a whole repository they are in the store alone: there may be thousands.
                running.drafts.append(draft)
            await self._wiring.jobs.save_draft(start.job, draft)

        limit = parts.limits.seconds
        loop = asyncio.get_running_loop()
        deadline = None if limit is None else loop.time() + limit

        async def one(path: str | None) -> JobResult:
            deliberation = await self._wiring.deliberation(
                start,
                parts,
                _narrowed(start.task, path),
                emit=recorder.emit,
                answer_now=running.answer_now,
                prior_drafts=prior_drafts,
                save_draft=save_draft,
                deadline=deadline,
                randomness=random.Random(start.job),  # noqa: S311  (labels, not secrets)
            )
            getting_ready = asyncio.ensure_future(self._wiring.get_ready())
            try:
                return await deliberate(deliberation)
            finally:
                await self._wiring.release(deliberation)
                await asyncio.gather(getting_ready, return_exceptions=True)

        async def one_of_many(path: str) -> JobResult:
            result = await one(path)
            if result.status in {Status.DONE, Status.NOTHING} and not must_stop():
                key = parts.whole.keys.get(path) if parts.whole is not None else None
                if key is not None:
                    days = loaded.settings.store.keep_days
                    await self._wiring.reviewed.keep(key, start.workspace, to_keep(result), keep_days=days)
            return to_keep(result) if found.contents else result

        def must_stop() -> bool:
            return running.answer_now.is_set() or (deadline is not None and loop.time() >= deadline)

        try:
            async with asyncio.timeout(None if limit is None else limit + DEADLINE_GRACE):
                if parts.whole is not None:
                    for finding in (each for result in kept.values() for each in result.findings):
                        if finding.admitted:
                            recorder.emit(FindingMade(finding=finding))
                    running.files = FilesInTurn(
                        start.task.paths,
                        emit=recorder.emit,
                        at_once=parts.whole.at_once,
                        room=parts.whole.room,
                        kept=kept,
                    )
                    result = await running.files.run(one_of_many, must_stop=must_stop)
                else:
                    recorder.emit(PhaseEntered(phase=Phase.GATHER))
                    result = await one(only_path(start.task))
        except TimeoutError:
            return self._ended(
                running, Status.OVER_BUDGET, f"no decision within {limit:.0f} s; give the job more seconds"
            )
        finally:
            if parts.whole is not None:
                await parts.whole.checks.close()
        if start.task.action is not Action.REVIEW:
            return result
        known = parts.dismissals
        result = result.model_copy(
            update={
                "reason": _going_on(result.reason, running) if result.unreviewed else result.reason,
                # Every file tells what the whole job had spent by then.
                "spend": parts.budget.spent,
                "notes": (*result.notes, *_about_kept(kept, len(start.task.paths)), *known.notes),
                "warnings": known.warnings,
            }
        )
        return with_lines(result, found)

    @property
    def running(self) -> tuple[str, ...]:
        """The ids of the jobs that run."""
        return tuple(self._running)


def _about_kept(kept: Mapping[str, JobResult], files: int) -> tuple[str, ...]:
    if not kept:
        return ()
    said = f"{len(kept)} of {files} files are as an earlier review saw them, and its findings are shown"
    return (f"{said}; --fresh looks at all of them again",)


def _going_on(reason: str, running: RunningJob) -> str:
    """Say that a review of a workspace that ended early is not lost."""
    kept = running.found is not None and running.found.contents
    return f"{reason}; the same command goes on from there" if kept else reason


def _narrowed(task: Task, path: str | None) -> Task:
    """Return the task for one of its paths."""
    if task.action is not Action.REVIEW or not task.paths:
        return task
    return task.model_copy(update={"path": path, "paths": ()})
