"""The passage that is rewritten: what was selected, else the paragraph, docstring or comment at the cursor."""

import re
from collections.abc import Callable

from ensemble_lsp.core.commit_messages import (
    COMMIT_MESSAGE,
    is_commit_message,
    room_for_message,
    said_lines,
)
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.ports import CheckPort, Dossier
from ensemble_lsp.ensemble.prose import is_prose_file
from ensemble_lsp.ensemble.region import Region

_COMMENT = re.compile(r"^\s*(#|//|/\*|\*|--|;|%)")
_LONGEST_DOCSTRING = 400
"""Lines that are looked through for the ends of a docstring."""
_QUOTES = ('"""', "'''")


def passage_of(task: Task, dossier: Dossier, checks: CheckPort) -> Region | None:
    """Return whole lines of the file in front of the person, or None where there is none.

    A selection of several lines is taken as it is. One line (a cursor): in prose the paragraph around it, in
    code the docstring or the block of comments, else the symbol around it. Nothing selected: what is shown.
    """
    focus = dossier.focus
    path = task.path or (focus.path if focus is not None else None)
    if path is None or path not in dossier.files:
        return None
    text = dossier.files[path].text
    lines = split_lines(text)
    last = max(0, len(lines) - 1)
    if is_commit_message(path) and (task.range is None or task.range.end - task.range.start < 2):
        # All of what is said, or is to be: subject and body are one thing.
        return Region(path, *(said_lines(text) or room_for_message(text)), COMMIT_MESSAGE)
    if task.range is None:
        if focus is None or dossier.whole_file:
            return Region(path, 0, last)
        return Region(path, focus.start_line, min(last, focus.start_line + len(split_lines(focus.text)) - 1))
    first, end = min(task.range.start, last), min(max(task.range.start, task.range.end - 1), last)
    if end > first:
        return Region(path, first, end)
    if is_prose_file(path, checks):
        return Region(path, *_stretch(lines, first, lambda line: bool(line.strip())))
    docstring = _docstring(lines, first)
    if docstring is not None:
        return Region(path, *docstring)
    if _COMMENT.match(lines[first]):
        return Region(path, *_stretch(lines, first, lambda line: bool(_COMMENT.match(line))))
    symbol = checks.enclosing(path, text, first)
    if symbol is not None:
        return Region(path, symbol[1], symbol[2], symbol[0])
    return Region(path, first, end)


def _stretch(lines: list[str], line: int, belongs: Callable[[str], bool]) -> tuple[int, int]:
    first = last = line
    while first > 0 and belongs(lines[first]) and belongs(lines[first - 1]):
        first -= 1
    while last < len(lines) - 1 and belongs(lines[last]) and belongs(lines[last + 1]):
        last += 1
    return first, last


def _docstring(lines: list[str], line: int) -> tuple[int, int] | None:
    """Return the triple-quoted block around a line: an odd number of quotes above it opens one."""
    for quotes in _QUOTES:
        start: int | None = None
        for number in range(max(0, line - _LONGEST_DOCSTRING), min(len(lines), line + _LONGEST_DOCSTRING)):
            count = lines[number].count(quotes)
            if start is None and count % 2 == 1:
                start = number
            elif start is None and count == 2 and number == line:
                return number, number
            elif start is not None and count % 2 == 1:
                if start <= line <= number:
                    return start, number
                start = None
            if start is None and number > line:
                break
    return None
