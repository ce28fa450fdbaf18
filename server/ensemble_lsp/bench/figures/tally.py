"""The outcomes sorted by way and case, and the counts of each group of cases that all figures are made of."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ensemble_lsp.bench.outcomes import Outcome


class Counts(NamedTuple):
    """What happened to some cases under one way: sums, so that groups and resamples add up."""

    cases: int = 0
    """With a bug."""
    solved: int = 0
    false_alarms: int = 0
    """On cases with a bug and on clean ones."""
    clean: int = 0
    clean_alarms: int = 0
    """False alarms on clean cases."""


class Tally(NamedTuple):
    """What there is of each way, in the order in which the ways first appear."""

    done: Mapping[str, Mapping[str, Outcome]]
    """Way → case → outcome, failed ones left out."""
    failed: Mapping[str, tuple[Outcome, ...]]

    def cases(self) -> tuple[str, ...]:
        """All cases that any way has, finished or failed, in the order in which they first appear."""
        names = [case for mine in self.done.values() for case in mine]
        names += [outcome.case for some in self.failed.values() for outcome in some]
        return tuple(dict.fromkeys(names))

    def common(self, ways: Iterable[str]) -> tuple[str, ...]:
        """The cases that all of these ways finished."""
        first, *others = [self.done.get(way, {}) for way in ways]
        return tuple(case for case in first if all(case in mine for mine in others))


def tally(outcomes: Sequence[Outcome]) -> Tally:
    """Sort outcomes by way and case; of several of one case the last that did not fail counts."""
    done: dict[str, dict[str, Outcome]] = {}
    failed: dict[str, dict[str, Outcome]] = {}
    for outcome in outcomes:
        mine = done.setdefault(outcome.way, {})
        lost = failed.setdefault(outcome.way, {})
        if not outcome.failed:
            mine[outcome.case] = outcome
            lost.pop(outcome.case, None)
        elif outcome.case not in mine:
            lost[outcome.case] = outcome
    return Tally(done, {way: tuple(lost.values()) for way, lost in failed.items()})


def counts_of(outcomes: Iterable[Outcome]) -> Counts:
    """Sum up some outcomes of one way."""
    cases = solved = alarms = clean = clean_alarms = 0
    for outcome in outcomes:
        alarms += outcome.false_alarms
        if outcome.clean:
            clean += 1
            clean_alarms += outcome.false_alarms
        else:
            cases += 1
            solved += outcome.solved
    return Counts(cases, solved, alarms, clean, clean_alarms)


def by_group(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of each group, groups in order of their names so that a seed draws the same ones."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.group, []).append(outcome)
    return dict(sorted(groups.items()))


def solved_share(counts: Counts) -> float | None:
    """Return the share of the bugs that were solved or found; None without a bug."""
    return counts.solved / counts.cases if counts.cases else None


def precision(counts: Counts) -> float | None:
    """Return the share of what was reported that is about the known bug; None where nothing was reported."""
    reported = counts.solved + counts.false_alarms
    return counts.solved / reported if reported else None


def f1(counts: Counts) -> float | None:
    """Return the harmonic mean of precision and recall over all cases; None where it is 0 of 0."""
    total = counts.cases + counts.solved + counts.false_alarms
    return 2 * counts.solved / total if total else None
