"""A real terminal: the live lanes, a question that is answered, Ctrl-C once and twice."""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, environment, panel

PATIENCE = 60.0
"""Seconds to wait for something to appear, on a busy machine that imports litellm."""

pytestmark = pytest.mark.usefixtures("models")


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, arguments: tuple[str, ...], folder: Path, *, columns: int = 80) -> None:
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ensemble_lsp", *arguments],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            cwd=folder,
            env=environment(TERM="xterm-256color", COLUMNS="", LINES=""),
            preexec_fn=_own_terminal,  # noqa: PLW1509  (no threads are started by it)
        )
        os.close(follower)
        self._leader = leader
        self.raw = ""

    def wait_for(self, text: str) -> None:
        """Read until `text` stands on the terminal, colours aside."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            if not self._read(deadline):
                raise AssertionError(f"{text!r} never came; there was: {self.seen}")

    def type(self, keys: str) -> None:
        os.write(self._leader, keys.encode())

    def end(self) -> int:
        """Read to the end and return the exit status."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        return self.process.wait(PATIENCE)

    @property
    def seen(self) -> str:
        """All that was written, without escape sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.raw).replace("\r\n", "\n")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        os.close(self._leader)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._leader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._leader, 65536)
        except OSError:  # Linux's way to say that the other end is closed
            return False
        self.raw += data.decode("utf-8", "replace")
        return bool(data)


def _own_terminal() -> None:
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def test_lanes_a_question_and_ctrl_c_that_keeps_what_was_answered(
    ensemble: CommandLine, shop: Path, terminals: list[Terminal]
):
    terminal = Terminal(("fix", "cart.py", *panel("good", "hang")), shop)
    terminals.append(terminal)

    terminal.wait_for(f"Trust {shop}?"[:40])
    terminal.type("n\n")
    terminal.wait_for("good: draft answered")
    terminal.wait_for("tok/s")
    terminal.type("\x03")
    code = terminal.end()

    assert code == 130
    assert "Ctrl-C keeps what was answered" in terminal.seen
    assert "hang: draft cancelled" in terminal.seen
    assert "cancelled; what was answered is kept" in terminal.seen
    assert "Traceback" not in terminal.seen
    # The cursor is shown again, and the lanes are gone.
    assert terminal.raw.rindex("\x1b[?25h") > terminal.raw.rindex("\x1b[?25l")
    assert terminal.seen.rstrip().endswith("--answers shows 1 answer")
    (line,) = json.loads(ensemble("jobs", "--json").out)
    assert line["status"] == "cancelled"
    assert "result += price" in ensemble("show", line["job"], "--answers").out


def test_a_second_ctrl_c_ends_at_once(shop: Path, terminals: list[Terminal]):
    terminal = Terminal(("fix", "cart.py", "--trust", *panel("hang")), shop)
    terminals.append(terminal)

    terminal.wait_for("Ctrl-C keeps what was answered")
    os.kill(terminal.process.pid, signal.SIGINT)
    os.kill(terminal.process.pid, signal.SIGTERM)

    assert terminal.end() == 130, terminal.seen
    assert "Traceback" not in terminal.seen


def test_ctrl_c_at_a_question_is_no_answer(ensemble: CommandLine, shop: Path, terminals: list[Terminal]):
    terminal = Terminal(("fix", "cart.py", *panel("good")), shop)
    terminals.append(terminal)

    terminal.wait_for("[y/N]")
    terminal.type("\x03")
    # Python misses a signal that comes between the question and its wait for a line; a person presses again.
    with suppress(subprocess.TimeoutExpired):
        terminal.process.wait(20)
    if terminal.process.poll() is None:
        terminal.type("\x03")

    assert terminal.end() == 130, terminal.seen
    assert "interrupted" in terminal.seen
    assert ensemble("trust", "--list").out == ""


@pytest.mark.system
@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_lanes_stand_still_in_a_terminal_narrower_than_the_environment_says(shop: Path, tmp_path: Path):
    socket = tmp_path / "tmux"
    tmux = ["tmux", "-S", str(socket), "-f", "/dev/null"]
    names = ("PATH", "HOME", *(name for name in os.environ if name.startswith(("ENSEMBLE_", "OPENAI_"))))
    kept = {**{name: os.environ[name] for name in names}, "COLUMNS": "140"}
    line = [sys.executable, "-P", "-m", "ensemble_lsp", "fix", "cart.py", "--trust", *panel("hang", "slow")]
    settings = [word for name, value in kept.items() for word in ("-e", f"{name}={value}")]
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "60", "-y", "20", "-c", str(shop), *settings, *line],
        check=True,
    )
    try:
        screen = ""
        deadline = time.monotonic() + PATIENCE
        while screen.count("tok/s") < 2 or "Return the" not in screen:
            assert time.monotonic() < deadline, screen
            select.select([], [], [], 0.2)
            screen = subprocess.run(
                [*tmux, "capture-pane", "-p"], capture_output=True, text=True, check=True
            ).stdout
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)

    lanes = [text for text in screen.splitlines() if "tok/s" in text]
    assert [lane.split()[0] for lane in lanes] == ["hang", "slow"], screen
    assert screen.count("Ctrl-C") == 1


def test_help_names_no_type_for_what_takes_no_value(ensemble: CommandLine):
    for command in ("fix", "review", "bench fix", "panel", "jobs purge"):
        said = ensemble(*command.split(), "--help").out
        assert "--help" in said
        assert "<bool>" not in said, command
        assert "[[" not in said, command
