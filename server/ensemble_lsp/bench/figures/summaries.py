"""How each way did by itself: its share with an interval, what went wrong, and what it cost."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median

from ensemble_lsp.bench.figures.intervals import Interval, bootstrap_interval, no_events, share_interval
from ensemble_lsp.bench.figures.resampling import Draws
from ensemble_lsp.bench.figures.tally import Counts, Tally, by_group, counts_of, f1, precision, solved_share
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.core.frozen import Frozen


class Share(Frozen):
    """So many of so many."""

    hits: int
    of: int
    value: float | None = None
    """None where `of` is 0."""
    interval: Interval


class Measure(Frozen):
    """A figure with its interval; None where the cases cannot tell."""

    value: float | None = None
    interval: Interval | None = None


class Cost(Frozen):
    """What the finished cases took. Tokens and calls count cached replies too; money is in US dollars."""

    calls: int
    tokens_in: int
    tokens_out: int
    usd: float
    seconds_mean: float
    seconds_median: float
    calls_per_case: float
    tokens_per_case: float
    usd_per_case: float
    calls_per_solved: float | None = None
    """None where nothing was solved, as with the next two."""
    tokens_per_solved: float | None = None
    usd_per_solved: float | None = None


class FixSummary(Frozen):
    """One way of fixing."""

    way: str
    finished: int
    failed: int
    """Cases without an outcome: left out of everything else."""
    solved: Share
    accepted: int
    """Offered as right, with or without a warning."""
    false_accepts: int
    """Offered as right without a warning, and wrong."""
    weak_wrong: int
    """Offered with the warning that the check proves little, and wrong."""
    right_among: Share
    """Cases in which a right answer was seen: what a perfect selection would have solved."""
    cost: Cost


class ReviewSummary(Frozen):
    """One way of reviewing."""

    way: str
    finished: int
    failed: int
    recall: Share
    """Known bugs that were reported."""
    precision: Share
    """Reported findings that are about the known bug."""
    f1: Measure
    clean: int
    """Clean controls among the finished cases."""
    alarms_per_clean: Measure
    clean_with_alarm: Share
    false_alarms: int
    """On all cases."""
    cost: Cost


class Roof(Frozen):
    """How far any selection among the members' first answers can get."""

    ways: tuple[str, ...]
    missed: Share
    """Cases that every member's first answer missed: β."""
    solvable: Share
    """1 - β."""


def fix_summaries(tally: Tally) -> tuple[FixSummary, ...]:
    """Summarise each way of fixing, in the order in which they first appear."""
    return tuple(_fix(tally, way) for way in tally.done)


def review_summaries(tally: Tally, draws: Draws) -> tuple[ReviewSummary, ...]:
    """Summarise each way of reviewing, in the order in which they first appear."""
    return tuple(_review(tally, way, draws) for way in tally.done)


def roof(tally: Tally, ways: Iterable[str]) -> Roof | None:
    """Return what all of these ways missed, on the cases with a bug that all finished; None of fewer than two."""
    known = tuple(way for way in ways if tally.done.get(way))
    if len(known) < 2:
        return None
    cases = [case for case in tally.common(known) if not tally.done[known[0]][case].clean]
    missed: dict[str, list[bool]] = {}
    for case in cases:
        outcomes = [tally.done[way][case] for way in known]
        missed.setdefault(outcomes[0].group, []).append(not any(outcome.solved for outcome in outcomes))
    groups = [(sum(mine), len(mine)) for mine in missed.values()]
    return Roof(ways=known, missed=_share(groups), solvable=_share([(of - hits, of) for hits, of in groups]))


def main_share(summary: FixSummary | ReviewSummary) -> Measure:
    """Return what the ways are compared by: the solved share, or F1."""
    if isinstance(summary, ReviewSummary):
        return summary.f1
    return Measure(value=summary.solved.value, interval=summary.solved.interval)


def main_measure(subject: Subject) -> Callable[[Counts], float | None]:
    """Return how that is computed from counts."""
    return solved_share if subject is Subject.FIX else f1


def _fix(tally: Tally, way: str) -> FixSummary:
    done = tuple(tally.done[way].values())
    wrong = [outcome for outcome in done if outcome.accepted and not outcome.solved]
    return FixSummary(
        way=way,
        finished=len(done),
        failed=len(tally.failed[way]),
        solved=_share_of(done, lambda outcome: outcome.solved),
        accepted=sum(outcome.accepted for outcome in done),
        false_accepts=sum(not outcome.weak for outcome in wrong),
        weak_wrong=sum(outcome.weak for outcome in wrong),
        right_among=_share_of(done, lambda outcome: outcome.right_among or outcome.solved),
        cost=_cost(done),
    )


def _review(tally: Tally, way: str, draws: Draws) -> ReviewSummary:
    done = tuple(tally.done[way].values())
    clean = tuple(outcome for outcome in done if outcome.clean)
    buggy = tuple(outcome for outcome in done if not outcome.clean)
    groups = [counts_of(mine) for mine in by_group(done).values()]
    reported = [(mine.solved, mine.solved + mine.false_alarms) for mine in groups]
    drawn = [Counts(*sums) for sums in draws.resampled(groups)]
    scores = [score for counts in drawn if (score := f1(counts)) is not None]
    whole = counts_of(done)
    precise = _share(reported)
    return ReviewSummary(
        way=way,
        finished=len(done),
        failed=len(tally.failed[way]),
        recall=_share_of(buggy, lambda outcome: outcome.solved),
        precision=precise.model_copy(update={"value": precision(whole)}),
        f1=Measure(value=f1(whole), interval=bootstrap_interval(scores, len(groups))),
        clean=len(clean),
        alarms_per_clean=_alarms(done, draws),
        clean_with_alarm=_share_of(clean, lambda outcome: outcome.false_alarms > 0),
        false_alarms=whole.false_alarms,
        cost=_cost(done),
    )


def _alarms(outcomes: Sequence[Outcome], draws: Draws) -> Measure:
    """All groups are drawn, with clean cases or not, so that the draws are those of the other figures."""
    groups = [counts_of(mine) for mine in by_group(outcomes).values()]
    with_clean = sum(counts.clean > 0 for counts in groups)
    whole = counts_of(outcomes)
    if not whole.clean:
        return Measure(value=None, interval=None)
    if not whole.clean_alarms:
        return Measure(value=0.0, interval=Interval(low=0.0, high=no_events(with_clean)))
    drawn = [Counts(*sums) for sums in draws.resampled(groups)]
    means = [counts.clean_alarms / counts.clean for counts in drawn if counts.clean]
    return Measure(value=whole.clean_alarms / whole.clean, interval=bootstrap_interval(means, with_clean))


def _share_of(outcomes: Iterable[Outcome], hit: Callable[[Outcome], bool]) -> Share:
    return _share([(sum(map(hit, mine)), len(mine)) for mine in by_group(outcomes).values()])


def _share(groups: Sequence[tuple[int, int]]) -> Share:
    hits, of = sum(hits for hits, _ in groups), sum(of for _, of in groups)
    return Share(hits=hits, of=of, value=hits / of if of else None, interval=share_interval(groups))


def _cost(outcomes: Sequence[Outcome]) -> Cost:
    count = len(outcomes)
    solved = sum(outcome.solved for outcome in outcomes)
    calls = sum(outcome.calls for outcome in outcomes)
    tokens_in = sum(outcome.tokens_in for outcome in outcomes)
    tokens_out = sum(outcome.tokens_out for outcome in outcomes)
    usd = sum(outcome.usd for outcome in outcomes)
    seconds = [outcome.seconds for outcome in outcomes] or [0.0]
    return Cost(
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        usd=usd,
        seconds_mean=fmean(seconds),
        seconds_median=median(seconds),
        calls_per_case=calls / count if count else 0.0,
        tokens_per_case=(tokens_in + tokens_out) / count if count else 0.0,
        usd_per_case=usd / count if count else 0.0,
        calls_per_solved=calls / solved if solved else None,
        tokens_per_solved=(tokens_in + tokens_out) / solved if solved else None,
        usd_per_solved=usd / solved if solved else None,
    )
