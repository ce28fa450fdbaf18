"""What a mutation operator is: a mistake that people make, and the places of a function where it can be made."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.source import Edit, Source


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of mistake. `places` yields every edit that makes it once in the function."""

    name: str
    """In words, for the report."""
    places: Callable[[Source, Function], Iterable[Edit]]


def between(source: Source, left: ast.expr, right: ast.expr, symbol: str) -> tuple[int, int] | None:
    """Return where an operator stands between two operands; None where a comment makes that unclear."""
    start, end = source.end(left), source.start(right)
    text = source.text[start:end]
    if "#" in text or text.count(symbol) != 1:
        return None
    place = start + text.index(symbol)
    return place, place + len(symbol)


def swapped(source: Source, left: ast.expr, right: ast.expr, symbol: str, now: str) -> Iterator[Edit]:
    """Yield the edit that puts another operator between two operands."""
    place = between(source, left, right, symbol)
    if place is not None:
        yield Edit(*place, now, f"`{symbol}` became `{now}`")


def is_name(node: ast.AST, *names: str) -> bool:
    """Whether a node is one of these names."""
    return isinstance(node, ast.Name) and node.id in names


def integer(node: ast.AST) -> int | None:
    """Return the value of a plain integer; booleans are none."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def looks_like_text(node: ast.AST) -> bool:
    """Whether an operand is a string, a list, or something else that is joined by `+`, not added."""
    kinds = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.Set)
    if isinstance(node, kinds):
        return True
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    if isinstance(node, ast.BinOp):
        return looks_like_text(node.left) or looks_like_text(node.right)
    if isinstance(node, ast.Call):
        return is_name(node.func, "str", "list", "repr", "tuple", "bytes") or (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in {"join", "strip", "format", "lower", "upper", "replace", "rstrip", "lstrip"}
        )
    return False
