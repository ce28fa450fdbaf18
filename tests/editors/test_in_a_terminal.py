"""What a person sees: Neovim in a terminal, keys typed, the screen read."""

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.conftest import EditorStage
from tests.lsp.stage import BUG, CART, REPAIR

NVIM = shutil.which("nvim", path=f"{Path(sys.executable).parent}") or shutil.which("nvim")
TMUX = shutil.which("tmux")

pytestmark = [
    pytest.mark.system,
    pytest.mark.neovim,
    pytest.mark.skipif(NVIM is None or TMUX is None, reason="Neovim or tmux is not installed"),
]

PATIENCE = 60.0


class Terminal:
    """One tmux window of 100 × 24."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def run(self, *arguments: str) -> str:
        command = [str(TMUX), "-S", str(self._socket), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def type(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def shows(self, *texts: str) -> str:
        """Wait until the screen shows all of these and return it."""
        deadline = time.monotonic() + PATIENCE
        screen = ""
        while time.monotonic() < deadline:
            screen = self.run("capture-pane", "-p")
            if all(text in screen for text in texts):
                return screen
            time.sleep(0.05)
        raise AssertionError(f"never seen: {texts}\n{screen}")


@pytest.fixture
def terminal(editor_stage: EditorStage) -> Iterator[Terminal]:
    with editor_stage.init.open("a", encoding="utf-8") as init:
        init.write(
            "vim.o.statusline = '%f %m %{v:lua.vim.lsp.status()}'\n"
            "vim.api.nvim_create_autocmd('LspProgress', { command = 'redrawstatus' })\n"
            "vim.api.nvim_create_autocmd('LspAttach', { command = 'echo \"attached\"' })\n"
        )
    environment = {**editor_stage.environment, "TERM": "xterm-256color"}
    command = [str(NVIM), "--clean", "-n", "-i", "NONE", "-u", str(editor_stage.init), "cart.py"]
    window = Terminal(editor_stage.home / "tmux")
    settings = [f"{name}={value}" for name, value in environment.items()]
    window.run(
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-x",
        "100",
        "-y",
        "24",
        "-c",
        str(editor_stage.file.parent),
        shlex.join(["env", "-i", *settings, *command]),
    )
    try:
        yield window
    finally:
        window.run("kill-server")


def test_a_fix_from_the_menu_to_the_text_and_back(terminal: Terminal, editor_stage: EditorStage) -> None:
    bug, repair = BUG.rstrip("\n"), REPAIR.rstrip("\n")
    terminal.shows("def total(prices):", "attached")
    terminal.type("4G", "gra")
    menu = terminal.shows("Code actions:", "Type number")
    assert "1: Ensemble: fix…" in menu
    assert "4: Ensemble: explain" in menu
    terminal.type("1", "Enter")
    terminal.shows("Ensemble fix: cart.py: ")  # the progress, in the status line
    question = terminal.shows("Ensemble: Fix total", "1: Preview", "2: Apply", "3: Discard")
    assert "2 families" in question
    terminal.type("1", "Enter")
    terminal.shows(f"-{bug}", f"+{repair}", "1: Apply", "2: Discard")
    terminal.type("1", "Enter")
    terminal.shows("cart.py [+]", repair)
    terminal.type("u")
    terminal.shows(bug)
    assert editor_stage.file.read_text(encoding="utf-8") == CART
