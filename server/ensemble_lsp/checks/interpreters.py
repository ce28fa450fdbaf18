"""Which Python runs a project's tests, and which folders it has to read for that.

Nothing is executed to find out: an interpreter that lies in a workspace is itself the workspace's code.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

_ENVIRONMENT_NAMES = (".venv", "venv", "env", ".env")
_MAX_LINKS = 8
_LONGEST_FIRST_LINE = 4_096
"""Bytes; longer ones are no script's (Linux reads 255)."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One Python. `readable` are its own folders outside the workspace; `why` is for the person."""

    executable: Path
    readable: tuple[Path, ...]
    why: str

    @property
    def is_ours(self) -> bool:
        """Whether it is the Python that runs this: its plugins were not installed for the project."""
        return self.executable == Path(sys.executable)

    @property
    def programs(self) -> Path:
        """The folder of the programs installed with it."""
        return self.executable.parent


def find_interpreter(
    workspace: Path,
    *,
    configured: Path | None = None,
    environment: Mapping[str, str] | None = None,
    trusted: bool = True,
) -> Interpreter:
    """Return the workspace's own Python, else the configured one, else the active one, else this one.

    Of a workspace that is not trusted its own interpreter is not taken.
    """
    environment = os.environ if environment is None else environment
    if configured is not None:
        found = _described(workspace / configured.expanduser(), "set in the settings")
        if found is not None:
            return found
    if trusted:
        for name in _ENVIRONMENT_NAMES:
            found = _of_environment(workspace / name, f"the workspace's {name}")
            if found is not None:
                return found
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environment.get(variable):
            found = _of_environment(Path(environment[variable]), f"the active {variable}")
            if found is not None:
                return found
    return _described(Path(sys.executable), "the one that runs Ensemble") or Interpreter(
        Path(sys.executable), (Path(sys.prefix), Path(sys.base_prefix)), "the one that runs Ensemble"
    )


def interpreter_of_script(program: Path) -> Interpreter | None:
    """Return the Python that a script's first line names, or None for what is no such script."""
    try:
        with program.open("rb") as file:
            line = file.readline(_LONGEST_FIRST_LINE)
    except OSError:
        return None
    words = line[2:].decode("utf-8", "replace").split() if line.startswith(b"#!") else []
    if not words or not words[0].startswith("/") or "python" not in PurePath(words[0]).name:
        return None
    return _described(Path(words[0]), f"what runs {program.name}")


def _of_environment(folder: Path, why: str) -> Interpreter | None:
    return _described(folder / "bin" / "python", why)


def _described(executable: Path, why: str) -> Interpreter | None:
    if not executable.is_file() or not os.access(executable, os.X_OK):
        return None
    prefix = executable.parent.parent
    folders = [prefix] if _looks_installed(prefix) or (prefix / "pyvenv.cfg").is_file() else []
    for program in _chain(executable):
        folders += [folder for folder in (program.parent.parent,) if _looks_installed(folder)]
    home = _home_in(prefix / "pyvenv.cfg")
    if home is not None and _looks_installed(home.parent):
        folders.append(home.parent)
    return Interpreter(executable, tuple(dict.fromkeys(folders)), why)


def _chain(executable: Path) -> list[Path]:
    """Return each place that a chain of links passes through, and where it ends."""
    found: list[Path] = []
    here = executable
    for _ in range(_MAX_LINKS):
        if not here.is_symlink():
            break
        here = Path(os.path.normpath(here.parent / here.readlink()))
        found.append(here)
    return [*found, executable.resolve()]


def _home_in(configuration: Path) -> Path | None:
    try:
        lines = configuration.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home" and value.strip().startswith("/"):
            return Path(value.strip())
    return None


def _looks_installed(prefix: Path) -> bool:
    """Whether `prefix` is a Python's own folder: a mark in a workspace must not open somebody's home."""
    if prefix == Path.home() or len(prefix.parts) < 2:
        return False
    return any((library / "os.py").is_file() for library in sorted(prefix.glob("lib*/python3*"))[:8])
