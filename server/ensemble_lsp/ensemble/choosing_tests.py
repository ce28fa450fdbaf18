"""Which of the written tests are worth keeping: those that notice changes of the code. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ensemble_lsp.core.evidence import Outcome, Strength
from ensemble_lsp.ensemble.ports import MutantRun

NOTICES_NOTHING = "notices no change of the code"
MOST_KEPT = 12
"""Tests in one proposal; more are hard to review."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one test is worth: the mutants that it notices, by their number."""

    test: str
    """What names it within its file."""
    kills: frozenset[int]
    length: int
    """Characters of its source: of two that notice the same, the shorter one stays."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tests stay, and why the others do not (test → reason)."""

    kept: tuple[str, ...]
    left_out: Mapping[str, str]


def kills_of(test: str, runs: Sequence[MutantRun]) -> frozenset[int]:
    """Return the numbers of the mutants that a test notices: it passed on the code as it is and does not here."""
    found: set[int] = set()
    for number, run in enumerate(runs):
        if run.broken or run.outcomes.get(test, Outcome.PASSED) is not Outcome.PASSED:
            found.add(number)
    return frozenset(found)


def choose(scores: Sequence[Score], mutants: int) -> Choice:
    """Keep the tests that notice something no kept one notices, then those that notice another set of changes.

    Greedy: the test that adds most comes first, of equals the shorter. Where nothing could be mutated, all stay.
    """
    if not mutants:
        first = tuple(score.test for score in scores[:MOST_KEPT])
        return Choice(first, {score.test: "there are enough" for score in scores[MOST_KEPT:]})
    left = [score for score in scores if score.kills]
    reasons = {score.test: NOTICES_NOTHING for score in scores if not score.kills}
    kept: list[Score] = []
    noticed: set[int] = set()
    # Each turn moves one test out of `left`.
    while left:
        best = max(left, key=lambda score: (len(score.kills - noticed), len(score.kills), -score.length))
        left.remove(best)
        same = next((other for other in kept if other.kills == best.kills), None)
        if same is not None:
            reasons[best.test] = f"notices the same as {same.test}"
        elif len(kept) >= MOST_KEPT:
            reasons[best.test] = "there are enough"
        else:
            kept.append(best)
            noticed |= best.kills
    return Choice(tuple(score.test for score in kept), reasons)


def strength_of(kept: Sequence[Score], runs: Sequence[MutantRun]) -> Strength | None:
    """Return the share of mutants that the kept tests notice together, and the first three that none does."""
    if not runs:
        return None
    noticed = frozenset[int]().union(*(score.kills for score in kept))
    survivors = [run.mutant for number, run in enumerate(runs) if number not in noticed]
    return Strength(killed=len(noticed), total=len(runs), survivors=tuple(survivors[:3]))


def survivors_of(kept: Sequence[Score], runs: Sequence[MutantRun]) -> list[str]:
    """Return all mutants that no kept test notices."""
    noticed = frozenset[int]().union(*(score.kills for score in kept))
    return [run.mutant for number, run in enumerate(runs) if number not in noticed]
