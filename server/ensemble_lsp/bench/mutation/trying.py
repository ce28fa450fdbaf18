"""Running a function's tests: on the original, on a changed text, with lines recorded; within a bound of runs."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.kept_runs import KeptRuns
from ensemble_lsp.bench.mutation.source import Source
from ensemble_lsp.bench.suite import Suite, SuiteRun
from ensemble_lsp.checks.site import TEST_SECONDS
from ensemble_lsp.core.evidence import Outcome

COVERAGE_SECONDS = 90.0
"""For one test file with its lines recorded, which slows it down several times."""
_MOST_SECONDS = 60.0
"""For the tests of one function; those that take longer on the original are no use."""
_LEAST_SECONDS = 15.0
_LEAST_TEST_SECONDS = 3.0
_SLOWER = 5
"""How many times longer than on the original tests may take before a mutant counts as endless."""
_LINES = "lines"
"""How a run is made that records them."""


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """A function with the tests that run it."""

    path: str
    source: Source
    function: Function
    tests: tuple[str, ...]

    @property
    def group(self) -> str:
        """What all cases of the function have in common."""
        return f"{self.path}::{self.function.name}"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The tests of a function that pass on the original, and how long they took. Without tests it is left out."""

    tests: tuple[str, ...]
    seconds: float

    @property
    def limit(self) -> float:
        """Seconds for all tests on a changed text."""
        return min(_MOST_SECONDS, max(_LEAST_SECONDS, _SLOWER * self.seconds))

    @property
    def test_limit(self) -> float:
        """Seconds for one of them."""
        return min(TEST_SECONDS, max(_LEAST_TEST_SECONDS, _SLOWER * self.seconds))


class Trier:
    """Runs tests at most `most` times; a run that was made before on the same contents counts, and takes no time."""

    def __init__(self, suite: Suite, kept: KeptRuns, most: int) -> None:
        self._suite = suite
        self._kept = kept
        self._most = most
        self._asked = 0
        self._baselines: dict[Tested, Baseline] = {}

    def may_run(self, count: int) -> bool:
        """Whether so many runs are left."""
        return self._asked + count <= self._most

    async def coverage(self, test: str) -> SuiteRun | None:
        """Run one test file with its lines recorded; None when no run is left."""
        return await self._run((test,), {}, COVERAGE_SECONDS, TEST_SECONDS, how=_LINES)

    async def prepare(self, items: Iterable[Tested]) -> int:
        """Run the tests of functions on the original, without recording, where that was not done yet.

        Returns of how many functions no test passes that way.
        """
        new = [item for item in dict.fromkeys(items) if item not in self._baselines]

        async def one(item: Tested) -> None:
            run = await self._run(item.tests, {}, _MOST_SECONDS, TEST_SECONDS)
            passed = tuple(test for test in item.tests if run is not None and test in run.passed)
            self._baselines[item] = Baseline(passed, run.seconds if run is not None else 0.0)

        async with asyncio.TaskGroup() as group:
            for item in new:
                group.create_task(one(item))
        return sum(not self._baselines[item].tests for item in new)

    def baseline(self, item: Tested) -> Baseline:
        """Return what `prepare` found."""
        return self._baselines[item]

    async def on(self, item: Tested, text: str) -> SuiteRun | None:
        """Run the function's tests on a changed text; None when it has none that pass, or no run is left."""
        baseline = self._baselines[item]
        if not baseline.tests:
            return None
        return await self._run(baseline.tests, {item.path: text}, baseline.limit, baseline.test_limit)

    async def undecided(self, item: Tested, text: str, run: SuiteRun) -> bool:
        """Whether a mutant's tests only took too long, and the original's do now, too: the machine is busy then."""
        baseline = self._baselines[item]
        failed = any(run.outcomes.get(test) is Outcome.FAILED for test in baseline.tests)
        late = run.outcome is Outcome.TIMED_OUT or Outcome.TIMED_OUT in run.outcomes.values()
        if failed or not late:
            return False
        again = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        now = await self._run(baseline.tests, {}, baseline.limit, baseline.test_limit, how=f"again {again}")
        return now is None or not now.passed.issuperset(baseline.tests) or now.seconds > baseline.limit / 2

    async def _run(
        self,
        tests: Sequence[str],
        texts: Mapping[str, str],
        seconds: float,
        test_seconds: float,
        *,
        how: str = "",
    ) -> SuiteRun | None:
        if not self.may_run(1):
            return None
        self._asked += 1
        key = KeptRuns.key(tests, texts, how=how)
        known = self._kept.get(key)
        if known is not None:
            return known
        changes = [self._suite.change(path, text) for path, text in texts.items()]
        run = await self._suite.run(
            tests,
            seconds=seconds,
            test_seconds=test_seconds,
            changes=changes,
            record_lines=how == _LINES,
        )
        self._kept.put(key, run)
        return run
