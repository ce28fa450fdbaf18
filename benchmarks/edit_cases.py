"""Edits as models write them, with the text that their author meant: made here, the same for every matcher.

Each case is a file (some are several), and search/replace blocks in the plain form that every tool reads: the path,
then the block. `wanted` is the text that the author meant; None where nothing may be written, since the block does not
say what is meant. `span` is where the author meant to write. The kinds, and how many there are of each, are ours: they
show what a matcher does with a kind, and say nothing about how often models produce it.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

PATH = "service.py"
OTHER = "legacy.py"
LINES = 3_000
"""Of the long file; half of its functions repeat the same code."""


Edit = tuple[int, list[str], list[str]]
"""First line, from 0, the old lines, the new lines."""
EditOf = Callable[[Sequence[str], int], Edit]


class Outcome(StrEnum):
    """What a matcher made of a case."""

    RIGHT = "right"
    NOT_PLACED = "not placed"
    """Nothing was written although the author's meaning was plain; he is asked again."""
    REFUSED = "rightly refused"
    WRONG_PLACE = "wrong place"
    WRONG_TEXT = "right place, wrong text"
    OTHER_BYTES = "bytes changed elsewhere"
    """The edit is right; line endings or the end of the file are not as they were."""


@dataclass(frozen=True, slots=True)
class Block:
    """One search/replace block."""

    search: Sequence[str]
    replace: Sequence[str]
    path: str = PATH

    @property
    def written(self) -> str:
        """The block as a model writes it, in a fence."""
        head, foot = ["```python", "<<<<<<< SEARCH"], [">>>>>>> REPLACE", "```", "", ""]
        return "\n".join([self.path, *head, *self.search, "=======", *self.replace, *foot])


@dataclass(frozen=True, slots=True)
class EditCase:
    """One reply and what it should come to. `span` are 0-based lines of the file, the end excluded."""

    kind: str
    files: Mapping[str, str]
    blocks: Sequence[Block]
    wanted: str | None
    span: tuple[int, int]

    @property
    def is_long(self) -> bool:
        """Whether it is about the long file."""
        return self.files[PATH].count("\n") > LINES // 2

    @property
    def reply(self) -> str:
        """The reply as a model writes it."""
        return "".join(block.written for block in self.blocks)


def judged(case: EditCase, after: Mapping[str, str]) -> Outcome:
    """Say what became of the files."""
    before = case.files[PATH]
    elsewhere = any(after[path] != text for path, text in case.files.items() if path != PATH)
    text = after[PATH]
    if not elsewhere and text == before:
        return Outcome.REFUSED if case.wanted is None else Outcome.NOT_PLACED
    if not elsewhere and text == case.wanted:
        return Outcome.RIGHT
    if elsewhere or case.wanted is None:
        return Outcome.WRONG_PLACE if elsewhere else _kind_of_damage(case, before, text)
    if _plain(text) == _plain(case.wanted):
        return Outcome.OTHER_BYTES
    return _kind_of_damage(case, before, text)


def _kind_of_damage(case: EditCase, before: str, after: str) -> Outcome:
    old, new = _plain(before).split("\n"), _plain(after).split("\n")
    first = next(
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    same = next(
        (n for n, (a, b) in enumerate(zip(old[::-1], new[::-1], strict=False)) if a != b),
        min(len(old), len(new)),
    )
    last = max(first, len(old) - same)
    inside = case.span[0] <= first and last <= case.span[1]
    return Outcome.WRONG_TEXT if inside else Outcome.WRONG_PLACE


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip("\n")


def cases(each: int = 20, seed: int = 5) -> tuple[EditCase, ...]:
    """Return `each` cases of every kind, the same for the same seed."""
    randomness = random.Random(seed)  # noqa: S311  (the same cases every time)
    return tuple(make(randomness, number) for make in KINDS.values() for number in range(each))


def source(functions: int, randomness: random.Random, *, indent: str = "    ") -> list[str]:
    """Return lines of functions whose last four lines are the same in all, after three of their own."""
    lines = ["import logging", ""]
    for number in range(functions):
        lines += [
            "",
            f"def handle_{number}(request, limit={randomness.randint(1, 99)}):",
            f'{indent}"""Answer requests of kind {number}."""',
            f"{indent}size_{number} = request.size * {randomness.randint(2, 99)}",
            f"{indent}if request.size > limit:",
            f"{indent}{indent}logging.warning('too large')",
            f"{indent}{indent}return None",
            f"{indent}return request.answer()",
            "",
        ]
    return lines


_LENGTH = 9
"""Lines of one function with the blank lines around it; `import` takes two in front."""
_REPEATED = (4, 8)
"""Where in a function the lines stand that all functions share."""


def _text(lines: Sequence[str], ending: str = "\n") -> str:
    return ending.join(lines) + ending


def _start(function: int) -> int:
    return 2 + function * _LENGTH


def _replaced(lines: Sequence[str], start: int, count: int, new: Sequence[str]) -> list[str]:
    return [*lines[:start], *new, *lines[start + count :]]


def _own(lines: Sequence[str], function: int) -> Edit:
    """Return start, search and replacement of an edit that occurs once: it holds the function's own line."""
    start = _start(function) + 3
    search = list(lines[start : start + 3])
    return start, search, [search[0], search[1].replace(">", ">="), search[2]]


def _shared(lines: Sequence[str], function: int) -> Edit:
    """Return the same of an edit of lines that every function has."""
    start = _start(function) + _REPEATED[0]
    search = list(lines[start : start + 3])
    return start, search, [search[0], search[1].replace("warning", "error"), search[2]]


def _made(
    kind: str,
    lines: Sequence[str],
    edit: Edit,
    *,
    search: Sequence[str] | None = None,
    replace: Sequence[str] | None = None,
    ending: str = "\n",
) -> EditCase:
    """Return a case: the edit as it was meant, and the block as the model wrote it."""
    start, old, new = edit
    wanted = _text(_replaced(lines, start, len(old), new), ending)
    block = Block(old if search is None else search, new if replace is None else replace)
    return EditCase(kind, {PATH: _text(lines, ending)}, [block], wanted, (start, start + len(old)))


def _unique(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    return _made("occurs once", lines, _own(lines, number % 12))


def _long(randomness: random.Random, number: int) -> EditCase:
    functions = LINES // _LENGTH
    lines = source(functions, randomness)
    return _made(f"occurs once, {LINES:,} lines", lines, _own(lines, (number * 37) % functions))


def _ambiguous(randomness: random.Random, _number: int) -> EditCase:
    lines = source(12, randomness)
    return _made("occurs several times", lines, _shared(lines, randomness.randrange(12)))


def _long_ambiguous(randomness: random.Random, _number: int) -> EditCase:
    functions = LINES // _LENGTH
    lines = source(functions, randomness)
    edit = _shared(lines, randomness.randrange(functions))
    return _made(f"occurs several times, {LINES:,} lines", lines, edit)


def _dedented(kind: str, edit_of: EditOf, functions: int = 12) -> Callable[[random.Random, int], EditCase]:
    def make(randomness: random.Random, _number: int) -> EditCase:
        lines = source(functions, randomness)
        edit = edit_of(lines, randomness.randrange(functions))
        short = [[line.removeprefix("    ") for line in part] for part in edit[1:]]
        return _made(kind, lines, edit, search=short[0], replace=short[1])

    return make


def _tabs(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness, indent="\t")
    edit = _own(lines, number % 12)
    spaced = [[line.replace("\t", "    ") for line in part] for part in edit[1:]]
    return _made("tabs in the file, spaces in the block", lines, edit, search=spaced[0], replace=spaced[1])


def _trailing(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    place = _start(number % 12) + 4
    lines[place] += "  "
    edit = _own(lines, number % 12)
    edit[2][1] = edit[2][1].rstrip()
    bare = [line.rstrip() for line in edit[1]]
    return _made("blanks at a line's end left out", lines, edit, search=bare)


def _blank_first(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    edit = _own(lines, number % 12)
    return _made("an empty line too many in front", lines, edit, search=["", *edit[1]])


def _crlf(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    return _made("CRLF in the file", lines, _own(lines, number % 12), ending="\r\n")


def _emoji(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    start = _start(number % 12)
    lines[start + 2] = '    """Answer 👩‍👩‍👧 and 🎉 (e\u0301, \U0001d6fc) politely."""'
    search = lines[start + 2 : start + 5]
    return _made(
        "emoji, combining characters", lines, (start + 2, search, [*search[:2], "    if limit < 0:"])
    )


def _separator(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    start = _start(number % 12)
    lines[start + 5] = "        logging.warning('too\u2028large\x0c')"
    edit = _own(lines, number % 12)
    return _made("U+2028 and form feed inside a line", lines, edit)


def _no_newline(randomness: random.Random, _number: int) -> EditCase:
    lines = source(12, randomness)[:-1]
    start = len(lines) - 2
    old = lines[start:]
    new = [old[0], "    return request.answer(limit)"]
    before, wanted = "\n".join(lines), "\n".join([*lines[:start], *new])
    # With the function's own line in front, so that the block occurs once.
    own = lines[start - 3 : start]
    block = Block([*own, *old], [*own, *new])
    return EditCase("no newline at the end of the file", {PATH: before}, [block], wanted, (start, len(lines)))


def _stale(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    edit = _own(lines, number % 12)
    changed = _replaced(lines, edit[0] + 1, 1, ["    if request.size * 2 > limit:"])
    block = Block(edit[1], edit[2])
    return EditCase(
        "stale: a line has changed since", {PATH: _text(changed)}, [block], None, (edit[0], edit[0] + 3)
    )


def _stale_with_twin(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    edit = _own(lines, number % 12)
    changed = _replaced(lines, edit[0] + 1, 1, ["    if request.size * 2 > limit:"])
    files = {PATH: _text(changed), OTHER: _text(lines)}
    block = Block(edit[1], edit[2])
    return EditCase("stale, and another file has the old lines", files, [block], None, (edit[0], edit[0] + 3))


def _elided(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    start = _start(number % 12) + 1
    old = lines[start : start + 7]
    new = [old[0].replace("limit", "most"), *old[1:]]
    search, replace = [old[0], "    ...", old[2]], [new[0], "    ...", old[2]]
    return _made(
        "lines left out with ... on both sides", lines, (start, old, new), search=search, replace=replace
    )


def _placeholder(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    start = _start(number % 12) + 1
    old = lines[start : start + 7]
    replace = [old[0].replace("limit", "most"), "    # ... existing code unchanged ..."]
    files = {PATH: _text(lines)}
    block = Block(old, replace)
    return EditCase("a comment in place of the code", files, [block], None, (start, start + 7))


def _copy_first(randomness: random.Random, _number: int) -> EditCase:
    lines = source(12, randomness)
    function = randomness.randrange(3, 12)
    start, search, new = _own(lines, function)
    # The first block adds a copy of the second's lines further up; the second means the file as it was shown.
    head = _start(1) + 1
    added = ["def handle_draft(request, limit=1):", *search, "        return None", "", ""]
    first = Block([lines[head]], [*added, lines[head]])
    wanted = _replaced(_replaced(lines, start, 3, new), head, 1, [*added, lines[head]])
    span = (start, start + 3)
    blocks = [first, Block(search, new)]
    return EditCase(
        "two blocks, the first adds what the second looks for",
        {PATH: _text(lines)},
        blocks,
        _text(wanted),
        span,
    )


def _numbered(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    edit = _own(lines, number % 12)
    search = [f"{edit[0] + 1 + at} | {line}" for at, line in enumerate(edit[1])]
    return _made("line numbers in front of every searched line", lines, edit, search=search)


def _deleted(randomness: random.Random, number: int) -> EditCase:
    lines = source(12, randomness)
    start, search, _new = _own(lines, number % 12)
    return _made("lines taken out", lines, (start, search[:1], []))


KINDS: Mapping[str, Callable[[random.Random, int], EditCase]] = {
    "unique": _unique,
    "long": _long,
    "deleted": _deleted,
    "emoji": _emoji,
    "separator": _separator,
    "crlf": _crlf,
    "no-newline": _no_newline,
    "dedented": _dedented("indentation left out, occurs once", _own),
    "long-dedented": _dedented(f"indentation left out, {LINES:,} lines", _own, LINES // _LENGTH),
    "tabs": _tabs,
    "trailing": _trailing,
    "blank-first": _blank_first,
    "numbered": _numbered,
    "elided": _elided,
    "copy-first": _copy_first,
    "ambiguous": _ambiguous,
    "long-ambiguous": _long_ambiguous,
    "dedented-ambiguous": _dedented("indentation left out, occurs several times", _shared),
    "placeholder": _placeholder,
    "stale": _stale,
    "stale-twin": _stale_with_twin,
}


def kinds(all_cases: Sequence[EditCase]) -> Iterator[str]:
    """Yield the names of the kinds, in order."""
    yield from dict.fromkeys(case.kind for case in all_cases)
