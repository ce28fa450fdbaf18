"""A suite that is one long function of assertions, as one test an assertion: what a project's own tests look like.

Coverage compares tests that fail with tests that pass. Where all assertions stand in one function there is one test,
and nothing to compare. The sets' programs come with such suites (`def check(candidate): assert …; assert …`), which
moreover run while the module is imported.
"""

import ast
from collections.abc import Mapping

MOST_TESTS = 60


def one_test_each(files: Mapping[str, str]) -> dict[str, str]:
    """Return the test files with their suites taken apart; files that have no such suite are left as they are."""
    return {name: _apart(text) or text if name.endswith(".py") else text for name, text in files.items()}


def _apart(text: str) -> str:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ""
    suite = next(
        (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"), None
    )
    if suite is None or len(suite.args.args) != 1:
        return ""
    asserting = [node for node in suite.body if _asserts(node)]
    if not asserting:
        return ""
    kept = [node for node in tree.body if node is not suite and not _calls(node, suite.name)]
    kept = [
        node for node in kept if not (isinstance(node, ast.FunctionDef) and _only_calls(node, suite.name))
    ]
    symbol = _argument(tree, suite.name)
    if not symbol:
        return ""
    tests = [
        _test(number, suite.args.args[0].arg, symbol, [*_before(suite.body, node), node])
        for number, node in enumerate(asserting[:MOST_TESTS], start=1)
    ]
    return "\n\n\n".join([*(ast.unparse(node) for node in kept), *tests]) + "\n"


def _test(number: int, name: str, symbol: str, body: list[ast.stmt]) -> str:
    lines = [ast.unparse(node) for node in body]
    if name != symbol:
        lines.insert(0, f"{name} = {symbol}")
    indented = "\n".join(f"    {line}" for text in lines for line in text.split("\n"))
    return f"def test_{number:02}():\n{indented}"


def _before(body: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
    """Return the statements in front of an assertion that assert nothing themselves: what it may need."""
    earlier = body[: body.index(node)]
    return [other for other in earlier if not _asserts(other) and not isinstance(other, ast.Assert)]


def _asserts(node: ast.stmt) -> bool:
    """Whether a statement asserts something that could be false."""
    return any(
        isinstance(inner, ast.Assert) and not isinstance(inner.test, ast.Constant) for inner in ast.walk(node)
    )


def _calls(node: ast.stmt, name: str) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == name
    )


def _only_calls(node: ast.FunctionDef, name: str) -> bool:
    return all(_calls(inner, name) for inner in node.body)


def _argument(tree: ast.Module, name: str) -> str:
    """Return what the suite is called with: the function that is tested."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _calls(node, name):
            call = node.value
            if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Name):
                return call.args[0].id
    return ""
