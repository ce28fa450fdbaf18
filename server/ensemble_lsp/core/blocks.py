"""The values between reading a reply and placing it: blocks, and the problems they can have."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from ensemble_lsp.core.frozen import Frozen


class ProblemKind(StrEnum):
    """Why a block or a reply is refused; the names are part of `--json` and of the repair call."""

    NOT_FOUND = "not-found"
    AMBIGUOUS = "ambiguous"
    OVERLAP = "overlap"
    PLACEHOLDER = "placeholder"
    TRUNCATED = "truncated"
    SYNTAX = "syntax"
    EMPTIES_FILE = "empties-file"
    LINE_NUMBERS = "line-numbers"
    OUTSIDE_WORKSPACE = "outside-workspace"
    NOT_SHOWN = "not-shown"
    BINARY = "binary"
    """The file is no text, or its encoding cannot hold what the block would write."""
    NO_EDIT = "no-edit"
    NO_CHANGE = "no-change"


class Problem(Frozen):
    """One reason for refusing, with what helps to mend it.

    `block` is the block's number in the reply, from 0, None when it is about the whole reply. `line` is
    1-based, as people and models count; `nearest` are the file's lines from there on, without endings.
    """

    kind: ProblemKind
    message: str
    block: int | None = None
    path: str | None = None
    line: int | None = None
    nearest: tuple[str, ...] = ()


class ReplyForm(StrEnum):
    """Which of the forms a reply was read as."""

    SEARCH_REPLACE = "search-replace"
    UNIFIED_DIFF = "unified-diff"
    APPLY_PATCH = "apply-patch"
    WHOLE = "whole"
    NONE = "none"


class BlockKind(StrEnum):
    """What a block does to its file."""

    EDIT = "edit"
    """`search` lines become `replace` lines."""
    CREATE = "create"
    """The file comes into being with `replace` as its lines."""
    DELETE = "delete"
    """The file goes away."""
    RANGE = "range"
    """The lines `first` to `last` become `replace`; `search` holds what stands there."""


@dataclass(frozen=True, slots=True)
class Block:
    """One edit as a model stated it. Lines are without endings; all line numbers are 0-based."""

    index: int
    path: str | None
    kind: BlockKind
    search: tuple[str, ...]
    replace: tuple[str, ...]
    hint: int | None = None
    """The line that the model says the search part starts at."""
    scope: tuple[str, ...] = ()
    """Lines that enclose the place (`@@ def total`), outermost first."""
    first: int | None = None
    """`RANGE` only: where the lines stand; `last` is `first + len(search) - 1`."""
    move_to: str | None = None
    """The file's new path, for forms that can rename."""

    def at(self, path: str) -> "Block":
        """Return the block with its path settled."""
        return replace(self, path=path)


JudgePath = Callable[[str], ProblemKind | None]
"""Asked about every path that a reply names and that was not shown: None lets the file be created there."""
ParseErrors = Callable[[str, str], int | None]
"""(path, text) → number of parse errors, None for a language without a parser."""
Enclosing = Callable[[str, str, int], tuple[str, int, int] | None]
"""(path, text, line) → name, first and last line (inclusive) of the innermost symbol around a 0-based line."""
Target = tuple[str, int, int]
"""(path, first line, last line inclusive, 0-based): what a "whole" reply replaces."""
