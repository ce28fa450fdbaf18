"""The engine's requests: each parsed once, handed to the runner, answered."""

import asyncio
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ensemble_lsp import __version__
from ensemble_lsp.core.errors import EngineError
from ensemble_lsp.core.events import JobEvent, MemberDelta
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.engine.jobs import JobRunner
from ensemble_lsp.engine.messages import (
    ConsentAnswer,
    ConsentQuestion,
    DismissalNote,
    DismissalQuery,
    DismissalRef,
    Hello,
    HelloAnswer,
    JobContinue,
    JobList,
    JobListQuery,
    JobRef,
    JobStart,
    OutcomeNote,
    PanelQuery,
    ResultNote,
)
from ensemble_lsp.engine.rpc import Connection
from ensemble_lsp.engine.wiring import Wiring

_log = logging.getLogger(__name__)


class EngineServer:
    """One front, one engine."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connection = Connection(reader, writer)
        self._stopped = asyncio.Event()
        self._wiring: Wiring | None = None
        self._runner: JobRunner | None = None
        self._opening = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None
        self._deltas = True
        for method, handler in {
            "engine/hello": self._hello,
            "engine/warm": self._warm,
            "engine/shutdown": self._shutdown,
            "job/start": self._job_start,
            "job/continue": self._job_continue,
            "job/decide": self._job_decide,
            "job/cancel": self._job_cancel,
            "job/get": self._job_get,
            "job/list": self._job_list,
            "panel/describe": self._panel_describe,
            "dismissal/list": self._dismissal_list,
        }.items():
            self._connection.on(method, handler)
        # What a person decided is written down, also when the editor closes in the same moment.
        for method, handler in {
            "outcome/record": self._outcome_record,
            "dismissal/add": self._dismissal_add,
            "dismissal/restore": self._dismissal_restore,
        }.items():
            self._connection.on(method, handler, finish=True)

    def stop(self) -> None:
        """End `run` in good order."""
        self._stopped.set()

    async def run(self) -> None:
        """Serve until the front closes our input, asks for shutdown, or a signal comes."""
        serving = asyncio.ensure_future(self._connection.run())
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._connection.finished()
            if self._runner is not None:
                await self._runner.close()
            if self._warming is not None:
                self._warming.cancel()
            if self._wiring is not None:
                await self._wiring.close()
            for task in (serving, stopped):
                task.cancel()
            await self._connection.close()

    async def _ready(self) -> JobRunner:
        async with self._opening:
            if self._runner is None:
                self._wiring = await Wiring.open()
                for notice in self._wiring.notices:
                    _log.warning("%s", notice)
                self._runner = JobRunner(self._wiring, self._on_event, self._on_result, self._ask_consent)
            return self._runner

    def _on_event(self, event: JobEvent) -> None:
        if not self._deltas and isinstance(event.body, MemberDelta):
            return
        self._connection.notify("job/event", event.flat())

    def _on_result(self, job: str, result: JobResult) -> None:
        self._connection.notify("job/result", ResultNote(job=job, result=result).to_wire())

    async def _ask_consent(self, question: ConsentQuestion) -> bool:
        answer = await self._connection.request("consent/ask", question.to_wire())
        return ConsentAnswer.model_validate(answer).granted

    async def _hello(self, params: dict[str, Any]) -> Mapping[str, object]:
        hello = Hello.model_validate(params)
        if hello.version != __version__:
            raise EngineError(
                f"the server is version {hello.version}, the engine {__version__}",
                hint="restart the language server",
            )
        self._deltas = hello.deltas
        return HelloAnswer(version=__version__, pid=os.getpid()).to_wire()

    async def _warm(self, _params: dict[str, Any]) -> None:
        await self._ready()
        if self._wiring is not None and self._warming is None:
            self._warming = asyncio.ensure_future(self._wiring.warm())

    async def _shutdown(self, _params: dict[str, Any]) -> None:
        if self._runner is not None:
            await self._runner.close()
        asyncio.get_running_loop().call_soon(self._stopped.set)

    async def _job_start(self, params: dict[str, Any]) -> Mapping[str, object]:
        start = JobStart.model_validate(params)
        runner = await self._ready()
        runner.start(start)
        return JobRef(job=start.job).to_wire()

    async def _job_continue(self, params: dict[str, Any]) -> Mapping[str, object]:
        request = JobContinue.model_validate(params)
        runner = await self._ready()
        await runner.continue_from(request)
        return JobRef(job=request.new_job).to_wire()

    async def _job_decide(self, params: dict[str, Any]) -> None:
        (await self._ready()).decide(JobRef.model_validate(params).job)

    async def _job_cancel(self, params: dict[str, Any]) -> None:
        (await self._ready()).cancel(JobRef.model_validate(params).job)

    async def _job_get(self, params: dict[str, Any]) -> Mapping[str, object]:
        runner = await self._ready()
        return (await runner.transcript(JobRef.model_validate(params).job)).to_wire()

    async def _job_list(self, params: dict[str, Any]) -> Mapping[str, object]:
        query = JobListQuery.model_validate(params)
        runner = await self._ready()
        return JobList(jobs=await runner.summaries(query.workspace, query.limit)).to_wire()

    async def _panel_describe(self, params: dict[str, Any]) -> Mapping[str, object]:
        query = PanelQuery.model_validate(params)
        await self._ready()
        if self._wiring is None:
            raise EngineError("the engine is closing")
        return (await self._wiring.describe_panel(query)).to_wire()

    async def _dismissal_add(self, params: dict[str, Any]) -> None:
        await (await self._parts()).dismiss(DismissalNote.model_validate(params))

    async def _dismissal_list(self, params: dict[str, Any]) -> Mapping[str, object]:
        query = DismissalQuery.model_validate(params)
        book = (await self._parts()).dismissals
        return (await book.listed(Path(query.workspace), trusted=query.trusted)).to_wire()

    async def _dismissal_restore(self, params: dict[str, Any]) -> Mapping[str, object]:
        ref = DismissalRef.model_validate(params)
        book = (await self._parts()).dismissals
        restored = await book.restore(Path(ref.workspace), ref.id, trusted=ref.trusted)
        return restored.to_wire()

    async def _parts(self) -> Wiring:
        await self._ready()
        if self._wiring is None:
            raise EngineError("the engine is closing")
        return self._wiring

    async def _outcome_record(self, params: dict[str, Any]) -> None:
        runner = await self._ready()
        await runner.record(OutcomeNote.model_validate(params))
