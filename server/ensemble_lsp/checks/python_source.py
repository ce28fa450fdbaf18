"""Python text by the places that `ast` names, and changes of it that leave every other byte alone."""

import ast
from dataclasses import dataclass

SYMBOLS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.And: "and",
    ast.Or: "or",
}
"""How operators are written."""


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the bytes `start:end` of the UTF-8 source. `line` is 0-based; `what` says it in words."""

    start: int
    end: int
    replacement: str
    line: int
    what: str


class Source:
    """Byte offsets of the places that `ast` names: its columns count UTF-8 bytes."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode("utf-8", "surrogatepass")
        self._starts = [0]
        # `ast` ends lines at \r\n, \r, \n; a form feed stays inside its line.
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Return the byte offset of a place: `line` counts from 1, `column` in UTF-8 bytes, as `ast` has them."""
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return first and one past the last byte of a node."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)

    def slice(self, start: int, end: int) -> str:
        """Return the text between two byte offsets."""
        return self._bytes[start:end].decode("utf-8", "surrogatepass")

    def of(self, node: ast.expr | ast.stmt) -> str:
        """Return a node's text as it stands."""
        return self.slice(*self.span(node))

    def changed(self, change: Change) -> str:
        """Return the whole text with one change made."""
        replacement = change.replacement.encode("utf-8", "surrogatepass")
        return (self._bytes[: change.start] + replacement + self._bytes[change.end :]).decode(
            "utf-8", "surrogatepass"
        )
