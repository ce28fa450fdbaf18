"""Which file and which lines are mutated to measure how strong a check is."""

from collections.abc import Sequence

from ensemble_lsp.checks.witnesses import syntax
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import split_lines


def mutated_path(task: Task, fixed: Sequence[FileChange], paths: Sequence[str]) -> str | None:
    """Return the file the task is about if the fix changed it, else the first that it changed."""
    changed = [change.path for change in fixed if change.after is not None]
    if task.path is not None and (not changed or task.path in changed):
        return task.path
    return changed[0] if changed else next(iter(paths), None)


def mutated_lines(task: Task, fixed: Sequence[FileChange], path: str, text: str) -> tuple[int, int]:
    """Return first and last line (0-based, inclusive): the symbols around the fix, else the task's range, else all."""
    lines = _changed_lines(fixed, path, text)
    if not lines and task.range is not None and path == task.path:
        lines = [task.range.start, max(task.range.start, task.range.end - 1)]
    found = [syntax.enclosing(path, text, line) or ("", line, line) for line in lines]
    if not found:
        return 0, len(split_lines(text))
    return min(first for _, first, _ in found), max(last for _, _, last in found)


def _changed_lines(fixed: Sequence[FileChange], path: str, text: str) -> list[int]:
    before = next((change.before for change in fixed if change.path == path), None)
    if before is None or before.text == text:
        return []
    old, new = split_lines(before.text), split_lines(text)
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return [head, max(head, len(new) - tail - 1)]
