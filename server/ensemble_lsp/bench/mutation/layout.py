"""Statements as lines of text: which lines are theirs, and the same lines at another indentation."""

import ast
from collections.abc import Sequence

from ensemble_lsp.bench.mutation.source import Source


def own_lines(source: Source, node: ast.stmt) -> tuple[int, int] | None:
    """Return the lines of a statement as an offset range, None when it shares them with something else."""
    start, end = source.line_start(node.lineno - 1), source.line_start(node.end_lineno or node.lineno)
    before, after = source.text[start : source.start(node)], source.text[source.end(node) : end].strip()
    if before.strip() or (after and not after.startswith("#")):
        return None
    return start, end


def indent_of(source: Source, node: ast.stmt) -> str:
    """Return what stands before a statement on its line."""
    start = source.line_start(node.lineno - 1)
    return source.text[start : source.start(node)]


def block_lines(source: Source, block: Sequence[ast.stmt]) -> tuple[int, int] | None:
    """Return the lines of a block, with the comments before it, as an offset range.

    None when it stands on the line of what it belongs to.
    """
    last = own_lines(source, block[-1])
    if last is None or indent_of(source, block[0]).strip():
        return None
    return source.line_start(_first_line(source, block)), last[1]


def _first_line(source: Source, block: Sequence[ast.stmt]) -> int:
    first = block[0]
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    line = min([first.lineno, *(item.lineno for item in decorators)]) - 1
    while line and source.line(line - 1).lstrip().startswith("#"):
        line -= 1
    return line


def reindented(source: Source, block: Sequence[ast.stmt], indent: str) -> str | None:
    """Return the lines of a block, with the comments before it, at another indentation.

    None when it stands on the line of what it belongs to, is not indented evenly, or holds a string over several
    lines, which would change with the indentation.
    """
    if block_lines(source, block) is None or _spans_lines(block):
        return None
    before = indent_of(source, block[0])
    first, last = _first_line(source, block), block[-1].end_lineno or block[-1].lineno
    kept = [source.line(line) for line in range(first, last)]
    if not all(line.startswith(before) or not line.strip() for line in kept):
        return None
    return "".join(indent + line[len(before) :] if line.strip() else line for line in kept)


def _spans_lines(block: Sequence[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
        for statement in block
        for node in ast.walk(statement)
    )
