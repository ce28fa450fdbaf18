"""The text of one Python file, with the places that the syntax tree names as offsets into it."""

import ast
import io
import tokenize
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

Placed = ast.expr | ast.stmt | ast.arg | ast.keyword | ast.excepthandler | ast.alias
"""What of the tree has a place in the text."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters `start:end` of a text; `what` says it in words: "< became <="."""

    start: int
    end: int
    replacement: str
    what: str


class Source:
    """One file's text and tree. Raises `ValueError` for text that this Python cannot parse."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = parsed(text)
        self._lines = _lines(text)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Return where a place of the tree is: `line` from 1, `column` in bytes of UTF-8."""
        if line > len(self._lines):
            return len(self.text)
        content = self._lines[line - 1]
        if not content.isascii():
            column = len(content.encode("utf-8")[:column].decode("utf-8"))
        return self._starts[line - 1] + column

    def start(self, node: Placed) -> int:
        """Return where a node begins."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Placed) -> int:
        """Return where a node ends."""
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def of(self, node: Placed) -> str:
        """Return the text of a node."""
        return self.text[self.start(node) : self.end(node)]

    def line_start(self, line: int) -> int:
        """Return where a line (from 0) begins; the end of the text for a line past the last."""
        return self._starts[min(line, len(self._lines))]

    def line(self, line: int) -> str:
        """Return one line (from 0) with its ending."""
        return self._lines[line]

    def replaced(self, node: Placed, replacement: str, what: str) -> Edit:
        """Return the edit that puts `replacement` in place of a node."""
        return Edit(self.start(node), self.end(node), replacement, what)


def parsed(text: str) -> ast.Module:
    """Return the tree of a text; raises `ValueError` for one that this Python cannot parse or compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            # `break` outside a loop, and the like, are found by the compiler only. Nothing is run.
            compile(tree, "<mutant>", "exec", dont_inherit=True)
    except (SyntaxError, RecursionError, MemoryError, OverflowError) as problem:
        raise ValueError(f"it does not parse: {problem}") from problem
    return tree


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` after edits that do not overlap."""
    for edit in sorted(edits, key=lambda item: item.start, reverse=True):
        text = text[: edit.start] + edit.replacement + text[edit.end :]
    return text


def has_comment(text: str) -> bool:
    """Whether a piece of code holds a comment; also true where that cannot be told."""
    if "#" not in text:
        return False
    try:
        tokens = tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline)
        return any(token.type == tokenize.COMMENT for token in tokens)
    except (tokenize.TokenError, SyntaxError):
        return True


def _lines(text: str) -> list[str]:
    r"""Split where Python's tokenizer does: at \n, \r\n and \r, not at form feeds."""
    lines: list[str] = []
    start = 0
    for place, character in enumerate(text):
        if character == "\n" or (character == "\r" and text[place + 1 : place + 2] != "\n"):
            lines.append(text[start : place + 1])
            start = place + 1
    lines.append(text[start:])
    return lines
