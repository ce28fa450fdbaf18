"""The tests of one workspace, run in the product's sandbox on its shadow copy, with changes in place or without."""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.checks.detection import detect
from ensemble_lsp.checks.interpreters import Interpreter, find_interpreter
from ensemble_lsp.checks.planning import project_of
from ensemble_lsp.checks.run_outcomes import PytestResults, of_pytest, read_results
from ensemble_lsp.checks.sandbox import Limits, Sandbox
from ensemble_lsp.checks.shadow_pool import ShadowPool
from ensemble_lsp.checks.site import TEST_SECONDS, Ran, Site
from ensemble_lsp.checks.witness import Project
from ensemble_lsp.checks.witnesses.pytest import plugin_environment, quiet_options
from ensemble_lsp.core.errors import CheckError, SandboxUnavailable
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.directories import cache_directory

MOST_FAILURES = 10
"""After so many failed tests a run ends: it is decided, and each of them may be one that hangs."""
MEMORY_BYTES = 2 << 30
_USAGE_ERROR = 4
"""pytest's exit code when a test that it was to run is not there."""


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """What one run of tests amounts to. Skipped tests are in neither of the two."""

    outcomes: Mapping[str, Outcome]
    """Test id → how it ended, as far as the run got."""
    lines: Mapping[str, Mapping[str, frozenset[int]]]
    """Test id → file → lines that it ran, 0-based, where recorded."""
    broken: tuple[str, ...]
    """Test files that could not be collected."""
    outcome: Outcome
    """Of the whole: passed only when it came to its end and at least one test passed."""
    summary: str
    seconds: float

    @property
    def passed(self) -> frozenset[str]:
        """The ids of the tests that passed."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome is Outcome.PASSED)

    @property
    def failed(self) -> frozenset[str]:
        """The ids of the tests that failed or took too long."""
        return frozenset(self.outcomes) - self.passed


class Suite:
    """Runs tests of one workspace; at most `at_once` runs at a time, each in a copy of its own."""

    def __init__(
        self, project: Project, pool: ShadowPool, sandbox: Sandbox, interpreter: Interpreter
    ) -> None:
        self.project = project
        self._pool = pool
        self._sandbox = sandbox
        self._interpreter = interpreter
        self._options = quiet_options(project)
        self.runs = 0
        """How often tests were run."""

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        workspace: Path,
        *,
        sandbox: Sandbox,
        python: Path | None = None,
        scratch: Path | None = None,
        at_once: int = 2,
    ) -> AsyncGenerator["Suite"]:
        """Prepare the tests of `workspace`; nothing is copied yet. Raises `CheckError` when it is too large.

        `python` runs them, else the workspace's own or the active one.
        """
        workspace = await asyncio.to_thread(workspace.resolve)
        pool = ShadowPool(
            workspace,
            {},
            scratch or cache_directory() / "shadows",
            size=max(1, at_once),
            link_dependencies=not sandbox.moves_paths,
        )
        try:
            project = project_of(workspace, await pool.listing(), {}, trusted=True)
            interpreter = await asyncio.to_thread(find_interpreter, workspace, configured=python)
            yield cls(project, pool, sandbox, interpreter)
        finally:
            await pool.close()

    @property
    def python(self) -> str:
        """The Python that runs the tests."""
        return str(self._interpreter.executable)

    def change(self, path: str, text: str) -> FileChange:
        """Return the change that puts `text` into a file, in the encoding that the file has."""
        if path not in self.project.files:
            return FileChange(path=path, after=SourceText(text))
        before = self.project.source(path)
        return FileChange(path=path, before=before, after=before.with_text(text))

    async def run(
        self,
        tests: Sequence[str],
        *,
        seconds: float,
        changes: Sequence[FileChange] = (),
        record_lines: bool = False,
        test_seconds: float = TEST_SECONDS,
    ) -> SuiteRun:
        """Run test files, folders or ids with `changes` in place, for at most `seconds`, each for `test_seconds`.

        Raises `CheckError` when nothing can be run at all.
        """

        async def of(chosen: Sequence[str]) -> tuple[SuiteRun, int | None]:
            return await self._run(chosen, seconds, changes, record_lines, test_seconds)

        run, code = await of(tests)
        if code != _USAGE_ERROR or not any("::" in test for test in tests):
            return run
        # The change made the names of parametrised tests others: all of the files then.
        files = tuple(dict.fromkeys(test.partition("::")[0] for test in tests))
        return (await of(files))[0]

    async def _run(
        self,
        tests: Sequence[str],
        seconds: float,
        changes: Sequence[FileChange],
        record_lines: bool,
        test_seconds: float,
    ) -> tuple[SuiteRun, int | None]:
        self.runs += 1
        async with self._pool.borrow(changes) as lease:
            site = Site(lease, self._sandbox, self._interpreter, records_lines=record_lines)
            ran = await site.run(
                [
                    *(str(self._interpreter.executable), "-m", "pytest", "-q", "--no-header", "--tb=line"),
                    *("-p", "no:cacheprovider", "-p", "no:randomly", "--color=no"),
                    *([] if record_lines else [f"--maxfail={MOST_FAILURES}"]),
                    *self._options,
                    *tests,
                ],
                Limits(seconds=seconds, memory_bytes=MEMORY_BYTES),
                environment={
                    **plugin_environment(self.project, self._interpreter, self._files(tests)),
                    "ENSEMBLE_TEST_SECONDS": f"{test_seconds:g}",
                },
                merge_output=True,
            )
        if ran.completed.failed:
            raise CheckError(f"the tests cannot be run: {ran.completed.failed}")
        results = read_results(ran.results)
        return _told(ran, results), results.exit if results.exit is not None else ran.completed.code

    def _files(self, tests: Sequence[str]) -> list[str]:
        named = dict.fromkeys(test.partition("::")[0] for test in tests)
        return [path for path in named if path in self.project.files]


def _told(ran: Ran, results: PytestResults) -> SuiteRun:
    verdict = of_pytest(ran)
    return SuiteRun(
        outcomes=verdict.tests,
        lines=results.lines,
        broken=tuple(results.broken),
        outcome=verdict.outcome,
        summary=verdict.summary,
        seconds=ran.completed.seconds,
    )


async def enforced_sandbox(*, unconfined: bool = False) -> Sandbox:
    """Return the sandbox that holds here.

    Raises `SandboxUnavailable` when none does, unless the person agreed to run code `unconfined`.
    """
    sandbox = await detect()
    if not sandbox.enforced and not unconfined:
        raise SandboxUnavailable(
            "a benchmark runs code that models write, and nothing here can confine it",
            hint="`ensemble-lsp doctor` says what was tried.",
        )
    return sandbox


def usual_runs_at_once() -> int:
    """Return how many runs go side by side on this machine: one per core, four at most."""
    return max(1, min(4, os.cpu_count() or 1))
