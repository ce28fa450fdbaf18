"""A place to run hostile scripts in: a folder they may spoil, next to things they must not reach."""

import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.checks import bubblewrap
from ensemble_lsp.checks.environment import allowed_environment, own_interpreter_paths
from ensemble_lsp.checks.sandbox import Completed, Limits, Sandbox, Shown


@functools.cache
def sandboxes() -> tuple[Sandbox, ...]:
    """Return what could confine on this kind of system; whether it can is for the tests to find out."""
    found = [Sandbox("namespaces"), Sandbox("landlock")] if sys.platform == "linux" else []
    program = bubblewrap.find()
    return (*([Sandbox("bubblewrap", program)] if program else []), *found)


@dataclass(frozen=True, slots=True)
class Booth:
    """`folder` is what a script may write; everything else below `outside` is out of bounds."""

    sandbox: Sandbox
    outside: Path
    folder: Path

    @classmethod
    def make(cls, sandbox: Sandbox, outside: Path) -> "Booth":
        folder = outside / "booth"
        for name in ("work", "home", "tmp", "root"):
            (folder / name).mkdir(parents=True)
        return cls(sandbox, outside, folder)

    @property
    def work(self) -> Path:
        """Where the script runs, as the test sees it."""
        return self.folder / "work"

    async def python(self, script: str, *arguments: str, limits: Limits | None = None) -> Completed:
        """Run a Python script inside."""
        return await self.run(sys.executable, "-I", "-c", script, *arguments, limits=limits)

    async def run(self, *argv: str, limits: Limits | None = None) -> Completed:
        """Run a command inside, in `work`."""
        moved = self.sandbox.moves_paths
        home = Path("/home/ensemble") if moved else self.folder / "home"
        temporary = Path("/tmp") if moved else self.folder / "tmp"
        return await self.sandbox.run(
            argv,
            directory=self.work,
            environment=allowed_environment(home=str(home), temporary=str(temporary)),
            shown=[
                *map(Shown.in_place, own_interpreter_paths()),
                Shown(self.folder / "home", home, writable=True),
                Shown(self.folder / "tmp", temporary, writable=True),
                Shown.in_place(self.work, writable=True),
            ],
            staging=self.folder / "root",
            limits=limits or Limits(seconds=20.0),
        )


def alive(pid: int) -> bool:
    """Whether a process is there and not just waiting to be reaped."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"
