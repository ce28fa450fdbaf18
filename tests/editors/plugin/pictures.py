"""Take the pictures of the Neovim plugin: a real Neovim in tmux, driven by keys, its screen written as SVG.

    python -m tests.editors.plugin.pictures [--out docs/images] [NAME ...]

Needs tmux. The members are scripted on a loopback server; their texts are paced, so that the lanes are seen streaming.
"""

import argparse
import json
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.editors.plugin.stage import NVIM, PLUGIN, ModelThread, environment_for
from tests.lsp.stage import finding, settings_of
from tests.support.fake_model_server import Answer, Recorded

COLUMNS, ROWS = 132, 36

PATIENCE = 45.0

CART = '''"""A small shopping cart."""


def total(prices):
    """Return the sum of all prices."""
    result = 0
    for price in prices:
        result = price
    return result


def mean(prices):
    """Return the mean price."""
    count = 0
    for _ in prices:
        count = 1
    return total(prices) / count
'''

TEST = """from cart import mean, total


def test_sum():
    assert total([1, 2, 3]) == 6


def test_mean():
    assert mean([2, 4]) == 3
"""

REPAIRS = (
    ("        result = price\n", "        result += price\n"),
    ("        count = 1\n", "        count += 1\n"),
)

MEMBERS = ("opus", "gpt", "qwen")

INIT = """
vim.opt.runtimepath:prepend([[{plugin}]])
vim.o.termguicolors, vim.o.number, vim.o.signcolumn, vim.o.laststatus = true, true, "yes", 2
vim.o.statusline = " %f %m%=%{{v:lua.require'ensemble'.status()}}  %l:%c "
vim.o.shortmess, vim.o.showmode, vim.o.ruler = vim.o.shortmess .. "I", false, false
vim.diagnostic.config({{ virtual_text = true }})
require("ensemble").setup({{ trusted = {{ [[{workspace}]] }}, settings = vim.json.decode([==[{settings}]==]) }})
"""


def blocks(repairs: Sequence[tuple[str, str]]) -> str:
    """Return changes of the cart as members write them."""
    return "".join(f"cart.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n" for old, new in repairs)


def speak(request: Recorded) -> Answer:
    """Say what the pictures need, slowly enough to be seen."""
    prompt = request.prompt
    pace = {"opus": 24.0, "gpt": 18.0, "qwen": 30.0}.get(request.model, 20.0)
    if "review this code" in prompt:
        found = [
            finding(8, "        result = price", "The loop overwrites the sum"),
            finding(16, "        count = 1", "The count never passes one"),
        ]
        return Answer(text=json.dumps({"findings": found}))
    if "explain this code" in prompt:
        claims = [
            {"kind": "purpose", "text": "Sums the prices of a cart.", "line": 4, "symbol": "total"},
            {
                "kind": "pitfall",
                "text": "The sum is overwritten, so only the last price counts.",
                "line": 8,
                "symbol": "total",
            },
        ]
        return Answer(text=json.dumps({"claims": claims}))
    if "Try to break each candidate" in prompt:
        return Answer(text="NO FAULT: A", tokens_per_second=pace)
    thought = {
        "opus": "The loop assigns where it should add: only the last price survives. The same slip is in mean, where "
        "count stays at one. I change both and touch nothing else.\n\n",
        "gpt": "Two accumulators are overwritten in their loops. total([1, 2, 3]) gives 3 instead of 6. An augmented "
        "assignment repairs each.\n\n",
        "qwen": "`result = price` forgets the sum so far. Use `+=`.\n\n",
    }[request.model]
    repairs = REPAIRS[:1] if request.model == "qwen" else REPAIRS
    return Answer(text=thought + blocks(repairs), tokens_per_second=pace)


class Screen:
    """One Neovim in a tmux window."""

    def __init__(self, home: Path, models: ModelThread) -> None:
        self._socket = home / "tmux"
        workspace = home / "shop"
        workspace.mkdir()
        (workspace / "ensemble.toml").touch()
        (workspace / "cart.py").write_text(CART, encoding="utf-8")
        (workspace / "test_cart.py").write_text(TEST, encoding="utf-8")
        panel = [
            {
                "id": name,
                "model": f"ollama/{name}",
                "api_base": models.server.base_url,
                "family": name,
                "edit_format": "search-replace",
            }
            for name in MEMBERS
        ]
        settings = settings_of(models.server, panel=panel)
        init = home / "init.lua"
        init.write_text(
            INIT.format(plugin=PLUGIN, workspace=workspace, settings=json.dumps(settings)), encoding="utf-8"
        )
        environment = {
            **environment_for(home),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
        }
        variables = [f"{name}={value}" for name, value in environment.items()]
        command = [
            "env",
            "-i",
            *variables,
            str(NVIM),
            "--clean",
            "-n",
            "-i",
            "NONE",
            "-u",
            str(init),
            "cart.py",
        ]
        size = ["-x", str(COLUMNS), "-y", str(ROWS)]
        self.tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", str(workspace), shlex.join(command))
        self.tmux("set", "-g", "default-terminal", "tmux-256color")

    def tmux(self, *arguments: str) -> str:
        command = [str(shutil.which("tmux")), "-S", str(self._socket), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout

    def type(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def shows(self, *texts: str) -> None:
        """Wait until the screen shows all of these."""
        deadline = time.monotonic() + PATIENCE
        while not all(text in (screen := self.tmux("capture-pane", "-p")) for text in texts):
            if time.monotonic() > deadline:
                raise SystemExit(f"never seen: {texts}\n{screen}")
            time.sleep(0.03)

    def picture(self, path: Path, title: str) -> None:
        """Write the screen as SVG."""
        console = Console(
            record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor"
        )
        console.print(Text.from_ansi(self.tmux("capture-pane", "-e", "-p", "-N").rstrip("\n")), no_wrap=True)
        console.save_svg(str(path), title=title)

    def close(self) -> None:
        self.tmux("kill-server")


def start(screen: Screen) -> None:
    """Wait until the file is there, with the server."""
    screen.shows("def total(prices):")
    screen.type(
        ":lua vim.wait(60000, function() local c = vim.lsp.get_clients()[1] return c and c.initialized end)",
        "Enter",
    )
    screen.type(":echo 'ready'", "Enter")
    screen.shows("ready")


def review(screen: Screen) -> None:
    screen.type(":8Ensemble fix", "Enter")
    screen.shows("accept", "hunk 1/2", "result += price")


def why(screen: Screen) -> None:
    review(screen)
    screen.type("K")
    screen.shows("families wrote this", "calls")


def watch(screen: Screen) -> None:
    screen.type(":Ensemble watch", "Enter")
    screen.type(":8Ensemble! fix --mode=debate", "Enter")
    screen.shows("● gpt", "Two accumulators")


def verdict(screen: Screen) -> None:
    screen.type(":Ensemble watch", "Enter")
    screen.type(":8Ensemble! fix", "Enter")
    screen.shows("fix done", "debate this")


def inline(screen: Screen) -> None:
    screen.type(":8Ensemble! fix", "Enter")
    screen.shows("hunk 2/2", ":.Ensemble apply")


def findings(screen: Screen) -> None:
    screen.type(":Ensemble review", "Enter")
    screen.shows("never passes one")
    screen.type("8G", ":Ensemble why", "Enter")
    screen.shows("critical · bug")


SCENES: dict[str, tuple[str, Callable[[Screen], None]]] = {
    "review": ("Neovim: a proposal, hunk by hunk", review),
    "why": ("Neovim: why this hunk", why),
    "watch": ("Neovim: the members at work", watch),
    "verdict": ("Neovim: what came of it", verdict),
    "inline": ("Neovim: hunks in the text itself", inline),
    "findings": ("Neovim: a finding and its evidence", findings),
}


def main() -> None:
    """Take the pictures that were named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(SCENES)}")
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    options = parser.parse_args()
    with ModelThread().serving() as models:
        models.voices.script = speak
        for name in options.names or SCENES:
            title, scene = SCENES[name]
            with tempfile.TemporaryDirectory() as home:
                screen = Screen(Path(home).resolve(), models)
                try:
                    start(screen)
                    scene(screen)
                    screen.picture(options.out / f"neovim-{name}.svg", title)
                finally:
                    screen.close()
            print(f"neovim-{name}.svg")


if __name__ == "__main__":
    main()
