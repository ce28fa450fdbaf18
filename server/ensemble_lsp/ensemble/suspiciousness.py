"""Which lines a failing test runs that passing ones do not: Ochiai's coefficient over coverage. Pure functions.

R. Abreu, P. Zoeteweij, A. van Gemund, "An Evaluation of Similarity Coefficients for Software Fault Localization",
PRDC 2006: failed(line) / sqrt(failed * (failed(line) + passed(line))).
"""

import math
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass

from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.evidence import COVERAGE, Evidence, Outcome, Rank
from ensemble_lsp.ensemble.ports import Coverage

_FAILED = frozenset({Outcome.FAILED, Outcome.TIMED_OUT})


@dataclass(frozen=True, slots=True)
class Suspect:
    """One line that a failing test ran. `line` is 0-based."""

    path: str
    line: int
    score: float
    failed: int
    """Failing tests that run it."""
    passed: int
    """Passing tests that run it."""

    @property
    def who_runs(self) -> str:
        """Who runs it, in words: "run by 1 failing test and no passing one"."""
        passing = counted(self.passed, "passing test") if self.passed else "no passing one"
        return f"run by {counted(self.failed, 'failing test')} and {passing}"

    @property
    def evidence(self) -> Evidence:
        """What coverage says of it."""
        return Evidence(
            witness=COVERAGE,
            rank=Rank.EXECUTED,
            target=f"{self.path}:{self.line + 1}",
            outcome=Outcome.FAILED,
            summary=f"Ochiai {self.score:.2f}: {self.who_runs}",
        )


def failing_tests_of(coverage: Coverage, wanted: Callable[[str], bool]) -> frozenset[str]:
    """Return the ids of the failing tests that are asked about."""
    return frozenset(
        name for name, outcome in coverage.outcomes.items() if outcome in _FAILED and wanted(name)
    )


def suspects_of(
    coverage: Coverage, failing: Collection[str], is_test: Callable[[str], bool]
) -> list[Suspect]:
    """Return the lines that the failing tests run, outside of test files, the most suspicious first.

    Other failing tests count for nothing: they may fail for another reason.
    """
    failed: Counter[tuple[str, int]] = Counter()
    passed: Counter[tuple[str, int]] = Counter()
    for test, files in coverage.lines.items():
        outcome = coverage.outcomes.get(test)
        counter = failed if test in failing else passed if outcome is Outcome.PASSED else None
        if counter is None:
            continue
        for path, lines in files.items():
            if not is_test(path):
                counter.update((path, line) for line in lines)
    total = len(failing)
    found = [
        Suspect(
            path, line, count / math.sqrt(total * (count + passed[path, line])), count, passed[path, line]
        )
        for (path, line), count in failed.items()
    ]
    return sorted(found, key=lambda item: (-item.score, item.path, item.line))
