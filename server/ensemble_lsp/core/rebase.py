"""Moving a proposal onto the live text: three-way, base → proposal against base → live."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ensemble_lsp.core.diff import Hunk, apply_hunks, hunks_of
from ensemble_lsp.core.errors import UnknownItem, UsageError
from ensemble_lsp.core.line_diff import LineChange, line_changes
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText, split_lines


class RebasedHunk(Hunk):
    """A hunk where it stands in the live text, under the id that it has in the proposal.

    With `conflict` the person changed the lines it speaks of: `old_lines` are then the live ones, `new_lines`
    what the proposal wanted there; it is shown and never applied.
    """

    conflict: bool = False


@dataclass(frozen=True, slots=True)
class Rebased:
    """A file's proposal against its live text. Hunks that the live text already has are gone."""

    path: str
    live: SourceText
    hunks: tuple[RebasedHunk, ...]

    @property
    def conflicts(self) -> tuple[RebasedHunk, ...]:
        """The hunks that cannot be applied."""
        return tuple(hunk for hunk in self.hunks if hunk.conflict)

    def text(self, hunk_ids: Iterable[str] | None = None) -> SourceText:
        """Return the whole file with the named hunks applied; None means all that are without conflict.

        Raises `UnknownItem` for an id that is not there (any more) and `UsageError` for one in conflict.
        """
        if hunk_ids is None:
            return apply_hunks(self.live, (hunk for hunk in self.hunks if not hunk.conflict))
        by_id = {hunk.id: hunk for hunk in self.hunks}
        wanted: dict[str, RebasedHunk] = {}
        for name in hunk_ids:
            hunk = by_id.get(name)
            if hunk is None:
                raise UnknownItem(f"no hunk {name} in the proposal for {self.path}", field="hunks")
            if hunk.conflict:
                raise UsageError(
                    f"hunk {name} of {self.path} stands where the text was changed since", field="hunks"
                )
            wanted[name] = hunk
        return apply_hunks(self.live, wanted.values())


def rebase(change: FileChange, live: SourceText) -> Rebased:
    """Merge a proposal onto the live text.

    A hunk whose surroundings did not change moves along; one whose lines changed is a conflict, unless they
    changed to what it proposes. An insertion is also in conflict when a line next to it changed, since its
    neighbours are all that says where it belongs. Linear in the text, apart from what really differs.
    """
    base_lines, hunks = _proposed(change.path, change.before, change.after)
    live_lines = split_lines(live.text)
    edits = line_changes(base_lines, live_lines)
    placed: list[RebasedHunk] = []
    first = 0
    shift = 0
    number = 0
    while number < len(hunks):
        hunk = hunks[number]
        while (
            first < len(edits) and edits[first].old_end <= hunk.old_start and not _clash(hunk, edits[first])
        ):
            shift = edits[first].new_end - edits[first].old_end
            first += 1
        group, reached = _group(hunks, number, edits, first)
        if not reached:
            start = hunk.old_start + shift
            glued = bool(hunk.new_lines) and not hunk.new_lines[-1].endswith(("\n", "\r"))
            at_end = start + len(hunk.old_lines) == len(live_lines)
            placed.append(_moved(hunk, start, live_lines, conflict=glued and not at_end))
            number += 1
            continue
        start = min(hunk.old_start, reached[0].old_start)
        end = max(group[-1].old_end, reached[-1].old_end)
        live_start, live_end = start + shift, reached[-1].new_end + end - reached[-1].old_end
        wanted = _with_hunks(base_lines, start, end, group)
        if wanted != list(live_lines[live_start:live_end]):
            placed.extend(
                RebasedHunk(
                    id=one.id,
                    path=one.path,
                    old_start=live_start,
                    old_lines=tuple(live_lines[live_start:live_end]),
                    new_lines=one.new_lines,
                    conflict=True,
                )
                for one in group
            )
        number += len(group)
        first += len(reached)
        shift = reached[-1].new_end - reached[-1].old_end
    return Rebased(change.path, live, tuple(placed))


@lru_cache(maxsize=64)
def _proposed(
    path: str, before: SourceText | None, after: SourceText | None
) -> tuple[tuple[str, ...], tuple[Hunk, ...]]:
    """Base lines and hunks: the same for every keystroke while a proposal is shown."""
    hunks = hunks_of(FileChange(path=path, before=before, after=after))
    return tuple(split_lines(before.text) if before else ()), hunks


def _clash(hunk: Hunk, edit: LineChange) -> bool:
    if not hunk.old_lines:
        return edit.old_start <= hunk.old_start <= edit.old_end
    return edit.old_start < hunk.old_end and edit.old_end > hunk.old_start


def _group(
    hunks: Sequence[Hunk], number: int, edits: Sequence[LineChange], first: int
) -> tuple[list[Hunk], list[LineChange]]:
    """Return the hunks and edits that clash with each other, directly or through one another."""
    group = [hunks[number]]
    reached: list[LineChange] = []
    grown = True
    while grown:  # every turn takes in a hunk or an edit
        grown = False
        following = first + len(reached)
        if following < len(edits) and any(_clash(hunk, edits[following]) for hunk in group):
            reached.append(edits[following])
            grown = True
        beyond = number + len(group)
        if reached and beyond < len(hunks) and _clash(hunks[beyond], reached[-1]):
            group.append(hunks[beyond])
            grown = True
    return group, reached


def _with_hunks(base: Sequence[str], start: int, end: int, hunks: Sequence[Hunk]) -> list[str]:
    lines: list[str] = []
    for hunk in hunks:
        lines.extend(base[start : hunk.old_start])
        lines.extend(hunk.new_lines)
        start = hunk.old_end
    lines.extend(base[start:end])
    return lines


def _moved(hunk: Hunk, start: int, live: Sequence[str], *, conflict: bool) -> RebasedHunk:
    old = tuple(live[start : start + len(hunk.old_lines)]) if conflict else hunk.old_lines
    return RebasedHunk(
        id=hunk.id,
        path=hunk.path,
        old_start=start,
        old_lines=old,
        new_lines=hunk.new_lines,
        conflict=conflict,
    )
