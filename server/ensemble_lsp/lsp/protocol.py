"""JSON-RPC as this server needs it: pygls's protocol with its gaps closed.

pygls 2.1 by itself answers nothing to a request whose parameters cannot be read, turns unknown parameters into
namedtuples with renamed keys, splits documents at characters that are not line ends, and does not end commands
on `$/cancelRequest`. Here: an answer to every request, custom parameters as plain dicts, our own documents, and
commands as tasks that a cancel reaches.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pydantic import ValidationError
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage
from pygls.protocol.language_server import lsp_method
from pygls.workspace import Workspace

from ensemble_lsp.core.errors import EnsembleError, UsageError
from ensemble_lsp.lsp.frames import NotJson
from ensemble_lsp.lsp.greeting import greeting
from ensemble_lsp.lsp.moved_on import MovedOn

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

_log = logging.getLogger(__name__)

CUSTOM_PREFIX = "ensemble/"
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_FAILED = -32803
CONTENT_MODIFIED = -32801

SHOWN_OF_A_PATH = 200
"""Characters of a path in a message."""


def error_response(error: Exception) -> JsonRpcException:
    """Return the JSON-RPC error for one of ours, with a message a person can act on."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "argument"
        return JsonRpcException(f"{field}: {first['msg']}", INVALID_PARAMS, {"field": field})
    if isinstance(error, MovedOn):
        return JsonRpcException(error.message, CONTENT_MODIFIED, {"field": error.field, "hint": error.hint})
    if isinstance(error, UsageError):
        return JsonRpcException(error.message, INVALID_PARAMS, {"field": error.field, "hint": error.hint})
    if isinstance(error, EnsembleError):
        return JsonRpcException(error.message, REQUEST_FAILED, {"hint": error.hint})
    if isinstance(error, OSError):
        # The file system's word on a path that the client named: too long, no folder, not allowed.
        reason = error.strerror or type(error).__name__
        return JsonRpcException(f"{reason}: {str(error.filename or '')[:SHOWN_OF_A_PATH]}", REQUEST_FAILED)
    return JsonRpcException(f"internal error: {type(error).__name__}", INTERNAL_ERROR)


class EnsembleProtocol(LanguageServerProtocol):
    """The server's side of the connection."""

    _server: "EnsembleServer"  # pyright: ignore[reportIncompatibleVariableOverride]
    _answered: int | str | None = None
    """Id of the `initialize` that has its answer already."""

    def _register_builtin_features(self) -> None:
        """Put our own handlers in the place of pygls's: its documents split lines where LSP does not."""
        super()._register_builtin_features()
        server = self._server

        def ignored(params: object) -> None:
            del params

        handlers: dict[str, Callable[[Any], Any]] = {
            types.TEXT_DOCUMENT_DID_OPEN: server.opened,
            types.TEXT_DOCUMENT_DID_CHANGE: server.changed,
            types.TEXT_DOCUMENT_DID_CLOSE: server.closed,
            # Not offered, so no client should send them; pygls would keep a second copy of each cell.
            types.NOTEBOOK_DOCUMENT_DID_OPEN: ignored,
            types.NOTEBOOK_DOCUMENT_DID_CHANGE: ignored,
            types.NOTEBOOK_DOCUMENT_DID_CLOSE: ignored,
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: lambda params: server.progress_cancelled(
                str(params.token)
            ),
            # A coroutine, so that `$/cancelRequest` ends it.
            types.WORKSPACE_EXECUTE_COMMAND: self._execute_command,
        }
        for method, handler in handlers.items():
            self.fm.add_builtin_feature(method, handler)

    # -- reading --------------------------------------------------------------------------------------------

    def receive(self, message: object) -> int | None:
        """Take one message as it came off the wire; returns the exit status after `exit`.

        Every request gets an answer, whatever it holds. Responses to our own requests are settled here.
        """
        if not isinstance(message, dict):
            what = "JSON" if isinstance(message, NotJson) else "one JSON-RPC object"
            code = PARSE_ERROR if isinstance(message, NotJson) else INVALID_REQUEST
            self._refuse(None, code, f"the message is not {what}")
            return None
        fields = cast("dict[str, Any]", message)
        method, number = fields.get("method"), fields.get("id")
        if method is None:
            self._settle(fields)
            return None
        if method == types.EXIT:
            return 0 if self._shutdown else 1
        is_request = "id" in fields
        if is_request and (isinstance(number, bool) or not isinstance(number, int | str)):
            self._refuse(None, INVALID_REQUEST, "the id is neither a whole number nor a string")
        elif fields.get("jsonrpc") != self.VERSION or not isinstance(method, str):
            if is_request:
                self._refuse(number, INVALID_REQUEST, 'jsonrpc is not "2.0", or the method is not a string')
        elif self._shutdown:
            if is_request:
                self._refuse(number, INVALID_REQUEST, "the server is shutting down")
        elif self._workspace is None and method != types.INITIALIZE:
            if is_request:
                self._refuse(number, NOT_INITIALIZED, "initialize comes first")
        elif self._workspace is not None and method == types.INITIALIZE:
            self._refuse(number, INVALID_REQUEST, "the server is initialized already")
        else:
            self._dispatch(fields, method, is_request=is_request)
            # At once, not when everything has ended: an `exit` in the same breath is a clean one.
            self._shutdown = self._shutdown or (is_request and method == types.SHUTDOWN)
        return None

    def follow(self, message: object) -> bool:
        """Take an `initialize` that has its answer already, the one that would be given here; whether it could."""
        fields = cast("dict[str, Any]", message)
        self._answered = fields["id"]
        self._dispatch(fields, types.INITIALIZE, is_request=True)
        return self._answered is None and self._workspace is not None

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if self._answered is not None and msg_id == self._answered:
            self._answered = None
            return
        super()._send_response(msg_id, result, error)

    def _dispatch(self, fields: dict[str, Any], method: str, *, is_request: bool) -> None:
        try:
            message = self._typed(fields, method, is_request=is_request)
        except JsonRpcException as problem:
            reason = _first_reason(problem.__cause__ or problem)
            if is_request:
                self._refuse(fields["id"], INVALID_PARAMS, f"{method}: cannot read the parameters: {reason}")
            else:
                _log.warning("ignored %s: cannot read the parameters: %s", method, reason)
            return
        try:
            self.handle_message(message)
        except Exception:  # noqa: BLE001
            # The request rim: what pygls lets through must not end the session. Handlers' own errors are answered.
            _log.exception("%s could not be handled", method)
            if is_request:
                self._refuse(fields["id"], INTERNAL_ERROR, f"{method} could not be handled")

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        if isinstance(msg_id, int | str):
            super()._handle_cancel_notification(msg_id)

    def _typed(self, fields: dict[str, Any], method: str, *, is_request: bool) -> Any:
        if method == types.INITIALIZE:
            fields = self._with_readable_capabilities(fields)
        if not method.startswith(CUSTOM_PREFIX):
            return self.structure_message(fields)
        params = fields.get("params")
        if is_request:
            return JsonRPCRequestMessage(id=fields["id"], method=method, jsonrpc="2.0", params=params)
        return JsonRPCNotification(method=method, jsonrpc="2.0", params=params)

    def _with_readable_capabilities(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Leave away what cannot be read of a client's capabilities: absent ones count as no."""
        params: object = fields.get("params")
        if not isinstance(params, dict):
            return fields
        told = cast("dict[str, object]", params)
        client = told.get("capabilities")
        if not isinstance(client, dict):
            return fields
        readable = _readable_part(cast("dict[str, object]", client), self._reads_capabilities)
        return {**fields, "params": {**told, "capabilities": readable}}

    def _reads_capabilities(self, client: dict[str, object]) -> bool:
        try:
            self._converter.structure(client, types.ClientCapabilities)
        except Exception:  # noqa: BLE001  (the reader raises whatever the classes below it raise)
            return False
        return True

    def _settle(self, fields: dict[str, Any]) -> None:
        """Give a response to whoever asked; results stay plain data, since null is legal for all we ask."""
        number = fields.get("id")
        future = self._request_futures.get(number) if isinstance(number, str) else None
        if not isinstance(number, str) or not isinstance(future, Future) or future.done():
            _log.warning("ignored a response that nobody waits for")
            return
        del self._request_futures[number]
        self._result_types.pop(number, None)
        error = fields.get("error")
        if error is None:
            future.set_result(fields.get("result"))
        else:
            future.set_exception(JsonRpcException(str(error), REQUEST_FAILED))

    def _refuse(self, number: int | str | None, code: int, reason: str) -> None:
        # Written out, since the typed writer leaves an id of null away.
        error = {"code": code, "message": reason}
        self._send_data({"jsonrpc": "2.0", "id": number, "error": error})

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Callable[..., Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        super()._execute_handler(msg_id, _guarded(handler), callback, args, kwargs)

    # -- handlers -------------------------------------------------------------------------------------------

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> types.InitializeResult:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Answer `initialize` with what `greeting` says, whatever pygls's builder makes of the handlers."""
        self._server.process_id = params.process_id
        self.client_capabilities = params.capabilities
        self._server.initialize(params)
        # Says that the session began, and no more: documents and folders are our own, and pygls's refuse some URIs.
        self._workspace = Workspace(None)
        client = self._converter.unstructure(params.capabilities)
        said = self._converter.structure(greeting({"capabilities": client}), types.InitializeResult)
        self.server_capabilities = said.capabilities
        return said

    async def _execute_command(self, params: types.ExecuteCommandParams) -> Any:
        arguments: object = params.arguments[0] if params.arguments else {}
        if not isinstance(arguments, Mapping):
            raise JsonRpcInvalidParams(f"{params.command} takes one object as its argument")
        return await self._server.execute(params.command, dict(cast("Mapping[str, object]", arguments)))

    # -- speaking to the client ----------------------------------------------------------------------------------

    def tell(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification of our own, whose parameters are plain data already."""
        self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    async def ask_client(self, method: str, params: object) -> Mapping[str, object] | None:
        """Send a request and return its result as plain data: `{}` for null, None for an error."""
        answer = await self.ask_client_for(method, params)
        if answer is None:
            return None
        return cast("Mapping[str, object]", answer[0]) if isinstance(answer[0], Mapping) else {}

    async def ask_client_for(self, method: str, params: object) -> tuple[object] | None:
        """Send a request and return its result of whatever kind as the only item; None for an error."""
        try:
            return (cast("object", await self.send_request_async(method, params)),)
        except JsonRpcException as problem:
            _log.info("the client refused %s: %s", method, problem)
            return None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return None


def _readable_part(
    fields: dict[str, object], reads: Callable[[dict[str, object]], bool]
) -> dict[str, object]:
    """Return the fields that `reads` accepts, each tried alone; of nested ones the part that it accepts."""
    if reads(fields):
        return fields
    kept: dict[str, object] = {}
    for name, value in fields.items():
        if reads({name: value}):
            kept[name] = value
        elif isinstance(value, dict) and reads({name: {}}):

            def reads_inner(inner: dict[str, object], name: str = name) -> bool:
                return reads({name: inner})

            kept[name] = _readable_part(cast("dict[str, object]", value), reads_inner)
    return kept


def _first_reason(problem: BaseException) -> str:
    """Return what is wrong, from the innermost of the nested errors that the typed reader raises."""
    # Nesting follows the parameters' own nesting; twenty levels are more than LSP has.
    for _ in range(20):
        if not isinstance(problem, BaseExceptionGroup):
            break
        problem = cast("BaseExceptionGroup[BaseException]", problem).exceptions[0]
    notes = [str(note) for note in getattr(problem, "__notes__", ())]
    where = notes[0].rpartition("@ attribute ")[2] if notes else ""
    what = f"{problem.args[0]!r} is missing" if isinstance(problem, KeyError) else str(problem)
    return f"{where}: {what}" if where else what


def _guarded(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Turn our errors into answers; pygls would send an internal error with a Python traceback."""
    if inspect.isgeneratorfunction(handler):
        return handler
    if inspect.iscoroutinefunction(handler):

        async def run_async(*args: Any, **kwargs: Any) -> Any:
            try:
                return await handler(*args, **kwargs)
            except JsonRpcException:
                raise
            except Exception as problem:
                _note(problem)
                raise error_response(problem) from problem

        return run_async

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return handler(*args, **kwargs)
        except JsonRpcException:
            raise
        except Exception as problem:
            _note(problem)
            raise error_response(problem) from problem

    return run


def _note(problem: Exception) -> None:
    """Keep the traceback of what is our own fault; the request rim's only broad catch ends here."""
    if isinstance(problem, OSError):
        _log.warning("a request failed: %s", str(problem)[:SHOWN_OF_A_PATH])
    elif not isinstance(problem, EnsembleError | ValidationError):
        _log.error("a request failed", exc_info=problem)
