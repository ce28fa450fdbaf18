"""What the templates of repairs write: a node's text in other words, and the change that puts one in its place."""

import ast

from ensemble_lsp.checks.python_source import Change, Source


def replaced(node: ast.expr | ast.stmt, now: str, what: str, source: Source) -> Change:
    """Return the change that puts `now` in the place of a node; `what` says it in words."""
    start, end = source.span(node)
    return Change(start, end, now, node.lineno - 1, what)


def short(text: str) -> str:
    """Return a text as it is quoted in words: one line, of 40 characters at most."""
    line = text.splitlines()[0] if text else ""
    return line if len(line) <= 40 and line == text else f"{line[:37]}..."


def grouped(node: ast.expr, source: Source) -> str:
    """Return an expression's text so that an operator can stand beside it."""
    text = source.of(node)
    plain = isinstance(
        node, ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute | ast.List | ast.Tuple
    )
    return text if plain and not text.startswith("-") else f"({text})"


def called(node: ast.Call) -> str:
    """Return the name of the function or method that is called; "" for what has none."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""
