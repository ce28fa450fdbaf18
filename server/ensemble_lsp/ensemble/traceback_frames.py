"""The places that a traceback names, of Python or in the short form of pytest and compilers."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ensemble_lsp.core.text import SourceText

_PYTHON = re.compile(r'^\s*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_SHORT = re.compile(r"^\s*([\w./\\@-]+\.\w+):(\d+)(?::\d+)?:", re.MULTILINE)
_MOST = 40


@dataclass(frozen=True, slots=True)
class Frame:
    """One place of the workspace; `line` is 0-based."""

    path: str
    line: int


def frames_in(text: str, read: Callable[[str], SourceText | None]) -> list[Frame]:
    """Return the frames that lie in the workspace, the innermost first (tracebacks end with it).

    `read` says whether a path is one of the workspace's; of an absolute path the longest end that is one counts.
    """
    found: list[Frame] = []
    for pattern in (_PYTHON, _SHORT):
        for match in list(pattern.finditer(text))[-_MOST:]:
            path = _known(match.group(1).replace("\\", "/"), read)
            if path:
                found.append(Frame(path, max(0, int(match.group(2)[:7]) - 1)))
        if found:
            break
    found.reverse()
    return list(dict.fromkeys(found))


def _known(name: str, read: Callable[[str], SourceText | None]) -> str:
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if ".." in parts:
        return ""
    for start in range(len(parts)):
        path = "/".join(parts[start:])
        if read(path) is not None:
            return path
    return ""
