"""The wrong one of several names: a variable, an attribute, a parameter's default."""

import ast
from collections.abc import Iterator

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.operators.operator import Operator, integer
from ensemble_lsp.bench.mutation.source import Edit, Source

_MOST_NAMES = 6
"""Other names that are tried in place of one."""


def _wrong_variable(source: Source, function: Function) -> Iterator[Edit]:
    """A variable was read where another one of the same function, which looks like it, was meant."""
    kinds = _kinds(source, function)
    bound = _bound_at(function)
    for node in function.nodes:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id not in bound:
            continue
        if isinstance(function.parents.get(node), ast.Call) and _is_called(function, node):
            continue
        others = [
            name
            for name, since in bound.items()
            if name != node.id
            and since < node.lineno
            and name != "self"
            and node.id != "self"
            and kinds.get(name) == kinds.get(node.id)
        ]
        for name in others[:_MOST_NAMES]:
            yield source.replaced(node, name, f"`{node.id}` became `{name}`")


def _is_called(function: Function, node: ast.Name) -> bool:
    parent = function.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node


def _bound_at(function: Function) -> dict[str, int]:
    """Return parameters and plain variables, and the line after which each has a value."""
    arguments = function.node.args
    bound = {item.arg: function.node.lineno - 1 for item in _all_arguments(arguments)}
    for node in function.nodes:
        statement = function.parents.get(node)
        outermost = statement is not None and function.parents.get(statement) is function.node
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and isinstance(statement, ast.Assign | ast.AnnAssign)
        ):
            # Within a branch it may have no value after it: only the function's own block counts, else its rest.
            if outermost:
                bound.setdefault(node.id, statement.end_lineno or statement.lineno)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name) and outermost:
            bound.setdefault(node.target.id, node.end_lineno or node.lineno)
    return bound


def _all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _kinds(source: Source, function: Function) -> dict[str, str]:
    """Return what a name seems to hold: its annotation, else what was assigned to it first."""
    kinds: dict[str, str] = {}
    for item in _all_arguments(function.node.args):
        kinds[item.arg] = source.of(item.annotation) if item.annotation is not None else "?"
    for node in function.nodes:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            kinds.setdefault(node.target.id, source.of(node.annotation))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                kinds.setdefault(target.id, _kind_of(node.value))
            elif isinstance(target, ast.Tuple):
                for name in target.elts:
                    if isinstance(name, ast.Name):
                        kinds.setdefault(name.id, "?")
    return kinds


def _kind_of(value: ast.expr) -> str:
    match value:
        case ast.Constant():
            return type(value.value).__name__
        case ast.List() | ast.ListComp():
            return "list"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.BinOp() | ast.UnaryOp():
            return "int"
        case ast.Call(func=ast.Name(id="len")):
            return "int"
        case _:
            return "?"


def _wrong_attribute(source: Source, function: Function) -> Iterator[Edit]:
    """`self.a` became `self.b`, where the function reads both."""
    read: dict[str, dict[str, None]] = {}
    nodes = [
        node
        for node in function.nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and not _is_callee(function, node)
    ]
    for node in nodes:
        read.setdefault(source.of(node.value), {})[node.attr] = None
    for node in nodes:
        for other in list(read[source.of(node.value)])[:_MOST_NAMES]:
            if other != node.attr:
                end = source.end(node)
                yield Edit(end - len(node.attr), end, other, f"`.{node.attr}` became `.{other}`")


def _is_callee(function: Function, node: ast.AST) -> bool:
    parent = function.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _other_default(source: Source, function: Function) -> Iterator[Edit]:
    """The default of a parameter is another one."""
    for argument, default in _defaults(function):
        value = integer(default)
        if isinstance(default, ast.Constant) and isinstance(default.value, bool):
            now = str(not default.value)
        elif value is not None and 0 <= value < 1 << 40:
            now = str(value + 1)
        else:
            continue
        yield source.replaced(default, now, f"the default of `{argument.arg}` became `{now}`")


def _mutable_default(source: Source, function: Function) -> Iterator[Edit]:
    """`=None`, replaced by a new list in the function, became `=[]`: all calls share one."""
    made = {
        "list": "[]",
        "dict": "{}",
    }
    for argument, default in _defaults(function):
        if not (isinstance(default, ast.Constant) and default.value is None):
            continue
        for node in function.nodes:
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
                and node.targets[0].id == argument.arg
                and isinstance(node.value, ast.List | ast.Dict)
                and isinstance(function.parents.get(node), ast.If)
            ):
                empty = made["list" if isinstance(node.value, ast.List) else "dict"]
                if source.of(node.value) == empty:
                    yield source.replaced(default, empty, f"the default of `{argument.arg}` became `{empty}`")


def _defaults(function: Function) -> Iterator[tuple[ast.arg, ast.expr]]:
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if arguments.defaults:
        yield from zip(positional[-len(arguments.defaults) :], arguments.defaults, strict=True)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield argument, default


OPERATORS = (
    Operator("wrong variable", _wrong_variable),
    Operator("wrong attribute", _wrong_attribute),
    Operator("other default", _other_default),
    Operator("mutable default", _mutable_default),
)
