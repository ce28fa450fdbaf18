"""From an import statement to the workspace's files it means, by each language's conventions."""

import posixpath
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath

from ensemble_lsp.context.symbols import ImportStatement

_TARGETS = 8
"""Files that one import may mean, at most (a Go package has many)."""


class FileTable:
    """The workspace's paths, looked up by their endings."""

    def __init__(self, files: Iterable[str]) -> None:
        self.paths = frozenset(files)
        self._by_name: dict[str, list[str]] = {}
        self._by_folder: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            folder, _, name = path.rpartition("/")
            self._by_name.setdefault(name, []).append(path)
            self._by_folder.setdefault(folder, []).append(path)

    def ending(self, suffix: str, near: str) -> list[str]:
        """Return the paths that end in `suffix` (whole parts), those nearest to `near` first."""
        named = self._by_name.get(suffix.rpartition("/")[2], [])
        found = [path for path in named if path == suffix or path.endswith(f"/{suffix}")]
        return sorted(found, key=lambda path: (-shared_folders(path, near), path.count("/"), path))

    def folder(self, folder: str) -> list[str]:
        """Return the files directly in a folder, sorted."""
        return self._by_folder.get(folder, [])

    def folders_ending(self, suffix: str) -> list[str]:
        """Return the folders whose path ends in `suffix` (whole parts), the shortest first."""
        found = [f for f in self._by_folder if f == suffix or f.endswith(f"/{suffix}")]
        return sorted(found, key=lambda folder: (folder.count("/"), folder))


def shared_folders(one: str, other: str) -> int:
    """Return how many leading folders two paths have in common."""
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count


def files_imported(
    path: str, language: str, imports: Iterable[ImportStatement], table: FileTable
) -> tuple[str, ...]:
    """Return the files that the imports of `path` mean, in their order, without `path` itself.

    Languages whose imports name no files (Java, C#, Swift, …) are found by name instead.
    """
    resolve = _RESOLVERS.get(language)
    if resolve is None:
        return ()
    found: dict[str, None] = {}
    for statement in imports:
        for target in resolve(path, statement.text, table)[:_TARGETS]:
            found.setdefault(target)
    found.pop(path, None)
    return tuple(found)


def imports_name_files(language: str) -> bool:
    """Whether the language's imports lead to files, so that a name not imported is local or built in."""
    return language in _RESOLVERS and language not in {"go", "c", "cpp"}


_FROM = re.compile(r"from\s+(\.*)\s*([\w.]*)\s+import\s+\(?(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")


def _python(path: str, text: str, table: FileTable) -> list[str]:
    match = _FROM.match(text)
    if match is None:
        modules = [part.split(" as ")[0].strip() for part in text.removeprefix("import").split(",")]
        return [target for module in modules for target in _python_module(module, path, table)]
    dots, module, names = match.groups()
    imported = [
        part.split(" as ")[0].strip() for part in re.sub(r"#[^\n]*", "", names).strip("() \n").split(",")
    ]
    submodules = [name for name in imported if _NAME.fullmatch(name)]
    if not dots:
        found = _python_module(module, path, table)
        inner = [t for name in submodules for t in _python_module(f"{module}.{name}", path, table)]
        return inner + found
    folder = PurePosixPath(path).parent
    for _ in range(len(dots) - 1):
        folder = folder.parent
    start = posixpath.normpath(posixpath.join(folder.as_posix(), module.replace(".", "/")))
    candidates = [f"{start}/{name}{end}" for name in submodules for end in (".py", "/__init__.py")]
    candidates += [f"{start}.py", f"{start}/__init__.py"]
    return [found for c in candidates if (found := posixpath.normpath(c)) in table.paths]


def _python_module(module: str, path: str, table: FileTable) -> list[str]:
    stem = module.replace(".", "/")
    for suffix in (f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi"):
        found = table.ending(suffix, path)
        if found and ("." in module or _single_name_means(module, found, path)):
            return found[:1]
    return []


def _single_name_means(module: str, found: list[str], path: str) -> bool:
    """Whether `import NAME` means the first file found: one in a folder above, or the only one of its name.

    `tests/test_shop.py` imports `src/shop.py` like that; `import types` means the standard library.
    """
    above = shared_folders(found[0], path) == found[0].count("/")
    return above or (len(found) == 1 and module not in sys.stdlib_module_names)


_SCRIPT_SOURCE = re.compile(r"""(?:from|import|require\()\s*\(?["']([^"'\n]+)["']""")
_SCRIPT_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", "/index.ts",
                   "/index.tsx", "/index.js", "/index.jsx")  # fmt: skip


def _script(path: str, text: str, table: FileTable) -> list[str]:
    match = _SCRIPT_SOURCE.search(text)
    if match is None:
        return []
    source = match.group(1)
    if source.startswith("."):
        start = posixpath.normpath(posixpath.join(posixpath.dirname(path), source))
        starts = [start, re.sub(r"\.[cm]?jsx?$", "", start)]
        return [s + end for s in dict.fromkeys(starts) for end in _SCRIPT_ENDINGS if s + end in table.paths][
            :1
        ]
    # `@/x` and `~/x` are what bundlers call the source folder.
    inner = re.match(r"[@~]/(.+)", source)
    if inner is None:
        return []
    for end in _SCRIPT_ENDINGS:
        found = table.ending(inner.group(1) + end, path)
        if found:
            return found[:1]
    return []


_GO_PATH = re.compile(r'"([^"\n]+)"')


def _go(path: str, text: str, table: FileTable) -> list[str]:
    found: list[str] = []
    for imported in _GO_PATH.findall(text):
        parts = imported.split("/")
        # The module's own prefix is not a folder: drop leading parts until a folder is met.
        for start in range(len(parts)):
            folders = table.folders_ending("/".join(parts[start:]))
            if folders and (start < len(parts) - 1 or len(parts) == 1 or "." in parts[0]):
                found += [
                    f for f in table.folder(folders[0]) if f.endswith(".go") and not f.endswith("_test.go")
                ]
                break
    beside = [
        f for f in table.folder(posixpath.dirname(path)) if f.endswith(".go") and not f.endswith("_test.go")
    ]
    return found[:_TARGETS] + beside


def _rust(path: str, text: str, table: FileTable) -> list[str]:
    match = re.match(r"(?:pub(?:\([^)]*\))?\s+)?use\s+([\w:]+)", text)
    if match is None:
        return []
    parts = [part for part in match.group(1).split("::") if part]
    folder = PurePosixPath(path).parent
    own = folder if PurePosixPath(path).stem in {"mod", "lib", "main"} else folder / PurePosixPath(path).stem
    if parts and parts[0] == "crate":
        root = next((p for p in (folder, *folder.parents) if p.name == "src"), PurePosixPath("src"))
        parts = parts[1:]
    elif parts and parts[0] in {"self", "super"}:
        root = own
        while parts and parts[0] in {"self", "super"}:
            root = root.parent if parts[0] == "super" else root
            parts = parts[1:]
    else:
        root = own
    for length in range(len(parts), 0, -1):
        start = (root / "/".join(parts[:length])).as_posix()
        for end in (".rs", "/mod.rs"):
            if start + end in table.paths:
                return [start + end]
    return []


def _included(path: str, text: str, table: FileTable) -> list[str]:
    match = re.search(r'"([^"\n]+)"', text)
    if match is None:
        return []
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), match.group(1)))
    header = beside if beside in table.paths else next(iter(table.ending(match.group(1), path)), None)
    if header is None:
        return []
    stem = PurePosixPath(header).stem
    bodies = [f for end in (".c", ".cc", ".cpp", ".cxx") for f in table.ending(stem + end, header)[:1]]
    return [header, *bodies]


def _required(path: str, text: str, table: FileTable) -> list[str]:
    match = re.search(r"""["']([^"'\n]+)["']""", text)
    if match is None:
        return []
    source = match.group(1)
    slashed = source if "/" in source else source.replace(".", "/")
    found: list[str] = []
    for end in (".rb", ".lua", "/init.lua"):
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), source.removesuffix(".rb") + end))
        found += [beside] if beside in table.paths else table.ending(slashed.removesuffix(".rb") + end, path)
    return found[:1]


_RESOLVERS: Mapping[str, Callable[[str, str, FileTable], list[str]]] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _go,
    "rust": _rust,
    "c": _included,
    "cpp": _included,
    "ruby": _required,
    "lua": _required,
}
