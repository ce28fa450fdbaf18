"""What the tests over stdio play on: a workspace, a panel of two families on a fake server, and an editor."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.fake_editor import FakeEditor, Json, ServerError, editor
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded

NOWHERE: Json = {
    "textDocument": {"uri": "untitled:nowhere"},
    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
    "context": {"diagnostics": []},
}
"""A request whose answer says that everything before it was dealt with."""

TRUSTED = "trusted"
"""Name of the rich client's second folder, beside the workspace."""

SECOND = "second"
"""Name of the full client's second folder, beside the workspace."""

MEMBERS = ("alpha", "beta")

CART = "def total(prices):\n    result = 0\n    for price in prices:\n        result = price\n    return result\n"

BUG = "        result = price\n"

REPAIR = "        result += price\n"


@dataclass(slots=True)
class Voices:
    """What both members say, by what they are asked. A test sets what it needs; `reset` comes before each."""

    path: str = "cart.py"
    blocks: Sequence[tuple[str, str]] = ((BUG, REPAIR),)
    findings: Sequence[Json] = ()
    claims: Sequence[Json] = ()
    verdicts: Sequence[Json] | None = None
    """What challengers say of findings; None: nothing that could be read."""
    silent: Sequence[str] = ()
    """Members that find nothing."""
    answer: Answer | None = None
    """Said instead of anything else."""
    script: Callable[[Recorded], Answer | None] = lambda _: None
    """Asked before all of this; None: what this says."""
    changes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Member → its whole answer when it is asked for a change; the others say `blocks`."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """Answers wait until it is set."""

    def reset(self) -> None:
        """Say what a new `Voices` says."""
        fresh = Voices()
        self.path, self.blocks = fresh.path, fresh.blocks
        self.findings, self.claims, self.verdicts, self.answer = (), (), None, None
        self.silent = ()
        self.changes = {}
        self.script = fresh.script
        self.gate.set()

    def __call__(self, request: Recorded) -> Answer:
        if (scripted := self.script(request)) is not None:
            return scripted
        if self.answer is not None:
            return self.answer
        prompt = request.prompt
        if "review this code" in prompt:
            said = () if request.model in self.silent else self.findings
            return Answer(text=json.dumps({"findings": list(said)}))
        if "explain this code" in prompt:
            return Answer(text=json.dumps({"claims": list(self.claims)}))
        if self.verdicts is not None and "try to refute the claims below" in prompt:
            return Answer(text=json.dumps({"verdicts": list(self.verdicts)}))
        if "Try to break each candidate" in prompt:
            return Answer(text="NO FAULT: A")
        if request.model in self.changes:
            return Answer(text=self.changes[request.model])
        return Answer(text="".join(block(self.path, old, new) for old, new in self.blocks))


def block(path: str, old: str, new: str) -> str:
    """Return a change as members write it."""
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def finding(line: int, quote: str, title: str = "The loop overwrites the sum", path: str = "cart.py") -> Json:
    """Return a finding as members report it; `line` counts from 1."""
    return {
        "path": path,
        "line": line,
        "end_line": line,
        "quote": quote,
        "severity": "critical",
        "category": "bug",
        "title": title,
        "detail": "total([1, 2]) gives 2",
        "confidence": 0.9,
    }


class GatedServer(FakeModelServer):
    """Answers only while the voices' gate is open."""

    voices: Voices

    async def _answer(self, request: Recorded, writer: asyncio.StreamWriter) -> bool:
        await self.voices.gate.wait()
        return await super()._answer(request, writer)


@asynccontextmanager
async def panel_server(voices: Voices) -> AsyncGenerator[GatedServer]:
    """Serve the members' answers on loopback."""
    server = GatedServer(voices)
    server.voices = voices
    async with server:
        yield server


def settings_of(server: FakeModelServer, *, ollama: bool = False, **more: object) -> dict[str, object]:
    """Return the editor's settings that seat two families of the fake server.

    As `ollama` they are called without litellm, whose import takes seconds of each engine.
    """
    panel = [
        {
            "id": name,
            "model": f"ollama/{name}" if ollama else f"openai/{name}",
            "api_base": server.base_url if ollama else server.openai_base,
            "family": name,
            "edit_format": "search-replace",
        }
        for name in MEMBERS
    ]
    # Tests ask the same questions again: every one must reach the server.
    return {"panel": panel, "store": {"replies": False}, **more}


def environment_of(home: Path) -> dict[str, str]:
    """Return an environment with directories of its own and without anybody's keys."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith(("_api_key", "_api_base", "_base_url", "_proxy"))
        and not name.startswith(("OPENAI_", "OLLAMA_", "ENSEMBLE_"))
    }
    return {
        **kept,
        "ENSEMBLE_STATE_DIR": str(home / "state"),
        "ENSEMBLE_CACHE_DIR": str(home / "cache"),
        "ENSEMBLE_CONFIG_DIR": str(home / "config"),
        "ENSEMBLE_POLICY_FILE": str(home / "policy.toml"),
    }


@dataclass(slots=True)
class Stage:
    """One editor with its workspace (not trusted, so that no test of it is run) and the panel behind it."""

    editor: FakeEditor
    workspace: Path
    home: Path
    server: GatedServer
    voices: Voices
    number: int = 0
    _jobs: list[str] = field(default_factory=list[str])

    def file(self, text: str = CART, name: str = "", folder: Path | None = None) -> str:
        """Write a new file, open it, let the members speak of it, and return its URI."""
        self.number += 1
        root = folder or self.workspace
        path = root / (name or f"cart_{self.number}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        self.voices.path = path.relative_to(root).as_posix()
        return self.editor.open(path)

    @property
    def path(self) -> Path:
        """The file that the members speak of."""
        return self.workspace / self.voices.path

    async def clear(self) -> None:
        """End what a test left behind, and forget what was said of it."""
        for job in self._jobs:
            with suppress(ServerError):
                await self.editor.command("ensemble.cancel", {"job": job})
        self._jobs.clear()
        self.editor.answers_first, first = False, self.editor.answers_first
        for uri in tuple(self.editor.texts):
            for action in await self.actions(uri, 0):
                if action["command"]["command"] == "ensemble.apply":
                    (argument,) = action["command"]["arguments"]
                    await self.editor.command("ensemble.reject", argument)
        for proposal in dict.fromkeys(self.editor.proposals):
            with suppress(ServerError):
                await self.editor.command("ensemble.reject", {"proposal": proposal})
        self.editor.proposals.clear()
        for uri in tuple(self.editor.texts):
            self.editor.close(uri)
        if self.editor.has_dismissed:
            # The same code is dismissed in later files too, once the file of now is gone.
            for entry in (await self.editor.command("ensemble.dismissals", {}))["dismissals"]:
                with suppress(ServerError):
                    await self.editor.command("ensemble.restore", {"id": entry["id"]})
            self.editor.has_dismissed = False
        await self.editor.request("textDocument/codeAction", NOWHERE)
        self.editor.answers_first = first
        self.editor.inbox.clear()

    async def actions(
        self,
        uri: str,
        line: int = 3,
        *,
        end: tuple[int, int] | None = None,
        only: Sequence[str] | None = None,
        diagnostics: Sequence[Json] = (),
        trigger: int = 1,
    ) -> list[Json]:
        """Ask for the code actions of a line (counted from 0), or of a selection from its start to `end`."""
        context: Json = {"diagnostics": list(diagnostics), "triggerKind": trigger}
        if only is not None:
            context["only"] = list(only)
        last = end or (line, 0)
        answer = await self.editor.request(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": uri},
                "range": {
                    "start": {"line": line, "character": 0},
                    "end": {"line": last[0], "character": last[1]},
                },
                "context": context,
            },
        )
        found: list[Json] = answer
        return found

    async def run(self, action: Json) -> Json:
        """Run the command of a code action."""
        command = action["command"]
        answer: Json = await self.editor.request(
            "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
        )
        return answer

    async def fix(self, uri: str, **argument: object) -> str:
        """Start a fix and return the job's id."""
        answer = await self.editor.command("ensemble.fix", {"uri": uri, **argument})
        self._jobs.append(str(answer["job"]))
        return self._jobs[-1]

    async def progress_end(self, job: str) -> str:
        """Wait until a job's progress ended and return the message."""
        ended = await self.editor.message(
            "$/progress", lambda params: params["token"] == job and params["value"]["kind"] == "end"
        )
        return str(ended["value"]["message"])

    async def finished(self, job: str) -> Json:
        """Wait for a job's last event (rich clients only)."""
        return await self.editor.message(
            "ensemble/event", lambda params: params["job"] == job and params["kind"] == "finished"
        )

    async def diagnostics(self, uri: str, version: int | None = None) -> list[Json]:
        """Wait for the next diagnostics of a document (for a version of it) and return them."""
        published = await self.editor.message(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == uri and version in {None, params.get("version")},
        )
        found: list[Json] = published["diagnostics"]
        return found


@asynccontextmanager
async def stage(
    home: Path,
    capabilities: Json,
    *,
    settings: Mapping[str, object] | None = None,
    options: Json | None = None,
    folders: Sequence[Path] = (),
    log: Path | None = None,
    ollama: bool = False,
) -> AsyncGenerator[Stage]:
    """Set up a server, an editor, and an empty workspace that is not trusted. `log` gets what the server logs.

    The fake server is also the proxy for everything beyond loopback: what would leave the machine lands there.
    """
    workspace = home / "workspace"
    workspace.mkdir(exist_ok=True)
    voices = Voices()
    voices.reset()
    async with (
        panel_server(voices) as server,
        editor(
            workspace,
            capabilities=capabilities,
            options={"settings": settings_of(server, ollama=ollama, **(settings or {})), **(options or {})},
            environment={
                **environment_of(home),
                "HTTP_PROXY": server.base_url,
                "HTTPS_PROXY": server.base_url,
                "NO_PROXY": "127.0.0.1,localhost",
            },
            trusted=False,
            folders=folders,
            log=log,
        ) as window,
    ):
        yield Stage(window, workspace, home, server, voices)
