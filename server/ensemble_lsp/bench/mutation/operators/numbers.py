"""Mistakes with numbers: off by one, the wrong arithmetic, one bound of a slice or range."""

import ast
from collections.abc import Iterator

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.operators.operator import (
    Operator,
    integer,
    is_name,
    looks_like_text,
    swapped,
)
from ensemble_lsp.bench.mutation.source import Edit, Source

_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "//"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
_LARGEST = 1 << 40


def _arithmetic(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if (
            isinstance(node, ast.BinOp)
            and type(node.op) in _ARITHMETIC
            and not looks_like_text(node.left)
            and not looks_like_text(node.right)
        ):
            yield from swapped(source, node.left, node.right, *_ARITHMETIC[type(node.op)])


def _augmented(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC:
            symbol, now = _ARITHMETIC[type(node.op)]
            if not looks_like_text(node.value):
                yield from swapped(source, node.target, node.value, f"{symbol}=", f"{now}=")


def _not_accumulated(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.AugAssign) and isinstance(
            node.op, ast.Add | ast.Mult | ast.BitOr | ast.BitAnd
        ):
            yield from swapped(source, node.target, node.value, f"{_ARITHMETIC[type(node.op)][0]}=", "=")


def _off_by_one(source: Source, function: Function) -> Iterator[Edit]:
    """A number in an index, a bound, a comparison or beside `+` and `-` is one too large or too small."""
    for node in function.nodes:
        value = integer(node)
        parent = function.parents.get(node)
        if value is None or not isinstance(node, ast.Constant) or not 0 <= value < _LARGEST:
            continue
        counts = isinstance(parent, ast.Subscript | ast.Slice | ast.Compare | ast.BinOp) or (
            isinstance(parent, ast.Call)
            and is_name(parent.func, "range", "enumerate", "islice", "min", "max")
        )
        negated = isinstance(parent, ast.UnaryOp) and isinstance(
            function.parents.get(parent), ast.Subscript | ast.Slice
        )
        if not (counts or negated) or source.of(node) != str(value):
            continue
        least = 1 if negated or _would_vanish(node, parent) else 0
        for now in (value + 1, value - 1):
            if now >= least:
                yield source.replaced(node, str(now), f"`{value}` became `{now}`")


def _would_vanish(node: ast.AST, parent: ast.AST | None) -> bool:
    """Whether a zero would look odd: `x + 0`, `x * 0`."""
    return isinstance(parent, ast.BinOp) and node is parent.right


def _one_forgotten(source: Source, function: Function) -> Iterator[Edit]:
    """`n - 1` or `n + 1` became `n`."""
    for node in function.nodes:
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add | ast.Sub)
            and integer(node.right) == 1
            and not looks_like_text(node.left)
        ):
            start, end = source.end(node.left), source.end(node)
            if not set(source.text[start : source.start(node.right)]) & set("()#\n"):
                yield Edit(start, end, "", f"`{source.text[start:end].strip()}` was forgotten")


def _one_too_many(source: Source, function: Function) -> Iterator[Edit]:
    """A bound that is a length or a name is one short, or one past the end."""
    for node in function.nodes:
        bound: ast.expr | None = None
        if isinstance(node, ast.Call) and is_name(node.func, "range") and 1 <= len(node.args) <= 2:
            bound = node.args[-1]
        elif isinstance(node, ast.Slice):
            bound = node.upper
        if isinstance(bound, ast.Name) or (isinstance(bound, ast.Call) and is_name(bound.func, "len")):
            end = source.end(bound)
            for sign in ("-", "+"):
                yield Edit(
                    end, end, f" {sign} 1", f"`{source.of(bound)}` became `{source.of(bound)} {sign} 1`"
                )


def _range_from_one(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.Call) and is_name(node.func, "range") and len(node.args) == 1:
            start = source.start(node.args[0])
            yield Edit(start, start, "1, ", "the range began at 1")


def _slice_side(source: Source, function: Function) -> Iterator[Edit]:
    """`[:n]` became `[n:]`, and the other way."""
    for node in function.nodes:
        if isinstance(node, ast.Slice) and node.step is None and (node.lower is None) != (node.upper is None):
            text = source.of(node)
            bound = node.lower or node.upper
            if bound is not None and text in {f":{source.of(bound)}", f"{source.of(bound)}:"}:
                now = f":{source.of(bound)}" if node.lower else f"{source.of(bound)}:"
                yield source.replaced(node, now, f"`[{text}]` became `[{now}]`")


OPERATORS = (
    Operator("arithmetic", _arithmetic),
    Operator("augmented assignment", _augmented),
    Operator("assigned instead of accumulated", _not_accumulated),
    Operator("off by one", _off_by_one),
    Operator("forgotten one", _one_forgotten),
    Operator("bound off by one", _one_too_many),
    Operator("range from one", _range_from_one),
    Operator("side of a slice", _slice_side),
)
