"""Stamps a job's events, hands them on, and writes them down in batches."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.core.events import CheckFinished, EventBody, Finished, JobEvent, Phase, PhaseEntered
from ensemble_lsp.core.proposals import Candidate, FileChange
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.store.jobs import JobStore

_log = logging.getLogger(__name__)

FLUSH_INTERVAL = 0.5
"""Seconds between two writes of one job's events; drafts are written at once and do not wait for it."""


def without_secrets(
    emit: Callable[[EventBody], None], redact: Callable[[str, str], str]
) -> Callable[[EventBody], None]:
    """Return an `emit` that takes secrets out of what tools said: a scanner quotes the password that it warns of."""

    def told(body: EventBody) -> None:
        if isinstance(body, CheckFinished):
            body = body.model_copy(update={"summary": redact("check", body.summary)})
        emit(body)

    return told


def as_kept(result: JobResult, redact: Callable[[str, str], str]) -> JobResult:
    """Return a result as it is written down: the files of its changes and of its review without their secrets.

    What is kept is shown, never applied: the patch that takes a credential out of a file would keep it for a month.
    """

    def source(path: str, text: SourceText | None) -> SourceText | None:
        return None if text is None else text.with_text(redact(path, text.text))

    def change(item: FileChange) -> FileChange:
        return FileChange(
            path=item.path, before=source(item.path, item.before), after=source(item.path, item.after)
        )

    def candidate(item: Candidate) -> Candidate:
        return item.model_copy(update={"changes": tuple(map(change, item.changes))})

    proposal = result.proposal and result.proposal.model_copy(
        update={
            "chosen": candidate(result.proposal.chosen),
            "alternatives": tuple(map(candidate, result.proposal.alternatives)),
        }
    )
    texts = {path: redact(path, text) for path, text in result.texts.items()}
    return result.model_copy(update={"proposal": proposal, "texts": texts})


class Recorder:
    """The stream of one job's events. Belongs to one event loop."""

    def __init__(self, job: str, listener: Callable[[JobEvent], None], jobs: JobStore) -> None:
        self._job = job
        self._listener = listener
        self._jobs = jobs
        self._sequence = 0
        self._pending: list[dict[str, object]] = []

    def emit(self, body: EventBody) -> None:
        """Stamp and deliver one event, at once and in order."""
        self._listener(self._stamped(body))

    async def finish(self, body: Finished, write_result: Callable[[], Awaitable[None]]) -> None:
        """Deliver the last event once it and the result are written down: who sees it may ask for both.

        A store that fails, or that was never told of the job (it was cancelled before its first step), does not
        keep the job from ending.
        """
        event = self._stamped(body)
        try:
            await self.write()
            await write_result()
        except EnsembleError as problem:
            _log.error("job %s could not be written down: %s", self._job, problem)
        self._listener(event)

    def _stamped(self, body: EventBody) -> JobEvent:
        event = JobEvent(job=self._job, seq=self._sequence, time=time.time(), body=body)
        self._sequence += 1
        self._pending.append(event.flat())
        return event

    def note(self, text: str) -> None:
        """Tell what happens before the job can start: a download, a model that is loaded."""
        self.emit(PhaseEntered(phase=Phase.GATHER, note=text))

    async def write(self) -> None:
        """Write down what is pending."""
        batch, self._pending = self._pending, []
        if batch:
            await self._jobs.append_events(self._job, batch)

    async def keep_writing(self) -> None:
        """Write every `FLUSH_INTERVAL` until cancelled."""
        while True:
            await asyncio.sleep(FLUSH_INTERVAL)
            await self.write()
