"""Where a case's program differs from the right one."""

from ensemble_lsp.core.line_diff import line_changes
from ensemble_lsp.core.text import split_lines


def differing_lines(program: str, original: str) -> tuple[int, int]:
    """Return first and last line (0-based) of `program` that a reader would point at.

    Lines that are only in `original` have no place in `program`: the lines around the gap stand for them. Of
    several changes, from the first to the last; (0, 0) for equal texts.
    """
    lines = split_lines(program)
    last_line = max(0, len(lines) - 1)
    spans = [
        (change.new_start, change.new_end - 1)
        if change.new_end > change.new_start
        else (max(0, change.new_start - 1), min(change.new_start, last_line))
        for change in line_changes(split_lines(original), lines)
    ]
    if not spans:
        return (0, 0)
    return (spans[0][0], spans[-1][1])
