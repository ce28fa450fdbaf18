"""One ranked list of places out of several: members' votes, coverage, a traceback. Pure functions."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

SMOOTHING = 2.0
"""Of reciprocal rank fusion: a first place counts three thirds, a second three quarters, a third three fifths."""

MOST_PLACES = 10

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

    @property
    def line(self) -> int:
        """The line that most voters name, of equals the best ranked, then one that a member chose.

        To coverage the lines that run together are all the same.
        """
        counted = Counter(vote.line for vote in self.votes)
        best = {vote.line: vote.rank for vote in sorted(self.votes, key=lambda vote: -vote.rank)}
        chosen = {vote.line for vote in self.votes if vote.words}
        return min(counted, key=lambda line: (-counted[line], best[line], line not in chosen, line))


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
        place.score = sum((1 + SMOOTHING) / (1 + SMOOTHING + rank) for rank in best.values()) / max(1, voters)
    order = sorted(places.values(), key=lambda place: (-place.score, place.path, place.first))
    return order[:MOST_PLACES]
