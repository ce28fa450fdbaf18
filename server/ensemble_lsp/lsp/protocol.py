"""JSON-RPC as this server needs it: pygls's protocol with its gaps closed.

pygls 2.1 by itself answers nothing to a request whose parameters cannot be read, turns unknown parameters into
namedtuples with renamed keys, splits documents at characters that are not line ends, and does not end commands
on `$/cancelRequest`. Here: an answer to every request, custom parameters as plain dicts, our own documents, and
commands as tasks that a cancel reaches.
"""

import inspect
import logging
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pydantic import ValidationError
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage
from pygls.protocol.language_server import lsp_method

from ensemble_lsp.core.errors import EnsembleError, UsageError

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

_log = logging.getLogger(__name__)

CUSTOM_PREFIX = "ensemble/"
INVALID_PARAMS = -32602
REQUEST_FAILED = -32803
CONTENT_MODIFIED = -32801


class Unreadable:
    """Stands for a message that was answered already, or that nobody can answer."""

    jsonrpc = "2.0"


def error_response(error: Exception) -> JsonRpcException:
    """Return the JSON-RPC error for one of ours, with a message a person can act on."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "argument"
        return JsonRpcException(f"{field}: {first['msg']}", INVALID_PARAMS, {"field": field})
    if isinstance(error, UsageError):
        return JsonRpcException(error.message, INVALID_PARAMS, {"field": error.field, "hint": error.hint})
    if isinstance(error, EnsembleError):
        return JsonRpcException(error.message, REQUEST_FAILED, {"hint": error.hint})
    return JsonRpcException(f"internal error: {type(error).__name__}", -32603)


class EnsembleProtocol(LanguageServerProtocol):
    """The server's side of the connection."""

    _server: "EnsembleServer"  # pyright: ignore[reportIncompatibleVariableOverride]

    def _register_builtin_features(self) -> None:
        """Put our own handlers in the place of pygls's: its documents split lines where LSP does not."""
        super()._register_builtin_features()
        server = self._server
        handlers: dict[str, Callable[[Any], Any]] = {
            types.TEXT_DOCUMENT_DID_OPEN: server.opened,
            types.TEXT_DOCUMENT_DID_CHANGE: server.changed,
            types.TEXT_DOCUMENT_DID_CLOSE: server.closed,
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: lambda params: server.progress_cancelled(
                str(params.token)
            ),
            # A coroutine, so that `$/cancelRequest` ends it.
            types.WORKSPACE_EXECUTE_COMMAND: self._execute_command,
        }
        for method, handler in handlers.items():
            self.fm.add_builtin_feature(method, handler)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read one message; called by pygls for nested objects too, which pass through."""
        if "jsonrpc" not in data:
            return data
        method = data.get("method")
        if isinstance(method, str) and method.startswith(CUSTOM_PREFIX):
            params = data.get("params")
            if "id" in data:
                return JsonRPCRequestMessage(id=data["id"], method=method, jsonrpc="2.0", params=params)
            return JsonRPCNotification(method=method, jsonrpc="2.0", params=params)
        if method is None and "id" in data and "error" not in data:
            # A null result of the client is legal for every request of ours; the typed reader would refuse it.
            future = self._request_futures.pop(data["id"], None)
            self._result_types.pop(data["id"], None)
            if future is not None and not future.done():
                future.set_result(data.get("result"))
            return Unreadable()
        try:
            return super().structure_message(data)
        except JsonRpcException as problem:
            number = data.get("id")
            if method is not None and number is not None:
                reason = _first_reason(problem.__cause__ or problem)
                error = JsonRpcException(f"{method}: cannot read the parameters: {reason}", INVALID_PARAMS)
                self._send_response(number, error=error.to_response_error())
            else:
                _log.warning("ignored a message that cannot be read: %s", method)
            return Unreadable()

    def handle_message(self, message: Any) -> None:
        """Dispatch one message; those that were answered already are done."""
        if not isinstance(message, Unreadable):
            super().handle_message(message)

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Callable[..., Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        super()._execute_handler(msg_id, _guarded(handler), callback, args, kwargs)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer `initialize`: pygls's capabilities and those that its builder does not know."""
        self._server.initialize(params)
        result = yield from super().lsp_initialize(params)
        result.capabilities.experimental = {"ensemble": {"version": 1}}
        return result

    def _cancel_progress(self, params: types.WorkDoneProgressCancelParams) -> None:
        self._server.progress_cancelled(str(params.token))

    async def _execute_command(self, params: types.ExecuteCommandParams) -> Any:
        arguments: object = params.arguments[0] if params.arguments else {}
        if not isinstance(arguments, Mapping):
            raise JsonRpcInvalidParams(f"{params.command} takes one object as its argument")
        return await self._server.execute(params.command, dict(cast("Mapping[str, object]", arguments)))


def _first_reason(problem: BaseException) -> str:
    """Return what is wrong, from the innermost of the nested errors that the typed reader raises."""
    depth = 0
    # Nesting follows the parameters' own nesting; twenty levels are more than LSP has.
    while isinstance(problem, BaseExceptionGroup) and depth < 20:
        nested = cast("BaseExceptionGroup[BaseException]", problem)
        problem = nested.exceptions[0]
        depth += 1
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
            except (EnsembleError, ValidationError) as problem:
                raise error_response(problem) from problem

        return run_async

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return handler(*args, **kwargs)
        except (EnsembleError, ValidationError) as problem:
            raise error_response(problem) from problem

    return run
