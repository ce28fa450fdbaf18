r"""Reads the cases of tests/cases/edits: a reply, the files it was given, and what must come out.

A case is a header of `key: value` lines and sections that start with `== `::

    title: the last line without a newline can be edited
    seen: olimorris/codecompanion.nvim#3338
    default: app.py

    == file app.py
    a = 1
    b = 2\c
    == reply
    …
    == after app.py
    …

Every line of a section ends with LF. `\r`, `\t`, `\f`, `\v`, `\xNN` (one byte) and `\uNNNN` stand for what they name,
`\\` for a backslash, `\c` at the end takes the LF away, `\s` is a blank that an editor would trim. A refused
reply has `problem: kind` (or several, by comma) instead of `after` sections; `== deleted PATH` is a file that
goes away. Keys: `default`, `sentinel`, `cut_off: yes`, `target: PATH:FIRST-LAST` (1-based), `agreed: BLOCK=LINE`.
"""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from ensemble_lsp.core.edits import EditOutcome, apply_reply
from ensemble_lsp.core.text import SourceText

FOLDER = Path(__file__).parent.parent / "cases" / "edits"
_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))")
_SIMPLE = {b"r": b"\r", b"t": b"\t", b"f": b"\f", b"v": b"\v", b"s": b" ", b"\\": b"\\"}


@dataclass(frozen=True)
class EditCase:
    """One case; `after` maps a path to its bytes, None for a file that goes away."""

    title: str
    header: dict[str, str]
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    reply: bytes = b""
    after: dict[str, bytes | None] = field(default_factory=dict[str, bytes | None])

    @property
    def problems(self) -> list[str]:
        """The kinds that the reply must be refused with, in the order of the blocks."""
        return [kind.strip() for kind in self.header.get("problem", "").split(",") if kind.strip()]

    def run(self) -> EditOutcome:
        """Apply the reply as the case says."""
        target = None
        if "target" in self.header:
            path, _, lines = self.header["target"].rpartition(":")
            first, _, last = lines.partition("-")
            target = (path, int(first) - 1, int(last) - 1)
        agreed = {
            int(block): int(line) - 1
            for block, line in re.findall(r"(\d+)=(\d+)", self.header.get("agreed", ""))
        }
        return apply_reply(
            SourceText.from_bytes(self.reply).text,
            {path: SourceText.from_bytes(data) for path, data in self.files.items()},
            default_path=self.header.get("default"),
            sentinel=self.header.get("sentinel"),
            cut_off=self.header.get("cut_off") == "yes",
            target=target,
            parse_errors=python_errors,
            enclosing=python_enclosing if self.header.get("enclosing") == "yes" else None,
            agreed_lines=agreed,
        )


def load_cases() -> list[EditCase]:
    """Read all cases, in the order of their file names."""
    return [_parsed(path) for path in sorted(FOLDER.glob("*.txt"))]


def python_errors(path: str, text: str) -> int | None:
    """Count 1 for Python that does not compile, None for other languages."""
    if not path.endswith(".py"):
        return None
    try:
        ast.parse(text.encode("utf-8", "replace"))
    except (SyntaxError, ValueError):
        return 1
    return 0


def python_enclosing(path: str, text: str, line: int) -> tuple[str, int, int] | None:
    """Return the innermost function or class around a 0-based line of Python."""
    if python_errors(path, text) != 0:
        return None
    found: tuple[str, int, int] | None = None
    for node in ast.walk(ast.parse(text.encode("utf-8", "replace"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
            last = (node.end_lineno or node.lineno) - 1
            if first <= line <= last and (found is None or found[1] <= first):
                found = (node.name, first, last)
    return found


def _parsed(path: Path) -> EditCase:
    head, *sections = re.split(rb"(?m)^== ", path.read_bytes())
    header = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
    case = EditCase(header.pop("title"), header)
    for section in sections:
        words, _, body = section.partition(b"\n")
        kind, _, name = words.decode().partition(" ")
        if kind == "file":
            case.files[name] = _bytes(body)
        elif kind == "after":
            case.after[name] = _bytes(body)
        elif kind == "deleted":
            case.after[name] = None
        elif kind == "reply":
            case = EditCase(case.title, case.header, case.files, _bytes(body), case.after)
        else:
            raise ValueError(f"{path.name}: no such section: {kind}")
    return case


def _bytes(body: bytes) -> bytes:
    if body.endswith(b"\\c\n"):
        body = body[:-3]

    def plain(match: re.Match[bytes]) -> bytes:
        byte, point, letter = match.groups()
        if byte:
            return bytes([int(byte, 16)])
        return chr(int(point, 16)).encode() if point else _SIMPLE[letter]

    return _ESCAPE.sub(plain, body)
