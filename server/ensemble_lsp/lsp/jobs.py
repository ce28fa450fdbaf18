"""The jobs that this front started: what they are about, how far they are, and what came of them."""

import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from lsprotocol import types

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.commit_messages import COMMIT_MESSAGE, is_commit_message
from ensemble_lsp.core.errors import EngineError, EnsembleError, UnknownItem
from ensemble_lsp.core.events import (
    Action,
    Finished,
    JobEvent,
    PhaseEntered,
    Started,
    Status,
)
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.client import EngineListener
from ensemble_lsp.engine.messages import ConsentQuestion, JobContinue, JobOptions, JobStart, ResultNote
from ensemble_lsp.lsp.findings import Review
from ensemble_lsp.lsp.messages import InputParams
from ensemble_lsp.lsp.progress import JobProgress

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

_log = logging.getLogger(__name__)

INPUT = "ensemble/input"

SCOPES = {"changes": "what changed", "staged": "what is staged", "workspace": "the workspace"}
"""What a review is about that names no file, in the title of its progress."""

FINDS = frozenset({Action.LOCATE, Action.SECURE, Action.TEST})
"""Actions that find something in the code without being a review: places of a fault, holes, suspected bugs."""

LOOKED = frozenset({Status.DONE, Status.NOTHING, Status.ABSTAINED})
"""How such a job ends when it looked at everything: what an earlier one found is out of date then."""

ANSWERS = {
    "send": ("Send", "Do not send"),
    "download": ("Download", "Do not download"),
    "unconfined": ("Run without a sandbox", "Do not run"),
    "spend": ("Start", "Do not start"),
}


@dataclass(slots=True)
class FrontJob:
    """One job as the front knows it."""

    id: str
    task: Task
    root: Path
    progress: JobProgress
    snapshots: dict[str, str] = field(default_factory=dict[str, str])
    """Path → the text that the job works on, of each document that was open when it started."""
    since: int = 0
    """How many renames had been told when it started."""
    families: int = 0
    """How many families sit on its panel, once it started."""
    progress_shown: bool = False
    result: JobResult | None = None
    last_sequence: int = -1


def title_of(task: Task) -> str:
    """Return the title of a job's progress: "Ensemble fix: cart.py"."""
    nothing = "what a report points to" if task.action is Action.LOCATE else "the panel"
    name = Path(task.path).name if task.path else SCOPES.get(task.scope or "", nothing)
    if is_commit_message(name):
        name = COMMIT_MESSAGE
    return f"Ensemble {task.action.value}: {name}"


class FrontJobs(EngineListener):
    """Starts jobs, follows their events, and hands results to the presenter."""

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._jobs: dict[str, FrontJob] = {}

    @property
    def running(self) -> bool:
        """Whether any job has not ended yet."""
        return bool(self._jobs)

    def start(self, task: Task, root: Path, options: JobOptions, *, question: str | None = None) -> str:
        """Start a job in the background and return its id at once; its events come after that answer.

        With `question` the person is asked for the instruction first; who closes the question cancels the job.
        """
        job = self._register(task, root)
        if question is None:
            self._launch(job, options)
        else:
            self._server.in_background(self._ask_then_launch(job, options, question))
        return job.id

    def _launch(self, job: FrontJob, options: JobOptions) -> None:
        start = JobStart(
            job=job.id,
            workspace=str(job.root),
            task=job.task,
            documents=self._server.open_documents(job.root, job.task.path),
            trusted=self._server.is_trusted(job.root),
            trust_kept=not self._server.folders.client_trusts,
            options=options,
        )
        job.snapshots = {document.path: document.text for document in start.documents}
        self._server.in_background(self._begin(job, lambda: self._start(job, start)))

    async def _ask_then_launch(self, job: FrontJob, options: JobOptions, question: str) -> None:
        params = InputParams(title=f"{job.progress.title}: {question}", job=job.id)
        answer = await self._server.protocol.ask_client(INPUT, params.to_wire())
        if job.id not in self._jobs:
            return  # cancelled while the question stood
        text = (answer or {}).get("text")
        if not isinstance(text, str) or not text.strip():
            self._end(job.id, Status.CANCELLED, "no instruction was given")
            return
        job.task = job.task.model_copy(update={"instruction": text})
        self._launch(job, options)

    async def _start(self, job: FrontJob, start: JobStart) -> None:
        start = await self._server.preparation.completed(start)
        if job.id in self._jobs:
            await self._server.engine.start_job(start)

    def go_on(self, request: JobContinue, task: Task, root: Path) -> str:
        """Start a job that goes on from the drafts of an earlier one."""
        job = self._register(task, root, request.new_job)
        job.snapshots = {item.path: item.text for item in self._server.open_documents(root, task.path)}
        self._server.in_background(self._begin(job, lambda: self._server.engine.continue_job(request)))
        return job.id

    @staticmethod
    def new_id() -> str:
        """Return an id for a job that is about to start."""
        return uuid.uuid4().hex[:12]

    def knows(self, job: str) -> bool:
        """Whether the job runs."""
        return job in self._jobs

    def within(self, root: Path) -> tuple[str, ...]:
        """Return the running jobs of a folder, or of one below it."""
        return tuple(job.id for job in self._jobs.values() if root in {job.root, *job.root.parents})

    def find(self, job: str) -> FrontJob:
        """Return a running job; raises `UnknownItem`."""
        if job not in self._jobs:
            raise UnknownItem(f"no running job {job!r}", field="job")
        return self._jobs[job]

    def cancel(self, job: str) -> None:
        """End a job: the person sees the end at once, the engine follows. Raises `UnknownItem`."""
        self.find(job)
        self._end(job, Status.CANCELLED, "cancelled; what was answered is kept")
        self._server.in_background(self._cancel_in_engine(job))

    async def _cancel_in_engine(self, job: str) -> None:
        try:
            await self._server.engine.cancel(job)
        except EngineError as problem:
            _log.info("nothing left to cancel: %s", problem)

    def _register(self, task: Task, root: Path, job_id: str | None = None) -> FrontJob:
        job = FrontJob(
            job_id or self.new_id(),
            task,
            root,
            JobProgress(title_of(task)),
            since=self._server.moves.count,
        )
        self._jobs[job.id] = job
        return job

    async def _begin(self, job: FrontJob, call: Callable[[], Awaitable[None]]) -> None:
        if self._server.view.progress:
            # Beside the job: a client that never answers has no progress, but its job runs.
            self._server.in_background(self._show_progress(job))
        try:
            await call()
        except (EngineError, OSError) as problem:
            self._end(job.id, Status.FAILED, f"the job could not be started: {problem}")
        except EnsembleError as problem:
            self._end(job.id, Status.FAILED, str(problem))
        except Exception as problem:  # noqa: BLE001
            # The job rim: whatever went wrong, the person gets an end and the log the traceback.
            _log.error("job %s could not be started", job.id, exc_info=problem)
            self._end(job.id, Status.FAILED, f"internal error: {type(problem).__name__}")
        if job.id not in self._jobs:
            # Cancelled while the engine was still starting; a job that ended by itself does not mind.
            await self._cancel_in_engine(job.id)

    async def _show_progress(self, job: FrontJob) -> None:
        created = await self._server.protocol.ask_client(
            types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(token=job.id)
        )
        if created is not None and job.id in self._jobs:
            job.progress_shown = True
            self._progress(job, job.progress.begin())

    def _progress(
        self,
        job: FrontJob,
        value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd,
    ) -> None:
        self._server.protocol.notify(types.PROGRESS, types.ProgressParams(token=job.id, value=value))

    def event(self, event: JobEvent) -> None:
        """Forward one event; ended jobs stay ended."""
        if isinstance(event.body, PhaseEntered | Finished):
            self._server.shown.changed(event.job)
        job = self._jobs.get(event.job)
        if job is None:
            return
        job.last_sequence = event.seq
        if isinstance(event.body, Started):
            job.families = len({seat.family for seat in event.body.panel})
        if isinstance(event.body, Finished):
            self._end(event.job, event.body.status, event.body.reason, event)
            return
        if self._server.view.events:
            self._server.protocol.tell("ensemble/event", self._in_client_words(job, event))
        report = job.progress.report(event.body)
        if report is not None and job.progress_shown:
            self._progress(job, report)

    @property
    def wants_deltas(self) -> bool:
        """Whether the client watches answers while they are written."""
        return self._server.view.events

    def delta(self, flat: Mapping[str, object]) -> None:
        """Pass on some text of an answer as it came."""
        job = self._jobs.get(str(flat.get("job")))
        if job is not None and self._server.view.events:
            job.last_sequence = cast("int", flat["seq"])
            self._server.protocol.tell("ensemble/event", flat)

    def _in_client_words(self, job: FrontJob, event: JobEvent) -> dict[str, object]:
        """Return an event as it goes out: a document has the client's own URI, which need not be a file's."""
        flat = event.flat()
        if isinstance(event.body, Started) and job.task.path is not None:
            flat["uri"] = self._server.proposals.uri_of(job.root, job.task.path, job.since)
        return flat

    def result(self, note: ResultNote) -> None:
        """Keep what came out until the job's end is announced."""
        job = self._jobs.get(note.job)
        if job is not None:
            job.result = note.result

    async def consent(self, question: ConsentQuestion) -> bool:
        """Ask the person: about code that leaves the machine, a download, or a run without a sandbox."""
        agree, refuse = ANSWERS[question.kind]
        return await self._server.ask(f"Ensemble: {question.text}", [agree, refuse]) == agree

    def died(self, code: int | None) -> None:
        """The engine is gone: its jobs end with a clear error, the next job starts a new engine."""
        how = f"signal {-code}" if code is not None and code < 0 else f"status {code}"
        for job in tuple(self._jobs):
            self._end(
                job,
                Status.FAILED,
                f"the engine process ended ({how}); answers that were already there are kept. Start the job again.",
            )

    def _end(self, job_id: str, status: Status, reason: str, event: JobEvent | None = None) -> None:
        job = self._jobs.pop(job_id, None)
        if job is None:
            return
        if self._server.view.events:
            last = event or JobEvent(
                job=job_id,
                seq=job.last_sequence + 1,
                time=self._server.wall_clock(),
                body=Finished(
                    status=status, reason=reason, spend=job.result.spend if job.result else Spend()
                ),
            )
            self._server.protocol.tell("ensemble/event", last.flat())
        if job.progress_shown:
            self._progress(job, types.WorkDoneProgressEnd(message=f"{status.value}: {reason}"))
        if job.result is not None and status is not Status.CANCELLED:
            self._present(job, job.result)
        if status in {Status.FAILED, Status.OVER_BUDGET, Status.ABSTAINED}:
            kind = types.MessageType.Error if status is Status.FAILED else types.MessageType.Warning
            self._server.say(kind, f"{job.progress.title}: {reason}")
        elif status is Status.NOTHING:
            self._server.say(types.MessageType.Info, f"{job.progress.title}: {reason}")

    def _present(self, job: FrontJob, result: JobResult) -> None:
        for path in result.reviewed:
            self._show_review(job, result, path)
        if job.task.action in FINDS and (result.findings or result.status in LOOKED):
            self._show_found(job, result)
        for warning in result.warnings:
            self._server.say(types.MessageType.Warning, f"{job.progress.title}: {warning}")
        if result.proposal is not None:
            kept = self._server.proposals.keep(result.proposal, job.root, job.task, job.since)
            self._server.presenter.proposal(kept)
        if result.document:
            about = job.task.path or job.task.instruction
            self._server.shown.document_of(job.id, job.task.action, about, result.document)
        self._server.followed_files.watch()

    def _show_review(self, job: FrontJob, result: JobResult, path: str) -> None:
        """Show what a review found in one file; of lines that it did not look at everything stays."""
        lines = (job.task.range,) if job.task.range is not None else result.changed_lines.get(path)
        self._server.diagnostics.show(
            self._server.proposals.uri_of(job.root, path, job.since),
            self._review_of(job, result),
            [finding for finding in result.findings if finding.path == path],
            reviewed=result.texts.get(path, job.snapshots.get(path)),
            lines=lines,
        )

    def _review_of(self, job: FrontJob, result: JobResult) -> Review:
        return Review(
            job.id, job.families, result.spend, self._server.wall_clock(), job.root, job.task.action
        )

    def _show_found(self, job: FrontJob, result: JobResult) -> None:
        """Show what a job found that is no review, wherever it is; places of an earlier search are out of date."""
        locates = job.task.action is Action.LOCATE
        by_uri: dict[str, list[Finding]] = {}
        if locates:
            by_uri = {uri: [] for uri in self._server.findings.from_action(Action.LOCATE)}
        elif job.task.path is not None:
            by_uri[self._server.proposals.uri_of(job.root, job.task.path, job.since)] = []
        texts: dict[str, str] = {}
        for finding in result.findings:
            uri = self._server.proposals.uri_of(job.root, finding.path, job.since)
            by_uri.setdefault(uri, []).append(finding)
            if finding.path in job.snapshots:
                texts[uri] = job.snapshots[finding.path]
        lines = (job.task.range,) if job.task.range is not None and not locates else None
        for uri, findings in by_uri.items():
            self._server.diagnostics.show(
                uri, self._review_of(job, result), findings, reviewed=texts.get(uri), lines=lines
            )
