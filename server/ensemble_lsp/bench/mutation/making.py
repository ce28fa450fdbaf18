"""From a repository to cases: tested functions, mutants that a test kills, and controls that all tests pass.

Deterministic by the seed: functions and places are drawn by it, and the order in which runs end decides nothing.
"""

import asyncio
import hashlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.differing import differing_lines
from ensemble_lsp.bench.mutation.choosing import code_files, test_files, tests_for
from ensemble_lsp.bench.mutation.controls import controls_of
from ensemble_lsp.bench.mutation.covering import CoverageMap
from ensemble_lsp.bench.mutation.functions import Function, functions_of
from ensemble_lsp.bench.mutation.kept_runs import KeptRuns, contents_digest
from ensemble_lsp.bench.mutation.mutants import Mutant, mutant_by
from ensemble_lsp.bench.mutation.operators import OPERATORS
from ensemble_lsp.bench.mutation.options import (
    MutationCounts,
    MutationOptions,
    MutationProgress,
    MutationResult,
)
from ensemble_lsp.bench.mutation.source import Source
from ensemble_lsp.bench.suite import Suite, SuiteRun, enforced_sandbox, usual_runs_at_once
from ensemble_lsp.checks.sandbox import Sandbox
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.directories import cache_directory
from ensemble_lsp.settings import ContextTable

COVERAGE_SECONDS = 90.0
"""For one test file with its lines recorded, which slows it down several times."""
_LEAST_SECONDS = 10.0
"""A mutant's tests get at least this, and else five times what they take on the original."""
_MOST_SECONDS = 60.0
"""A function whose tests take longer on the original is left out."""


async def mutation_cases(
    base: Path,
    options: MutationOptions,
    *,
    context: ContextTable | None = None,
    python: Path | None = None,
    unconfined: bool = False,
    sandbox: Sandbox | None = None,
    cache: Path | None = None,
    progress: Callable[[MutationProgress], None] = lambda _: None,
) -> MutationResult:
    """Make cases of the tested functions of the repository `base`.

    `context` are the workspace's settings of what may be sent. Raises `UsageError` for paths that are not there,
    `CheckError` when tests cannot be run, `SandboxUnavailable` when nothing confines them.
    """
    base = await asyncio.to_thread(base.resolve)
    if not base.is_dir():
        raise UsageError(f"{base} is not a folder")
    sandbox = sandbox or await enforced_sandbox(unconfined=unconfined)
    began = time.monotonic()
    async with Suite.open(base, sandbox=sandbox, python=python, at_once=usual_runs_at_once()) as suite:
        digest = await asyncio.to_thread(contents_digest, suite.project, suite.python)
        folder = (cache or cache_directory()) / "bench-runs"
        kept = await asyncio.to_thread(KeptRuns, folder / f"{digest}.jsonl")
        maker = _Maker(suite, kept, options, context or ContextTable(), progress)
        cases = await maker.make()
        maker.counts.runs = suite.runs
    maker.counts.seconds = time.monotonic() - began
    return MutationResult(cases, maker.counts)


_LINES = "lines"
"""How a run is made that records them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tested:
    """A function with the tests that run it."""

    path: str
    source: Source
    function: Function
    tests: tuple[str, ...]

    @property
    def group(self) -> str:
        return f"{self.path}::{self.function.name}"


@dataclass(frozen=True, slots=True)
class _Baseline:
    """The tests of a function that pass on the original, and how long they took; none: it is left out."""

    tests: tuple[str, ...]
    seconds: float


def _limit(baseline: _Baseline) -> float:
    return min(_MOST_SECONDS, max(_LEAST_SECONDS, 5 * baseline.seconds))


class _Maker:
    def __init__(
        self,
        suite: Suite,
        kept: KeptRuns,
        options: MutationOptions,
        context: ContextTable,
        progress: Callable[[MutationProgress], None],
    ) -> None:
        self._suite = suite
        self._kept = kept
        self._options = options
        self._context = context
        self._progress = progress
        self._asked = 0
        self._covered: set[str] = set()
        self._coverage = CoverageMap()
        self._baselines: dict[_Tested, _Baseline] = {}
        self.counts = MutationCounts()

    async def make(self) -> tuple[BenchCase, ...]:
        tested = await self._tested()
        mutants = await self._mutants(tested)
        controls = await self._controls(mutants) if self._options.controls else []
        return (*(case for _, case in mutants), *controls)

    async def _tested(self) -> list[_Tested]:
        """Return tested functions, in an order that the seed decides."""
        project, options = self._suite.project, self._options
        order = random.Random(options.seed)  # noqa: S311 - a drawing of lots
        paths = list(await asyncio.to_thread(code_files, project, self._context, options.paths))
        order.shuffle(paths)
        await self._cover(test_files(project, options.tests), paths)
        found: list[_Tested] = []
        for path in paths:
            if not options.tests:
                if len(found) >= 2 * options.most or len(self._covered) >= options.most_test_files:
                    break
                await self._cover(await asyncio.to_thread(tests_for, project, path), paths)
            found += await asyncio.to_thread(self._functions, path)
        order.shuffle(found)
        return found

    async def _cover(self, tests: Sequence[str], paths: Sequence[str]) -> None:
        new = [path for path in tests if path not in self._covered]
        new = new[: max(0, self._options.most_test_files - len(self._covered))]
        self._covered.update(new)
        for batch in _batches(new):
            told = await asyncio.gather(
                *(self._run((test,), {}, COVERAGE_SECONDS, how=_LINES) for test in batch)
            )
            for test, run in zip(batch, told, strict=True):
                if run is not None:
                    self._coverage.add(run, paths)
                    self._say("coverage", len(self._covered), self._options.most_test_files, test)

    def _functions(self, path: str) -> list[_Tested]:
        self.counts.files += 1
        try:
            source = Source(self._suite.project.read(path))
        except ValueError:
            self.counts.left_out["files that this Python cannot parse"] += 1
            return []
        found: list[_Tested] = []
        for function in functions_of(source):
            self.counts.functions += 1
            tests = self._coverage.tests_of(path, function)
            if tests:
                found.append(_Tested(path, source, function, tests))
            else:
                self.counts.left_out["functions that no passing test runs"] += 1
        self.counts.tested += len(found)
        return found

    async def _mutants(self, tested: Sequence[_Tested]) -> list[tuple[_Tested, BenchCase]]:
        cases: list[tuple[_Tested, BenchCase]] = []
        candidates = _candidates(tested, self._options.seed)
        while len(cases) < self._options.most:
            batch = await asyncio.to_thread(_next, candidates, usual_runs_at_once())
            if not batch or not self._may_run(len(batch) * 2):
                break
            await self._ensure_baselines(item for item, _ in batch)
            told = await asyncio.gather(*(self._tried(item, mutant.text) for item, mutant in batch))
            for (item, mutant), run in zip(batch, told, strict=True):
                if (
                    run is not None
                    and run.outcome is Outcome.TIMED_OUT
                    and not await self._in_time(item, mutant.text)
                ):
                    self.counts.undecided += 1
                    continue
                if run is None or len(cases) == self._options.most:
                    continue
                case = self._judged_mutant(item, mutant, run)
                if case is not None:
                    cases.append((item, case))
                self._say("mutants", len(cases), self._options.most, f"{item.group}: {mutant.what}")
        return cases

    def _judged_mutant(self, item: _Tested, mutant: Mutant, run: SuiteRun) -> BenchCase | None:
        baseline = self._baselines[item]
        self.counts.mutants += 1
        if run.broken or not run.outcomes:
            self.counts.unloadable += 1
            return None
        targets = tuple(test for test in baseline.tests if test in run.failed)
        if not targets:
            self.counts.survived += 1
            return None
        self.counts.killed += 1
        return self._case(item, mutant.operator, mutant.text).model_copy(
            update={
                "about": f"{mutant.operator}: {mutant.what}",
                "targets": targets,
                "lines": differing_lines(mutant.text, item.source.text),
            }
        )

    async def _controls(self, mutants: Sequence[tuple[_Tested, BenchCase]]) -> list[BenchCase]:
        """Change the functions that were mutated in ways that change nothing, as often as they were mutated."""
        wanted = Counter(item for item, _ in mutants)
        found: list[BenchCase] = []
        for item, count in wanted.items():
            made = await asyncio.to_thread(controls_of, item.source, item.function, str(self._options.seed))
            kept = 0
            for control in made:
                if kept == count or not self._may_run(1):
                    break
                run = await self._tried(item, control.text)
                if run is None or not run.passed.issuperset(self._baselines[item].tests):
                    self.counts.controls_refused += 1
                    continue
                kept += 1
                self.counts.controls += 1
                case = self._case(item, control.name, control.text)
                found.append(
                    case.model_copy(
                        update={
                            "clean": True,
                            "about": control.name,
                            "lines": differing_lines(control.text, item.source.text),
                        }
                    )
                )
                self._say("controls", len(found), len(mutants), f"{item.group}: {control.name}")
        return found

    def _case(self, item: _Tested, kind: str, text: str) -> BenchCase:
        baseline = self._baselines[item]
        return BenchCase(
            id=f"{item.group}: {kind}",
            group=item.group,
            source="mutants",
            base=str(self._suite.project.workspace),
            files={item.path: text},
            path=item.path,
            symbol=item.function.symbol,
            original=item.source.text,
            covering=baseline.tests,
            seconds=round(baseline.seconds, 1),
        )

    async def _ensure_baselines(self, items: Iterator[_Tested]) -> None:
        new = [item for item in dict.fromkeys(items) if item not in self._baselines]

        async def one(item: _Tested) -> None:
            run = await self._run(item.tests, {}, _MOST_SECONDS)
            passed = tuple(test for test in item.tests if run is not None and test in run.passed)
            if not passed:
                self.counts.left_out["functions whose tests did not pass a second time"] += 1
            self._baselines[item] = _Baseline(passed, run.seconds if run is not None else 0.0)

        async with asyncio.TaskGroup() as group:
            for item in new:
                group.create_task(one(item))

    async def _tried(self, item: _Tested, text: str) -> SuiteRun | None:
        baseline = self._baselines[item]
        if not baseline.tests:
            return None
        return await self._run(baseline.tests, {item.path: text}, _limit(baseline))

    async def _in_time(self, item: _Tested, text: str) -> bool:
        """Whether the original's tests still end well within the time that the mutant's did not: else the machine
        is busy, and a run that was cut off says nothing."""
        baseline = self._baselines[item]
        limit = _limit(baseline)
        again = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        run = await self._run(baseline.tests, {}, limit, how=f"again {again}")
        return run is not None and run.passed.issuperset(baseline.tests) and run.seconds < limit / 2

    def _may_run(self, count: int) -> bool:
        return self._asked + count <= self._options.most_runs

    async def _run(
        self, tests: Sequence[str], texts: Mapping[str, str], seconds: float, *, how: str = ""
    ) -> SuiteRun | None:
        """Run tests, or return what they did before on the same contents; None when no run is left."""
        if not self._may_run(1):
            return None
        self._asked += 1
        key = KeptRuns.key(tests, texts, how=how)
        known = self._kept.get(key)
        if known is not None:
            return known
        changes = [self._suite.change(path, text) for path, text in texts.items()]
        run = await self._suite.run(tests, seconds=seconds, changes=changes, record_lines=how == _LINES)
        self._kept.put(key, run)
        return run

    def _say(self, stage: str, done: int, of: int, text: str) -> None:
        self._progress(MutationProgress(stage, done, of, text))


def _candidates(tested: Sequence[_Tested], seed: int) -> Iterator[tuple[_Tested, Mutant]]:
    """Yield one mutant of each function after the other, the kinds of mistakes that were rare so far first."""
    used: Counter[str] = Counter()
    left = {item: list(OPERATORS) for item in tested}
    for item, operators in left.items():
        random.Random(f"{seed}:{item.group}").shuffle(operators)  # noqa: S311 - a drawing of lots
    while left:
        for item in list(left):
            operators = sorted(left[item], key=lambda operator: used[operator.name])
            while operators:
                operator = operators.pop(0)
                left[item].remove(operator)
                mutant = mutant_by(
                    item.source, item.function, operator, f"{seed}:{item.group}:{operator.name}"
                )
                if mutant is not None:
                    used[operator.name] += 1
                    yield item, mutant
                    break
            else:
                del left[item]


def _next(candidates: Iterator[tuple[_Tested, Mutant]], count: int) -> list[tuple[_Tested, Mutant]]:
    return [item for item, _ in zip(candidates, range(count), strict=False)]


def _batches(items: Sequence[str]) -> Iterator[Sequence[str]]:
    size = usual_runs_at_once()
    for start in range(0, len(items), size):
        yield items[start : start + size]
