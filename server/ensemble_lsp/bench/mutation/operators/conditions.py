"""Mistakes in conditions: the wrong comparison, the wrong connective, a `not` too many or too few."""

import ast
from collections.abc import Iterator

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.operators.operator import Operator, swapped
from ensemble_lsp.bench.mutation.source import Edit, Source

_BOUNDARY: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}
_DIRECTION: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", ">"),
    ast.LtE: ("<=", ">="),
    ast.Gt: (">", "<"),
    ast.GtE: (">=", "<="),
}
_EQUALITY: dict[type[ast.cmpop], tuple[str, str]] = {ast.Eq: ("==", "!="), ast.NotEq: ("!=", "==")}
_MEMBERSHIP: dict[type[ast.cmpop], tuple[str, str]] = {ast.In: ("in", "not in"), ast.NotIn: ("not in", "in")}
_IDENTITY: dict[type[ast.cmpop], tuple[str, str]] = {ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is")}


def _comparisons(
    source: Source, function: Function, table: dict[type[ast.cmpop], tuple[str, str]]
) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.Compare):
            left = node.left
            for operator, right in zip(node.ops, node.comparators, strict=True):
                if type(operator) in table:
                    yield from swapped(source, left, right, *table[type(operator)])
                left = right


def _boundary(source: Source, function: Function) -> Iterator[Edit]:
    yield from _comparisons(source, function, _BOUNDARY)


def _direction(source: Source, function: Function) -> Iterator[Edit]:
    yield from _comparisons(source, function, _DIRECTION)


def _equality(source: Source, function: Function) -> Iterator[Edit]:
    yield from _comparisons(source, function, _EQUALITY)


def _membership(source: Source, function: Function) -> Iterator[Edit]:
    yield from _comparisons(source, function, _MEMBERSHIP)


def _identity(source: Source, function: Function) -> Iterator[Edit]:
    yield from _comparisons(source, function, _IDENTITY)


def _truthiness(source: Source, function: Function) -> Iterator[Edit]:
    """`x is None` became `not x`: an empty list or a zero is taken for nothing."""
    for node in function.nodes:
        if not (isinstance(node, ast.Compare) and len(node.ops) == 1):
            continue
        right, operator = node.comparators[0], node.ops[0]
        if not (isinstance(right, ast.Constant) and right.value is None) or not isinstance(
            node.left, ast.Name | ast.Attribute | ast.Call
        ):
            continue
        left = source.of(node.left)
        if isinstance(operator, ast.Is):
            yield source.replaced(node, f"not {left}", f"`{source.of(node)}` became `not {left}`")
        elif isinstance(operator, ast.IsNot):
            yield source.replaced(node, left, f"`{source.of(node)}` became `{left}`")


def _connective(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.BoolOp):
            symbol, now = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from swapped(source, left, right, symbol, now)


def _dropped_condition(source: Source, function: Function) -> Iterator[Edit]:
    """One part of `a and b` was forgotten."""
    for node in function.nodes:
        if isinstance(node, ast.BoolOp):
            for place, value in enumerate(node.values):
                shown = _short(source.of(value))
                if place:
                    start, end = source.end(node.values[place - 1]), source.end(value)
                else:
                    start, end = source.start(value), source.start(node.values[1])
                # Parentheses of a part lie outside its place in the tree.
                around = source.text[start : source.start(value)] + source.text[source.end(value) : end]
                if not set(around) & set("()#"):
                    yield Edit(start, end, "", f"the condition `{shown}` was dropped")


def _dropped_not(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            start, operand = source.start(node), source.start(node.operand)
            if source.text[start:operand].strip() == "not":
                yield Edit(start, operand, "", "`not` was dropped")


def _added_not(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.If | ast.While | ast.IfExp) and isinstance(
            node.test, ast.Name | ast.Attribute | ast.Call
        ):
            start = source.start(node.test)
            yield Edit(start, start, "not ", f"`{_short(source.of(node.test))}` was negated")


def _elif_became_if(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.If) and source.text.startswith("elif", source.start(node)):
            start = source.start(node)
            yield Edit(start, start + 4, "if", "`elif` became `if`")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


OPERATORS = (
    Operator("boundary of a comparison", _boundary),
    Operator("direction of a comparison", _direction),
    Operator("equality negated", _equality),
    Operator("membership negated", _membership),
    Operator("identity negated", _identity),
    Operator("truth instead of None", _truthiness),
    Operator("and/or", _connective),
    Operator("dropped condition", _dropped_condition),
    Operator("dropped not", _dropped_not),
    Operator("added not", _added_not),
    Operator("elif became if", _elif_became_if),
)
