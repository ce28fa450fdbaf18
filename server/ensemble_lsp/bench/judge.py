"""Who says what was right: a fix by running tests that the panel had no hand in, a finding by its place.

A fix passes when every test that fails on the case and every test that runs the function passes; for a set, the
whole suite. Test files are the case's own, whatever the fix made of them.

A finding is about the bug when it points at it: same file, and its lines come within two lines of those that
differ from the right program. A finding that covers more than ten lines points at its first one only, else one
that names the whole file would always be right. This is the usual proxy, and it errs both ways: a remark on
something else that stands beside the bug counts, and one that sees the bug from a caller does not. `exact` asks
for the differing lines themselves; a report gives both.
"""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.suite import Suite, enforced_sandbox, usual_runs_at_once
from ensemble_lsp.bench.workspace import write_files
from ensemble_lsp.checks.sandbox import Sandbox
from ensemble_lsp.checks.selection import is_test_file
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.findings import Finding

SET_SECONDS = 20.0
"""For all tests of a case of a set: its programs are small, and several of the bugs are endless loops."""
BASE_SECONDS = 30.0
"""For the tests of a mutated function, beside five times what they take on the original."""
NEAR_LINES = 2
"""How far from the differing lines a finding may point."""
MOST_LINES = 10
"""A finding about more lines than this points at its first line only."""


@dataclass(frozen=True, slots=True)
class JudgedFindings:
    """What the findings of one review amount to."""

    about: tuple[Finding, ...]
    """Those about the known bug; however many, it was found once."""
    exact: bool
    """Whether one of them points at the differing lines themselves."""
    false_alarms: tuple[Finding, ...]
    """The others, duplicates once."""


@dataclass(slots=True)
class Judge:
    """Made by `open`; one for a whole run, for several cases at a time."""

    sandbox: Sandbox
    python: Path | None
    scratch: Path
    _stack: contextlib.AsyncExitStack
    _suites: dict[str, Suite] = field(default_factory=dict[str, Suite])
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, *, python: Path | None = None, sandbox: Sandbox | None = None, unconfined: bool = False
    ) -> AsyncGenerator["Judge"]:
        """Prepare; raises `SandboxUnavailable` when nothing can confine what is judged.

        `python` runs the tests, else each workspace's own.
        """
        sandbox = sandbox or await enforced_sandbox(unconfined=unconfined)
        async with contextlib.AsyncExitStack() as stack:
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="ensemble-judge-"))
            yield cls(sandbox, python, Path(scratch), stack)

    async def passes(self, case: BenchCase, program: str, beside: Mapping[str, str] | None = None) -> bool:
        """Say whether `program`, the text of `case.path`, is right as far as tests can tell.

        `beside`: other files that the fix changed or added; tests among them are passed over. Raises
        `CheckError` when the tests cannot be run at all.
        """
        further = {path: text for path, text in (beside or {}).items() if not _is_of_tests(case, path)}
        if case.base:
            return await self._passes_in_base(case, {**case.files, **further, case.path: program})
        with tempfile.TemporaryDirectory(dir=self.scratch) as name:
            workspace = Path(name) / "work"
            write_files(workspace, {**case.files, **further, **case.judged_by, case.path: program})
            async with Suite.open(
                workspace, sandbox=self.sandbox, python=self.python, scratch=Path(name) / "shadows", at_once=1
            ) as suite:
                run = await suite.run((".",), seconds=SET_SECONDS)
        return run.outcome is Outcome.PASSED

    async def _passes_in_base(self, case: BenchCase, files: Mapping[str, str]) -> bool:
        expected = tuple(dict.fromkeys((*case.targets, *case.covering)))
        suite = await self._suite(case.base)
        changes = [suite.change(path, text) for path, text in files.items()]
        run = await suite.run(expected, seconds=BASE_SECONDS + case.seconds * 5, changes=changes)
        return bool(expected) and run.passed.issuperset(expected)

    async def _suite(self, base: str) -> Suite:
        async with self._opening:
            if base not in self._suites:
                opened = Suite.open(
                    Path(base), sandbox=self.sandbox, python=self.python, at_once=usual_runs_at_once()
                )
                self._suites[base] = await self._stack.enter_async_context(opened)
            return self._suites[base]

    def about_the_bug(self, case: BenchCase, finding: Finding, *, exact: bool = False) -> bool:
        """Say whether a finding points at the known bug; never for a clean control."""
        return about_the_bug(case, finding, exact=exact)

    def judged(self, case: BenchCase, findings: Sequence[Finding]) -> JudgedFindings:
        """Divide findings into those about the known bug and false alarms."""
        return judged_findings(case, findings)


def judged_findings(case: BenchCase, findings: Sequence[Finding]) -> JudgedFindings:
    """Divide findings into those about the known bug and false alarms."""
    about = tuple(item for item in findings if about_the_bug(case, item))
    others = [item for item in findings if not about_the_bug(case, item)]
    exact = any(about_the_bug(case, item, exact=True) for item in about)
    return JudgedFindings(about, exact, _once(others))


def about_the_bug(case: BenchCase, finding: Finding, *, exact: bool = False) -> bool:
    """Say whether a finding points at the known bug; never for a clean control."""
    if case.clean or finding.path != case.path:
        return False
    first, last = case.lines
    if not exact:
        first, last = first - NEAR_LINES, last + NEAR_LINES
    long = finding.end_line - finding.line + 1 > MOST_LINES
    end = finding.line if long else max(finding.line, finding.end_line)
    return finding.line <= last and end >= first


def _once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Leave out what says the same again: the same fingerprint, else the same lines and category."""
    kept: dict[object, Finding] = {}
    for item in findings:
        place = (item.path, item.line, item.end_line, item.category.casefold())
        kept.setdefault(item.fingerprint or place, item)
    return tuple(kept.values())


def _is_of_tests(case: BenchCase, path: str) -> bool:
    return is_test_file(path) or path.rpartition("/")[2] == "conftest.py" or path in case.judged_by
