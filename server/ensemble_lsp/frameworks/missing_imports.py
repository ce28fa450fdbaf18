"""Imports that written tests need and do not have.

Small models test a function and forget to import it, or write it down once more above the tests, which then test the
copy and notice no change of the code.
"""

import ast
import builtins
import textwrap
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from ensemble_lsp.ensemble.framework import TestModule, Unit
from ensemble_lsp.ensemble.prompts.numbered import module_of

_GIVEN = frozenset(dir(builtins)) | {"__file__", "__name__"}


def with_missing_imports(
    module: TestModule, units: Sequence[Unit], existing: str, *, path: str, defined: Set[str]
) -> TestModule:
    """Return the module with imports of what its tests use, nobody binds and the code at `path` defines.

    Functions and classes of the code that the module has a copy of are imported instead. `existing` is the file that
    the tests are added to: what it binds is there. pytest itself counts, too. Whatever else is missing stays so: what a
    name might mean is not guessed.
    """
    shared = tuple(
        (name, text) for name, text in module.shared if name not in defined or not _is_definition(text)
    )
    module = replace(module, shared=shared)
    texts = [*module.imports, *(text for _, text in module.shared), *(unit.text for unit in units)]
    texts += [text for group in module.groups for text in (f"{group.head.rstrip()} ...", group.shared)]
    trees = [*_trees(texts), *_trees([existing])]
    if any(_takes_all(node) for tree in trees for node in ast.walk(tree)):
        return module
    bound = {name for tree in trees for name in _bound(tree)}
    wanted = _used(_trees(texts)) - bound - _GIVEN
    names = sorted(wanted & defined)
    added = [f"from {module_of(path)} import {', '.join(names)}"] if names else []
    added += ["import pytest"] if "pytest" in wanted - defined else []
    return replace(module, imports=(*module.imports, *added)) if added else module


def _is_definition(text: str) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for tree in _trees([text])
        for node in tree.body
    )


def _trees(texts: Iterable[str]) -> list[ast.Module]:
    found: list[ast.Module] = []
    for text in texts:
        try:
            found.append(ast.parse(textwrap.dedent(text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return found


def _takes_all(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)


def _bound(tree: ast.Module) -> Iterator[str]:
    """Yield what is bound anywhere in a text: an import too few is better than one that hides a test's own name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def _used(trees: Iterable[ast.Module]) -> frozenset[str]:
    return frozenset(
        node.id
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
