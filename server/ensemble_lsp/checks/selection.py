"""Which tests cover a file: those that import it, mention it, or import what imports it, the nearest first."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from ensemble_lsp.checks.languages import language_of
from ensemble_lsp.checks.witness import Project

MAX_TEST_FILES = 10
"""More than this is no longer a check of one change, but the project's suite; every candidate runs them all."""
MAX_DISTANT = 3
"""Files beyond those that import the code or are named after it, when there are such."""
_NEAR = 3
"""The score from which a test file is near."""
MAX_READ = 4_000
"""Python files that are read to find out who imports whom."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+([^#\n]+)|import[ \t]+([^#\n]+))", re.MULTILINE
)
_PARENTHESISED = re.compile(r"\bimport[ \t]*\(([^)]*)\)")
_WORD = re.compile(r"\w+")


def is_test_file(path: str) -> bool:
    """Whether pytest would look for tests in the file, going by its name."""
    name = PurePosixPath(path).name
    return name.endswith(".py") and (
        name.startswith("test_") or name.endswith("_test.py") or name == "tests.py"
    )


@dataclass(frozen=True, slots=True)
class _Ranked:
    path: str
    score: int
    distance: int


def choose_tests(project: Project, paths: Iterable[str], symbols: Iterable[str] = ()) -> tuple[str, ...]:
    """Return test files for the Python files `paths`, best first; empty when there are none.

    A test file among `paths` comes first. When no test has to do with the files but the project has few, all
    of them are taken: they may reach the code by ways that imports do not show. Blocks: it reads files.
    """
    targets = [path for path in paths if language_of(path) == "python"]
    if not targets:
        return ()
    given = [path for path in targets if is_test_file(path)]
    code = [path for path in targets if not is_test_file(path)]
    tests = sorted(path for path in project.files if is_test_file(path) and path not in given)
    if not code:
        return tuple(given)
    python = [path for path in project.files if path.endswith(".py")]
    texts = {
        path: project.read(path)
        for path in (*tests, *[path for path in python if path not in tests][:MAX_READ])
    }
    wanted = {symbol for symbol in symbols if symbol}
    importers = _importers(code, texts)
    ranked = [_rank(test, texts[test], code, wanted, importers) for test in tests]
    chosen = sorted(
        (item for item in ranked if item.score), key=lambda item: (-item.score, item.distance, item.path)
    )
    near = [item.path for item in chosen if item.score >= _NEAR]
    distant = [item.path for item in chosen if item.score < _NEAR]
    found = [*near, *distant[: MAX_DISTANT if near else None]]
    if not found and len(tests) <= MAX_TEST_FILES:
        found = tests
    return tuple([*given, *found][:MAX_TEST_FILES])


def _rank(
    test: str, text: str, code: Iterable[str], symbols: set[str], importers: Mapping[str, int]
) -> _Ranked:
    words = set(_WORD.findall(text)) if symbols else set[str]()
    mentioned = bool(symbols & words)
    score = {1: 4, 2: 1}.get(importers.get(test, 0), 0)
    if score:
        score += 4 if mentioned else 0
    stems = {PurePosixPath(path).stem for path in code}
    if any(PurePosixPath(test).stem in {f"test_{stem}", f"{stem}_test", f"test{stem}"} for stem in stems):
        score += 3
    elif not score and mentioned:
        score = 1
    return _Ranked(test, score, min(_distance(test, path) for path in code))


def _distance(one: str, other: str) -> int:
    first, second = PurePosixPath(one).parts[:-1], PurePosixPath(other).parts[:-1]
    common = 0
    for left, right in zip(first, second, strict=False):
        if left != right:
            break
        common += 1
    return len(first) + len(second) - 2 * common


def _importers(code: Iterable[str], texts: Mapping[str, str]) -> dict[str, int]:
    """Return file → 1 for those that import one of `code`, 2 for those that import such a file."""
    imported = {path: imported_modules(path, text) for path, text in texts.items()}
    found: dict[str, int] = {}
    names = {name for path in code for name in module_names(path)}
    for depth in (1, 2):
        direct = [path for path, modules in imported.items() if path not in found and modules & names]
        found |= dict.fromkeys(direct, depth)
        names = {name for path in direct for name in module_names(path) if _is_telling(name, path)}
    return found


def _is_telling(name: str, path: str) -> bool:
    """Whether `name` hardly means another file: dotted, at the root, or a whole package."""
    return "." in name or "/" not in path or path.endswith("/__init__.py")


def module_names(path: str) -> frozenset[str]:
    """Return the dotted names by which a file may be imported: without one leading folder after the other."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    names = {".".join(parts[start:]) for start in range(len(parts))}
    return frozenset(name for name in names if name)


def imported_modules(path: str, text: str) -> frozenset[str]:
    """Return the dotted names that a file imports: modules, and what it takes from them."""
    found: set[str] = set()
    package = list(PurePosixPath(path).parts[:-1])
    flat = _PARENTHESISED.sub(lambda match: "import " + match.group(1).replace("\n", " "), text)
    for origin, taken, plain in _IMPORT.findall(flat):
        if plain:
            found |= {part.split(" as ")[0].strip() for part in plain.split(",")}
            continue
        dots = len(origin) - len(origin.lstrip("."))
        module = origin.lstrip(".")
        if dots:
            above = package[: len(package) - dots + 1]
            module = ".".join([*above, *([module] if module else [])])
        found.add(module)
        names = (part.split(" as ")[0].strip() for part in taken.split(","))
        found |= {f"{module}.{name}".lstrip(".") for name in names if name}
    return frozenset(name for name in found if name)
