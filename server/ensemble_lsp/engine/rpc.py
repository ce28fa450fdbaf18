"""JSON-RPC 2.0 over a pair of byte streams, framed as LSP frames it (`Content-Length`).

Own code, about as long as configuring a library would be: pygls turns unknown parameters into namedtuples with
renamed keys, answers nothing to parameters it cannot read, and is slow to import, and the engine needs none of LSP.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from pydantic import ValidationError

from ensemble_lsp.core import errors
from ensemble_lsp.core.errors import EngineError, EnsembleError, UsageError

_log = logging.getLogger(__name__)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
ENSEMBLE_ERROR = -32000
"""Code of every error of our own tree; `data.type` names the class."""

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""A frame above this is a broken peer, not a document."""

Params = dict[str, Any]
Handler = Callable[[Params], Awaitable[Mapping[str, object] | None]]


def error_to_wire(error: EnsembleError) -> dict[str, object]:
    """Return the `error` member of a response for one of our errors."""
    data: dict[str, object] = {"type": type(error).__name__, "hint": error.hint, "exitCode": error.exit_code}
    code = INVALID_PARAMS if isinstance(error, UsageError) else ENSEMBLE_ERROR
    return {"code": code, "message": error.message, "data": data}


def error_from_wire(data: Mapping[str, Any]) -> EnsembleError:
    """Return the error that a response carries; a class we do not know becomes `EngineError`."""
    message = str(data.get("message", "the engine answered with an error"))
    detail = cast("Mapping[str, Any]", data.get("data") or {})
    hint = str(detail.get("hint", ""))
    known = getattr(errors, str(detail.get("type", "")), None)
    if isinstance(known, type) and issubclass(known, EnsembleError):
        if issubclass(known, errors.BudgetExceeded):
            return known(message, cap="", hint=hint)
        return known(message, hint=hint)
    return EngineError(message, hint=hint)


class Connection:
    """One peer. `run` reads until the other side closes; every request handler is a task of its own."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._handlers: dict[str, Handler] = {}
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._next_id = 1
        self._tasks: set[asyncio.Task[None]] = set()
        self._finished_anyway: set[str] = set()
        self._unfinished: set[asyncio.Task[None]] = set()
        self._closed = False

    def on(self, method: str, handler: Handler, *, finish: bool = False) -> None:
        """Answer `method` (request or notification) with `handler`.

        With `finish` what was asked is done to its end also when the peer goes away meanwhile; others are cancelled.
        """
        self._handlers[method] = handler
        if finish:
            self._finished_anyway.add(method)

    async def run(self) -> None:
        """Serve until end of file. Requests still waiting then fail with `EngineError`."""
        try:
            # Bounded by the peer: ends at its end of file.
            while (message := await self._read()) is not None:
                self._dispatch(message)
        finally:
            self._closed = True
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(EngineError("the other process went away"))
            self._waiting.clear()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self.finished()

    async def finished(self) -> None:
        """Wait for what is to be done whatever the peer does."""
        await asyncio.gather(*self._unfinished, return_exceptions=True)

    async def request(self, method: str, params: Mapping[str, object]) -> Any:
        """Return the peer's result; raises the error it answered with, or `EngineError` when it is gone."""
        if self._closed:
            raise EngineError("the other process went away")
        number = self._next_id
        self._next_id += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            await self._drain()
            return await future
        finally:
            self._waiting.pop(number, None)

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification; silently nothing when the peer is gone, since nobody would read it."""
        if not self._closed:
            self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def close(self) -> None:
        """Flush and close our side."""
        self._closed = True
        try:
            await self._writer.drain()
            self._writer.close()
        except (ConnectionError, OSError):
            _log.debug("the peer closed first")

    async def _drain(self) -> None:
        try:
            await self._writer.drain()
        except (ConnectionError, OSError) as problem:
            raise EngineError("the other process went away") from problem

    def _send(self, message: Mapping[str, object]) -> None:
        # ASCII only, so that lone surrogates (bytes that do not decode) travel as escapes.
        body = json.dumps(message, separators=(",", ":")).encode("ascii")
        try:
            self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        except (ConnectionError, OSError):
            self._closed = True

    async def _read(self) -> Any:
        length = 0
        try:
            # At most a handful of header lines; an endless header ends at the stream's own line limit.
            while (line := await self._reader.readline()) not in {b"\r\n", b"\n"}:
                if not line:
                    return None
                name, _, value = line.partition(b":")
                if name.strip().lower() == b"content-length":
                    length = int(value)
            if not 0 < length <= MAX_MESSAGE_BYTES:
                raise EngineError(f"a frame of {length} bytes is not a message")
            return json.loads(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except ValueError as problem:
            raise EngineError(f"the peer sent something that is not JSON-RPC: {problem}") from problem

    def _dispatch(self, message: Any) -> None:
        if not isinstance(message, dict):
            _log.warning("ignored a message that is not an object")
            return
        fields = cast("dict[str, Any]", message)
        if "method" not in fields:
            self._settle(fields)
            return
        task = asyncio.ensure_future(self._handle(fields))
        tasks = self._unfinished if str(fields["method"]) in self._finished_anyway else self._tasks
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def _settle(self, message: dict[str, Any]) -> None:
        future = self._waiting.get(message.get("id", -1))
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(error_from_wire(message["error"]))
        else:
            future.set_result(message.get("result"))

    async def _handle(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        method = str(message["method"])
        answer = await self._answer(method, message.get("params") or {})
        if number is not None:
            self._send({"jsonrpc": "2.0", "id": number, **answer})
        elif "error" in answer:
            _log.warning("%s: %s", method, answer["error"])

    async def _answer(self, method: str, params: Params) -> dict[str, object]:
        handler = self._handlers.get(method)
        if handler is None:
            return {"error": {"code": METHOD_NOT_FOUND, "message": f"no method {method!r}"}}
        try:
            return {"result": await handler(params) or {}}
        except ValidationError as problem:
            first = problem.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            return {"error": {"code": INVALID_PARAMS, "message": f"{field}: {first['msg']}"}}
        except EnsembleError as problem:
            return {"error": error_to_wire(problem)}
        except OSError as problem:
            # The file system's word on a path, or on a full disk: it says itself what is wrong.
            _log.warning("%s: %s", method, problem)
            return {"error": error_to_wire(EngineError(str(problem)))}
        except Exception as problem:  # noqa: BLE001
            # The request rim: the peer gets an answer whatever happened, and the log the traceback.
            _log.exception("%s failed", method)
            return {"error": {"code": INTERNAL_ERROR, "message": f"{type(problem).__name__} in {method}"}}
