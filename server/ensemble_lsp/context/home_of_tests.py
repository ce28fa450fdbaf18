"""Where a project keeps its tests: an existing file for the code in question, else a place like its others."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from ensemble_lsp.context.allowance import Allowance
from ensemble_lsp.context.definition_index import test_file
from ensemble_lsp.context.import_targets import shared_folders
from ensemble_lsp.context.sheets import Sheets
from ensemble_lsp.ensemble.ports import Excerpt

_HEAD_LINES = 40
"""Imports, fixtures and the first test or two."""

_FOLDERS = ("tests", "test")


def test_home(path: str, files: Iterable[str]) -> str:
    """Return the test file for a Python file: one that exists and is named after it, else where one would be.

    A new one goes where the others are: beside the code, or in the folder of tests, in the folder there that is
    named like the code's own if there is one. Without any tests: `tests/` for code in a package, else beside it.
    """
    code = PurePosixPath(path)
    stem = code.stem if code.stem != "__init__" else (code.parent.name or "init")
    known = sorted(name for name in files if name.endswith(".py"))
    tests = [name for name in known if test_file(name) and _is_module_of_tests(name)]
    named = [name for name in tests if PurePosixPath(name).stem in {f"test_{stem}", f"{stem}_test"}]
    if named:
        return min(named, key=lambda name: (-shared_folders(name, path), len(name), name))
    suffixed = sum(PurePosixPath(name).stem.endswith("_test") for name in tests) * 2 > len(tests)
    name = f"{stem}_test.py" if suffixed else f"test_{stem}.py"
    beside = [other for other in tests if PurePosixPath(other).parent == code.parent]
    roots = _roots(tests)
    if beside or (not roots and len(code.parts) == 1):
        return str(code.with_name(name))
    root = min(roots, key=lambda folder: (-shared_folders(f"{folder}/x", path), len(folder)), default="tests")
    mirrored = {str(PurePosixPath(other).parent) for other in tests}
    for depth in range(len(code.parts) - 1):
        folder = "/".join((root, *code.parts[depth:-1]))
        if folder in mirrored:
            return f"{folder}/{name}"
    return f"{root}/{name}"


def style_of_home(sheets: Sheets, home: str, files: Iterable[str], allowance: Allowance) -> list[Excerpt]:
    """Return the head of the test file that is added to, else of the nearest other one: how tests look here."""
    known = sorted(
        name for name in files if test_file(name) and name.endswith(".py") and _is_module_of_tests(name)
    )
    nearest = (
        [home] if home in known else sorted(known, key=lambda name: (-shared_folders(name, home), name))[:1]
    )
    for name in nearest:
        sheet = sheets.related(name)
        if sheet is None:
            continue
        why = "the test file that yours goes into" if name == home else "how tests look here"
        excerpt = sheet.excerpt(0, min(len(sheet.lines), _HEAD_LINES) - 1, why)
        if sheet.lines and allowance.take(excerpt):
            return [excerpt]
    return []


def _is_module_of_tests(name: str) -> bool:
    stem = PurePosixPath(name).stem
    return stem.startswith("test_") or stem.endswith("_test") or stem == "tests"


def _roots(tests: Iterable[str]) -> set[str]:
    """Return the outermost folders of tests that hold any."""
    found: set[str] = set()
    for name in tests:
        parts = PurePosixPath(name).parts
        for depth, part in enumerate(parts[:-1]):
            if part.lower() in _FOLDERS:
                found.add("/".join(parts[: depth + 1]))
                break
    return found
