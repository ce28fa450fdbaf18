"""The front's side of the engine: spawn it, talk to it, notice when it dies, let it go when idle."""

import asyncio
import contextlib
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ensemble_lsp import __version__
from ensemble_lsp.core.errors import EngineError
from ensemble_lsp.core.events import JobEvent
from ensemble_lsp.directories import state_directory
from ensemble_lsp.engine.messages import (
    ConsentAnswer,
    ConsentQuestion,
    DismissalList,
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
    PanelDescription,
    PanelQuery,
    ResultNote,
    Transcript,
)
from ensemble_lsp.engine.rpc import Connection

_log = logging.getLogger(__name__)

STOP_GRACE = 3.0
"""Seconds that a closing engine gets to write down what was answered, before it is killed."""

STREAM_LIMIT = 1024 * 1024
"""Bytes of one header line at most; bodies are read by length."""


class EngineListener:
    """What the engine tells on its own account; the front overrides what it needs."""

    @property
    def wants_deltas(self) -> bool:
        """Whether anybody reads answers while they are written; asked when the engine starts."""
        return True

    def event(self, event: JobEvent) -> None:
        """One event of one job, in order."""

    def delta(self, flat: Mapping[str, object]) -> None:
        """One `memberDelta` in the form of the protocol, unread: there may be hundreds a second."""

    def result(self, note: ResultNote) -> None:
        """What came out of a job, before its `finished` event."""

    async def consent(self, question: ConsentQuestion) -> bool:
        """Ask the person; the default refuses."""
        del question
        return False

    def died(self, code: int | None) -> None:
        """The process ended without being asked to; `code` is its exit status, negative for a signal."""


def engine_command() -> list[str]:
    """Return the command line of the engine: `-P` keeps the working directory off `sys.path`."""
    return [sys.executable, "-P", "-m", "ensemble_lsp.engine"]


def engine_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment passed on: all of it (keys among it), and litellm kept from reading `.env`."""
    return {**environment, "LITELLM_MODE": "PRODUCTION", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


class EngineClient:
    """One engine process at a time, started when needed. All methods belong to one event loop."""

    def __init__(
        self,
        listener: EngineListener,
        *,
        command: Callable[[], list[str]] = engine_command,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._listener = listener
        self._command = command
        self._environment = dict(os.environ if environment is None else environment)
        self._process: asyncio.subprocess.Process | None = None
        self._connection: Connection | None = None
        self._watch: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._ending: set[asyncio.subprocess.Process] = set()
        """Those that were asked to end: it is no news when they do."""
        self._asking = 0
        self._last_used = time.monotonic()

    @property
    def running(self) -> bool:
        """Whether a process is up."""
        return self._process is not None and self._process.returncode is None

    @property
    def idle_seconds(self) -> float:
        """Seconds since anything was asked of a process that is up; 0 while it is, or while none is."""
        if self._asking or self._starting.locked() or not self.running:
            return 0.0
        return time.monotonic() - self._last_used

    @property
    def pid(self) -> int | None:
        """The engine's process id, or None."""
        return self._process.pid if self.running and self._process else None

    async def start(self) -> None:
        """Start the engine unless it runs; raises `EngineError` when it cannot be started."""
        async with self._starting:
            if self.running and self._connection is not None:
                return
            if self._process is not None and self._watch is not None:
                # It died just now: that is told, and its jobs end, before another one has jobs of its own.
                await asyncio.wait({self._watch}, timeout=STOP_GRACE)
            directory = state_directory()
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                process = await asyncio.create_subprocess_exec(
                    *self._command(),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=None,
                    cwd=directory,
                    env=engine_environment(self._environment),
                    limit=STREAM_LIMIT,
                    # A Ctrl-C in the terminal reaches the front, which ends the engine in its own order.
                    start_new_session=True,
                )
            except OSError as problem:
                raise EngineError(f"the engine cannot be started: {problem}") from problem
            assert process.stdout is not None  # noqa: S101  (PIPE was asked for)
            assert process.stdin is not None  # noqa: S101
            connection = Connection(process.stdout, process.stdin)
            connection.on("job/event", self._on_event)
            connection.on("job/result", self._on_result)
            connection.on("consent/ask", self._on_consent)
            self._process = process
            self._connection = connection
            self._watch = asyncio.ensure_future(self._serve(process, connection))
            answer = HelloAnswer.model_validate(
                await connection.request(
                    "engine/hello",
                    Hello(version=__version__, pid=os.getpid(), deltas=self._listener.wants_deltas).to_wire(),
                )
            )
            if answer.version != __version__:
                await self.stop()
                raise EngineError(
                    f"the engine is version {answer.version}, the server {__version__}",
                    hint="restart the language server",
                )

    async def warm(self) -> None:
        """Start the engine and let it import what is slow, ahead of the first job."""
        await self.start()
        self._last_used = time.monotonic()
        self._must_connection().notify("engine/warm", {})

    async def start_job(self, start: JobStart) -> None:
        """Start a job; its events follow."""
        await self._request("job/start", start.to_wire())

    async def continue_job(self, request: JobContinue) -> None:
        """Go on from the drafts of an earlier job."""
        await self._request("job/continue", request.to_wire())

    async def cancel(self, job: str) -> None:
        """End a job; what was answered is kept. Nothing to do when the engine does not run."""
        if self.running:
            await self._request("job/cancel", JobRef(job=job).to_wire())

    async def decide(self, job: str) -> None:
        """Decide now with what is there."""
        await self._request("job/decide", JobRef(job=job).to_wire())

    async def transcript(self, job: str) -> Transcript:
        """Return everything kept of one job; raises `UnknownItem`."""
        return Transcript.model_validate(await self._request("job/get", JobRef(job=job).to_wire()))

    async def jobs(self, query: JobListQuery) -> JobList:
        """Return recent jobs, newest first."""
        return JobList.model_validate(await self._request("job/list", query.to_wire()))

    async def panel(self, query: PanelQuery) -> PanelDescription:
        """Return who would sit, why, at what price; nothing is spent."""
        return PanelDescription.model_validate(await self._request("panel/describe", query.to_wire()))

    async def record(self, note: OutcomeNote) -> None:
        """Tell what the person did with a result."""
        await self._request("outcome/record", note.to_wire())

    async def dismiss(self, note: DismissalNote) -> None:
        """Do not show a finding again; raises `ConfigurationError` when the shared file cannot be used."""
        await self._request("dismissal/add", note.to_wire())

    async def dismissals(self, query: DismissalQuery) -> DismissalList:
        """Return what was dismissed in a workspace."""
        return DismissalList.model_validate(await self._request("dismissal/list", query.to_wire()))

    async def restore(self, ref: DismissalRef) -> DismissalList:
        """Take a dismissal back; raises `UnknownItem`."""
        return DismissalList.model_validate(await self._request("dismissal/restore", ref.to_wire()))

    async def stop(self) -> None:
        """End the engine: in good order, then by force. Children of it go with it."""
        # A request that comes meanwhile starts another one: from here on this one's parts are ours alone.
        process, connection, watch = self._process, self._connection, self._watch
        self._process = self._connection = None
        if process is None:
            return
        self._ending.add(process)
        try:
            async with asyncio.timeout(STOP_GRACE):
                if connection is not None and process.returncode is None:
                    with contextlib.suppress(EngineError):
                        await connection.request("engine/shutdown", {})
                    await connection.close()
                await process.wait()
        except TimeoutError:
            _log.warning("the engine did not end in %s s and is killed", STOP_GRACE)
        if process.returncode is None:
            process.kill()
            await process.wait()
        if watch is not None:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
        self._ending.discard(process)

    def _must_connection(self) -> Connection:
        if self._connection is None:
            raise EngineError("the engine is not running")
        return self._connection

    async def _request(self, method: str, params: Mapping[str, object]) -> Any:
        self._asking += 1
        try:
            await self.start()
            return await self._must_connection().request(method, params)
        finally:
            self._asking -= 1
            self._last_used = time.monotonic()

    async def _serve(self, process: asyncio.subprocess.Process, connection: Connection) -> None:
        try:
            await connection.run()
        except EngineError as problem:
            _log.error("the engine's stream is broken: %s", problem)
            process.kill()
        code = await process.wait()
        if self._process is process:
            self._process = self._connection = None
        if process in self._ending:
            self._ending.discard(process)
        else:
            _log.error("the engine ended with status %s", code)
            self._listener.died(code)

    async def _on_event(self, params: dict[str, Any]) -> None:
        if params.get("kind") == "memberDelta":
            self._listener.delta(params)
        else:
            self._listener.event(JobEvent.from_flat(params))

    async def _on_result(self, params: dict[str, Any]) -> None:
        self._listener.result(ResultNote.model_validate(params))

    async def _on_consent(self, params: dict[str, Any]) -> Mapping[str, object]:
        granted = await self._listener.consent(ConsentQuestion.model_validate(params))
        return ConsentAnswer(granted=granted).to_wire()


ConsentAsker = Callable[[ConsentQuestion], Awaitable[bool]]
"""Puts the question to the person and returns the answer."""
