"""Where a Python project keeps its tests: an existing file for the code in question, else a place like its others."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from ensemble_lsp.frameworks.project import shared_folders

_FOLDERS = ("tests", "test")


def python_home(path: str, files: Iterable[str]) -> str:
    """Return the test file for a Python file: one that exists and is named after it, else where one would be.

    A new one goes where the others are: beside the code, or in the folder of tests, in the folder there that is
    named like the code's own if there is one. Without any tests: `tests/` for code in a package, else beside it.
    """
    code = PurePosixPath(path)
    stem = code.stem if code.stem != "__init__" else (code.parent.name or "init")
    known = sorted(name for name in files if name.endswith(".py"))
    tests = [name for name in known if is_module_of_tests(name)]
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


def is_module_of_tests(name: str) -> bool:
    """Whether a Python file is one of tests by its name."""
    stem = PurePosixPath(name).stem
    return name.endswith(".py") and (stem.startswith("test_") or stem.endswith("_test") or stem == "tests")


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
