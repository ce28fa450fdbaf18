"""Hunks with stable ids, applying and reversing them, and unified diffs that git applies."""

import hashlib
from collections.abc import Iterable, Sequence

from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.line_diff import line_changes
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText, split_lines
from ensemble_lsp.core.unified import unified_diff

__all__ = ["Hunk", "apply_hunks", "changed_line_count", "hunks_of", "reverse", "unified_diff"]


class Hunk(Frozen):
    """Lines of one file that become other lines. `old_start` is 0-based; lines carry their endings.

    `id` is a hash of path, old lines, new lines and the ordinal among hunks equal in these: it does not depend
    on where the hunk stands, so it survives edits elsewhere in the file.
    """

    id: str
    path: str
    old_start: int
    old_lines: tuple[str, ...]
    new_lines: tuple[str, ...]

    @property
    def old_end(self) -> int:
        """The line after the last one replaced, 0-based."""
        return self.old_start + len(self.old_lines)


def hunks_of(change: FileChange) -> tuple[Hunk, ...]:
    """Return the hunks of a change, in order and never touching; creation and deletion are one hunk each."""
    old = split_lines(change.before.text) if change.before else []
    new = split_lines(change.after.text) if change.after else []
    seen: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
    hunks: list[Hunk] = []
    for found in line_changes(old, new):
        old_lines = tuple(old[found.old_start : found.old_end])
        new_lines = tuple(new[found.new_start : found.new_end])
        ordinal = seen.get((old_lines, new_lines), 0)
        seen[old_lines, new_lines] = ordinal + 1
        hunks.append(
            Hunk(
                id=_hunk_id(change.path, old_lines, new_lines, ordinal),
                path=change.path,
                old_start=found.old_start,
                old_lines=old_lines,
                new_lines=new_lines,
            )
        )
    return tuple(hunks)


def apply_hunks(text: SourceText, hunks: Iterable[Hunk]) -> SourceText:
    """Return `text` with the hunks' lines replaced and every other byte as it was.

    All positions refer to `text` itself, so the order does not matter. Raises `ValueError` when a hunk's old
    lines do not stand where it says, or when two hunks overlap.
    """
    lines = split_lines(text.text)
    pieces: list[str] = []
    done = 0
    for hunk in sorted(hunks, key=lambda hunk: (hunk.old_start, hunk.old_end)):
        if hunk.old_start < done or tuple(lines[hunk.old_start : hunk.old_end]) != hunk.old_lines:
            raise ValueError(f"hunk {hunk.id} of {hunk.path} does not fit at line {hunk.old_start + 1}")
        pieces.extend(lines[done : hunk.old_start])
        pieces.extend(hunk.new_lines)
        done = hunk.old_end
    pieces.extend(lines[done:])
    return text.with_text("".join(pieces))


def reverse(hunks: Iterable[Hunk]) -> tuple[Hunk, ...]:
    """Return the hunks that undo `hunks` in the text that applying all of them made; ids are kept."""
    shift = 0
    back: list[Hunk] = []
    for hunk in sorted(hunks, key=lambda hunk: (hunk.old_start, hunk.old_end)):
        back.append(
            Hunk(
                id=hunk.id,
                path=hunk.path,
                old_start=hunk.old_start + shift,
                old_lines=hunk.new_lines,
                new_lines=hunk.old_lines,
            )
        )
        shift += len(hunk.new_lines) - len(hunk.old_lines)
    return tuple(back)


def changed_line_count(change: FileChange) -> int:
    """Return the lines removed plus the lines added, as `git diff --shortstat` counts them."""
    old = split_lines(change.before.text) if change.before else []
    new = split_lines(change.after.text) if change.after else []
    return sum(
        found.old_end - found.old_start + found.new_end - found.new_start for found in line_changes(old, new)
    )


def _hunk_id(path: str, old_lines: Sequence[str], new_lines: Sequence[str], ordinal: int) -> str:
    digest = hashlib.sha256()
    for part in (path, *old_lines, "\0", *new_lines, "\0", str(ordinal)):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()[:16]
