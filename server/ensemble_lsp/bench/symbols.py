"""Where a function stands in a Python file."""

import ast

from ensemble_lsp.core.results import LineRange

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def lines_of_symbol(text: str, symbol: str) -> LineRange | None:
    """Return the lines of `name` or `Class.method`, decorators included; None when it is not there."""
    try:
        body: list[ast.stmt] = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    found: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None = None
    for name in symbol.split("."):
        found = next((node for node in body if isinstance(node, _DEFINITIONS) and node.name == name), None)
        if found is None:
            return None
        body = found.body
    if found is None:
        return None
    first = min((item.lineno for item in found.decorator_list), default=found.lineno)
    return LineRange(start=first - 1, end=found.end_lineno or found.lineno)
