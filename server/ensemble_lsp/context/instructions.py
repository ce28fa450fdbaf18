"""The repository's own notes for contributors and assistants (AGENTS.md and the like), as quoted data.

They are text that somebody wrote into a repository. In a trusted folder and in another one alike they are
sent as data: quoted, named by their file, bounded, redacted, and never as a system message. So an untrusted
folder can tell the panel its conventions but cannot give it orders.
"""

from collections.abc import Callable
from pathlib import PurePosixPath

from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.core.text import content_of, split_lines

_PER_FOLDER = ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md")
_FILE_BYTES = 64_000
_FILES = 8
_FOLDERS = 12
_CONTRIBUTING_LINES = 60
_README_LINES = 60


def repository_instructions(
    reader: Reader,
    redactor: Redactor,
    path: str | None,
    *,
    count_tokens: Callable[[str], int],
    max_tokens: int,
) -> str:
    """Return the notes that hold for `path`, the nearest folder's first, within `max_tokens`.

    Without a path: those of the workspace's root and the head of its README.
    """
    documents: dict[str, tuple[str, int | None]] = {}
    for folder in _folders(path):
        for name in _PER_FOLDER:
            _add(documents, reader, redactor, f"{folder}{name}", None)
    _add(documents, reader, redactor, "CONTRIBUTING.md", _CONTRIBUTING_LINES)
    if path is None:
        for name in ("README.md", "README.rst", "README.txt", "README"):
            _add(documents, reader, redactor, name, _README_LINES)
    parts: list[str] = []
    left = max_tokens
    for name, (text, head) in documents.items():
        part = _quoted(name, text, head, count_tokens, left)
        left -= count_tokens(part) + 1 if part else 0
        parts.append(part)
    return "\n".join(part for part in parts if part)


def _folders(path: str | None) -> list[str]:
    parents = [] if path is None else [p for p in PurePosixPath(path).parents if str(p) != "."]
    # The nearest ones and always the root, however deep the file lies.
    return [f"{p}/" for p in parents[: _FOLDERS - 1]] + [""]


def _add(
    documents: dict[str, tuple[str, int | None]],
    reader: Reader,
    redactor: Redactor,
    path: str,
    head: int | None,
) -> None:
    if len(documents) >= _FILES or reader.rules.ignored(path) is not None:
        return
    source = reader.related(path, limit=_FILE_BYTES)
    if source is None or not source.text.strip():
        return
    text = redactor.redact(path, source.text)
    # CLAUDE.md is often a copy of AGENTS.md, or a link to it.
    if all(text != known for known, _ in documents.values()):
        documents[path] = (text, head)


def _quoted(
    path: str, text: str, head: int | None, count_tokens: Callable[[str], int], max_tokens: int
) -> str:
    lines = [f"> {content_of(line)}".rstrip() for line in split_lines(text)[:head]]
    title = f"{path} says:"
    low, high = 0, len(lines)
    # Bisection: at most log2 of the lines calls of the counter.
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(_joined(title, lines[:middle], cut=middle < len(lines))) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return _joined(title, lines[:low], cut=low < len(lines)) if low else ""


def _joined(title: str, lines: list[str], *, cut: bool) -> str:
    return "\n".join([title, *lines, *(["> [cut here]"] if cut else [])])
