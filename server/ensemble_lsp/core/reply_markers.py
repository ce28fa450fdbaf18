"""The marker lines of search/replace blocks: which there are, and which belong together.

Every line is looked at once and closers are looked up by bisection, so a reply full of openers costs no more
than any other: linear time apart from a logarithm.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

_OPENER = re.compile(r"^([ \t]*)<{5,9} ?(?:SEARCH|ORIGINAL)\b[ \t]*(.*)$")
_DIVIDER = re.compile(r"^[ \t]*={5,9}(?:[ \t]+(\S+))?[ \t]*$")
_CLOSER = re.compile(r"^[ \t]*>{5,9} ?(?:REPLACE|UPDATED)\b(?:[ \t]+(\S+))?")
_BARE_CLOSER = re.compile(r"^[ \t]*>{5,9}[ \t]*$")


@dataclass(frozen=True, slots=True)
class Opener:
    """The line that begins a block; `rest` is what follows SEARCH: sentinel and path, in either order."""

    line: int
    indent: str
    rest: str

    @property
    def words(self) -> list[str]:
        """The words that may be the sentinel."""
        return self.rest.split()[:4]


@dataclass(slots=True)
class Markers:
    """Line numbers of markers, ascending; dividers and closers by the word they carry ("" for none)."""

    openers: list[Opener] = field(default_factory=list[Opener])
    openers_by_word: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    opener_lines: list[int] = field(default_factory=list[int])
    dividers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    closers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    named_closers: list[int] = field(default_factory=list[int])
    bare_closers: list[int] = field(default_factory=list[int])

    def sentinel_of(self, opener: Opener, asked: str | None) -> str:
        """Return the opener's sentinel, "" for none: the one asked for, or a word that its divider repeats."""
        for word in opener.words:
            follows = (_next(places.get(word, []), opener.line) for places in (self.dividers, self.closers))
            if word == asked or all(place is not None for place in follows):
                return word
        return ""

    def closer_of(self, opener: Opener, sentinel: str) -> int | None:
        """Return the line that ends the block: with its sentinel, else any closer before the next opener."""
        if sentinel:
            limit = _next(self.openers_by_word.get(sentinel, []), opener.line + 1)
            closer = _next(self.closers.get(sentinel, []), opener.line)
            if closer is not None and (limit is None or closer < limit):
                return closer
        limit = _next(self.opener_lines, opener.line + 1)
        for places in (self.named_closers, self.bare_closers):
            closer = _next(places, opener.line)
            if closer is not None and (limit is None or closer < limit):
                return closer
        return None

    def dividers_between(self, first: int, last: int, sentinel: str) -> list[int]:
        """Return the dividers with the sentinel, or, where there are none, those without any word."""
        for word in (sentinel, "") if sentinel else ("",):
            places = self.dividers.get(word, [])
            found = places[bisect_left(places, first) : bisect_left(places, last)]
            if found:
                return found
        return []


def has_opener(lines: Sequence[str]) -> bool:
    """Whether any line begins a search/replace block."""
    return any("<<<<<" in line and _OPENER.match(line) for line in lines)


def marker_lines(lines: Sequence[str]) -> Markers:
    """Find all marker lines."""
    markers = Markers()
    for number, line in enumerate(lines):
        if "=====" in line:
            match = _DIVIDER.match(line)
            if match:
                markers.dividers.setdefault(match.group(1) or "", []).append(number)
        elif "<<<<<" in line:
            match = _OPENER.match(line)
            if match:
                opener = Opener(number, match.group(1), match.group(2).strip())
                markers.openers.append(opener)
                markers.opener_lines.append(number)
                for word in dict.fromkeys(opener.words):
                    markers.openers_by_word.setdefault(word, []).append(number)
        elif ">>>>>" in line:
            match = _CLOSER.match(line)
            if match:
                markers.closers.setdefault(match.group(1) or "", []).append(number)
                markers.named_closers.append(number)
            elif _BARE_CLOSER.match(line):
                markers.bare_closers.append(number)
    return markers


def _next(places: Sequence[int], line: int) -> int | None:
    at = bisect_left(places, line)
    return places[at] if at < len(places) else None
