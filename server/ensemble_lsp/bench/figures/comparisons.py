"""Two ways on the same cases: the difference with its interval, the tests, and whether they cost the same.

Where the second way is the best of several, the data chose it, and what was luck is in its figure. So it is chosen
again in each resample; "better than the best" asks to be better than every one of them (an intersection-union test,
which needs no correction), and "worse than the best" asks the chosen one's lead to stand correction for the number it
was chosen from (Bonferroni).
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from ensemble_lsp.bench.figures.intervals import LEVEL, Interval, bootstrap_interval, unanimous_interval
from ensemble_lsp.bench.figures.resampling import Draws
from ensemble_lsp.bench.figures.significance import holm, mcnemar, swap_test
from ensemble_lsp.bench.figures.summaries import main_measure
from ensemble_lsp.bench.figures.tally import Counts, Tally, by_group, counts_of
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.core.frozen import Frozen

ALPHA = 1 - LEVEL
UNEQUAL = 0.10
"""Costs that differ by more are no equal costs."""
_COVERED = 0.5
"""A candidate for the best that has fewer of the first way's cases than this share is no candidate."""
_WIDTH = len(Counts._fields)


class Verdict(StrEnum):
    """What a comparison shows."""

    FIRST = "first"
    """The first way is better."""
    SECOND = "second"
    NONE = "none"
    """No difference shown."""


class Ratios(Frozen):
    """What the first way took over what the second took, on the same cases; None where that is 0 for one."""

    calls: float | None = None
    tokens: float | None = None
    usd: float | None = None
    seconds: float | None = None

    @property
    def unequal(self) -> tuple[str, ...]:
        """What differs by more than a tenth; time is not counted, since it hangs on the machine."""
        pairs = (("calls", self.calls), ("tokens", self.tokens), ("money", self.usd))
        return tuple(name for name, ratio in pairs if ratio and max(ratio, 1 / ratio) > 1 + UNEQUAL)


class Question(NamedTuple):
    """What is to be compared: a way against another, or against the best of several."""

    first: str
    rivals: tuple[str, ...]
    about: str
    """In words, for the report."""
    leading: bool = False
    """Whether it is what the run was made for; the others are looks beside."""


class Comparison(Frozen):
    """Two ways on the cases that both finished."""

    about: str
    leading: bool
    first: str
    second: str
    among: tuple[str, ...]
    """What the second was chosen from as the best; empty where nothing was chosen."""
    dropped: tuple[str, ...]
    """Candidates that had too few of the cases."""
    cases: int
    groups: int
    left_out: int
    """Cases that the run has and one of them did not finish."""
    first_value: float | None = None
    second_value: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    luck: float | None = None
    """How much of the second's figure it may owe to having been chosen: by so much, on average, the best in a
    resample does better there than in the run (the bootstrap's optimism, Efron 1983). None where nothing was
    chosen."""
    both: int
    only_first: int
    only_second: int
    neither: int
    """Cases with a bug that both, one or none of the two solved or found."""
    mcnemar: float
    swapped: float
    """Probability from swapping groups: of the solved share's difference, or of F1's."""
    p: float
    """What the verdict goes by, corrected where the second was chosen as the best."""
    p_holm: float
    """`p`, corrected for the number of comparisons in the report."""
    ratios: Ratios
    verdict: Verdict


def compare(
    tally: Tally, questions: Sequence[Question], subject: Subject, draws: Draws
) -> tuple[Comparison, ...]:
    """Answer the questions whose ways both have finished cases; in the order given."""
    found = [answer for question in questions if (answer := _answer(tally, question, subject, draws))]
    corrected = holm([comparison.p for comparison in found])
    return tuple(
        comparison.model_copy(update={"p_holm": p}) for comparison, p in zip(found, corrected, strict=True)
    )


def _answer(tally: Tally, question: Question, subject: Subject, draws: Draws) -> Comparison | None:
    rivals, dropped = _candidates(tally, question)
    cases = tally.common((question.first, *rivals)) if rivals else ()
    if not cases:
        return None
    measure = main_measure(subject)
    outcomes = {way: [tally.done[way][case] for case in cases] for way in (question.first, *rivals)}
    counts = {way: [counts_of(mine) for mine in by_group(some).values()] for way, some in outcomes.items()}
    values = {way: measure(_sum(mine)) for way, mine in counts.items()}
    second = max(rivals, key=lambda rival: values[rival] or 0.0)
    squares = {rival: _square(outcomes[question.first], outcomes[rival]) for rival in rivals}
    swapped = {
        rival: swap_test(list(zip(counts[question.first], counts[rival], strict=True)), measure, draws)
        for rival in rivals
    }
    tests = {
        rival: max(swapped[rival], mcnemar(*squares[rival][1:3]))
        if subject is Subject.FIX
        else swapped[rival]
        for rival in rivals
    }
    one, two = values[question.first], values[second]
    difference = None if one is None or two is None else one - two
    drawn = _drawn([counts[question.first], *(counts[rival] for rival in rivals)], measure, draws)
    groups = len(counts[second])
    interval = _interval([first - max(others) for first, *others in drawn], difference, groups)
    place = rivals.index(second) + 1
    own = _interval([row[0] - row[place] for row in drawn], difference, groups, 1 - ALPHA / len(rivals))
    p = _probability(difference, tests, second)
    both, only_first, only_second, neither = squares[second]
    return Comparison(
        about=question.about,
        leading=question.leading,
        first=question.first,
        second=second,
        among=rivals if len(question.rivals) > 1 else (),
        dropped=dropped,
        cases=len(cases),
        groups=groups,
        left_out=len(tally.cases()) - len(cases),
        first_value=one,
        second_value=two,
        difference=difference,
        interval=interval,
        luck=_luck(drawn, [values[rival] for rival in rivals]),
        both=both,
        only_first=only_first,
        only_second=only_second,
        neither=neither,
        mcnemar=mcnemar(only_first, only_second),
        swapped=swapped[second],
        p=p,
        p_holm=p,
        ratios=_ratios(outcomes[question.first], outcomes[second]),
        verdict=_verdict(interval, own, p),
    )


def _candidates(tally: Tally, question: Question) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The rivals that share enough cases with the first way, and those that do not."""
    mine = tally.done.get(question.first, {}).keys()
    shared = {
        rival: len(tally.done.get(rival, {}).keys() & mine)
        for rival in question.rivals
        if rival != question.first
    }
    kept = tuple(rival for rival, count in shared.items() if count and count >= _COVERED * len(mine))
    return kept, tuple(rival for rival in shared if rival not in kept)


def _sum(counts: Sequence[Counts]) -> Counts:
    return Counts(*(sum(column) for column in zip(*counts, strict=True)))


def _square(first: Sequence[Outcome], second: Sequence[Outcome]) -> tuple[int, int, int, int]:
    """Both, only the first, only the second, neither: of the cases with a bug."""
    seen = [(one.solved, two.solved) for one, two in zip(first, second, strict=True) if not one.clean]
    return (
        seen.count((True, True)),
        seen.count((True, False)),
        seen.count((False, True)),
        seen.count((False, False)),
    )


def _drawn(
    ways: Sequence[Sequence[Counts]], measure: Callable[[Counts], float | None], draws: Draws
) -> list[list[float]]:
    """The measure of each way in each resample; resamples in which one cannot be had are left out."""
    rows = [[value for counts in group for value in counts] for group in zip(*ways, strict=True)]
    drawn: list[list[float]] = []
    for sums in draws.resampled(rows):
        values = [
            measure(Counts(*sums[start : start + _WIDTH])) for start in range(0, _WIDTH * len(ways), _WIDTH)
        ]
        known = [value for value in values if value is not None]
        if len(known) == len(ways):
            drawn.append(known)
    return drawn


def _luck(drawn: Sequence[Sequence[float]], values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if len(known) < max(2, len(values)) or not drawn:
        return None
    gains: list[float] = []
    for _, *others in drawn:
        best = max(others)
        gains.append(best - known[others.index(best)])
    return sum(gains) / len(gains)


def _interval(
    drawn: Sequence[float], difference: float | None, groups: int, level: float = LEVEL
) -> Interval | None:
    if difference is None:
        return None
    return bootstrap_interval(drawn, groups, level) or unanimous_interval(difference, groups)


def _probability(difference: float | None, tests: Mapping[str, float], second: str) -> float:
    if difference is None:
        return 1.0
    if difference < 0:
        return min(1.0, tests[second] * len(tests))
    return max(tests.values())


def _verdict(interval: Interval | None, own: Interval | None, p: float) -> Verdict:
    if interval is None or own is None or p >= ALPHA:
        return Verdict.NONE
    if interval.low > 0:
        return Verdict.FIRST
    return Verdict.SECOND if own.high < 0 else Verdict.NONE


def _ratios(first: Sequence[Outcome], second: Sequence[Outcome]) -> Ratios:
    def ratio(cost: Callable[[Outcome], float]) -> float | None:
        one, two = sum(map(cost, first)), sum(map(cost, second))
        return one / two if one and two else None

    return Ratios(
        calls=ratio(lambda outcome: outcome.calls),
        tokens=ratio(lambda outcome: outcome.tokens_in + outcome.tokens_out),
        usd=ratio(lambda outcome: outcome.usd),
        seconds=ratio(lambda outcome: outcome.seconds),
    )
