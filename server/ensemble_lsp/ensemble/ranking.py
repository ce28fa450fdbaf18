"""One ranked list of places out of several: members' votes, coverage, a traceback. Pure functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.evidence import COVERAGE

SMOOTHING = 2.0
"""Of reciprocal rank fusion: a first place counts three thirds, a second three quarters, a third three fifths."""

SINGLED_OUT = 2.0
"""What coverage counts, in votes, for a line that it singles out; how often such a line is the one: docs/bench.md."""

MOST_PLACES = 10

TRACEBACK = "traceback"
_TOOLS = frozenset({COVERAGE, TRACEBACK})
"""Voters that are no members."""

Enclosing = Callable[[str, int], tuple[str, int, int] | None]
"""(path, line) → name, first and last line of the symbol around it."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One place that one voter names, at its rank from 0. Lines are 0-based."""

    voter: str
    path: str
    line: int
    rank: int
    words: str = ""


@dataclass(slots=True)
class RankedPlace:
    """One symbol (or stretch of lines) with all that speaks for it."""

    path: str
    name: str
    first: int
    last: int
    votes: list[Vote] = field(default_factory=list[Vote])
    score: float = 0.0

    @property
    def confidence(self) -> float:
        """The score, halved for one voter alone, and less so the more stand behind it: one witness is no proof."""
        return self.score * (1 - 0.5 ** len({vote.voter for vote in self.votes}))


@dataclass(frozen=True, slots=True)
class RankedLine:
    """One line of a place. `share` is its score over that of the place's best line."""

    place: RankedPlace
    line: int
    votes: tuple[Vote, ...]
    """Those for the line, and those that only speak of the place."""
    share: float

    @property
    def score(self) -> float:
        """How likely it is the line, beside lines of other places."""
        return self.place.score * self.share

    @property
    def confidence(self) -> float:
        """As of the place; less for a line that is not its best."""
        return self.place.confidence * self.share


def ranked(votes: Sequence[Vote], enclosing: Enclosing, *, voters: int) -> list[RankedPlace]:
    """Return the places by reciprocal rank fusion, the best first; `score` is 1 when all voters put it first.

    A voter counts once for a place, with its best rank.
    """
    places: dict[tuple[str, int, int], RankedPlace] = {}
    for vote in votes:
        around = enclosing(vote.path, vote.line)
        name, first, last = around if around is not None else ("", vote.line, vote.line)
        place = places.setdefault((vote.path, first, last), RankedPlace(vote.path, name, first, last))
        place.votes.append(vote)
    for place in places.values():
        best: dict[str, int] = {}
        for vote in place.votes:
            best[vote.voter] = min(vote.rank, best.get(vote.voter, vote.rank))
        place.score = sum(_points(rank) for rank in best.values()) / max(1, voters)
    order = sorted(places.values(), key=lambda place: (-place.score, place.path, place.first))
    return order[:MOST_PLACES]


def ranked_lines(
    places: Sequence[RankedPlace], suspicion: Mapping[tuple[str, int], float]
) -> list[RankedLine]:
    """Return the lines that members (or frames of a traceback) named or coverage singles out, the likeliest first.

    Of a place of which only coverage speaks, its line. Within a place it is reciprocal rank fusion over lines, with a
    vote of coverage by `suspicion` ((path, line) → score): a line takes the mean rank of those that are equally
    suspicious, and one that no failing test ran gets none. So what coverage cannot tell apart the members decide; a
    line that it singles out takes two members who agree on another to come second.
    """
    found = [line for place in places for line in _lines_of(place, suspicion)]
    order = {id(place): number for number, place in enumerate(places)}
    return sorted(found, key=lambda item: (-item.score, order[id(item.place)], item.line))[:MOST_PLACES]


def _lines_of(place: RankedPlace, suspicion: Mapping[tuple[str, int], float]) -> list[RankedLine]:
    chosen = [vote for vote in place.votes if vote.voter != COVERAGE] or place.votes
    inside = {
        line: score
        for (path, line), score in suspicion.items()
        if path == place.path and place.first <= line <= place.last
    }
    most = max(inside.values(), default=0.0)
    top = [line for line, score in inside.items() if score == most]
    singled_out = top[0] if len(top) == 1 else None
    named = dict.fromkeys(vote.line for vote in chosen)
    scores: dict[int, float] = {}
    for line in named if singled_out is None else {**named, singled_out: None}:
        best: dict[str, int] = {}
        for vote in place.votes:
            if vote.line == line and vote.voter != COVERAGE:
                best[vote.voter] = min(vote.rank, best.get(vote.voter, vote.rank))
        scores[line] = sum(_points(rank) for rank in best.values())
        if line == singled_out:
            scores[line] += SINGLED_OUT
        elif line in inside:
            above = sum(each > inside[line] for each in inside.values())
            level = sum(each == inside[line] for each in inside.values())
            scores[line] += _points(above + (level - 1) / 2)
    best_score = max(scores.values(), default=0.0)
    return [
        RankedLine(
            place,
            line,
            tuple(vote for vote in place.votes if vote.line == line or vote.voter in _TOOLS),
            score / best_score if best_score else 1.0,
        )
        for line, score in scores.items()
    ]


def _points(rank: float) -> float:
    return (1 + SMOOTHING) / (1 + SMOOTHING + rank)
