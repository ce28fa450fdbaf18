"""The templates of repairs for statements: what a loop does with a value, what is returned, where control goes on."""

import ast
from collections.abc import Iterator

from ensemble_lsp.checks.python_source import Change, Source
from ensemble_lsp.checks.repair_scopes import Scope
from ensemble_lsp.checks.repair_texts import replaced, short


def accumulated(node: ast.AST, scope: Scope, source: Source) -> Iterator[Change]:
    """In a loop, a value added to what a name holds rather than put in its place; the name had one before."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not _in_a_loop(node, scope):
        return
    target = node.targets[0]
    if not isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
        return
    named = source.of(target)
    first = next(
        each
        for each in scope.nodes
        if each is node or any(source.of(item) == named for item in _bound_by(each))
    )
    is_first = isinstance(target, ast.Name) and first is node
    start, end = source.span(target)[1], source.span(node.value)[0]
    if is_first or source.slice(start, end).strip() != "=":
        return
    for symbol in ("+", "*", "-"):
        yield Change(start, end, f" {symbol}= ", node.lineno - 1, f"= became {symbol}=")


def _bound_by(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) and node.value is not None else []


def _in_a_loop(node: ast.AST, scope: Scope) -> bool:
    around = scope.parent(node)
    while around is not None and not isinstance(around, ast.For | ast.AsyncFor | ast.While):
        around = scope.parent(around)
    return around is not None


def returned(node: ast.AST, scope: Scope, source: Source) -> Iterator[Change]:
    """What is computed at the end of a block and left unused, returned."""
    if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom):
        return
    if _ends_a_block(node, scope):
        start, _ = source.span(node)
        yield Change(start, start, "return ", node.lineno - 1, f"{short(source.of(node))} is returned")


def _ends_a_block(node: ast.stmt, scope: Scope) -> bool:
    around = scope.parent(node)
    if around is not None:
        return any(getattr(around, name, [])[-1:] == [node] for name in ("body", "orelse", "finalbody"))
    outermost = (
        each for each in reversed(scope.nodes) if isinstance(each, ast.stmt) and scope.parent(each) is None
    )
    return next(outermost, None) is node


def another_jump(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """`break` for `continue` and the reverse, or neither."""
    if isinstance(node, ast.Break | ast.Continue):
        was = source.of(node)
        for now in ("continue" if was == "break" else "break", "pass"):
            yield replaced(node, now, f"{was} became {now}", source)


def without_statement(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """A statement less; a condition that always holds."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete | ast.Raise | ast.Expr):
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call):
            return
        yield replaced(node, "pass", f"{short(source.of(node))} was removed", source)
    elif isinstance(node, ast.If) and not node.orelse:
        yield replaced(node.test, "True", "the condition always holds", source)
        yield replaced(node.test, "False", "the condition never holds", source)


def nested_result(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """A result that is one level too flat or too deep, or that its own function is applied to once more."""
    if not isinstance(node, ast.Return) or node.value is None:
        return
    text = source.of(node.value)
    if isinstance(node.value, ast.List | ast.Tuple):
        yield replaced(node.value, f"[{text}]", f"{short(text)} became [{short(text)}]", source)
    if (
        isinstance(node.value, ast.Call)
        and len(node.value.args) == 1
        and isinstance(node.value.func, ast.Name)
    ):
        now = f"{node.value.func.id}({text})"
        yield replaced(node.value, now, f"{short(text)} became {short(now)}", source)
