"""How reliable each member has been, per action and language: Beta counts that fade.

A success or failure counts fully when it happens. It counts half after `HALF_LIFE_DAYS`, and half again for every
`HALF_LIFE_OUTCOMES` later outcomes of the same member at the same action: models, prompts and code change, whoever
works all day must notice that as soon as who works a little, and a member that improved must be able to recover.
Where the newest outcomes clearly differ from those before, as after a swap of the model behind a name, only they count.

What is known of a member at one action in one language is little, so the rest of its record stands behind it:
its record at that action in other languages, and behind that its record at everything else, each counting for at most
a few outcomes (`BORROWED`). A member of whom nothing is known stands at one half.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

HALF_LIFE_DAYS = 60.0
"""About two months, the pace at which vendors replace a model behind its name."""

HALF_LIFE_OUTCOMES = 150.0
"""Chosen by `benchmarks.learning`: shorter ones confuse equals, longer ones trust for too long who got worse."""

UNKNOWN = 4.0
"""Outcomes that one half counts for, where nothing is known."""

BORROWED = 6.0
"""Outcomes at most that a record elsewhere counts for."""

WINDOWS = (12, 24, 48)
"""Newest outcomes of a member at an action that are compared with those before them: did it change?"""

COMPARED = 100
"""Outcomes before those, at most."""

CHANGED = 3.0
"""Standard deviations by which the rates must differ. Looked at again and again, less would see changes in luck."""

_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class BetaCount:
    """Faded successes and failures."""

    successes: float = 0.0
    failures: float = 0.0

    def __add__(self, other: "BetaCount") -> "BetaCount":
        return BetaCount(self.successes + other.successes, self.failures + other.failures)

    def after(self, days: float, outcomes: float = 0.0) -> "BetaCount":
        """Return the counts as they weigh `days` and `outcomes` later; a negative time changes nothing."""
        factor = 0.5 ** (max(0.0, days) / HALF_LIFE_DAYS + max(0.0, outcomes) / HALF_LIFE_OUTCOMES)
        return BetaCount(self.successes * factor, self.failures * factor)

    @property
    def evidence(self) -> float:
        """How many outcomes stand behind it."""
        return self.successes + self.failures


@dataclass(frozen=True, slots=True)
class Reliability:
    """A success rate with its uncertainty: the Beta distribution of what is known, with what was borrowed."""

    successes: float
    failures: float

    @property
    def mean(self) -> float:
        """The rate, 0..1."""
        return self.successes / (self.successes + self.failures)

    @property
    def variance(self) -> float:
        """Of the rate."""
        total = self.successes + self.failures
        return self.successes * self.failures / (total**2 * (total + 1.0))

    @property
    def cautious(self) -> float:
        """The mean less one standard deviation: few lucky outcomes do not beat a long good record."""
        return max(0.0, self.mean - math.sqrt(self.variance))

    @property
    def interval(self) -> tuple[float, float]:
        """Where the rate lies with 95%, by the normal approximation of its log-odds; within 0..1."""
        odds = math.log(self.successes / self.failures)
        reach = _NORMAL_95 * math.sqrt(1 / self.successes + 1 / self.failures)
        return 1 / (1 + math.exp(reach - odds)), 1 / (1 + math.exp(-reach - odds))


def borrowed(rest: BetaCount, behind: Reliability, outcomes: float) -> Reliability:
    """Return what `rest`, with `behind` it, lends: its mean, at the weight of so many outcomes at most."""
    successes, failures = rest.successes + behind.successes, rest.failures + behind.failures
    share = min(1.0, outcomes / (successes + failures))
    return Reliability(successes * share, failures * share)


@dataclass(frozen=True, slots=True)
class MemberOutcome:
    """One outcome of one member; `at` in seconds since the epoch."""

    member: str
    action: str
    language: str
    category: str
    count: BetaCount
    at: float


@dataclass(frozen=True, slots=True)
class MemberStats:
    """One line of `ensemble-lsp panel stats`; counts are faded, `low` and `high` hold the rate with 95%."""

    member: str
    action: str
    language: str
    category: str
    successes: float
    failures: float
    reliability: float
    low: float
    high: float


Key = tuple[str, str, str, str]
"""Member id, action, language, category."""


@dataclass(frozen=True, slots=True)
class Reliabilities:
    """What was learned of the members, as of one moment: taken once at the start of a job."""

    counts: Mapping[Key, BetaCount] = field(default_factory=dict[Key, BetaCount])

    def known(self, member: str, action: str | None = None, language: str | None = None) -> BetaCount:
        """Return the counts of a member, at one action and in one language where these are given."""
        total = BetaCount()
        for (name, at, tongue, _), count in self.counts.items():
            if name == member and action in {None, at} and language in {None, tongue}:
                total += count
        return total

    def reliability(self, member: str, action: str, language: str = "") -> Reliability:
        """Return what is known of a member at an action in a language ("": in whatever language)."""
        everything, at_action = self.known(member), self.known(member, action)
        rest = BetaCount(
            max(0.0, everything.successes - at_action.successes),
            max(0.0, everything.failures - at_action.failures),
        )
        behind = borrowed(rest, Reliability(UNKNOWN / 2, UNKNOWN / 2), BORROWED)
        if not language:
            return _with(at_action, behind)
        here = self.known(member, action, language)
        elsewhere = BetaCount(
            max(0.0, at_action.successes - here.successes), max(0.0, at_action.failures - here.failures)
        )
        return _with(here, borrowed(elsewhere, behind, 2 * BORROWED))

    def stats(self) -> tuple[MemberStats, ...]:
        """Return everything, by action and category, the most reliable first."""
        lines: list[MemberStats] = []
        for (member, action, language, category), count in self.counts.items():
            rate = _with(count, Reliability(1.0, 1.0))
            lines.append(
                MemberStats(
                    member,
                    action,
                    language,
                    category,
                    count.successes,
                    count.failures,
                    rate.mean,
                    *rate.interval,
                )
            )
        return tuple(
            sorted(
                lines,
                key=lambda line: (line.action, line.category, line.language, -line.reliability, line.member),
            )
        )


def _with(count: BetaCount, behind: Reliability) -> Reliability:
    return Reliability(count.successes + behind.successes, count.failures + behind.failures)


def fade(outcomes: Iterable[MemberOutcome], now: float) -> Reliabilities:
    """Add up outcomes, the newest first, each faded to `now` in seconds since the epoch.

    What a member did at an action before it clearly changed there counts for nothing (`unchanged`).
    """
    lines: dict[tuple[str, str], list[MemberOutcome]] = {}
    for outcome in outcomes:
        lines.setdefault((outcome.member, outcome.action), []).append(outcome)
    totals: dict[Key, BetaCount] = {}
    for (member, action), line in lines.items():
        newer = 0.0
        for outcome in line[: unchanged([each.count for each in line])]:
            key = (member, action, outcome.language, outcome.category)
            faded = outcome.count.after((now - outcome.at) / 86_400, newer)
            totals[key] = totals.get(key, BetaCount()) + faded
            newer += outcome.count.evidence
    return Reliabilities({key: count for key, count in totals.items() if count.evidence > 0})


def unchanged(counts: Sequence[BetaCount]) -> int:
    """Return how many of a member's newest outcomes belong together: all, or those since its rate clearly changed.

    The newest `WINDOWS` outcomes are compared with up to `COMPARED` before them, by the difference of two shares.
    """
    for window in WINDOWS:
        recent = sum(counts[:window], BetaCount())
        earlier = sum(counts[window : window + COMPARED], BetaCount())
        if min(recent.evidence, earlier.evidence) < WINDOWS[0] / 2:
            continue
        together = recent + earlier
        share = together.successes / together.evidence
        spread = math.sqrt(share * (1 - share) * (1 / recent.evidence + 1 / earlier.evidence))
        difference = recent.successes / recent.evidence - earlier.successes / earlier.evidence
        if spread and abs(difference) > CHANGED * spread:
            return window
    return len(counts)
