"""An editor for tests: speaks LSP to a real `ensemble-lsp serve` process and holds documents as an editor does.

Everything waits on conditions; what the server says and nobody looked at fails the test (`unexpected`).
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ensemble_lsp.core.text import LineIndex, PositionEncoding
from tests.support.editor_clients import ANNOTATING, BARE, FULL, NEOVIM, RICH, VSCODE, Json
from tests.support.protocol_rules import ProtocolRules

__all__ = [
    "ANNOTATING",
    "BARE",
    "FULL",
    "NEOVIM",
    "PATIENCE",
    "RICH",
    "VSCODE",
    "FakeEditor",
    "Json",
    "ServerError",
    "editor",
    "file_of",
]

PATIENCE = 60.0
"""Seconds until a condition that never comes fails the test; generous, the machine may be busy."""


class ServerError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = error["code"]
        self.data = error.get("data")


class FakeEditor:
    """One editor window."""

    def __init__(self, process: asyncio.subprocess.Process, encoding: PositionEncoding) -> None:
        self.process = process
        self.encoding = encoding
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.inbox: list[Json] = []
        self.answers: dict[str, Callable[[Json], Any]] = {
            "window/workDoneProgress/create": lambda _: None,
            "client/registerCapability": lambda _: None,
            "client/unregisterCapability": lambda _: None,
            "ensemble/context": lambda _: None,
            "workspace/configuration": lambda params: [None for _ in params["items"]],
            "workspace/diagnostic/refresh": lambda _: None,
            "workspace/textDocumentContent/refresh": lambda _: None,
            "window/showDocument": self._show_document,
            "workspace/applyEdit": self._apply_edit,
        }
        self.asked: list[tuple[str, Json]] = []
        self.shown: list[str] = []
        self.has_dismissed = False
        """Whether a finding was dismissed since that was last put back to False."""
        self.proposals: list[str] = []
        self.answers_first = False
        """Answer `workspace/applyEdit` before the changed text is sent back, as Neovim does."""
        self._rules = ProtocolRules()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._next_id = 1
        self._news = asyncio.Condition()
        self.reading = asyncio.ensure_future(self._read())
        self.server: Json = {}

    # -- sending --------------------------------------------------------------------------------------------

    async def request(self, method: str, params: object) -> Any:
        """Send a request and return its result; raises `ServerError`."""
        return await self.send_request(method, params)[1]

    def send_request(self, method: str, params: object) -> tuple[int, "asyncio.Future[Any]"]:
        """Send a request and return its id and the future of its result."""
        number = self._next_id
        self._next_id += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number, future

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def send_bytes(self, data: bytes) -> None:
        """Put bytes on the wire as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    async def command(self, name: str, argument: Json) -> Any:
        """Run one of the server's commands."""
        self.has_dismissed = self.has_dismissed or name == "ensemble.dismiss"
        return await self.request("workspace/executeCommand", {"command": name, "arguments": [argument]})

    # -- documents ------------------------------------------------------------------------------------------

    def open(self, path: Path, text: str | None = None, language: str = "python") -> str:
        """Open a file and return its URI."""
        uri = path.as_uri()
        self.texts[uri] = path.read_bytes().decode() if text is None else text
        self.versions[uri] = 1
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": self.texts[uri]}},
        )
        return uri

    def open_buffer(self, uri: str, text: str, language: str = "python") -> str:
        """Open a document that is no file, and return its URI."""
        self.texts[uri] = text
        self.versions[uri] = 1
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}},
        )
        return uri

    def type(
        self, uri: str, line: int, character: int, text: str, *, until: tuple[int, int] | None = None
    ) -> None:
        """Replace a range by text, as typing does."""
        end = until or (line, character)
        self._edit(uri, [((line, character), end, text)])

    def replace_text(self, uri: str, text: str) -> None:
        """Send the whole text anew, as editors do after a reload."""
        self.texts[uri] = text
        self.versions[uri] += 1
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": self.versions[uri]},
                "contentChanges": [{"text": text}],
            },
        )

    def close(self, uri: str) -> None:
        """Close a document."""
        del self.texts[uri]
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _edit(self, uri: str, edits: list[tuple[tuple[int, int], tuple[int, int], str]]) -> None:
        # Last place first, so that the positions of the others stay right; also for the server.
        changes: list[Json] = []
        for start, end, new in sorted(edits, reverse=True):
            index = LineIndex(self.texts[uri])
            begin = index.offset_at(*start, self.encoding)
            stop = index.offset_at(*end, self.encoding)
            self.texts[uri] = self.texts[uri][:begin] + new + self.texts[uri][stop:]
            span = {
                "start": {"line": start[0], "character": start[1]},
                "end": {"line": end[0], "character": end[1]},
            }
            changes.append({"range": span, "text": new})
        self.versions[uri] += 1
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": changes},
        )

    def _apply_edit(self, params: Json) -> Json:
        edit = params["edit"]
        for change in edit.get("documentChanges", []):
            if change.get("kind"):
                continue
            version = change["textDocument"].get("version")
            uri = change["textDocument"]["uri"]
            if version is not None and version != self.versions.get(uri):
                return {"applied": False, "failureReason": "stale version"}
        changes = dict(edit.get("changes", {}))
        for change in edit.get("documentChanges", []):
            path = file_of(change["uri"]) if "uri" in change else None
            if change.get("kind") == "create" and path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            elif change.get("kind") == "delete" and path is not None:
                path.unlink()
            else:
                changes[change["textDocument"]["uri"]] = change["edits"]

        def edit_texts() -> None:
            for uri, edits in changes.items():
                if uri not in self.texts:
                    self.open(file_of(uri))
                self._edit(uri, [_triple(each) for each in edits])

        if self.answers_first:
            asyncio.get_running_loop().call_soon(edit_texts)
        else:
            edit_texts()
        return {"applied": True}

    def _show_document(self, params: Json) -> Json:
        self.shown.append(params["uri"])
        return {"success": True}

    # -- waiting --------------------------------------------------------------------------------------------

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds; looked at whenever the server said something."""
        try:
            async with asyncio.timeout(PATIENCE), self._news:
                await self._news.wait_for(lambda: condition() or self.reading.done())
        except TimeoutError:
            raise AssertionError(f"the condition never came; the inbox holds {self.inbox[-5:]}") from None
        assert condition(), "the server closed its output before the condition came"

    async def message(self, method: str, accept: Callable[[Json], bool] = lambda _: True) -> Json:
        """Return and consume the parameters of the next message of a kind."""

        def found() -> Json | None:
            for item in self.inbox:
                if item["method"] == method and accept(item["params"]):
                    return item
            return None

        await self.until(lambda: found() is not None)
        item = found()
        assert item is not None
        self.inbox.remove(item)
        params: Json = item["params"]
        return params

    def drop(self, *methods: str) -> list[Json]:
        """Consume and return all messages of these kinds that came so far."""
        dropped = [item for item in self.inbox if item["method"] in methods]
        self.inbox = [item for item in self.inbox if item["method"] not in methods]
        return [item["params"] for item in dropped]

    def unexpected(self) -> list[Json]:
        """Return what the server said and nobody looked at.

        Progress and events are looked at by everybody: one that breaks a rule stands here in its own name.
        """
        return [item for item in self.inbox if item["method"] not in {"$/progress", "ensemble/event"}]

    # -- the wire -------------------------------------------------------------------------------------------

    def _send(self, message: Json) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            length = 0
            while (line := await self.process.stdout.readline()) not in {b"\r\n", b""}:
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                break
            self._take(_strictly(await self.process.stdout.readexactly(length)))
            async with self._news:
                self._news.notify_all()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionError("the server closed its output"))
        async with self._news:
            self._news.notify_all()

    def _take(self, message: Json) -> None:
        if "method" not in message:
            future = self._waiting.pop(message["id"], None)
            if future is None:
                self.inbox.append({"method": "an answer nobody waits for", "params": message})
                return
            if future.done():
                return
            if "error" in message:
                future.set_exception(ServerError(message["error"]))
            else:
                future.set_result(message.get("result"))
            return
        if rule := self._rules.broken_by(message):
            self.inbox.append({"method": f"a broken rule: {rule}", "params": message})
        if "id" not in message:
            if message["method"] == "ensemble/proposal":
                self.proposals.append(message["params"]["proposal"])
            self.inbox.append(message)
            return
        params = message.get("params", {})
        self.asked.append((message["method"], params))
        answer = self.answers.get(message["method"])
        if answer is None:
            self.inbox.append(message)
            return
        self._send({"jsonrpc": "2.0", "id": message["id"], "result": answer(params)})

    def answer(self, message_method: str, result: object) -> None:
        """Answer a request of the server that lay in the inbox."""
        for item in self.inbox:
            if item["method"] == message_method and "id" in item:
                self.inbox.remove(item)
                self._send({"jsonrpc": "2.0", "id": item["id"], "result": result})
                return
        raise AssertionError(f"the server did not ask {message_method}")


def _strictly(body: bytes) -> Json:
    """Return a message; NaN and infinities, which Python would take, are no JSON."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    message: Json = json.loads(body, parse_constant=refuse)
    return message


def file_of(uri: str) -> Path:
    """Return the path of a `file:` URI."""
    return Path(unquote(urlsplit(uri).path))


def _triple(edit: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[int, int], str]:
    start, end = edit["range"]["start"], edit["range"]["end"]
    return (start["line"], start["character"]), (end["line"], end["character"]), edit["newText"]


@asynccontextmanager
async def editor(
    workspace: Path,
    *,
    capabilities: Json = RICH,
    options: Json | None = None,
    environment: Mapping[str, str] | None = None,
    trusted: bool = True,
    folders: Sequence[Path] = (),
    log: Path | None = None,
) -> AsyncGenerator[FakeEditor]:
    """Start the server in a folder that is not the workspace, initialise it, and shut it down in good order.

    `folders` are further workspace folders; `log` is a file that gets the server's standard error.
    """
    errors = None if log is None else log.open("wb")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "ensemble_lsp",
        "serve",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        cwd=workspace.parent,
        env={**os.environ, **(environment or {})},
        limit=2**24,
    )
    encodings = capabilities.get("general", {}).get("positionEncodings", ["utf-16"])
    window = FakeEditor(process, PositionEncoding(encodings[0]))
    try:
        window.server = await window.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": workspace.as_uri(),
                "workspaceFolders": [
                    {"uri": folder.as_uri(), "name": folder.name} for folder in (workspace, *folders)
                ],
                "capabilities": capabilities,
                "initializationOptions": {
                    "trustedFolders": [workspace.as_uri()] if trusted else [],
                    **(options or {}),
                },
            },
        )
        window.notify("initialized", {})
        yield window
        if process.returncode is None:
            await window.request("shutdown", None)
            window.notify("exit", None)
            async with asyncio.timeout(PATIENCE):
                assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
        if errors is not None:
            errors.close()
        window.reading.cancel()
        await asyncio.gather(window.reading, return_exceptions=True)
