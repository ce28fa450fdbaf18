"""Programs of other languages: where they are, what they read, and what they need to know."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ensemble_lsp.checks.interpreters import Interpreter, interpreter_of_script
from ensemble_lsp.checks.sandbox import Shown


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A program with what it needs inside a sandbox. `home` in `shown` targets is replaced by the run's home."""

    program: str
    programs: tuple[str, ...] = ()
    """Folders for PATH."""
    shown: tuple[Shown, ...] = ()
    in_home: tuple[tuple[Path, str], ...] = ()
    """Folders of the person's home that are shown read-only in the run's own home, at a relative path."""
    environment: dict[str, str] = field(default_factory=dict[str, str])


def _which(name: str, workspace: Path) -> Path | None:
    """Return a program on PATH, but none that lies in the workspace."""
    folders = [folder for folder in os.get_exec_path() if folder.startswith("/")]
    safe = [folder for folder in folders if not Path(folder).resolve().is_relative_to(workspace)]
    found = shutil.which(name, path=os.pathsep.join(safe))
    return Path(found) if found else None


def _installation(program: Path) -> list[Path]:
    """Return the folder that a program is installed in, as it is named and as it is."""
    folders: list[Path] = []
    for place in (program, program.resolve()):
        root = place.parent.parent if place.parent.name == "bin" else place.parent
        if root != Path.home() and len(root.parts) > 2:
            folders.append(root)
    return folders


def node(workspace: Path) -> Toolchain | None:
    """Return Node.js, or None when it is not installed."""
    program = _which("node", workspace)
    if program is None:
        return None
    shown = tuple(Shown.in_place(folder) for folder in _installation(program))
    return Toolchain("node", (str(program.parent),), shown, environment={"NODE_NO_WARNINGS": "1"})


def go(workspace: Path) -> Toolchain | None:
    """Return Go, with the modules that were downloaded before; it cannot download more."""
    program = _which("go", workspace)
    if program is None:
        return None
    shown = tuple(Shown.in_place(folder) for folder in _installation(program))
    modules = Path(
        os.environ.get("GOMODCACHE") or Path(os.environ.get("GOPATH") or "~/go", "pkg/mod")
    ).expanduser()
    return Toolchain(
        "go",
        (str(program.parent),),
        shown,
        in_home=((modules, "go/pkg/mod"),),
        environment={"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GONOSUMDB": "*"},
    )


def cargo(workspace: Path) -> Toolchain | None:
    """Return Cargo, with the crates that were downloaded before; it cannot download more."""
    program = _which("cargo", workspace)
    if program is None:
        return None
    rustup = Path(os.environ.get("RUSTUP_HOME") or "~/.rustup").expanduser()
    home = Path(os.environ.get("CARGO_HOME") or "~/.cargo").expanduser()
    shown = [Shown.in_place(program.parent)]
    environment = {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"}
    if rustup.is_dir():
        shown.append(Shown.in_place(rustup))
        environment["RUSTUP_HOME"] = str(rustup)
    else:
        shown += [Shown.in_place(folder) for folder in _installation(program)]
    return Toolchain(
        "cargo",
        (str(program.parent),),
        tuple(shown),
        in_home=((home / "registry", ".cargo/registry"), (home / "git", ".cargo/git")),
        environment=environment,
    )


def of_program(name: str, workspace: Path) -> Toolchain | None:
    """Return a program of the person's own that a command names, if it is not one of the system's."""
    program = _which(name, workspace)
    if program is None or _is_the_systems(program):
        return None
    return _of_own(name, program)


def semgrep(workspace: Path, environment: Interpreter) -> Toolchain | None:
    """Return semgrep as the project's environment has it, else as PATH does; `program` is its whole path."""
    installed = shutil.which("semgrep", path=str(environment.programs))
    program = Path(installed) if installed else _which("semgrep", workspace)
    if program is None:
        return None
    if _is_the_systems(program):
        return Toolchain(str(program), (str(program.parent),))
    found = _of_own(str(program), program)
    python = interpreter_of_script(program)
    if python is None:
        return found
    return replace(found, shown=(*found.shown, *map(Shown.in_place, python.readable)))


def _is_the_systems(program: Path) -> bool:
    """Whether it lies where every command sees it anyway."""
    return program.is_relative_to("/usr") or program.is_relative_to("/bin")


def _of_own(name: str, program: Path) -> Toolchain:
    folders = [folder for folder in _installation(program) if folder.name not in {".local", "local"}]
    # What lies in a folder that is shown is there already; over a link there nothing can be mounted.
    alone = [
        path
        for path in (program, program.resolve())
        if not any(path.is_relative_to(folder) for folder in folders)
    ]
    return Toolchain(name, (str(program.parent),), tuple(map(Shown.in_place, (*alone, *folders))))


def together(toolchains: Iterable[Toolchain | None]) -> Toolchain | None:
    """Return one toolchain that has everything of all of these."""
    present = [item for item in toolchains if item is not None]
    if not present:
        return None
    return Toolchain(
        " ".join(item.program for item in present),
        tuple(folder for item in present for folder in item.programs),
        tuple(shown for item in present for shown in item.shown),
        tuple(pair for item in present for pair in item.in_home),
        {name: value for item in present for name, value in item.environment.items()},
    )
