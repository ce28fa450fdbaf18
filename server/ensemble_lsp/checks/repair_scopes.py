"""The functions of a Python text, each with its nodes and the names that may be used in it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_MOST_DEPTH = 20
"""Functions within functions that are looked at."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One function with what is inside of it, inner functions apart; or the module outside of functions."""

    nodes: tuple[ast.AST, ...]
    """In the order of the text."""
    names: tuple[str, ...]
    """Parameters and local names, with those of functions around it, in the order of the text."""
    parents: dict[ast.AST, ast.AST]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node around a node."""
        return self.parents.get(node)


def scopes_of(tree: ast.Module) -> Iterator[Scope]:
    """Yield every function of a module. Docstrings, annotations, decorators and default values are left out."""
    yield from _inside(tree, (), 0)


def _inside(owner: ast.AST, outer: Sequence[str], depth: int) -> Iterator[Scope]:
    nodes: list[ast.AST] = []
    parents: dict[ast.AST, ast.AST] = {}
    inner: list[ast.AST] = []
    body: list[ast.stmt] = getattr(owner, "body", [])
    waiting: list[ast.AST] = list(reversed(_without_docstring(body)))
    # Each node of the tree has one turn at most.
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner.append(node)
            continue
        nodes.append(node)
        left_out = getattr(node, "annotation", None)
        children = [child for child in ast.iter_child_nodes(node) if child is not left_out]
        parents.update((child, node) for child in children)
        waiting.extend(reversed(children))
    names = list(outer)
    arguments = getattr(owner, "args", None)
    if isinstance(arguments, ast.arguments):
        names += [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    if not isinstance(owner, ast.Module | ast.ClassDef):
        names += [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        if nodes:
            yield Scope(tuple(nodes), tuple(dict.fromkeys(names)), parents)
    for node in inner:
        if depth < _MOST_DEPTH:
            yield from _inside(node, () if isinstance(owner, ast.Module | ast.ClassDef) else names, depth + 1)


def _without_docstring(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    first = body[0] if body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return body[1:]
    return body
