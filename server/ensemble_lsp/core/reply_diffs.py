"""Reading unified diffs and the apply_patch envelope as models write them.

unidiff refuses what models get wrong in most of their diffs: line counts that do not add up, missing headers,
context lines that lost their leading blank. Here line numbers and counts are not read at all; the context is
what places a hunk.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.blocks import Block, BlockKind
from ensemble_lsp.core.reply_paths import clean_path, resolved

_HUNK = re.compile(r"^@@(?: -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)?[ \t]?(.*?)(?:[ \t]*@@)?[ \t]*$")
_PATCH_FILE = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.+?)[ \t]*$")
# At the margin only: " ```" is a context line of a Markdown file.
_FENCE = re.compile(r"^(?:`{3,}|~{3,})")
_TIMESTAMP = re.compile(r"\t.*$|[ ]+\d{4}-\d\d-\d\d[ T]\d\d:.*$")
_GIT_HEADER = re.compile(
    r"^(?:diff --git |index [0-9a-f]+\.\.|old mode |new mode |new file mode |deleted file mode |similarity index )"
)


@dataclass(slots=True)
class _Hunk:
    scope: list[str] = field(default_factory=list[str])
    search: list[str] = field(default_factory=list[str])
    replace: list[str] = field(default_factory=list[str])
    touched: bool = False

    def add(self, line: str) -> None:
        mark, rest = line[:1], line[1:]
        if mark == "-":
            self.search.append(rest)
            self.touched = True
        elif mark == "+":
            self.replace.append(rest)
            self.touched = True
        else:
            # A blank line that lost its mark, or a context line that did: the place will tell.
            context = rest if mark == " " else line
            self.search.append(context)
            self.replace.append(context)

    def without_blank_tail(self) -> None:
        # Blank context before the fence's end is how the reply is laid out, not what it says about the file.
        while self.search and self.replace and not self.search[-1].strip() and not self.replace[-1].strip():
            self.search.pop()
            self.replace.pop()


@dataclass(slots=True)
class _File:
    path: str
    kind: BlockKind = BlockKind.EDIT
    move_to: str | None = None
    hunks: list[_Hunk] = field(default_factory=list[_Hunk])


def has_unified_diff(lines: Sequence[str]) -> bool:
    """Whether the reply holds a file header or a hunk header of a unified diff."""
    return any(
        _is_header(lines, i) or line.startswith(("@@ -", "diff --git ")) for i, line in enumerate(lines)
    )


def has_apply_patch(lines: Sequence[str]) -> bool:
    """Whether the reply holds the envelope or one of its file headers."""
    return any(
        line.startswith("*** ") and (_PATCH_FILE.match(line) or line.strip() == "*** Begin Patch")
        for line in lines
    )


def read_unified_diff(lines: Sequence[str], known: Collection[str], default_path: str | None) -> list[Block]:
    """Read every hunk as one block; hunks above the first file header belong to `default_path`."""
    files: list[_File] = []
    current: _File | None = None
    hunk: _Hunk | None = None
    rename_from = ""
    fenced = False
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if _is_header(lines, number - 1):
            old, new = _header_path(line), _header_path(lines[number])
            number += 1
            current = _file_of(old, new)
            files.append(current)
            hunk = None
        elif line.startswith("@@"):
            if current is None:
                current = _File(default_path or "")
                files.append(current)
            match = _HUNK.match(line)
            hunk = _Hunk(scope=[match.group(1)] if match and match.group(1) else [])
            current.hunks.append(hunk)
        elif line.startswith("rename from "):
            rename_from = line[12:].strip()
            hunk = None
        elif line.startswith("rename to ") and rename_from:
            current = _File(rename_from, move_to=clean_path(line[10:]))
            files.append(current)
            hunk = None
        elif _FENCE.match(line):
            fenced = not fenced
            hunk = None
        elif _GIT_HEADER.match(line):
            hunk = None
        elif hunk is not None and not line.startswith("\\"):
            # Inside a fence a line without a mark lost it; outside it is the prose that follows the diff.
            if fenced or line[:1] in {" ", "-", "+", "\t", ""}:
                hunk.add(line)
            else:
                hunk = None
    return _blocks(files, known, default_path)


def read_apply_patch(lines: Sequence[str], known: Collection[str]) -> tuple[list[Block], bool]:
    """Read the envelope; the second value tells whether it was closed by `*** End Patch`."""
    files: list[_File] = []
    hunk: _Hunk | None = None
    began = ended = False
    for line in lines:
        match = _PATCH_FILE.match(line)
        if line.strip() == "*** Begin Patch":
            began = True
        elif line.strip() == "*** End Patch":
            ended = True
            hunk = None
        elif match:
            verb, path = match.groups()
            kind = {"Update": BlockKind.EDIT, "Add": BlockKind.CREATE, "Delete": BlockKind.DELETE}[verb]
            files.append(_File(path, kind))
            hunk = None if kind is BlockKind.DELETE else _Hunk()
            if hunk is not None:
                files[-1].hunks.append(hunk)
        elif line.startswith("*** Move to: ") and files:
            files[-1].move_to = clean_path(line[13:])
        elif line.startswith("*** "):
            continue  # "*** End of File", "*** Environment ID: …"
        elif hunk is None or not files:
            continue
        elif line.startswith("@@"):
            text = line[2:].strip().removesuffix("@@").strip()
            if hunk.search or hunk.replace:
                hunk = _Hunk()
                files[-1].hunks.append(hunk)
            if text and not re.match(r"-\d+(,\d+)? \+\d+", text):
                hunk.scope.append(text)
        elif not _FENCE.match(line):
            hunk.add(line)
    return _blocks(files, known, None), ended or not began


def _blocks(files: Sequence[_File], known: Collection[str], default_path: str | None) -> list[Block]:
    blocks: list[Block] = []
    for file in files:
        path = _known_path(file.path, known) or default_path
        if path is not None and file.kind is not BlockKind.CREATE:
            path = resolved(path, known)
        if file.kind is BlockKind.DELETE:
            blocks.append(Block(len(blocks), path, BlockKind.DELETE, (), ()))
            continue
        for hunk in file.hunks:
            hunk.without_blank_tail()
            if not hunk.touched:
                continue
            scope = tuple(hunk.scope)
            search, replace = tuple(hunk.search), tuple(hunk.replace)
            if file.kind is BlockKind.CREATE:
                search = ()
            blocks.append(
                Block(len(blocks), path, file.kind, search, replace, scope=scope, move_to=file.move_to)
            )
        if file.move_to and not any(hunk.touched for hunk in file.hunks):
            blocks.append(Block(len(blocks), path, BlockKind.EDIT, (), (), move_to=file.move_to))
    return blocks


def _is_header(lines: Sequence[str], number: int) -> bool:
    return (
        lines[number].startswith("--- ") and number + 1 < len(lines) and lines[number + 1].startswith("+++ ")
    )


def _header_path(line: str) -> str:
    name = _TIMESTAMP.sub("", line[4:]).strip()
    if name.startswith('"') and name.endswith('"'):
        name = re.sub(r"\\([0-7]{3}|.)", _unescaped, name[1:-1])
    return name


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    return chr(int(code, 8)) if len(code) == 3 else {"t": "\t", "n": "\n", "r": "\r"}.get(code, code)


def _file_of(old: str, new: str) -> _File:
    if new == "/dev/null":
        return _File(old, BlockKind.DELETE)
    if old == "/dev/null":
        return _File(new, BlockKind.CREATE)
    return _File(new)


def _known_path(name: str, known: Collection[str]) -> str:
    """Return the path without git's `a/` or `b/`, unless the name with it is the one that is known."""
    path = clean_path(name) if name else ""
    if path in known or not path.startswith(("a/", "b/")):
        return path
    return path[2:]
