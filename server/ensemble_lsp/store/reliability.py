"""How reliable each member has been, per category: Beta counts that fade.

A success or failure counts fully when it happens and half after `HALF_LIFE_DAYS`: models, prompts and code
change, and a member that improved must be able to recover. Reliability is the mean of the Beta distribution
over a uniform prior, so that a member of whom nothing is known stands at one half.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

HALF_LIFE_DAYS = 60.0
"""About two months, the pace at which vendors replace a model behind its name."""

LEARNED_FROM = 5.0
"""Faded outcomes that a member needs in a category before it may be chosen for its record."""


@dataclass(frozen=True, slots=True)
class BetaCount:
    """Faded successes and failures."""

    successes: float = 0.0
    failures: float = 0.0

    def __add__(self, other: "BetaCount") -> "BetaCount":
        return BetaCount(self.successes + other.successes, self.failures + other.failures)

    def after(self, days: float) -> "BetaCount":
        """Return the counts as they weigh `days` later; a negative time changes nothing."""
        factor = 0.5 ** (max(0.0, days) / HALF_LIFE_DAYS)
        return BetaCount(self.successes * factor, self.failures * factor)

    @property
    def evidence(self) -> float:
        """How many outcomes stand behind it."""
        return self.successes + self.failures

    @property
    def mean(self) -> float:
        """The reliability in 0..1; 0.5 when nothing is known."""
        return (self.successes + 1.0) / (self.evidence + 2.0)

    @property
    def cautious(self) -> float:
        """The mean less one standard deviation: few lucky outcomes do not beat a long good record."""
        a, b = self.successes + 1.0, self.failures + 1.0
        return max(0.0, self.mean - math.sqrt(a * b / ((a + b) ** 2 * (a + b + 1.0))))


@dataclass(frozen=True, slots=True)
class MemberStats:
    """One line of `ensemble-lsp panel stats`; counts are faded."""

    member: str
    category: str
    successes: float
    failures: float
    reliability: float


@dataclass(frozen=True, slots=True)
class Reliabilities:
    """What was learned, as of one moment: taken once at the start of a job."""

    counts: Mapping[tuple[str, str], BetaCount]
    """(member id, category) → counts."""

    def reliability(self, member: str, category: str) -> float:
        """Return the measured reliability in 0..1; 0.5 when nothing is known."""
        return self.counts.get((member, category), BetaCount()).mean

    def best_member(self, category: str, candidates: Sequence[str]) -> str | None:
        """Return the candidate with the best record, or None while nobody has enough of one.

        Cautious: by mean less one standard deviation; on a tie the earlier candidate stays.
        """
        best: str | None = None
        best_score = 0.0
        for member in candidates:
            count = self.counts.get((member, category), BetaCount())
            if count.evidence >= LEARNED_FROM and count.cautious > best_score:
                best, best_score = member, count.cautious
        return best

    def stats(self) -> tuple[MemberStats, ...]:
        """Return everything, by category, the most reliable first."""
        lines = [
            MemberStats(member, category, count.successes, count.failures, count.mean)
            for (member, category), count in self.counts.items()
        ]
        return tuple(sorted(lines, key=lambda line: (line.category, -line.reliability, line.member)))


def fade(outcomes: Iterable[tuple[str, str, BetaCount, float]], now: float) -> Reliabilities:
    """Add up (member, category, count, time) with each count faded to `now`; times in epoch seconds."""
    totals: dict[tuple[str, str], BetaCount] = {}
    for member, category, count, at in outcomes:
        key = (member, category)
        totals[key] = totals.get(key, BetaCount()) + count.after((now - at) / 86_400)
    return Reliabilities(totals)
