"""Tests that members wrote, in the place where they are to stand: run by name, and run against mutants."""

import asyncio
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from ensemble_lsp.checks.interpreters import Interpreter
from ensemble_lsp.checks.languages import language_of
from ensemble_lsp.checks.mutants import MAX_MUTANTS, Mutant, mutants_of
from ensemble_lsp.checks.probe_module import as_test_module, probe_path
from ensemble_lsp.checks.sandbox import Limits, Sandbox
from ensemble_lsp.checks.shadow_pool import ShadowPool
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.test_runners import runner_of
from ensemble_lsp.checks.test_runners.runner import Setting, TestRunner
from ensemble_lsp.checks.witness import Project, Targets, not_run
from ensemble_lsp.checks.witnesses import syntax
from ensemble_lsp.checks.witnesses.pytest import ProbeWitness
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.framework import Unit
from ensemble_lsp.ensemble.ports import MutantRun

RUN_SECONDS = 40.0
PROBE_SECONDS = 20.0
MUTANT_SECONDS = 20.0
"""A mutant can make a loop endless: a single test is ended after ten seconds anyway."""

_TOGETHER = 2


@dataclass(frozen=True, slots=True)
class WrittenTests:
    """Runs one test file that a model wrote or added to; `refusal` says why nothing may be run."""

    project: Project
    pool: ShadowPool
    sandbox: Sandbox
    interpreter: Interpreter
    refusal: str
    framework: str = "pytest"
    """The name of the framework that tests are written in."""

    async def run(
        self, changes: Sequence[FileChange], path: str, code: str, units: Sequence[Unit]
    ) -> Evidence:
        """Run the tests of `path` with `changes` in place, `units` at least; `code` is the file they are about."""
        if self.refusal:
            return not_run(self._witness(path, code), Targets(paths=(path,)), self.refusal)
        async with self.pool.borrow(changes) as lease:
            site = Site(lease, self.sandbox, self.interpreter)
            told = await self._runner(path, code).run(site, units, Limits(seconds=RUN_SECONDS))
        return told.model_copy(update={"witness": self.framework})

    async def probe(
        self, changes: Sequence[FileChange], test_code: str, paths: Sequence[str], nearby: Sequence[str]
    ) -> Evidence:
        """Run a test that a model wrote (a pytest module's text) with `changes` in place, beside `nearby` tests.

        PASSED: a test of it ran, and none failed. `Outcome.ERROR`: it does not parse or load, and says nothing
        about the code.
        """
        text = as_test_module(test_code)
        code = next((path for path in paths if language_of(path) == "python"), "")
        path = probe_path(code, nearby, test_code)
        witness = self._witness(path, code)
        targets = Targets(paths=(path,))
        reason = self.refusal
        if not reason and not code:
            reason = "not run: probes are Python tests, and this is no Python code"
        if reason:
            return not_run(witness, targets, reason)
        if syntax.parse_errors(path, text):
            return not_run(witness, targets, "the test does not parse").model_copy(
                update={"outcome": Outcome.ERROR}
            )
        change = FileChange(path=path, before=None, after=SourceText(text))
        async with self.pool.borrow((*changes, change)) as lease:
            site = Site(lease, self.sandbox, self.interpreter)
            return await witness.run(site, targets, Limits(seconds=PROBE_SECONDS))

    async def against_mutants(
        self,
        changes: Sequence[FileChange],
        path: str,
        code: str,
        lines: tuple[int, int],
        *,
        only: Collection[str] | None,
        units: Sequence[Unit],
    ) -> tuple[MutantRun, ...]:
        """Run the tests of `path` against mutants of `lines` (0-based, inclusive) of `code`, at most twelve.

        `only`: those of these descriptions. A mutant that could not be run is left out.
        """
        if self.refusal:
            return ()
        source = self.project.source(code)
        made = mutants_of(code, source.text, *lines, seed=source.text, most=MAX_MUTANTS)
        mutants = [mutant for mutant in made if only is None or str(mutant) in only]
        runner = self._runner(path, code)
        slots = asyncio.Semaphore(max(1, min(_TOGETHER, os.cpu_count() or 1)))

        async def one(mutant: Mutant) -> MutantRun | None:
            after = SourceText(mutant.text, source.encoding, source.bom)
            mutated = FileChange(path=code, before=source, after=after)
            async with slots, self.pool.borrow((*changes, mutated)) as lease:
                site = Site(lease, self.sandbox, self.interpreter)
                told = await runner.run(site, units, Limits(seconds=MUTANT_SECONDS))
            if not told.tests:
                # Code that no longer loads was noticed by every test.
                broken = told.outcome in {Outcome.ERROR, Outcome.FAILED} and not runner.refused(told)
                return MutantRun(mutant=str(mutant), outcomes={}, broken=True) if broken else None
            return MutantRun(mutant=str(mutant), outcomes=told.tests)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(mutant)) for mutant in mutants]
        return tuple(run for task in tasks if (run := task.result()) is not None)

    def _runner(self, path: str, code: str) -> TestRunner:
        return runner_of(self.framework, Setting(self.project, self.interpreter, path, code))

    def _witness(self, path: str, code: str) -> ProbeWitness:
        return ProbeWitness(self.project, self.interpreter, path, str(PurePosixPath(code).parent))
