"""The part of a run's log that speaks of one test."""

import re
from collections.abc import Callable

FAILURE_CHARACTERS = 1_500


def section_of(log: str, heads: re.Pattern[str], speaks_of: Callable[[str], bool]) -> str:
    """Return what stands below the first head whose group `name` is the test's, bounded; "" without one."""
    marks = list(heads.finditer(log))
    for number, mark in enumerate(marks):
        if speaks_of(mark.group("name")):
            end = marks[number + 1].start() if number + 1 < len(marks) else len(log)
            return log[mark.end() : end].strip()[:FAILURE_CHARACTERS]
    return ""


def bounded_end(log: str) -> str:
    """Return the end of a log."""
    return log.strip()[-FAILURE_CHARACTERS:]
