"""Where a JavaScript or TypeScript package keeps its tests: beside the code, in `__tests__`, in a folder of tests."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from ensemble_lsp.frameworks.project import ProjectFiles, shared_folders

_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_NAMED = re.compile(r"^(?P<stem>.+?)(?P<mark>[._-](?:test|spec))(?P<suffix>\.[cm]?[jt]sx?)$")
_FOLDERS = frozenset({"__tests__", "test", "tests", "spec", "specs"})
_SOURCES = frozenset({"src", "lib", "app"})
BESIDE = ""


@dataclass(frozen=True, slots=True)
class Place:
    """How one test file is placed: its folder of tests ("" for beside the code), and the mark in its name."""

    folder: str
    mark: str


def is_script_test(path: str) -> bool:
    """Whether a file is one of tests by its name, or by its folder's name `__tests__`."""
    file = PurePosixPath(path)
    if not _SCRIPT.search(file.name) or file.name.endswith(".d.ts") or "node_modules" in file.parts:
        return False
    return bool(_NAMED.match(file.name)) or "__tests__" in file.parts[:-1]


def script_home(project: ProjectFiles, folder: str, tests: Iterable[str]) -> str:
    """Return the test file of the code by the layout of `tests`; `folder` is the package's, ending in a slash or ""."""
    code = PurePosixPath(project.path)
    stem = _SCRIPT.sub("", code.name)
    known = list(tests)
    named = [test for test in known if stem_of(test) == stem and _belongs(test, code)]
    if named:
        return project.nearest(named, most=1)[0]
    votes = Counter(_place(test, folder) for test in project.nearest(known))
    place = votes.most_common(1)[0][0] if votes else Place(BESIDE, ".test")
    name = f"{stem}{place.mark}{code.suffix}"
    if place.folder == BESIDE:
        return str(code.with_name(name))
    if place.folder == "__tests__":
        return str(code.parent / "__tests__" / name)
    inner = list(code.parts[len(PurePosixPath(folder).parts) : -1])
    inner = inner[1:] if inner and inner[0] in _SOURCES else inner
    mirrored = {str(PurePosixPath(test).parent) for test in known}
    for depth in range(len(inner)):
        nested = "/".join((place.folder, *inner[depth:]))
        if nested in mirrored:
            return f"{nested}/{name}"
    return f"{place.folder}/{name}"


def stem_of(test: str) -> str:
    """Return the name of the code that a test file is named after."""
    name = PurePosixPath(test).name
    match = _NAMED.match(name)
    return match.group("stem") if match else _SCRIPT.sub("", name)


def _belongs(test: str, code: PurePosixPath) -> bool:
    """Whether a test file of the code's name is about this file: another folder's `index` has tests of its own."""
    folders = [part for part in PurePosixPath(test).parts[:-1] if part not in _FOLDERS | _SOURCES]
    own = [part for part in code.parts[:-1] if part not in _SOURCES]
    if len(folders) <= len(own):
        return folders == own[: len(folders)]
    # `tests/unit/cart.test.ts` is about `src/cart.ts`; `src/b/index.test.ts` is not about `src/index.ts`.
    apart = not _FOLDERS.isdisjoint(PurePosixPath(test).parts[:1])
    return apart and folders[len(folders) - len(own) :] == own


def _place(test: str, package: str) -> Place:
    file = PurePosixPath(test)
    match = _NAMED.match(file.name)
    mark = match.group("mark") if match else ""
    parts = file.parts[len(PurePosixPath(package).parts) : -1]
    # `src/__tests__/x.test.ts` stands beside the code's folder; `test/…` at the package's root holds all.
    if parts and parts[-1] == "__tests__" and len(parts) > 1:
        return Place("__tests__", mark)
    for depth, part in enumerate(parts):
        if part in _FOLDERS:
            return Place("/".join(file.parts[: len(PurePosixPath(package).parts) + depth + 1]), mark)
    return Place(BESIDE, mark)


def relative_source(home: str, path: str) -> str:
    """Return how a file of the folder of `home` names `path`: "./cart.ts", "../src/cart.ts"."""
    shared = shared_folders(home, path)
    up = len(PurePosixPath(home).parts) - 1 - shared
    rest = "/".join(PurePosixPath(path).parts[shared:])
    return ("../" * up or "./") + rest
