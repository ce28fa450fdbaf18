"""The answer to `initialize`, from the standard library alone: it is given before anything else is imported.

What this server can do is said here and nowhere else; the full server answers with the same function. A test compares
it with what pygls makes of the registered handlers, so a handler that is not announced here fails it, and the reverse.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from ensemble_lsp import __version__

ENCODINGS = ("utf-8", "utf-16", "utf-32")
"""Position encodings that documents can count in; the client's first that is among them is chosen."""

CODE_ACTION_KINDS = (
    "quickfix",
    "source.ensemble.review",
    "refactor.ensemble.review",
    "refactor.rewrite.ensemble.fix",
    "refactor.ensemble.explain",
    "refactor.ensemble.test",
    "refactor.rewrite.ensemble.secure",
    "refactor.ensemble.locate",
    "refactor.rewrite.ensemble.refactor",
    "refactor.ensemble.debate",
    "refactor.rewrite.ensemble.rewrite",
)

COMMANDS = (
    "ensemble.review",
    "ensemble.fix",
    "ensemble.explain",
    "ensemble.test",
    "ensemble.secure",
    "ensemble.locate",
    "ensemble.refactor",
    "ensemble.rewrite",
    "ensemble.debate",
    "ensemble.continue",
    "ensemble.decide",
    "ensemble.cancel",
    "ensemble.apply",
    "ensemble.reject",
    "ensemble.dismiss",
    "ensemble.dismissals",
    "ensemble.restore",
    "ensemble.panel",
    "ensemble.jobs",
    "ensemble.show",
)

FILE_OPERATIONS: Mapping[str, Mapping[str, object]] = {
    name: {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}
    for name in ("didCreate", "didRename", "didDelete")
}
"""What is to be told of files that the editor makes, renames or deletes, where the client can: name → options."""

Fields = Mapping[str, object]


def greeting(params: Fields) -> dict[str, object]:
    """Return the result of `initialize` as it goes over the wire."""
    return {
        "capabilities": capabilities(_fields(params.get("capabilities"))),
        "serverInfo": {"name": "ensemble-lsp", "version": __version__},
    }


def capabilities(client: Fields) -> dict[str, object]:
    """Return what the server can do for a client with these capabilities."""
    return {
        "positionEncoding": position_encoding(client),
        "textDocumentSync": {"openClose": True, "change": 2, "save": False},
        "codeActionProvider": {"codeActionKinds": list(CODE_ACTION_KINDS), "resolveProvider": False},
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "hoverProvider": True,
        **_diagnostic_provider(client),
        "workspace": {
            **_text_document_content(client),
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "fileOperations": _file_operations(client),
        },
        "experimental": {"ensemble": {"version": 1}},
    }


def position_encoding(client: Fields) -> str:
    """Return the first of the client's encodings that we know; UTF-16 where it names none."""
    offered = _fields(client.get("general")).get("positionEncodings")
    known = (
        [each for each in cast("Sequence[object]", offered) if each in ENCODINGS]
        if isinstance(offered, list)
        else []
    )
    return str(known[0]) if known else "utf-16"


def _diagnostic_provider(client: Fields) -> dict[str, object]:
    """Announce that diagnostics can be asked for to clients that can be told to ask again; others get them pushed."""
    refreshed = _fields(_fields(client.get("workspace")).get("diagnostics")).get("refreshSupport")
    asks = isinstance(_fields(client.get("textDocument")).get("diagnostic"), dict)
    options = {"identifier": "ensemble", "interFileDependencies": False, "workspaceDiagnostics": False}
    return {"diagnosticProvider": options} if asks and refreshed is True else {}


def _text_document_content(client: Fields) -> dict[str, object]:
    knows = isinstance(_fields(client.get("workspace")).get("textDocumentContent"), dict)
    return {"textDocumentContent": {"schemes": ["ensemble"]}} if knows else {}


def _file_operations(client: Fields) -> dict[str, object]:
    able = _fields(_fields(client.get("workspace")).get("fileOperations"))
    return {name: options for name, options in FILE_OPERATIONS.items() if able.get(name)}


def answer_to(message: object) -> dict[str, object] | None:
    """Return the answer to a message, if it is an `initialize` whose outer shape is LSP's.

    None for anything else, also for what is merely odd: the full server refuses that with a reason.
    """
    fields = _fields(message)
    number, params = fields.get("id"), _fields(fields.get("params"))
    if fields.get("jsonrpc") != "2.0" or fields.get("method") != "initialize":
        return None
    if isinstance(number, bool) or not isinstance(number, int | str) or not _is_readable(params):
        return None
    return {"jsonrpc": "2.0", "id": number, "result": greeting(params)}


def _is_readable(params: Fields) -> bool:
    process, folders = params.get("processId"), params.get("workspaceFolders")
    info, trace = params.get("clientInfo"), params.get("trace")
    return (
        isinstance(params.get("capabilities"), dict)
        and (process is None or (isinstance(process, int) and not isinstance(process, bool)))
        and all(isinstance(params.get(name, ""), str | None) for name in ("rootUri", "rootPath", "locale"))
        and isinstance(params.get("workDoneToken", ""), str | int)
        and (trace is None or trace in ("off", "messages", "verbose"))
        and (info is None or _is_client_info(_fields(info)))
        and (
            folders is None
            or (isinstance(folders, list) and all(map(_is_folder, cast("list[object]", folders))))
        )
    )


def _is_client_info(info: Fields) -> bool:
    return isinstance(info.get("name"), str) and isinstance(info.get("version", ""), str | None)


def _is_folder(folder: object) -> bool:
    fields = _fields(folder)
    return isinstance(fields.get("uri"), str) and isinstance(fields.get("name"), str)


def _fields(value: object) -> Fields:
    return cast("Fields", value) if isinstance(value, dict) else {}
