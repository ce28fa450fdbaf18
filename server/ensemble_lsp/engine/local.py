"""The engine in the caller's own process: what the command line uses."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from ensemble_lsp.core.events import JobEvent
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.engine.client import ConsentAsker
from ensemble_lsp.engine.jobs import JobRunner
from ensemble_lsp.engine.messages import JobContinue, JobStart
from ensemble_lsp.engine.wiring import Wiring


class LocalEngine:
    """One process's engine; `open` is its only maker."""

    def __init__(self, wiring: Wiring, ask_consent: ConsentAsker) -> None:
        self.wiring = wiring
        self._listeners: dict[str, Callable[[JobEvent], None]] = {}
        self.runner = JobRunner(wiring, self._on_event, lambda _job, _result: None, ask_consent)

    @classmethod
    @asynccontextmanager
    async def open(cls, ask_consent: ConsentAsker) -> "AsyncGenerator[LocalEngine]":
        """Open the store and all that hangs on it; everything is closed at the end, running jobs cancelled."""
        wiring = await Wiring.open()
        engine = cls(wiring, ask_consent)
        try:
            yield engine
        finally:
            await engine.runner.close()
            await wiring.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know before the first job: a database that was set aside."""
        return self.wiring.notices

    async def run(self, start: JobStart, on_event: Callable[[JobEvent], None]) -> JobResult:
        """Run one job to its end; cancelling the caller cancels the job, whose result is then returned."""
        self._listeners[start.job] = on_event
        return await self._await(start.job, self.runner.start(start))

    async def go_on(self, request: JobContinue, on_event: Callable[[JobEvent], None]) -> JobResult:
        """Go on from the drafts of an earlier job."""
        self._listeners[request.new_job] = on_event
        return await self._await(request.new_job, await self.runner.continue_from(request))

    async def _await(self, job: str, task: "asyncio.Task[JobResult]") -> JobResult:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Ctrl-C: the job ends in its own order and tells what it has.
            task.cancel()
            return await task
        finally:
            self._listeners.pop(job, None)

    def _on_event(self, event: JobEvent) -> None:
        listener = self._listeners.get(event.job)
        if listener is not None:
            listener(event)
