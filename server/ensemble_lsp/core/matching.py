"""Where the lines of a search part stand in a file: exactly, or forgiving what models get wrong in blanks.

Forgiven, and only when nothing matches exactly: trailing blanks; one uniform difference of indentation (also
when only the first line lost its own, and when levels are given in spaces for tabs or the reverse); and
line-number prefixes when every line has one. No case folding, no similarity, no Unicode normalisation.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import gcd

from rapidfuzz import fuzz, process

from ensemble_lsp.core.text import SourceText, content_of, most_common_ending, split_lines

_MOST_PLACES = 2000
"""Bound on the places looked at for one block: more can only be ambiguous."""
_NUMBERED = re.compile(r"^[ \t]*(?:L(?:ine )?)?(\d{1,7})(?:[ \t]?[|│→] ?|[:\t] ?|[ ]*\|[ ]?)")


@dataclass(frozen=True, slots=True)
class Match:
    """One place, and how the model's indentation maps onto the file's there."""

    start: int
    reindent: Callable[[str], str | None]
    """A line of the replacement → the line to write; None when it has too little indentation to take away."""
    first_reindent: Callable[[str], str | None] | None = None
    """For the replacement's first line, where only the first line's indentation was left out."""


class FileLines:
    """A file's lines, ready to be searched many times.

    Most blocks need a few lines of a long file, so what costs time for every line is made when it is asked for.
    """

    def __init__(self, source: SourceText) -> None:
        self.source = source
        text = source.text
        self._plain = "\r" not in text
        """Every ending is a newline, so that the text itself can be searched."""
        if self._plain:
            self.contents = text.split("\n")
            if not self.contents[-1]:
                self.contents.pop()
            self.exact = _Haystack("\n" + text + ("" if text.endswith("\n") or not text else "\n"))
        else:
            self.contents = [content_of(line) for line in self.lines]
            self.exact = _Haystack.of(self.contents)

    @cached_property
    def lines(self) -> list[str]:
        """The lines with their endings."""
        return split_lines(self.source.text)

    def pieces(self, first: int, end: int) -> list[str]:
        r"""Return the text of lines `first:end`, in one piece where no line has a ``\r``, else line by line."""
        if not self._plain:
            return self.lines[first:end]
        if first >= end:
            return []
        without_newline = end == len(self.contents) and not self.source.text.endswith("\n")
        return ["\n".join(self.contents[first:end]) + ("" if without_newline else "\n")]

    @cached_property
    def endings(self) -> list[str]:
        """The lines' endings; the last may be empty."""
        if self._plain:
            endings = ["\n"] * len(self.contents)
            if endings and not self.source.text.endswith("\n"):
                endings[-1] = ""
            return endings
        return [line[len(content) :] for line, content in zip(self.lines, self.contents, strict=True)]

    @cached_property
    def ending(self) -> str:
        """The ending that most lines have."""
        return "\n" if self._plain else most_common_ending(self.endings)

    @cached_property
    def stripped(self) -> "_Haystack":
        """The lines without blanks at either end."""
        return _Haystack.of([line.strip(" \t") for line in self.contents])

    def has_line(self, stripped: str) -> bool:
        """Whether some line is this one, white space at either end aside: to tell what is new."""
        return stripped in self._known_lines

    @cached_property
    def _known_lines(self) -> frozenset[str]:
        return frozenset(line.strip() for line in self.contents)

    @cached_property
    def tabs_only(self) -> bool:
        """Whether the file indents with tabs and nowhere with spaces (one aligns comments: no level)."""
        return self.exact.has_line_with("\t") and not self.exact.has_line_with("  ")

    def in_own_style(self, lines: Sequence[str]) -> list[str]:
        """Turn levels given in spaces into tabs, where the file indents with tabs only."""
        indents = [re.match(r"\t*( *)", line) for line in lines if line.strip()] if self.tabs_only else []
        unit = gcd(*(len(match.group(1)) for match in indents if match))
        if unit not in {2, 3, 4, 8}:
            return list(lines)
        return [
            re.sub(r"^(\t*)( +)", lambda match: match.group(1) + "\t" * (len(match.group(2)) // unit), line)
            if line.strip()
            else line
            for line in lines
        ]


class _Haystack:
    """Lines joined, so that finding a run of them is one substring search (linear, in C).

    `text` begins with a newline, and every line ends with one.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @classmethod
    def of(cls, lines: Sequence[str]) -> "_Haystack":
        """Return the haystack of lines without endings."""
        return cls("\n" + "\n".join(lines) + "\n" if lines else "\n")

    def has_line_with(self, beginning: str) -> bool:
        """Whether some line begins so."""
        return "\n" + beginning in self._text

    def places(self, lines: Sequence[str], limit: int = _MOST_PLACES) -> list[int]:
        """Return the first lines of all occurrences, overlapping ones too, at most `limit`."""
        needle = "\n" + "\n".join(lines) + "\n"
        found: list[int] = []
        line = counted = 0
        at = self._text.find(needle)
        while at >= 0 and len(found) < limit:
            # The newline before a line is the one of its number: line 0 stands behind the first.
            line += self._text.count("\n", counted, at)
            counted = at
            found.append(line)
            at = self._text.find(needle, at + 1)
        return found


def find(file: FileLines, search: Sequence[str]) -> list[Match]:
    """Return all places of the search part on the first tier of forgiveness that has any."""
    if not search:
        return []
    exact = file.exact.places(search)
    if exact:
        return [Match(start, _unchanged) for start in exact]
    if not any(line.strip(" \t") for line in search):
        return []
    trailing: list[Match] = []
    indented: list[Match] = []
    for start in file.stripped.places([line.strip(" \t") for line in search]):
        there = file.contents[start : start + len(search)]
        match = _related(start, search, there)
        if match is not None:
            (trailing if match.reindent is _unchanged and not match.first_reindent else indented).append(
                match
            )
    return trailing or indented


def occurs(file: FileLines, search: Sequence[str]) -> bool:
    """Whether `find` would find anything."""
    return bool(find(file, search))


def without_line_numbers(lines: Sequence[str], *, consecutive: bool = True) -> tuple[list[str], int] | None:
    """Return the lines without their prefixes and the first number, or None unless every line has one.

    With `consecutive` the numbers must count upwards by one, as they do in a listing of the file.

    Blank lines may lack the prefix: models drop it there.
    """
    stripped: list[str] = []
    first = previous = None
    for line in lines:
        match = _NUMBERED.match(line)
        if match is None:
            if line.strip():
                return None
            stripped.append(line)
            previous = None if previous is None else previous + 1
            continue
        number = int(match.group(1))
        if consecutive and previous is not None and number != previous + 1:
            return None
        first = number if first is None else first
        previous = number
        stripped.append(line[match.end() :])
    return (stripped, first) if first is not None else None


def is_numbered(line: str) -> bool:
    """Whether a line begins like one of a numbered listing: `12 | x`, `12→x`."""
    return re.match(r"^[ \t]*\d{1,7}[ \t]?[|│→]", line) is not None


@dataclass(frozen=True, slots=True)
class Nearest:
    """The stretch of a file that is most like a search part that does not occur. `line` is 0-based."""

    line: int
    lines: tuple[str, ...] = field(default=())
    score: float = 0.0


def nearest(file: FileLines, search: Sequence[str]) -> Nearest | None:
    """Return the most similar stretch, for a message only: similarity never places a block."""
    wanted = [line.strip(" \t")[:300] for line in search[:40]]
    anchor = max(range(len(wanted)), key=lambda i: len(wanted[i]), default=None)
    if anchor is None or not wanted[anchor] or not file.contents:
        return None
    have = [line.strip(" \t")[:300] for line in file.contents]
    best = Nearest(0, (), -1.0)
    for _, _, place in process.extract(wanted[anchor], have, scorer=fuzz.ratio, limit=5):
        start = max(0, int(place) - anchor)
        there = have[start : start + len(wanted)]
        score = sum(fuzz.ratio(a, b) for a, b in zip(wanted, there, strict=False)) / len(wanted)
        if score > best.score:
            best = Nearest(start, tuple(file.contents[start : start + min(len(search), 12)]), score)
    # Below this the stretch has nothing to do with the search part and would mislead.
    return best if best.score >= 40 else None


def _unchanged(line: str) -> str | None:
    return line


def _related(start: int, search: Sequence[str], there: Sequence[str]) -> Match | None:
    pairs = [(_indent(a), _indent(b)) for a, b in zip(search, there, strict=True) if a.strip(" \t")]
    whole = _relation(pairs)
    if whole is not None:
        return Match(start, whole)
    rest = _relation(pairs[1:]) if len(pairs) > 1 and pairs[0][0] == "" and search[0].strip(" \t") else None
    if rest is None:
        return None
    lost = pairs[0][1]

    def first(line: str) -> str | None:
        return lost + line if line.strip(" \t") else line

    return Match(start, rest, first)


def _relation(pairs: Sequence[tuple[str, str]]) -> Callable[[str], str | None] | None:
    """Return how to map the model's indentation to the file's, or None when no one rule fits all lines."""
    given, real = pairs[0]
    if all(a == b for a, b in pairs):
        return _unchanged
    if real.endswith(given) and all(b == real[: len(real) - len(given)] + a for a, b in pairs):
        added = real[: len(real) - len(given)]
        return lambda line: added + line if line.strip(" \t") else line
    if given.endswith(real) and all(a == given[: len(given) - len(real)] + b for a, b in pairs):
        taken = given[: len(given) - len(real)]
        return lambda line: (
            line if not line.strip(" \t") else line.removeprefix(taken) if line.startswith(taken) else None
        )
    return _levels(pairs, " ", "\t") or _levels(pairs, "\t", " ")


def _levels(pairs: Sequence[tuple[str, str]], given: str, real: str) -> Callable[[str], str | None] | None:
    """The same levels in the other kind of blank, all shifted by the same number of levels."""
    if not all(set(a) <= {given} and set(b) <= {real} for a, b in pairs):
        return None
    unit_given = _unit(pairs, 0) if given == " " else 1
    unit_real = _unit(pairs, 1) if real == " " else 1
    if any(len(a) % unit_given or len(b) % unit_real for a, b in pairs):
        return None
    shift = len(pairs[0][1]) // unit_real - len(pairs[0][0]) // unit_given
    if any(len(b) // unit_real - len(a) // unit_given != shift for a, b in pairs):
        return None

    def convert(line: str) -> str | None:
        if not line.strip(" \t"):
            return line
        indent = _indent(line)
        blanks = len(indent) - len(indent.lstrip(given))
        level = blanks // unit_given + shift
        if level < 0:
            return None
        return real * (level * unit_real) + line[blanks - blanks % unit_given :]

    return convert


def _unit(pairs: Sequence[tuple[str, str]], side: int) -> int:
    """Width of one level in spaces: what all differences of indentation have in common."""
    widths = sorted({len(pair[side]) for pair in pairs})
    steps = [b - a for a, b in pairwise(widths)] or widths
    common = 0
    for step in steps:
        common = gcd(common, step)
    others = sorted({len(pair[1 - side]) for pair in pairs})
    levels = others[-1] - others[0] or others[-1]
    # With a single level seen the two sides tell the width together; tabs count one each.
    if len(widths) == 1 and levels and widths[0] % levels == 0 and widths[0] // levels in {2, 3, 4, 8}:
        return widths[0] // levels
    return common or 4


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]
