"""Mistakes in the flow: a statement or guard that was forgotten, the wrong way out of a loop, the wrong result."""

import ast
from collections.abc import Iterator

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.layout import own_lines, reindented
from ensemble_lsp.bench.mutation.operators.operator import Operator
from ensemble_lsp.bench.mutation.source import Edit, Source

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_MOST_GUARD_LINES = 6
_MOST_TRY_LINES = 12


def _removed(source: Source, function: Function, node: ast.stmt, what: str) -> Iterator[Edit]:
    """Yield the edit that takes a statement out whole, where others are left in its block."""
    block = function.body_of(node)
    lines = own_lines(source, node)
    if len(block) > 1 and lines is not None:
        yield Edit(*lines, "", what)


def _shown(source: Source, node: ast.stmt | ast.excepthandler) -> str:
    first = source.of(node).splitlines()[0]
    return first if len(first) <= 50 else f"{first[:49]}…"


def _forgotten_statement(source: Source, function: Function) -> Iterator[Edit]:
    """A call, an accumulation, or an assignment to something that has a value before was left out."""
    bound: set[str] = {argument.arg for argument in _arguments(function)}
    for node in function.nodes:
        forgettable = isinstance(node, ast.AugAssign | ast.Delete) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)
        )
        if isinstance(node, ast.Assign):
            names = {
                item.id
                for target in node.targets
                for item in ast.walk(target)
                if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
            }
            forgettable = names <= bound
            bound |= names
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            bound.add(node.target.id)
        if forgettable and isinstance(node, ast.stmt):
            yield from _removed(source, function, node, f"`{_shown(source, node)}` was left out")


def _arguments(function: Function) -> list[ast.arg]:
    arguments = function.node.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _forgotten_guard(source: Source, function: Function) -> Iterator[Edit]:
    """An `if` that only leaves (returns, raises, goes on) was left out."""
    for node in function.nodes:
        if (
            isinstance(node, ast.If)
            and not node.orelse
            and isinstance(node.body[-1], _LEAVES)
            and (node.end_lineno or node.lineno) - node.lineno < _MOST_GUARD_LINES
            and not source.text.startswith("elif", source.start(node))
        ):
            yield from _removed(source, function, node, f"the guard `{_shown(source, node)}` was left out")


def _forgotten_handler(source: Source, function: Function) -> Iterator[Edit]:
    """What was tried is done without `try`: its exceptions are not handled any more."""
    for node in function.nodes:
        if not isinstance(node, ast.Try) or node.orelse or node.finalbody:
            continue
        first, last = node.body[0], node.body[-1]
        lines = own_lines(source, node)
        if (
            lines is None
            or first.lineno <= node.lineno
            or (last.end_lineno or 0) - node.lineno > _MOST_TRY_LINES
        ):
            continue
        text = reindented(source, node.body, source.line(node.lineno - 1)[: node.col_offset])
        if text is not None:
            yield Edit(*lines, text, f"`{_shown(source, node.handlers[0])}` was left out")


def _narrower_handler(source: Source, function: Function) -> Iterator[Edit]:
    """One of several exceptions is not caught."""
    for node in function.nodes:
        if (
            isinstance(node, ast.ExceptHandler)
            and isinstance(node.type, ast.Tuple)
            and len(node.type.elts) > 1
        ):
            for place, kind in enumerate(node.type.elts):
                left = [source.of(item) for other, item in enumerate(node.type.elts) if other != place]
                now = left[0] if len(left) == 1 else f"({', '.join(left)})"
                yield source.replaced(node.type, now, f"`{source.of(kind)}` is not caught")


def _other_way_out(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.Break | ast.Continue):
            was, now = ("break", "continue") if isinstance(node, ast.Break) else ("continue", "break")
            yield source.replaced(node, now, f"`{was}` became `{now}`")
        elif isinstance(node, ast.Return) and node.value is None and _in_loop(function, node):
            yield source.replaced(node, "break", "`return` became `break`")


def _in_loop(function: Function, node: ast.AST) -> bool:
    above: ast.AST | None = function.parents.get(node)
    while above is not None and above is not function.node:
        if isinstance(above, ast.For | ast.AsyncFor | ast.While):
            return True
        above = function.parents.get(above)
    return False


def _returned_constant(source: Source, function: Function) -> Iterator[Edit]:
    """`return True` became `return False`, and the other way."""
    for node in function.nodes:
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            yield source.replaced(value, str(not value.value), f"`{value.value}` became `{not value.value}`")


def _forgotten_return(source: Source, function: Function) -> Iterator[Edit]:
    """`return f(x)` became `f(x)`."""
    for node in function.nodes:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call | ast.Await):
            yield Edit(source.start(node), source.start(node.value), "", "`return` was forgotten")


def _return_in_loop(source: Source, function: Function) -> Iterator[Edit]:
    """A `return` after a loop was indented into it: the loop ends after its first round."""
    for node in function.nodes:
        if not isinstance(node, ast.Return) or node.end_lineno != node.lineno:
            continue
        block = function.body_of(node)
        place = block.index(node)
        loop = block[place - 1] if place else None
        if isinstance(loop, ast.For | ast.While) and not loop.orelse and loop.body[0].lineno > loop.lineno:
            indent = source.line(loop.body[0].lineno - 1)[: loop.body[0].col_offset]
            start = source.line_start(node.lineno - 1)
            if not source.text[start : source.start(node)].strip() and not indent.strip():
                yield Edit(start, source.start(node), indent, "`return` was indented into the loop")


OPERATORS = (
    Operator("forgotten statement", _forgotten_statement),
    Operator("forgotten guard", _forgotten_guard),
    Operator("forgotten handler", _forgotten_handler),
    Operator("narrower handler", _narrower_handler),
    Operator("other way out of a loop", _other_way_out),
    Operator("returned constant", _returned_constant),
    Operator("forgotten return", _forgotten_return),
    Operator("return in the loop", _return_in_loop),
)
