"""Other projects' programs in virtual environments of their own, for measuring beside them.

What is installed is pinned with hashes in `benchmarks/requirements/NAME.txt`, and kept in
`.cache/benchmarks/NAME`: installed once, again when the pins change. Nothing of it enters the product's environment.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
INSTALL_SECONDS = 240.0
"""For one environment; where the registry answers it takes half a minute."""


class LeftOut(Exception):
    """A comparison that could not be made here; the message says why."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """One program of others: its name here, and the file with its pins."""

    name: str
    requirements: Path
    cache: Path = ROOT / ".cache" / "benchmarks"

    @property
    def folder(self) -> Path:
        """The environment."""
        return self.cache / self.name

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def installed(self) -> "Foreign":
        """Install it where it is not; raises `LeftOut` where that fails, and leaves nothing half done behind."""
        stamp = self.folder / "pins"
        pins = hashlib.sha256(self.requirements.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text(encoding="ascii") == pins:
            return self
        shutil.rmtree(self.folder, ignore_errors=True)
        print(f"installing {self.name} into {self.folder} ...", file=sys.stderr, flush=True)
        try:
            _run("making its environment", [sys.executable, "-m", "venv", str(self.folder)])
            install = [sys.executable, "-m", "uv", "pip", "sync", "--quiet", "--require-hashes"]
            _run("installing it", [*install, "--python", str(self.python), str(self.requirements)])
        except LeftOut as reason:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise LeftOut(f"{self.name} could not be had: {reason}") from reason
        stamp.write_text(pins, encoding="ascii")
        return self


MASSGEN = Foreign("massgen", ROOT / "benchmarks" / "requirements" / "massgen.txt")
AIDER = Foreign("aider", ROOT / "benchmarks" / "requirements" / "aider.txt")


@contextlib.contextmanager
def left_out_with_its_reason() -> Generator[dict[str, str]]:
    """Yield a mapping that holds `left out` and the reason when the body raised `LeftOut`."""
    said: dict[str, str] = {}
    try:
        yield said
    except LeftOut as reason:
        said["left out"] = str(reason)


def _run(what: str, command: list[str]) -> None:
    environment = {**os.environ, "UV_HTTP_TIMEOUT": "30", "UV_NO_PROGRESS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise LeftOut(f"{what} failed: {problem}") from problem
    if done.returncode != 0:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise LeftOut(f"{what} failed: {' '.join(said)[-300:] or done.returncode}")
