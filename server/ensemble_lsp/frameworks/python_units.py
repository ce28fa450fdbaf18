"""Python tests, taken apart into single tests and put together again into one module: pytest and unittest."""

import ast
import re
import textwrap
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from ensemble_lsp.ensemble.framework import MOST_TESTS, Group, TestModule, Unit, free_name

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def same_test(unit: Unit) -> str:
    """Return what is equal for tests that differ in their names, comments and layout only."""
    text = re.sub(rf"\bdef {re.escape(unit.name)}\b", "def test", unit.text, count=1)
    try:
        return ast.dump(ast.parse(textwrap.dedent(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def read_tests(code: str) -> TestModule | str:
    """Take a module apart; a string says why that cannot be done."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        return f"it does not parse: {problem}"
    lines = code.splitlines(keepends=True)
    imports: list[str] = []
    shared: list[tuple[str, str]] = []
    groups: list[Group] = []
    units: list[Unit] = []
    for node in tree.body:
        text = _source(lines, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(ast.unparse(node))
        elif isinstance(node, _Function) and node.name.startswith("test"):
            units.append(Unit(node.name, text))
        elif isinstance(node, ast.ClassDef) and _is_group(node):
            group, inside = _taken_apart(lines, node)
            groups.append(group)
            units += inside
        elif not _is_main(node) and not _is_text(node):
            shared.append((_defined(node), text))
    if not units:
        return "there is no test in it"
    return TestModule(tuple(imports), tuple(shared), tuple(groups), tuple(units[:MOST_TESTS]))


def renamed(module: TestModule, taken: Set[str]) -> TestModule:
    """Give tests and classes names that are not in `taken`, by a number at the end."""
    used = set(taken)
    groups: dict[str, str] = {}
    made: list[Group] = []
    for group in module.groups:
        name = free_name(group.name, used)
        used.add(name)
        groups[group.name] = name
        head = re.sub(rf"\bclass {re.escape(group.name)}\b", f"class {name}", group.head, count=1)
        made.append(Group(name, head, group.shared))
    units: list[Unit] = []
    for unit in module.units:
        if unit.group:
            units.append(replace(unit, group=groups.get(unit.group, unit.group)))
            continue
        name = free_name(unit.name, used)
        used.add(name)
        text = re.sub(rf"\bdef {re.escape(unit.name)}\b", f"def {name}", unit.text, count=1)
        units.append(Unit(name, text))
    return replace(module, groups=tuple(made), units=tuple(units))


def names_in(code: str) -> frozenset[str]:
    """Return the names that a module defines at its top level; empty when it does not parse."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(name for node in tree.body if (name := _defined(node)))


def composed(existing: str, modules: Iterable[tuple[TestModule, Sequence[Unit]]]) -> str:
    """Return a test file: `existing` as it is, missing imports below its own, then what is shared, then the tests.

    Of two things that are shared under one name the first counts. Line endings are LF.
    """
    imports: dict[str, None] = {}
    shared: dict[str, str] = {}
    tests: list[str] = []
    for module, units in modules:
        chosen = list(units)
        if not chosen:
            continue
        imports |= dict.fromkeys(module.imports)
        for name, text in module.shared:
            shared.setdefault(name or text, text)
        tests += [unit.text for unit in chosen if not unit.group]
        for group in module.groups:
            inside = [unit.text for unit in chosen if unit.group == group.name]
            if inside:
                parts = [group.shared, *inside] if group.shared else inside
                tests.append(group.head + "\n".join(part.rstrip("\n") + "\n" for part in parts))
    present = _imports_of(existing)
    known = names_in(existing)
    missing = [line for line in imports if line not in present]
    extra = [text for name, text in shared.items() if name not in known]
    top = _with_imports(existing, missing)
    blocks = [text.strip("\n") for text in (*extra, *tests)]
    body = "\n\n\n".join(blocks) + "\n"
    return f"{top.rstrip()}\n\n\n{body}" if top.strip() else body


def _with_imports(existing: str, missing: Sequence[str]) -> str:
    lines = existing.splitlines(keepends=True)
    if not missing:
        return existing
    future = [line for line in missing if line.startswith("from __future__")]
    rest = [line for line in missing if line not in future]
    added = "".join(f"{line}\n" for line in (*future, *_ordered(rest)))
    if not existing.strip():
        return added
    try:
        body = ast.parse(existing).body
    except (SyntaxError, ValueError):
        return existing
    last = max(
        (node.end_lineno or 0 for node in body if isinstance(node, ast.Import | ast.ImportFrom)), default=0
    )
    if not last and body and _is_text(body[0]):
        last = body[0].end_lineno or 0
    head = "".join(lines[:last])
    return f"{head}{'' if not head or head.endswith(chr(10)) else chr(10)}{added}{''.join(lines[last:])}"


def _ordered(imports: Sequence[str]) -> list[str]:
    """Standard library and frameworks first, what is tested last; plain imports before `from` ones."""
    return sorted(imports, key=lambda line: (line.startswith("from"), line))


def _imports_of(code: str) -> frozenset[str]:
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom))


def _taken_apart(lines: list[str], node: ast.ClassDef) -> tuple[Group, list[Unit]]:
    first = node.body[0]
    start = _first_line(first) - 1
    head = "".join(lines[_first_line(node) - 1 : start])
    shared = "\n".join(_source(lines, item).rstrip("\n") for item in node.body if not _is_test(item))
    units = [Unit(item.name, _source(lines, item), node.name) for item in _tests_among(node.body)]
    return Group(node.name, head, f"{shared}\n" if shared else ""), units


def _is_test(node: ast.stmt) -> bool:
    return bool(_tests_among([node]))


def _tests_among(nodes: Iterable[ast.stmt]) -> list[_Function]:
    return [node for node in nodes if isinstance(node, _Function) and node.name.startswith("test")]


def _is_group(node: ast.ClassDef) -> bool:
    case = any("TestCase" in ast.unparse(base) for base in node.bases)
    return (node.name.startswith("Test") or case) and any(_is_test(item) for item in node.body)


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _defined(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return ""


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(item.lineno for item in decorators)])


def _source(lines: list[str], node: ast.stmt) -> str:
    return "".join(lines[_first_line(node) - 1 : node.end_lineno])
