"""`FILE[:LINE[-LINE]]` and the workspace around it."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.results import LineRange

_WITH_LINES = re.compile(r"^(?P<file>.+?):(?P<first>-?\d+)(?:-(?P<last>-?\d+))?$")

ROOT_MARKERS = (".git", ".hg", "ensemble.toml", "pyproject.toml", "package.json", "go.mod", "Cargo.toml")


@dataclass(frozen=True, slots=True)
class Target:
    """One file of one workspace, with the lines that are meant. `path` is relative, with forward slashes."""

    workspace: Path
    path: str
    range: LineRange | None


def workspace_of(path: Path) -> Path:
    """Return the nearest folder above that looks like a project's root, else the folder itself."""
    start = path if path.is_dir() else path.parent
    for folder in (start, *start.parents):
        if any((folder / marker).exists() for marker in ROOT_MARKERS):
            return folder
    return start


def parse_target(text: str) -> Target:
    """Read `FILE`, `FILE:LINE` or `FILE:LINE-LINE` (1-based); raises `UsageError` with what is wrong.

    A file whose name itself ends in `:12` wins over a line number.
    """
    lines: LineRange | None = None
    path = Path(text)
    match = _WITH_LINES.match(text)
    if match and not path.exists():
        path = Path(match["file"])
        first = int(match["first"])
        last = int(match["last"] or first)
        if first < 1 or last < first:
            raise UsageError(
                f"{text}: lines count from 1, and the last may not come before the first", field="FILE"
            )
        lines = LineRange(start=first - 1, end=last)
    if not path.exists():
        raise UsageError(f"{path}: no such file", field="FILE")
    if path.is_dir():
        raise UsageError(f"{path} is a directory", field="FILE", hint="name one file in it")
    resolved = path.resolve()
    workspace = workspace_of(Path.cwd() / path if not path.is_absolute() else path).resolve()
    if workspace not in resolved.parents:
        workspace = resolved.parent
    return Target(workspace, str(PurePosixPath(resolved.relative_to(workspace))), lines)
