"""A real Neovim with the plugin, the real server and engine behind it, and members that say what a test wants."""

import asyncio
import json
import shutil
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pynvim

from tests.lsp.stage import CART, GatedServer, Voices, environment_of, panel_server, settings_of
from tests.support.fake_model_server import Answer, Recorded

REPOSITORY = Path(__file__).resolve().parents[3]

PLUGIN = REPOSITORY / "editors" / "neovim"

NVIM = shutil.which("nvim", path=f"{Path(sys.executable).parent}") or shutil.which("nvim")

PATIENCE = 60_000
"""Milliseconds; Neovim itself waits, on conditions."""

INIT = """
vim.opt.runtimepath:prepend([[{plugin}]])
vim.o.columns, vim.o.lines = 150, 45
vim.o.foldenable = true
-- What a person would see and answer, kept for the tests to look at.
_G.said, _G.asked, _G.answers, _G.autocommands = {{}}, {{}}, {{}}, {{}}
vim.notify = function(text, level)
  table.insert(_G.said, {{ text = text, level = level or vim.log.levels.INFO }})
end
vim.ui.select = function(items, options, choose)
  local titles = vim.tbl_map(options.format_item or tostring, items)
  local asked = {{ prompt = options.prompt, titles = titles }}
  table.insert(_G.asked, asked)
  local answer = table.remove(_G.answers, 1)
  for place, title in ipairs(titles) do
    if answer and title:find(answer, 1, true) then
      return choose(items[place], place)
    end
  end
  choose(nil, nil)
end
vim.ui.input = function(options, done)
  table.insert(_G.asked, {{ prompt = options.prompt }})
  done(table.remove(_G.answers, 1))
end
vim.api.nvim_create_autocmd("User", {{
  pattern = "Ensemble*",
  callback = function(event)
    table.insert(_G.autocommands, {{ name = event.match, data = event.data }})
  end,
}})
require("ensemble").setup({{ settings = vim.json.decode([==[{settings}]==]) }})
"""

CLEAR = """
local jobs, proposals = require("ensemble.jobs"), require("ensemble.proposals")
for _, job in ipairs(jobs.running()) do
  vim.cmd("Ensemble cancel " .. job.id)
end
for _, kept in ipairs(proposals.list()) do
  proposals.reject(kept)
end
vim.cmd("silent! tabonly! | silent! only!")
vim.cmd("enew!")
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  if bufnr ~= vim.api.nvim_get_current_buf() then
    vim.api.nvim_buf_delete(bufnr, { force = true })
  end
end
vim.fn.setqflist({}, "f")
_G.said, _G.asked, _G.answers, _G.autocommands = {}, {}, {}, {}
"""


@dataclass(slots=True)
class PluginVoices(Voices):
    """What the members say, and what they were asked."""

    asked: list[str] = field(default_factory=list[str])
    """The prompts since the last reset."""

    def reset(self) -> None:
        """Say what new voices say."""
        Voices.reset(self)
        self.asked.clear()

    def __call__(self, request: Recorded) -> Answer:
        self.asked.append(request.prompt)
        return Voices.__call__(self, request)


JOBS = """
return vim.tbl_map(function(job)
  local last = job.log[#job.log]
  return { action = job.action, status = job.status, reason = job.reason, last = last and last.text or "" }
end, require("ensemble").jobs())
"""


class ModelThread:
    """The fake model server on a loop of its own, since tests that drive Neovim do not run on one."""

    def __init__(self) -> None:
        self.voices = PluginVoices()
        self.server: GatedServer
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))

    async def _serve(self) -> None:
        self.voices.reset()
        async with panel_server(self.voices) as server:
            self.server = server
            self._ready.set()
            await self._over.wait()

    @contextmanager
    def serving(self) -> Generator["ModelThread"]:
        """Serve while the context is open."""
        self._thread.start()
        self._ready.wait()
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join()

    def hold(self) -> None:
        """From now on answers wait."""
        self._on_the_loop(self.voices.gate.clear)

    def release(self) -> None:
        """Let the answers go."""
        self._on_the_loop(self.voices.gate.set)

    def _on_the_loop(self, change: Any) -> None:
        done = threading.Event()

        def run() -> None:
            change()
            done.set()

        self._loop.call_soon_threadsafe(run)
        done.wait()


class PluginEditor:
    """One embedded Neovim. Lines count from 1, as a person counts them."""

    def __init__(self, nvim: Any, workspace: Path, models: ModelThread) -> None:
        self.nvim = nvim
        self.workspace = workspace
        self.models = models
        self.number = 0

    # -- driving --------------------------------------------------------------------------------------------

    def lua(self, code: str, *arguments: object) -> Any:
        return self.nvim.exec_lua(code, *arguments)

    def command(self, line: str) -> None:
        self.nvim.command(line)

    def keys(self, keys: str) -> None:
        """Type keys as a person does, with their mappings."""
        self.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'mx', false)", keys)

    def wait(self, condition: str) -> None:
        """Wait until a Lua expression holds."""
        # What is looked for may not exist yet: an error is a no.
        looked = (
            f"function() local ok, held = pcall(function() return {condition} end) return ok and held end"
        )
        if not self.lua(f"return (vim.wait({PATIENCE}, {looked}, 10))"):
            jobs = [
                (job["action"], job.get("status"), job["reason"] or job["last"]) for job in self.lua(JOBS)[:3]
            ]
            raise AssertionError(f"never: {condition}\nsaid: {self.said}\nasked: {self.asked}\njobs: {jobs}")

    def open(self, text: str | bytes = CART, name: str = "", *, path: Path | None = None) -> Path:
        """Write a new file, let the members speak of it, and open it with the server attached."""
        self.number += 1
        path = path or self.workspace / (name or f"cart_{self.number}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        self.models.voices.path = path.relative_to(self.workspace).as_posix()
        self.command(f"edit {path}")
        self.attached()
        return path

    def attached(self) -> None:
        self.wait("#vim.lsp.get_clients({ bufnr = 0, name = 'ensemble' }) == 1")
        self.wait("vim.lsp.get_clients({ bufnr = 0, name = 'ensemble' })[1].initialized")

    def members(self, *blocks: tuple[str, str]) -> None:
        """Let both members propose these changes of the open file."""
        self.models.voices.blocks = blocks

    def in_mode(self, mode: str) -> None:
        """Wait until what was typed has led into a mode; Neovim takes keys between our requests."""
        deadline = time.monotonic() + PATIENCE / 1000
        while (now := self.nvim.api.get_mode()["mode"]) != mode:
            assert time.monotonic() < deadline, (now, self.nvim.current.buffer.name, self.said)
            time.sleep(0.02)  # requests without a pause would keep Neovim from what was typed

    # -- looking --------------------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        return list(self.nvim.current.buffer[:])

    @property
    def said(self) -> list[str]:
        return [str(each["text"]) for each in self.lua("return _G.said")]

    @property
    def asked(self) -> list[dict[str, Any]]:
        return list(self.lua("return _G.asked"))

    @property
    def proposals(self) -> int:
        return int(self.lua("return #require('ensemble').proposals()"))

    def answers(self, *titles: str) -> None:
        """What the person will choose or type, in this order."""
        self.lua("_G.answers = ...", list(titles))

    # -- a proposal -----------------------------------------------------------------------------------------

    def fix(self, line: int = 4, *, bang: bool = False, wait: bool = True) -> None:
        """Ask for a fix at a line and wait for its review (or its virtual lines)."""
        self.command(str(line))
        self.command("Ensemble fix!" if bang else "Ensemble fix")
        if wait and bang:
            self.wait("#require('ensemble').proposals() > 0")
        elif wait:
            self.in_review()

    def in_review(self) -> None:
        """Wait until a review is open and drawn."""
        self.wait("require('ensemble.review').here() ~= nil")
        self.wait("#require('ensemble.review').here().places > 0")

    def side(self, which: str) -> list[str]:
        """The lines of one side of the review that is open: "left", "right" or "files"."""
        return list(
            self.lua(
                "return vim.api.nvim_buf_get_lines(require('ensemble.review').here().bufs[...], 0, -1, false)",
                which,
            )
        )

    def clear(self) -> None:
        """End what a test left behind."""
        self.models.release()
        self.models.voices.reset()
        if self.nvim.api.get_mode()["mode"] != "n":
            # Typed, not fed: keys that are executed inside a mode do not end its loop.
            self.nvim.input("<Esc>")
            self.in_mode("n")
        self.lua(CLEAR)
        self.wait("#require('ensemble.jobs').running() == 0")
        self.command(f"cd {self.workspace}")
        self.lua("_G.said, _G.asked = {}, {}")


def neovim_arguments(init: Path, environment: dict[str, str], *, embed: bool = True) -> Sequence[str]:
    """Return the command of a Neovim with nothing of the person's but `init`."""
    settings = [f"{name}={value}" for name, value in environment.items()]
    flags = ["--embed"] if embed else []
    return [
        "/usr/bin/env",
        "-i",
        *settings,
        str(NVIM),
        *flags,
        "--headless",
        "--clean",
        "-n",
        "-i",
        "NONE",
        "-u",
        str(init),
    ]


def environment_for(home: Path) -> dict[str, str]:
    """Return an environment with directories of its own and no local servers to find."""
    environment = environment_of(home)
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    environment["ENSEMBLE_LOCAL_SERVERS"] = ""
    environment["HOME"] = str(home)
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        environment[f"XDG_{name}_HOME"] = str(home / name.lower())
    environment.pop("NVIM", None)
    return environment


@contextmanager
def plugin_editor(home: Path, models: ModelThread) -> Generator[PluginEditor]:
    """Open a Neovim on an empty workspace below `home`; its members need no litellm, whose import takes seconds."""
    workspace = home / "workspace"
    workspace.mkdir(parents=True)
    (workspace / ".git").mkdir()
    init = home / "init.lua"
    init.write_text(
        INIT.format(plugin=PLUGIN, settings=json.dumps(settings_of(models.server, ollama=True))),
        encoding="utf-8",
    )
    nvim = pynvim.attach("child", argv=list(neovim_arguments(init, environment_for(home))))
    try:
        editor = PluginEditor(nvim, workspace, models)
        editor.command(f"cd {workspace}")
        yield editor
    finally:
        with suppress(EOFError, OSError):
            nvim.command("qa!")
        nvim.close()
