"""Paths for documents that are no files: `untitled:` buffers, cells of notebooks. Nothing is ever written there."""

import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from ensemble_lsp.core.errors import UsageError

LANGUAGE_ENDINGS = {
    "c": ".c",
    "cpp": ".cpp",
    "csharp": ".cs",
    "css": ".css",
    "go": ".go",
    "html": ".html",
    "java": ".java",
    "javascript": ".js",
    "javascriptreact": ".jsx",
    "json": ".json",
    "kotlin": ".kt",
    "lua": ".lua",
    "markdown": ".md",
    "php": ".php",
    "python": ".py",
    "ruby": ".rb",
    "rust": ".rs",
    "shellscript": ".sh",
    "sql": ".sql",
    "swift": ".swift",
    "toml": ".toml",
    "typescript": ".ts",
    "typescriptreact": ".tsx",
    "yaml": ".yaml",
}
"""LSP's language ids → the ending by which everything else knows the language."""

NAMES_TRIED = 100

NAME_LENGTH = 80

_UNUSUAL = re.compile(r"[^\w.\-]+")


def folder_of(uri: str) -> Path | None:
    """Return the folder that a buffer says it belongs to, such as the one of a cell's notebook, if it exists."""
    path = unquote(urlsplit(uri).path)
    if not path.startswith("/") or "\0" in path:
        return None
    folder = Path(path).parent
    try:
        return folder.resolve() if folder.is_dir() else None
    except (OSError, RuntimeError):
        return None


def name_of(uri: str, language: str) -> str:
    """Return a file name for a buffer: its own, the cell's mark, and the ending of its language."""
    parts = urlsplit(uri)
    base = _plain(PurePosixPath(unquote(parts.path)).name) or "untitled"
    ending = LANGUAGE_ENDINGS.get(language, "")
    stem = PurePosixPath(base).stem if PurePosixPath(base).suffix else base
    mark = _plain(unquote(parts.fragment))
    if mark:
        return f"{stem[: NAME_LENGTH // 2]}-{mark[-NAME_LENGTH // 2 :]}{ending or '.txt'}"
    if PurePosixPath(base).suffix or base.startswith("."):
        return base[-NAME_LENGTH:]
    return f"{stem[:NAME_LENGTH]}{ending or '.txt'}"


def free_path(folder: Path, name: str, taken: "frozenset[Path]") -> Path:
    """Return a path in the folder where no file is and no other buffer; raises `UsageError` if all are taken."""
    path = folder / name
    for number in range(2, NAMES_TRIED):
        if path not in taken and not path.exists():
            return path
        path = folder / f"{PurePosixPath(name).stem}-{number}{PurePosixPath(name).suffix}"
    raise UsageError(f"no free name for {name}", field="uri", hint="save it to a file first")


def _plain(text: str) -> str:
    return _UNUSUAL.sub("_", text).strip("_")
