"""Changes as judges see them: without comments, which sway a judge more than they should."""

import io
import re
import tokenize
from collections.abc import Sequence
from dataclasses import replace

from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText, split_lines
from ensemble_lsp.core.unified import unified_diff

JUDGES_CONTEXT = 12
"""Unchanged lines around each change: mostly the whole function."""

_LINE_COMMENT = {
    ".py": "#",
    ".rb": "#",
    ".sh": "#",
    ".yaml": "#",
    ".yml": "#",
    ".toml": "#",
    ".lua": "--",
    ".sql": "--",
    ".js": "//",
    ".jsx": "//",
    ".ts": "//",
    ".tsx": "//",
    ".go": "//",
    ".rs": "//",
    ".c": "//",
    ".h": "//",
    ".cc": "//",
    ".cpp": "//",
    ".cs": "//",
    ".java": "//",
    ".kt": "//",
    ".swift": "//",
    ".php": "//",
}


def without_comments(path: str, text: str) -> str:
    """Return `text` without its comments: all of them in Python, whole-line ones in other languages.

    Only for showing: what is checked and proposed keeps its comments.
    """
    if path.endswith(".py"):
        stripped = _python_without_comments(text)
        if stripped is not None:
            return stripped
    match = re.search(r"\.\w+$", path)
    mark = _LINE_COMMENT.get(match.group(0)) if match else None
    if mark is None:
        return text
    return "".join(line for line in split_lines(text) if not line.lstrip().startswith(mark))


def judged_diff(changes: Sequence[FileChange]) -> str:
    """Return the unified diff of a change, comments left out on both sides."""
    bare = [
        change.model_copy(
            update={"before": _bare(change.path, change.before), "after": _bare(change.path, change.after)}
        )
        for change in changes
    ]
    # A change of comments only would show nothing: then they are what it is about.
    return unified_diff(bare, JUDGES_CONTEXT) or unified_diff(changes, JUDGES_CONTEXT)


def _bare(path: str, source: SourceText | None) -> SourceText | None:
    return None if source is None else replace(source, text=without_comments(path, source.text))


def _python_without_comments(text: str) -> str | None:
    lines = text.splitlines(keepends=True)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None
    emptied: set[int] = set()
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        row, column = token.start
        if row > len(lines):
            return None
        line = lines[row - 1]
        ending = line[len(line.rstrip("\r\n")) :]
        kept = line[:column].rstrip()
        lines[row - 1] = kept + ending
        if not kept:
            emptied.add(row - 1)
    return "".join(line for number, line in enumerate(lines) if number not in emptied)
