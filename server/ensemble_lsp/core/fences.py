"""Code fences of a Markdown reply, nested ones and a last one left open included."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^`]*?)[ \t]*$")
_MOST_MARKS = 2000
"""Bound on the fence lines read; a reply with more is no edit."""
_MARKDOWN = frozenset({"", "markdown", "md", "mdx"})


@dataclass(frozen=True, slots=True)
class Fence:
    """One outermost fence. `first` is the number of its opening line; `lines` are without its indentation."""

    info: str
    first: int
    last: int
    lines: tuple[str, ...]
    closed: bool

    @property
    def language(self) -> str:
        """The first word of the info string, in lower case."""
        return re.split(r"[\s:,{]", self.info.strip(), maxsplit=1)[0].lower()


def fences_of(lines: Sequence[str], *, of_markdown: bool = False) -> list[Fence]:
    """Return the outermost fences of a reply, in order.

    A fence of the same length with an info string opens a nested one, a bare one closes the innermost. With
    `of_markdown`, a reply whose first fence is bare or Markdown and whose fences all pair up inside the first
    and the last one is one fence: the text in it has fences of its own.
    """
    marks = list(islice(_marks(lines), _MOST_MARKS))
    if of_markdown and len(marks) > 2 and len(marks) % 2 == 0:
        opening, closing = marks[0], marks[-1]
        inner = [match.group(3) for _, match in marks[1:-1]]
        paired = all(not info for info in inner[1::2])
        if opening[1].group(3).lower() in _MARKDOWN and not closing[1].group(3) and paired:
            return [_made(lines, opening[0], closing[0], opening[1], closed=True)]
    found: list[Fence] = []
    stack: list[re.Match[str]] = []
    first = 0
    for number, match in marks:
        if not stack:
            stack.append(match)
            first = number
        elif _same_kind(match, stack[-1]) and not match.group(3):
            opener = stack.pop()
            if not stack:
                found.append(_made(lines, first, number, opener, closed=True))
        elif match.group(3) and _same_kind(match, stack[-1]):
            stack.append(match)
    if stack:
        found.append(_made(lines, first, len(lines), stack[0], closed=False))
    return found


def _marks(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(lines):
        match = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if match:
            yield number, match


def _same_kind(match: re.Match[str], opener: re.Match[str]) -> bool:
    """Whether a fence line can close, or nest in, the open fence: same character, at least as long."""
    return match.group(2)[0] == opener.group(2)[0] and len(match.group(2)) >= len(opener.group(2))


def _made(lines: Sequence[str], first: int, last: int, opener: re.Match[str], *, closed: bool) -> Fence:
    inside = lines[first + 1 : last]
    indent = opener.group(1)
    if indent and all(line.startswith(indent) or not line.strip() for line in inside):
        inside = [line[len(indent) :] for line in inside]
    return Fence(opener.group(3), first, last, tuple(inside), closed)
