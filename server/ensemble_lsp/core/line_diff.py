"""Which lines differ: linear for texts that are mostly equal, bounded for texts that are not.

difflib is not used: on a source file, where blank lines and closing brackets repeat, its matcher is quadratic
(seconds for 10,000 lines), and its popularity heuristic makes the result depend on the file's length.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_EDITS = 400
"""Bound on the edit distance that is searched between two anchors; beyond it the stretch is one change."""
_DEEPEST = 12
"""Bound on the nesting of anchors: each level finds lines that are unique only between two others."""


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines `old_start:old_end` become lines `new_start:new_end`; 0-based, ends exclusive."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def line_changes(old: Sequence[str], new: Sequence[str]) -> tuple[LineChange, ...]:
    """Return the changes in order, never touching each other.

    Lines unique in both texts anchor the comparison (patience diff), a greedy shortest edit (Myers 1986) fills
    the gaps. An insertion or deletion that could stand in several places stands in the last one, so that the
    same edit is found at the same place whatever else changed.
    """
    changes: list[LineChange] = []
    _compare(old, new, LineChange(0, len(old), 0, len(new)), changes, _DEEPEST)
    return _slid_down(old, new, _joined(changes))


def _compare(
    old: Sequence[str], new: Sequence[str], stretch: LineChange, changes: list[LineChange], depth: int
) -> None:
    stretch = _trimmed(old, new, stretch)
    if stretch.old_start == stretch.old_end and stretch.new_start == stretch.new_end:
        return
    if stretch.old_start == stretch.old_end or stretch.new_start == stretch.new_end:
        changes.append(stretch)
        return
    anchors = _anchors(old, new, stretch) if depth else []
    if not anchors:
        changes.extend(_shortest(old, new, stretch))
        return
    low_old, low_new = stretch.old_start, stretch.new_start
    for anchor_old, anchor_new in [*anchors, (stretch.old_end, stretch.new_end)]:
        if low_old < anchor_old or low_new < anchor_new:
            between = LineChange(low_old, anchor_old, low_new, anchor_new)
            _compare(old, new, between, changes, depth - 1)
        low_old, low_new = anchor_old + 1, anchor_new + 1


def _trimmed(old: Sequence[str], new: Sequence[str], stretch: LineChange) -> LineChange:
    low_old, high_old = stretch.old_start, stretch.old_end
    low_new, high_new = stretch.new_start, stretch.new_end
    while low_old < high_old and low_new < high_new and old[low_old] == new[low_new]:
        low_old += 1
        low_new += 1
    while low_old < high_old and low_new < high_new and old[high_old - 1] == new[high_new - 1]:
        high_old -= 1
        high_new -= 1
    return LineChange(low_old, high_old, low_new, high_new)


def _anchors(old: Sequence[str], new: Sequence[str], stretch: LineChange) -> list[tuple[int, int]]:
    """Return pairs of lines unique in both stretches, the longest run of them that does not cross."""
    counts_old = Counter(old[stretch.old_start : stretch.old_end])
    counts_new = Counter(new[stretch.new_start : stretch.new_end])
    place_new = {new[i]: i for i in range(stretch.new_start, stretch.new_end) if counts_new[new[i]] == 1}
    pairs = [
        (i, place_new[old[i]])
        for i in range(stretch.old_start, stretch.old_end)
        if counts_old[old[i]] == 1 and old[i] in place_new
    ]
    # Patience sorting: `tops[k]` is the smallest end of an increasing run of k + 1 pairs.
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(top_pairs[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(place)
            top_pairs.append(number)
        else:
            tops[pile] = place
            top_pairs[pile] = number
    chain: list[tuple[int, int]] = []
    number = top_pairs[-1] if top_pairs else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _shortest(old: Sequence[str], new: Sequence[str], stretch: LineChange) -> list[LineChange]:
    """Return the shortest edit of the stretch, or the stretch as one change when it is longer than the bound."""
    size_old = stretch.old_end - stretch.old_start
    size_new = stretch.new_end - stretch.new_start
    # reach[d]: how far into the old lines the current number of edits gets on diagonal d (old minus new).
    reach = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(min(size_old + size_new, _MOST_EDITS) + 1):
        trail.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            if not -size_new <= diagonal <= size_old:
                continue
            down = _steps_down(reach, diagonal, edits)
            x = reach.get(diagonal + 1, 0) if down else reach.get(diagonal - 1, 0) + 1
            y = x - diagonal
            while x < size_old and y < size_new and old[stretch.old_start + x] == new[stretch.new_start + y]:
                x += 1
                y += 1
            reach[diagonal] = x
            if diagonal == size_old - size_new and x >= size_old:
                return _walked_back(trail, stretch)
    return [stretch]


def _steps_down(reach: dict[int, int], diagonal: int, edits: int) -> bool:
    """Whether the best way onto a diagonal is an insertion (from the one above it) and not a deletion."""
    return diagonal == -edits or (
        diagonal != edits and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
    )


def _walked_back(trail: list[dict[int, int]], stretch: LineChange) -> list[LineChange]:
    x, y = stretch.old_end - stretch.old_start, stretch.new_end - stretch.new_start
    steps: list[LineChange] = []
    for edits in range(len(trail) - 1, 0, -1):
        reach = trail[edits]
        down = _steps_down(reach, x - y, edits)
        from_diagonal = x - y + 1 if down else x - y - 1
        from_x = reach.get(from_diagonal, 0)
        from_y = from_x - from_diagonal
        start_old, start_new = stretch.old_start + from_x, stretch.new_start + from_y
        deleted, inserted = (0, 1) if down else (1, 0)
        steps.append(LineChange(start_old, start_old + deleted, start_new, start_new + inserted))
        x, y = from_x, from_y
    return steps[::-1]


def _joined(changes: list[LineChange]) -> list[LineChange]:
    joined: list[LineChange] = []
    for change in changes:
        last = joined[-1] if joined else None
        if last and last.old_end == change.old_start and last.new_end == change.new_start:
            joined[-1] = LineChange(last.old_start, change.old_end, last.new_start, change.new_end)
        else:
            joined.append(change)
    return joined


def _slid_down(old: Sequence[str], new: Sequence[str], changes: list[LineChange]) -> tuple[LineChange, ...]:
    """Move pure insertions and deletions as far down as equal lines allow, joining what they meet."""
    slid: list[LineChange] = []
    # From the end, so that what a change slides into has already come to rest.
    for change in reversed(changes):
        following = slid[-1] if slid else None
        limit_old = following.old_start if following else len(old)
        limit_new = following.new_start if following else len(new)
        a, b, c, d = change.old_start, change.old_end, change.new_start, change.new_end
        if a == b or c == d:
            while b < limit_old and d < limit_new and (old[a] == old[b] if a < b else new[c] == new[d]):
                a, b, c, d = a + 1, b + 1, c + 1, d + 1
        if following and b == limit_old and d == limit_new:
            slid[-1] = LineChange(a, following.old_end, c, following.new_end)
        else:
            slid.append(LineChange(a, b, c, d))
    return tuple(reversed(slid))
