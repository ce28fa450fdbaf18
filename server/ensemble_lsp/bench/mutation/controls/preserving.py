"""What a behaviour-preserving change is, and what several of them need to know."""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.source import Edit, Source

Edits = tuple[Edit, ...]

_INVERSE: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}


@dataclass(frozen=True, slots=True)
class Preserving:
    """One kind of change. `places` yields the edits of each way to make it once in the function."""

    name: str
    places: Callable[[Source, Function], Iterable[Edits]]


def is_plain(node: ast.expr) -> bool:
    """Whether it can be evaluated once more, earlier or later without anybody noticing."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Name | ast.Constant)


def negated(source: Source, test: ast.expr) -> str:
    """Return the text of the opposite condition.

    `<` is not turned into `>=`: for sets and NaN these are no opposites.
    """
    text = source.of(test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = source.of(test.operand)
        return f"({inner})" if isinstance(test.operand, ast.BoolOp | ast.IfExp | ast.Lambda) else inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _INVERSE:
        left, right = source.of(test.left), source.of(test.comparators[0])
        between = source.text[source.end(test.left) : source.start(test.comparators[0])]
        if not set(between) & set("()"):
            return f"{left} {_INVERSE[type(test.ops[0])]} {right}"
    if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Compare):
        return f"not {text}"
    return f"not ({text})"
