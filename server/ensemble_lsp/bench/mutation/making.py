"""From a repository to cases: tested functions, mutants that a test kills, and controls that all tests pass.

Deterministic by the seed: functions and places are drawn by it, and the order in which runs end decides nothing.
"""

import asyncio
import itertools
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.differing import differing_lines
from ensemble_lsp.bench.mutation.choosing import code_files, files_of_tests, nearest_tests
from ensemble_lsp.bench.mutation.controls import Control, controls_of
from ensemble_lsp.bench.mutation.covering import CoverageMap
from ensemble_lsp.bench.mutation.functions import functions_of
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
from ensemble_lsp.bench.mutation.trying import Tested, Trier
from ensemble_lsp.bench.suite import Suite, SuiteRun, enforced_sandbox, usual_runs_at_once
from ensemble_lsp.checks.sandbox import Sandbox
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.directories import cache_directory
from ensemble_lsp.settings import ContextTable


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
        kept = await asyncio.to_thread(KeptRuns.open, folder, digest)
        maker = _Maker(suite, kept, options, context or ContextTable(), progress)
        cases = await maker.make()
        maker.counts.runs = suite.runs
    maker.counts.seconds = time.monotonic() - began
    return MutationResult(cases, maker.counts)


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
        self._options = options
        self._context = context
        self._progress = progress
        self._covered: set[str] = set()
        self._coverage = CoverageMap()
        self._trier = Trier(suite, kept, options.most_runs)
        self.counts = MutationCounts()

    async def make(self) -> tuple[BenchCase, ...]:
        tested = await self._tested()
        mutants = await self._mutants(tested)
        controls = await self._controls(mutants) if self._options.controls else []
        return (*(case for _, case in mutants), *controls)

    async def _tested(self) -> list[Tested]:
        """Return tested functions, in an order that the seed decides."""
        project, options = self._suite.project, self._options
        order = random.Random(options.seed)  # noqa: S311 - a drawing of lots
        paths = list(await asyncio.to_thread(code_files, project, self._context, options.paths))
        order.shuffle(paths)
        await self._cover(files_of_tests(project, options.tests), paths)
        found: list[Tested] = []
        for path in paths:
            if not options.tests:
                if len(found) >= 2 * options.most or len(self._covered) >= options.most_test_files:
                    break
                await self._cover(await asyncio.to_thread(nearest_tests, project, path), paths)
            found += await asyncio.to_thread(self._functions, path)
        order.shuffle(found)
        return found

    async def _cover(self, tests: Sequence[str], paths: Sequence[str]) -> None:
        new = [path for path in tests if path not in self._covered]
        new = new[: max(0, self._options.most_test_files - len(self._covered))]
        self._covered.update(new)
        for batch in _batches(new):
            told = await asyncio.gather(*(self._trier.coverage(test) for test in batch))
            for test, run in zip(batch, told, strict=True):
                if run is not None:
                    self._coverage.add(run, paths)
                    self._say("coverage", len(self._covered), self._options.most_test_files, test)

    def _functions(self, path: str) -> list[Tested]:
        self.counts.files += 1
        try:
            source = Source(self._suite.project.read(path))
        except ValueError:
            self.counts.left_out["files that this Python cannot parse"] += 1
            return []
        found: list[Tested] = []
        for function in functions_of(source):
            self.counts.functions += 1
            tests = self._coverage.tests_of(path, function)
            if tests:
                found.append(Tested(path, source, function, tests))
            else:
                self.counts.left_out["functions that no passing test runs"] += 1
        self.counts.tested += len(found)
        return found

    async def _mutants(self, tested: Sequence[Tested]) -> list[tuple[Tested, BenchCase]]:
        cases: list[tuple[Tested, BenchCase]] = []
        candidates = _candidates(tested, self._options.seed)
        while len(cases) < self._options.most:
            batch = await asyncio.to_thread(_next, candidates, usual_runs_at_once())
            if not batch or not self._trier.may_run(len(batch) * 2):
                break
            lost = await self._trier.prepare(item for item, _ in batch)
            if lost:
                self.counts.left_out["functions whose tests did not pass a second time"] += lost
            told = await asyncio.gather(*(self._trier.on(item, mutant.text) for item, mutant in batch))
            for (item, mutant), run in zip(batch, told, strict=True):
                if run is None or len(cases) == self._options.most:
                    continue
                if await self._trier.undecided(item, mutant.text, run):
                    self.counts.undecided += 1
                    continue
                case = self._judged_mutant(item, mutant, run)
                if case is not None:
                    cases.append((item, case))
                self._say("mutants", len(cases), self._options.most, f"{item.group}: {mutant.what}")
        return cases

    def _judged_mutant(self, item: Tested, mutant: Mutant, run: SuiteRun) -> BenchCase | None:
        baseline = self._trier.baseline(item)
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

    async def _controls(self, mutants: Sequence[tuple[Tested, BenchCase]]) -> list[BenchCase]:
        """Change the functions that were mutated in ways that change nothing, as often as they were mutated."""
        found: list[BenchCase] = []
        queue: deque[tuple[Tested, int, list[Control]]] = deque()
        for item, count in Counter(item for item, _ in mutants).items():
            seed = str(self._options.seed)
            queue.append(
                (item, count, await asyncio.to_thread(controls_of, item.source, item.function, seed))
            )
        while queue:
            batch = [queue.popleft() for _ in range(min(len(queue), usual_runs_at_once()))]
            batch = [(item, count, made) for item, count, made in batch if count and made]
            if not self._trier.may_run(len(batch)):
                break
            told = await asyncio.gather(*(self._trier.on(item, made[0].text) for item, _, made in batch))
            for (item, count, made), run in zip(batch, told, strict=True):
                control, *others = made
                passed = run is not None and run.passed.issuperset(self._trier.baseline(item).tests)
                if passed:
                    self.counts.controls += 1
                    found.append(self._control(item, control))
                else:
                    self.counts.controls_refused += 1
                queue.append((item, count - passed, others))
                self._say("controls", len(found), len(mutants), f"{item.group}: {control.name}")
        return found

    def _control(self, item: Tested, control: Control) -> BenchCase:
        lines = differing_lines(control.text, item.source.text)
        update = {"clean": True, "about": control.name, "lines": lines}
        return self._case(item, control.name, control.text).model_copy(update=update)

    def _case(self, item: Tested, kind: str, text: str) -> BenchCase:
        baseline = self._trier.baseline(item)
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

    def _say(self, stage: str, done: int, of: int, text: str) -> None:
        self._progress(MutationProgress(stage, done, of, text))


def _candidates(tested: Sequence[Tested], seed: int) -> Iterator[tuple[Tested, Mutant]]:
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


def _next(candidates: Iterator[tuple[Tested, Mutant]], count: int) -> list[tuple[Tested, Mutant]]:
    return list(itertools.islice(candidates, count))


def _batches(items: Sequence[str]) -> Iterator[Sequence[str]]:
    size = usual_runs_at_once()
    for start in range(0, len(items), size):
        yield items[start : start + size]
