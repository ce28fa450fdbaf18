"""Which words of a patch's changed lines changed: a line of prose is long, and one word of it is what matters."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_WORD = re.compile(r"\w+|[^\w\s]")
_ALIKE = 0.4
"""Share of words that two passages have in common, from which on single words are marked; below it all is new."""
_MOST_WORDS = 2_000
"""In one changed passage; comparing takes time with the square of it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A run of changed characters. `line` counts from 1 in the patch's text, the columns from 0, in characters."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    line: int
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def changed_words(diff: str) -> list[Mark]:
    """Return what changed within passages that stay alike; a passage that is new or gone altogether has no marks."""
    lines = diff.split("\n")
    marks: list[Mark] = []
    for removed, added in _passages(lines):
        old, new = (_words(lines, numbers) for numbers in (removed, added))
        if not old or not new or len(old) + len(new) > _MOST_WORDS:
            continue
        matcher = SequenceMatcher(
            None, [item.text for item in old], [item.text for item in new], autojunk=False
        )
        if matcher.ratio() < _ALIKE:
            continue
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind != "equal":
                marks += [*_runs(old[a:b]), *_runs(new[c:d])]
    return marks


def _passages(lines: Sequence[str]) -> Iterator[tuple[list[int], list[int]]]:
    """Go through the runs of removed lines and of the added ones that follow them, as indices."""
    left = [0, 0]
    removed: list[int] = []
    added: list[int] = []
    for index, line in enumerate(lines):
        inside = left[0] > 0 or left[1] > 0
        sign = line[:1] if inside else ""
        if (sign != "+" and added) or sign not in {"-", "+", "\\"}:
            if removed and added:
                yield removed, added
            removed, added = ([], []) if sign != "-" or added else (removed, [])
        if sign == "-":
            removed.append(index)
            left[0] -= 1
        elif sign == "+":
            added.append(index)
            left[1] -= 1
        elif inside and sign != "\\":
            left = [left[0] - 1, left[1] - 1]
        elif match := _HUNK.match(line):
            left = [int(count) if count is not None else 1 for count in match.groups()]
    if removed and added:
        yield removed, added


def _words(lines: Sequence[str], numbers: Sequence[int]) -> list[_Word]:
    return [
        _Word(match.group(), number + 1, match.start())
        for number in numbers
        for match in _WORD.finditer(lines[number], 1)
    ]


def _runs(words: Sequence[_Word]) -> Iterator[Mark]:
    """Join changed words of one line, with what stands between them."""
    first = last = words[0] if words else None
    for word in words[1:]:
        if first is not None and last is not None and word.line != last.line:
            yield Mark(first.line, first.start, last.end)
            first = word
        last = word
    if first is not None and last is not None:
        yield Mark(first.line, first.start, last.end)
