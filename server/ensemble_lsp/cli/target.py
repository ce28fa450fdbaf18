"""`FILE[:LINE[-LINE]]` and the workspace around it."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.context.likely_files import place_of_test
from ensemble_lsp.context.reading import Reader
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.settings import ContextTable

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
    absolute = _absolute(path)
    start = absolute if absolute.is_dir() else absolute.parent
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
    if match and not exists(path):
        path = Path(match["file"])
        lines = _range_of(text, int(match["first"]), int(match["last"] or match["first"]))
    if not exists(path):
        raise UsageError(f"{path}: no such file", field="FILE", hint="paths count from where you are")
    if path.is_dir():
        raise UsageError(f"{path} is a directory", field="FILE", hint="name one file in it")
    absolute = _absolute(path)
    found = workspace_of(absolute)
    workspace, resolved = found.resolve(), absolute.resolve()
    if not resolved.is_relative_to(workspace):
        raise UsageError(
            f"{path} is a link that leads out of {workspace}, to {resolved}",
            field="FILE",
            hint="name the file itself",
        )
    return Target(workspace, absolute.relative_to(found).as_posix(), lines)


def target_of_test(text: str) -> Target | None:
    """Read a test's id as pytest prints it (`tests/test_cart.py::TestTotal::test_none[0]`); None for what is none.

    Raises `UsageError` where the file has no such test.
    """
    name, found, below = text.partition("::")
    if not found or not exists(Path(name)):
        return None
    target = parse_target(name)
    reader = Reader.of(target.workspace, ContextTable(), trusted=False, overlays={})
    path, _ = reader.focus(target.path)
    place = place_of_test(f"{path}::{below}", reader)
    if place is None or place.line is None:
        raise UsageError(
            f"{name} has no test {below}", field="FILE", hint="as pytest prints it, or FILE:LINE"
        )
    return Target(target.workspace, path, LineRange(start=place.line, end=place.line + 1))


def parse_targets(texts: Sequence[str]) -> tuple[Target, ...]:
    """Read several files of one workspace, each named once; raises `UsageError`."""
    targets = tuple(dict.fromkeys(parse_target(text) for text in texts))
    workspaces = dict.fromkeys(str(target.workspace) for target in targets)
    if len(workspaces) > 1:
        raise UsageError(
            f"the files belong to different workspaces: {', '.join(workspaces)}",
            field="FILE",
            hint="review one workspace at a time",
        )
    if len(targets) > 1 and any(target.range for target in targets):
        raise UsageError(
            "lines can be given for one file only", field="FILE", hint="review the files one at a time"
        )
    return targets


def _range_of(text: str, first: int, last: int) -> LineRange:
    if first < 1 or last < 1:
        raise UsageError(f"{text}: lines count from 1", field="FILE")
    if last < first:
        raise UsageError(
            f"{text}: the last line stands before the first",
            field="FILE",
            hint=f"did you mean {last}-{first}?",
        )
    return LineRange(start=first - 1, end=last)


def exists(path: Path) -> bool:
    """Whether there is such a file or folder; False for what cannot be a path at all."""
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long for any file, or with a NUL
        return False


def _absolute(path: Path) -> Path:
    # Not `resolve`: a link is followed only after the workspace around the name given is known.
    return Path(os.path.abspath(path))  # noqa: PTH100
