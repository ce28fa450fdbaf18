"""A `CheckPort` that really runs small Python programs, in this process: quick, and without a sandbox.

For tests of the deliberation only, where all code is written in the tests themselves.
"""

import ast
import asyncio
import sys
import types
from collections.abc import Callable, Collection, Mapping, Sequence

from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Evidence, Outcome, Rank, Strength
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.framework import Unit
from ensemble_lsp.ensemble.ports import Coverage, FoundRepair, MutantRun, RepairsFound

STRONG = Strength(killed=9, total=10)
WEAK = Strength(killed=1, total=10, survivors=("line 2: + became -",))


class ScriptedChecks:
    """Checks one file, `path`, by the functions of `test` that start with `test_`.

    `mutants` map descriptions to the changed texts of `path`, for written tests.
    `test` None: no test executes the code. `probes` False: what critics write is not run (no consent).
    """

    def __init__(
        self,
        files: Mapping[str, SourceText],
        path: str,
        test: str | None,
        *,
        strength: Strength | None = STRONG,
        probes: bool = True,
        lint: Callable[[str], tuple[Diagnostic, ...]] = lambda _text: (),
        mutants: Mapping[str, str] | None = None,
    ) -> None:
        self._files = files
        self._path = path
        self._test = test
        self._strength = strength
        self._probes = probes
        self._lint = lint
        self._mutants = mutants or {}
        self.covered: Coverage | None = None
        """What `coverage` answers."""
        self.versions: dict[str, str] = {}
        """What `repairs` tries: a change in words → the file's text with it."""
        self.searched: list[tuple[str, dict[int, float], frozenset[str]]] = []
        self.checked: list[str] = []
        self.mutated: list[list[str]] = []
        self.probed: list[tuple[str, str]] = []
        self.fixed: list[str] = []
        self.hold: asyncio.Event | None = None
        """While set and not yet fired, `check` waits for it."""
        self.entered = asyncio.Event()
        self.hold_search: asyncio.Event | None = None
        """The same for `repairs`."""
        self.entered_search = asyncio.Event()
        self.cancelled = 0

    async def baseline(self) -> CheckReport:
        return self._report(self._files[self._path].text)

    async def check(
        self, changes: Sequence[FileChange], *, on_evidence: Callable[[Evidence], None] | None = None
    ) -> CheckReport:
        text = self._text(changes)
        self.checked.append(text)
        self.entered.set()
        if self.hold is not None:
            try:
                await self.hold.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        report = self._report(text)
        for item in report.evidence:
            if on_evidence is not None:
                on_evidence(item)
        return report

    async def probe(self, changes: Sequence[FileChange], test_code: str) -> Evidence:
        text = self._text(changes)
        self.probed.append((text, test_code))
        if not self._probes:
            return Evidence(
                witness="probe", rank=Rank.EXECUTED, target="", outcome=Outcome.NOT_RUN, summary="no consent"
            )
        return run_tests(self._path, text, test_code, "probe")

    async def coverage(self) -> Coverage | None:
        return self.covered

    async def run_tests(
        self, changes: Sequence[FileChange], path: str, *, units: Sequence[Unit] = ()
    ) -> Evidence:
        del units
        return self._written(changes, path, self._files[self._path].text)

    async def mutant_runs(
        self,
        changes: Sequence[FileChange],
        path: str,
        lines: tuple[int, int],
        *,
        only: Collection[str] | None = None,
        units: Sequence[Unit] = (),
    ) -> tuple[MutantRun, ...]:
        del lines, units
        chosen = [name for name in self._mutants if only is None or name in only]
        self.mutated.append(chosen)
        return tuple(
            MutantRun(mutant=name, outcomes=self._written(changes, path, self._mutants[name]).tests)
            for name in chosen
        )

    async def repairs(
        self, path: str, suspicion: Mapping[int, float], failing: Collection[str]
    ) -> RepairsFound:
        """Run the texts of `versions` in the place of the file; those that pass are found."""
        self.searched.append((path, dict(suspicion), frozenset(failing)))
        self.entered_search.set()
        if self.hold_search is not None:
            try:
                await self.hold_search.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        source = self._files[path]
        passing = [
            FoundRepair(what=what, change=FileChange(path=path, before=source, after=source.with_text(text)))
            for what, text in self.versions.items()
            if self._test is not None
            and run_tests(path, text, self._test, "pytest").outcome is Outcome.PASSED
        ]
        return RepairsFound(tried=len(self.versions), repairs=tuple(passing[:3]))

    def _written(self, changes: Sequence[FileChange], path: str, program: str) -> Evidence:
        if not self._probes:
            return Evidence(
                witness="probe",
                rank=Rank.EXECUTED,
                target=path,
                outcome=Outcome.NOT_RUN,
                summary="not run: the folder is not trusted",
            )
        (test,) = (change.after.text for change in changes if change.path == path and change.after)
        told = run_tests(self._path, program, test, "probe")
        named = {f"{path}::{name.partition('::')[2]}": outcome for name, outcome in told.tests.items()}
        return told.model_copy(update={"tests": named, "target": path})

    async def strength(self) -> Strength | None:
        return self._strength if self._test is not None else None

    def fixed_by(self, changes: Sequence[FileChange]) -> None:
        self.fixed.append(self._text(changes))

    def parse_errors(self, path: str, text: str) -> int | None:
        del path
        try:
            ast.parse(text)
        except SyntaxError:
            return 1
        return 0

    def normal_form(self, path: str, text: str) -> str:
        del path
        try:
            return ast.dump(ast.parse(text))
        except SyntaxError:
            return text

    def enclosing(self, path: str, text: str, line: int) -> tuple[str, int, int] | None:
        del path
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return None
        found: tuple[str, int, int] | None = None
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                first, last = node.lineno - 1, node.end_lineno - 1
                if first <= line <= last:
                    found = (node.name, first, last)
        return found

    def _text(self, changes: Sequence[FileChange]) -> str:
        for change in changes:
            if change.path == self._path and change.after is not None:
                return change.after.text
        return self._files[self._path].text

    def _report(self, text: str) -> CheckReport:
        lint = Evidence(
            witness="lint",
            rank=Rank.STATIC,
            target=self._path,
            outcome=Outcome.PASSED,
            summary="lint ran",
            diagnostics=self._lint(text),
        )
        if self._test is None:
            return CheckReport(evidence=(lint,))
        return CheckReport(evidence=(lint, run_tests(self._path, text, self._test, "pytest")))


def run_tests(path: str, program: str, test: str, witness: str) -> Evidence:
    """Run the `test_` functions of `test` against `program`, imported under the name of its file."""
    name = path.removesuffix(".py").replace("/", ".")
    module = types.ModuleType(name)
    tests: dict[str, Outcome] = {}
    log: list[str] = []
    outcome = Outcome.PASSED
    sys.modules[name] = module
    try:
        exec(program, module.__dict__)  # noqa: S102 - the tests' own code
        space: dict[str, object] = {"__name__": "test_it"}
        exec(test, space)  # noqa: S102
        for key, function in space.items():
            if key.startswith("test_") and callable(function):
                try:
                    function()
                    tests[f"test_it.py::{key}"] = Outcome.PASSED
                except Exception as problem:  # noqa: BLE001 - whatever the code under test raises
                    tests[f"test_it.py::{key}"] = Outcome.FAILED
                    log.append(f"_____ {key} _____\nE   {type(problem).__name__}: {problem}")
                    outcome = Outcome.FAILED
    except Exception as problem:  # noqa: BLE001
        log.append(f"E   {type(problem).__name__}: {problem}")
        outcome = Outcome.ERROR
    finally:
        del sys.modules[name]
    passed = sum(1 for item in tests.values() if item is Outcome.PASSED)
    return Evidence(
        witness=witness,
        rank=Rank.EXECUTED,
        target="test_it.py",
        outcome=outcome,
        summary=f"{passed} passed, {len(tests) - passed} failed",
        log="\n".join(log),
        tests=tests,
    )
