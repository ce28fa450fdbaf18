"""Where a test that a model wrote goes, and what it takes to make it a pytest module."""

import ast
import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath


def probe_path(code_path: str, tests: Sequence[str], test_code: str) -> str:
    """Return a path beside the tests that cover `code_path`, where the same imports work, else beside the code."""
    neighbour = tests[0].partition("::")[0] if tests else code_path
    digest = hashlib.sha256(test_code.encode("utf-8", "replace")).hexdigest()[:10]
    return str(PurePosixPath(neighbour).parent / f"test_ensemble_probe_{digest}.py")


def as_test_module(code: str) -> str:
    """Return `code` as a pytest module: statements without a test are put into one, below their imports."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    if not tree.body or any(_is_test(node) for node in tree.body):
        return code
    first = next(
        (node.lineno for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)), None
    )
    if first is None:
        return code
    lines = code.splitlines(keepends=True)
    body = "".join(f"    {line}" for line in lines[first - 1 :])
    return f"{''.join(lines[: first - 1])}def test_probe():\n{body.rstrip()}\n"


def _is_test(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name.startswith("test")
    if isinstance(node, ast.ClassDef):
        return node.name.startswith("Test") or any("TestCase" in ast.unparse(base) for base in node.bases)
    return False
