"""One file of a proposal as it stands against the live text, computed anew only when something of it changed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ensemble_lsp.core.diff import hunks_of
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.rebase import RebasedHunk, rebase
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.lsp.documents import Document

MAX_FILE_BYTES = 8 * 1024 * 1024
"""A file larger than this is not read back for an edit: no proposal is made for one either."""


@dataclass(frozen=True, slots=True)
class LiveFile:
    """One file of a proposal as it stands against the live text."""

    path: str
    uri: str
    version: int | None
    """The open document's version; None for a file that is not open."""
    kind: Literal["change", "create", "delete"]
    live: SourceText | None
    """None when the file is not there."""
    hunks: tuple[RebasedHunk, ...]
    """What is still to be done: neither there already nor rejected. Creating and deleting are one hunk."""
    conflict: str = ""
    """Why the whole file cannot be touched any more; empty when it can."""

    def applicable(self, hunks: frozenset[str] | None = None) -> tuple[RebasedHunk, ...]:
        """Return the hunks without conflict, of the named ones where some are named."""
        return tuple(each for each in self.hunks if not each.conflict and (hunks is None or each.id in hunks))


@dataclass(frozen=True, slots=True)
class TextState:
    """What a file's text was taken from: equal states have the same text."""

    uri: str
    version: int | None
    stamp: tuple[int, int] | None
    """Time of the last change (ns) and size of a file that is not open; None where there is none."""
    text: str | None
    """The open document's text itself: comparing it with the same one costs nothing."""


def state_of(uri: str, document: Document | None, path: Path) -> TextState:
    """Return the state of an open document, or of the file at `path`."""
    if document is not None:
        return TextState(uri, document.version, None, document.text)
    try:
        found = path.stat()
    except OSError:
        return TextState(uri, None, None, None)
    return TextState(uri, None, (found.st_mtime_ns, found.st_size), None)


def live_file(change: FileChange, state: TextState, path: Path, rejected: frozenset[str]) -> LiveFile:
    """Merge one file's change onto the live text; hunks in `rejected` are left out."""
    live = SourceText(state.text) if state.text is not None else _read(path)
    kind = "create" if change.before is None else "delete" if change.after is None else "change"
    conflict = ""
    hunks: tuple[RebasedHunk, ...] = ()
    if kind == "change":
        if live is None:
            conflict = "the file is gone"
        else:
            hunks = rebase(change, live).hunks
    elif _text(live) != _text(change.after):
        if _text(live) != _text(change.before):
            conflict = "the file exists by now" if kind == "create" else "the file changed since"
        hunks = _whole(change, conflict=bool(conflict))
    remaining = tuple(each for each in hunks if each.id not in rejected)
    return LiveFile(change.path, state.uri, state.version, kind, live, remaining, conflict)


def hunk_ids(change: FileChange) -> frozenset[str]:
    """Return the ids of all hunks that a file's change ever had."""
    if change.before is None or change.after is None:
        return frozenset(each.id for each in _whole(change, conflict=False))
    return frozenset(each.id for each in hunks_of(change))


def _whole(change: FileChange, *, conflict: bool) -> tuple[RebasedHunk, ...]:
    """Return a file's creation or deletion as one hunk, also that of an empty file."""
    found = hunks_of(change)
    return (
        RebasedHunk(
            id=found[0].id if found else f"whole:{change.path}",
            path=change.path,
            old_start=0,
            old_lines=found[0].old_lines if found else (),
            new_lines=found[0].new_lines if found else (),
            conflict=conflict,
        ),
    )


def _text(source: SourceText | None) -> str | None:
    return None if source is None else source.text


def _read(path: Path) -> SourceText | None:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None
        return SourceText.from_bytes(path.read_bytes())
    except OSError:
        return None
