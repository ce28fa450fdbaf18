"""Which statements of different members are the same one.

Pure, and independent of the order in which members answered. The thresholds come from a labelled set of
findings of review tools (docs/review.md): among pairs on overlapping lines, cosine ≥ .30 means the same issue with
precision .93; ≥ .15 with .81; so .10 to .30 is asked, and below .10 they stay apart.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from ensemble_lsp.ensemble.similarity import Vector, cosine, vectors_of

SAME = 0.30
"""At this cosine or above two statements on overlapping lines are merged."""
UNSURE = 0.10
"""From here to `SAME` a member is asked; below, they stay apart."""
NEAR_LINES = 3
"""Line ranges this many lines apart still overlap: members count lines differently."""

PairOfIds = frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said about a place. Lines are 0-based, `end_line` inclusive; `id` is unique among the merged.

    `path` None: said of no place in particular; then only the texts count.
    """

    id: str
    text: str
    path: str | None = None
    line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class Grouping:
    """Statements grouped by what they are about. `unsure` are pairs to ask about, most alike first."""

    groups: tuple[tuple[str, ...], ...]
    unsure: tuple[tuple[str, str], ...]


def overlap(first: Statement, second: Statement, slack: int = NEAR_LINES) -> bool:
    """Whether two statements speak of the same lines of the same file, give or take `slack` lines."""
    if first.path is None or second.path is None:
        return first.path == second.path
    return (
        first.path == second.path
        and first.line - slack <= second.end_line
        and second.line - slack <= first.end_line
    )


def group(
    statements: Sequence[Statement], same: Collection[PairOfIds] = (), *, same_from: float = SAME
) -> Grouping:
    """Group statements; `same` holds the unsure pairs that a member called the same issue.

    `same_from` is the cosine from which two are merged without asking.

    No group ever holds two statements on different lines or less alike than `UNSURE`: a chain of similar
    neighbours does not pull its two ends together.
    """
    ordered = sorted(statements, key=lambda statement: statement.id)
    vectors = vectors_of([statement.text for statement in ordered])
    alike = _likeness(ordered, vectors)
    group_of: dict[str, frozenset[str]] = {item.id: frozenset({item.id}) for item in ordered}

    def may_join(first: str, second: str) -> bool:
        return group_of[first] is not group_of[second] and all(
            frozenset((one, other)) in alike for one in group_of[first] for other in group_of[second]
        )

    ranked = sorted(alike, key=lambda pair: (-alike[pair], sorted(pair)))
    for pair in ranked:
        first, second = sorted(pair)
        if (alike[pair] >= same_from or pair in same) and may_join(first, second):
            joined = group_of[first] | group_of[second]
            for member in joined:
                group_of[member] = joined
    unsure: list[tuple[str, str]] = []
    for pair in ranked:
        first, second = sorted(pair)
        if alike[pair] < same_from and pair not in same and may_join(first, second):
            unsure.append((first, second))
    groups = sorted({tuple(sorted(members)) for members in group_of.values()})
    return Grouping(tuple(groups), tuple(unsure))


def _likeness(ordered: Sequence[Statement], vectors: Sequence[Vector]) -> dict[PairOfIds, float]:
    """Return the cosine of every pair that is on the same lines and alike enough to be the same."""
    alike: dict[PairOfIds, float] = {}
    for (first, its), (second, others) in combinations(zip(ordered, vectors, strict=True), 2):
        if overlap(first, second) and (similarity := cosine(its, others)) >= UNSURE:
            alike[frozenset((first.id, second.id))] = similarity
    return alike
