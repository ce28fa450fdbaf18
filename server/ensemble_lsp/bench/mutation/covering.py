"""Which tests run which function: test files run one by one with their lines recorded."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.suite import SuiteRun

MOST_TESTS = 40
"""Tests that stand for one function, those that run least besides it first."""


@dataclass(slots=True)
class CoverageMap:
    """What is known so far of which test runs which line. Only tests that passed count."""

    _tests: dict[str, dict[int, set[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    _breadth: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, run: SuiteRun, paths: Iterable[str]) -> None:
        """Take in a run with lines recorded, as far as it is about `paths`."""
        wanted = set(paths)
        for test in run.passed:
            ran: Mapping[str, frozenset[int]] = run.lines.get(test, {})
            self._breadth[test] = sum(len(lines) for lines in ran.values())
            for path in wanted & ran.keys():
                for line in ran[path]:
                    self._tests[path][line].add(test)

    def tests_of(self, path: str, function: Function) -> tuple[str, ...]:
        """Return the tests that run one of the function's own statements, the most specific ones first."""
        by_line = self._tests.get(path, {})
        found = {test for line in function.ran_by for test in by_line.get(line, ())}
        return tuple(sorted(found, key=lambda test: (self._breadth[test], test))[:MOST_TESTS])
