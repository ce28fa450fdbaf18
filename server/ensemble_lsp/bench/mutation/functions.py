"""The functions of a file, and what in them may be changed."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ensemble_lsp.bench.mutation.source import Source

Definition = ast.FunctionDef | ast.AsyncFunctionDef

_NOT_BEHAVIOUR = frozenset({"annotation", "returns", "decorator_list", "type_comment", "type_params"})
"""Fields of the tree that say what code means to a reader or a type checker."""
_LEFT_OUT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assert)
_DECLARED = frozenset({"overload", "abstractmethod"})


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """One function or method. Lines count from 0 and include decorators."""

    name: str
    """Qualified by what encloses it: `Cart.total`; a second one of the same name is `Cart.total#2`."""
    node: Definition
    lines: tuple[int, int]
    ran_by: frozenset[int]
    """Lines of its own statements: a test that runs one of them runs the function."""
    nodes: tuple[ast.AST, ...]
    """What may be changed, in the order of the text.

    Annotations, docstrings, assertions, the inside of f-strings, and functions inside the function are not among it."""
    parents: Mapping[ast.AST, ast.AST]

    @property
    def symbol(self) -> str:
        """The name that a person would type."""
        return self.name.partition("#")[0]

    def body_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the block that a statement stands in."""
        parent = self.parents[statement]
        for field in ("body", "orelse", "finalbody"):
            block: object = getattr(parent, field, None)
            if isinstance(block, list) and statement in block:
                return block  # pyright: ignore[reportUnknownVariableType]
        return [statement]


def functions_of(source: Source) -> tuple[Function, ...]:
    """Return the functions of a file that do something, in its order."""
    seen: Counter[str] = Counter()
    found: list[Function] = []
    for name, node in _definitions(source.tree, ""):
        seen[name] += 1
        function = _function(name if seen[name] == 1 else f"{name}#{seen[name]}", node)
        if function is not None:
            found.append(function)
    return tuple(found)


def _definitions(parent: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for child in ast.iter_child_nodes(parent):
        # Statements nest a hundred deep at most (the compiler's limit); expressions hold no definitions.
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{child.name}", child
            yield from _definitions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _definitions(child, f"{prefix}{child.name}.")
        elif not isinstance(child, ast.expr):
            yield from _definitions(child, prefix)


def _function(name: str, node: Definition) -> Function | None:
    if any(_name_of(decorator) in _DECLARED for decorator in node.decorator_list):
        return None
    statements = [item for item in node.body if not _says_nothing(item)]
    if not statements:
        return None
    nodes: list[ast.AST] = []
    parents: dict[ast.AST, ast.AST] = {}
    _collect(node.args, node, nodes, parents)
    for statement in statements:
        _collect(statement, node, nodes, parents)
    first = min([node.lineno, *(item.lineno for item in node.decorator_list)]) - 1
    return Function(
        name=name,
        node=node,
        lines=(first, (node.end_lineno or node.lineno) - 1),
        ran_by=frozenset(item.lineno - 1 for item in nodes if isinstance(item, ast.stmt)) - {node.lineno - 1},
        nodes=tuple(nodes),
        parents=parents,
    )


def _collect(root: ast.AST, parent: ast.AST, nodes: list[ast.AST], parents: dict[ast.AST, ast.AST]) -> None:
    """Note a tree in the order of the text; without recursion, since expressions nest as deep as one likes."""
    pending = [(root, parent)]
    while pending:
        node, above = pending.pop()
        parents[node] = above
        if isinstance(node, _LEFT_OUT) or _says_nothing(node):
            continue
        nodes.append(node)
        if isinstance(node, ast.JoinedStr):
            continue  # before Python 3.12 its parts have no places of their own in the text
        children: list[ast.AST] = []
        for field, value in ast.iter_fields(node):
            if field not in _NOT_BEHAVIOUR:
                items: list[object] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
                children += [
                    item
                    for item in items
                    if isinstance(item, ast.AST) and not isinstance(item, ast.expr_context)
                ]
        pending += [(child, node) for child in reversed(children)]


def _says_nothing(node: ast.AST) -> bool:
    """Whether it is a docstring, `...` or `pass`."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Pass)


def _name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
