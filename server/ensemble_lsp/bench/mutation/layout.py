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
    """Return the lines of a block as an offset range, None when it stands on the line of what it belongs to."""
    first, last = own_lines(source, block[0]), own_lines(source, block[-1])
    return (first[0], last[1]) if first is not None and last is not None else None


def reindented(source: Source, block: Sequence[ast.stmt], indent: str) -> str | None:
    """Return the lines of a block at another indentation.

    None when it stands on the line of what it belongs to, is not indented evenly, or holds a string over several
    lines, which would change with the indentation.
    """
    lines = block_lines(source, block)
    if lines is None or _spans_lines(block):
        return None
    before = indent_of(source, block[0])
    first, last = block[0].lineno - 1, block[-1].end_lineno or block[-1].lineno
    kept = [source.line(line) for line in range(first, last)]
    if before.strip() or not all(line.startswith(before) or not line.strip() for line in kept):
        return None
    return "".join(indent + line[len(before) :] if line.strip() else line for line in kept)


def _spans_lines(block: Sequence[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
        for statement in block
        for node in ast.walk(statement)
    )


def ending_of(source: Source, node: ast.stmt) -> str:
    """Return the line ending after a statement's first line; a newline where the text ends there."""
    line = source.line(node.lineno - 1)
    for ending in ("\r\n", "\n", "\r"):
        if line.endswith(ending):
            return ending
    return "\n"
