"""The stretch of code that a fix is about: what a small model rewrites as a whole."""

from dataclasses import dataclass

from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.ports import CheckPort, Dossier

SMALL_FILE_LINES = 200
"""Up to here a file without a selection is looked through for its only symbol."""


@dataclass(frozen=True, slots=True)
class Region:
    """Whole lines of one file, 0-based, `last` inclusive; `name` is the symbol, empty for a whole file."""

    path: str
    first: int
    last: int
    name: str = ""

    @property
    def target(self) -> tuple[str, int, int]:
        """Path, first and last line, as `core.edits.apply_reply` takes it."""
        return (self.path, self.first, self.last)


def region_of(task: Task, dossier: Dossier, checks: CheckPort) -> Region | None:
    """Return the symbol around what the task points at, else the lines in front of the members.

    None when there is no file to change. A range that no symbol holds is taken as it is.
    """
    path = task.path or (dossier.focus.path if dossier.focus is not None else None)
    if path is None or path not in dossier.files:
        return None
    text = dossier.files[path].text
    last_line = max(0, len(split_lines(text)) - 1)
    pointed = _pointed_at(task, path)
    if pointed is None and dossier.focus is not None and not dossier.whole_file:
        focus = dossier.focus
        pointed = (focus.start_line, focus.start_line + max(0, len(split_lines(focus.text)) - 1))
    if pointed is None:
        only = _only_symbol(path, text, last_line, checks)
        return only if only is not None else Region(path, 0, last_line)
    first, last = min(pointed[0], last_line), min(pointed[1], last_line)
    symbol = checks.enclosing(path, text, first)
    if symbol is not None and symbol[1] <= first and symbol[2] >= last:
        return Region(path, symbol[1], symbol[2], symbol[0])
    return Region(path, first, last)


def _only_symbol(path: str, text: str, last_line: int, checks: CheckPort) -> Region | None:
    """Return the one function or class of a small file that has exactly one."""
    if last_line >= SMALL_FILE_LINES:
        return None
    found: Region | None = None
    line = 0
    # At most one turn per line of a small file.
    while line <= last_line:
        symbol = checks.enclosing(path, text, line)
        if symbol is None:
            line += 1
            continue
        if found is not None:
            return None
        found = Region(path, symbol[1], symbol[2], symbol[0])
        line = symbol[2] + 1
    return found


def _pointed_at(task: Task, path: str) -> tuple[int, int] | None:
    if task.range is not None:
        return task.range.start, max(task.range.start, task.range.end - 1)
    if task.finding is not None and task.finding.path == path:
        return task.finding.line, task.finding.end_line
    for diagnostic in task.diagnostics:
        if diagnostic.path == path:
            return diagnostic.line, max(diagnostic.line, diagnostic.end_line)
    return None
