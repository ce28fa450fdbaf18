"""Whether what a member cites is really there: quotes, lines and symbols are looked up in the file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ensemble_lsp.ensemble.merging import NEAR_LINES

_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBERED = re.compile(r"^\s*\d{1,6}\s?[|:]\s?")
_UNIQUE_PART = 8
"""A part of a line shorter than this many characters does not place a finding, even if it is unique."""
_CUT_OFF = 200
"""A quote at least this long may be cut off by the reply's length limit: then its beginning counts."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote is. Lines are 0-based, `end_line` inclusive; `quote` is the file's own text, trimmed."""

    line: int
    end_line: int
    quote: str


def lines_of(text: str) -> list[str]:
    """Return the lines without their endings; only LF, CRLF and CR end a line, as in LSP."""
    return _LINE_END.split(text)


def find_quote(lines: Sequence[str], quote: str, line: int) -> Place | None:
    """Place a quote in the file; `line` (0-based) is where it is said to be.

    Near that line (±3) first, then where it occurs exactly once, else the nearest occurrence. Blanks at both
    ends of lines and line-number prefixes do not count; a unique part of a line is enough. None: not there.
    """
    wanted = [part.strip() for part in lines_of(quote)]
    while wanted and not wanted[0]:
        wanted.pop(0)
    while wanted and not wanted[-1]:
        wanted.pop()
    if not wanted:
        return None
    trimmed = [text.strip() for text in lines]
    found = _occurrences(trimmed, wanted)
    if not found and all(_NUMBERED.match(part) for part in wanted):
        wanted = [_NUMBERED.sub("", part).strip() for part in wanted]
        found = _occurrences(trimmed, wanted) if any(wanted) else []
    if found:
        start = min(found, key=lambda place: (abs(place - line), place))
        end = start + len(wanted) - 1
        return Place(start, end, trimmed[start])
    part = wanted[0]
    holding = [number for number, text in enumerate(trimmed) if len(part) >= _UNIQUE_PART and part in text]
    if len(wanted) == 1 and len(holding) == 1:
        return Place(holding[0], holding[0], trimmed[holding[0]])
    return None


def is_near(place: Place, line: int, end_line: int) -> bool:
    """Whether the place is where it was said to be, give or take three lines."""
    return line - NEAR_LINES <= place.line <= end_line + NEAR_LINES


def has_symbol(text: str, symbol: str) -> bool:
    """Whether the last part of a dotted name occurs in the text as a word of its own."""
    return bool(symbol_lines([text], symbol))


def symbol_lines(lines: Sequence[str], symbol: str) -> list[int]:
    """Return the 0-based lines on which the last part of a dotted name occurs as a word."""
    names = re.findall(r"[^\W\d]\w*", symbol.split("(", maxsplit=1)[0])
    if not names:
        return []
    word = re.compile(rf"(?<!\w){re.escape(names[-1])}(?!\w)")
    return [number for number, text in enumerate(lines) if word.search(text)]


def _occurrences(trimmed: Sequence[str], wanted: Sequence[str]) -> list[int]:
    last = len(wanted) - 1

    def matches(start: int) -> bool:
        if start + last >= len(trimmed):
            return False
        return all(
            trimmed[start + offset] == part
            or (offset == last and len(part) >= _CUT_OFF and trimmed[start + offset].startswith(part))
            for offset, part in enumerate(wanted)
        )

    return [start for start in range(len(trimmed)) if matches(start)]
