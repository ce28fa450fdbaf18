"""File names as models write them, and which file they mean."""

import re
from collections.abc import Container, Iterable

_EXTENSIONS = frozenset(
    {
        "adoc", "astro", "bash", "bat", "c", "cc", "cfg", "clj", "cljs", "cmake", "conf", "cpp", "cr",
        "cs", "css", "csv", "cu", "cxx", "d", "dart", "edn", "el", "ex", "exs", "fish", "fs", "go",
        "gradle", "graphql", "groovy", "h", "hcl", "hh", "hpp", "hs", "htm", "html", "hxx", "ini", "ipynb",
        "java", "jl", "js", "json", "jsonc", "jsx", "kt", "kts", "less", "lock", "lua", "m", "markdown",
        "md", "mdx", "mjs", "mk", "ml", "mli", "mm", "mod", "nim", "nix", "org", "php", "pl", "pm",
        "proto", "ps1", "py", "pyi", "pyx", "r", "rb", "rkt", "rs", "rst", "sass", "scala", "scm", "scss",
        "sh", "sql", "sum", "sv", "svelte", "swift", "tcl", "tex", "tf", "toml", "ts", "tsx", "txt", "v",
        "vb", "vhd", "vim", "vue", "wat", "xml", "yaml", "yml", "zig", "zsh",
    }
)  # fmt: skip
_BARE_NAMES = frozenset({"Makefile", "Dockerfile", "Gemfile", "Rakefile", "Justfile", "Procfile", "LICENSE"})
_NAME = re.compile(
    r"[\w@.+~()\[\]{}$,=-]+(?:[/\\][\w@.+~()\[\]{}$,= -]+)*|/[\w@.+~()\[\]{}$,= /-]+|[A-Za-z]:[\\/].+"
)
_LABEL = re.compile(
    r"^(?:file(?:name|path)?|path|in|edit|update|create|new file|modified)\s*:?\s+", re.IGNORECASE
)
_LINE_SUFFIX = re.compile(r":(\d+)(?:[-:]\d+)?$")
_DECORATION = " \t*`'\"<>#/;:—-"


def named_path(text: str, known: Container[str]) -> str | None:
    """Return the path that a line of its own names, or None when the line is something else.

    Markdown around it (`**app.py**`, `### app.py`, backticks, a colon) and a label ("File: app.py") are left
    out. A word without a slash counts as a path only when it is known or has a source file's extension.
    """
    text = text.strip()
    if not text or len(text) > 300:
        return None
    quoted = re.findall(r"`([^`]+)`", text)
    if len(quoted) == 1:
        # In a sentence a file that was not shown is more likely mentioned than meant.
        short = len(text.split()) <= 5 and text.rstrip("*: ").endswith("`")
        if clean_path(quoted[0]) in known or (short and _looks_like_path(quoted[0])):
            return quoted[0]
    for candidate in (text, text.lstrip("#*/`\"'<>; ").rstrip("*`'\">;: "), text.strip(_DECORATION)):
        unlabelled = _LABEL.sub("", candidate).strip("*`'\": ")
        for name in (candidate, unlabelled):
            if clean_path(name) in known or _looks_like_path(name):
                return name
    return None


def split_line_hint(name: str) -> tuple[str, int | None]:
    """Split `src/pay.py:120` into the path and the 0-based line."""
    match = _LINE_SUFFIX.search(name)
    if match is None or match.start() == 0:
        return name, None
    return name[: match.start()], max(0, int(match.group(1)[:9]) - 1)


def clean_path(name: str) -> str:
    """Return a name with forward slashes, without quotes, `.` and resolvable `..` parts."""
    name = name.strip().strip("`'\"").replace("\\", "/")
    parts: list[str] = []
    for part in name.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return ("/" if name.startswith("/") else "") + "/".join(parts)


def leaves_workspace(path: str) -> bool:
    """Whether a cleaned path is absolute, starts at a drive or a home, or climbs out by `..`."""
    return (
        path.startswith(("/", "../", "~"))
        or path == ".."
        or re.match(r"[A-Za-z]:", path) is not None
        or "\0" in path
    )


def resolved(path: str, known: Iterable[str]) -> str:
    """Return the known path that `path` means: itself, or the only one that ends with it."""
    names = list(known)
    if path in names or not path:
        return path
    ends = [name for name in names if name.endswith("/" + path)]
    return ends[0] if len(ends) == 1 else path


def _looks_like_path(name: str) -> bool:
    if not _NAME.fullmatch(name) or name.endswith((".", "/")):
        return False
    last = re.split(r"[/\\]", name)[-1]
    extension = last.rpartition(".")[2].lower() if "." in last else ""
    if extension in _EXTENSIONS or last in _BARE_NAMES:
        return True
    if re.match(r"(?:\.\./|~/|/)[\w.-]", name) and " " not in name:
        return True
    return bool(re.search(r"[/\\]", name)) and "." in last and " " not in name and "//" not in name
