"""The checks of a review of many files: one copy of the workspace, and every tool run once for hundreds of them."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ensemble_lsp.checks.check_parts import CheckParts
from ensemble_lsp.checks.planning import REVIEW_LIMIT_SECONDS, Plan, home_of, plan
from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.selection import choose_tests
from ensemble_lsp.checks.witness import Project, Targets, of_diagnostics
from ensemble_lsp.checks.witnesses.pytest import PytestWitness
from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Evidence, Outcome, Rank
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import Task
from ensemble_lsp.settings import Settings

FILES_TOGETHER = 250
"""Files of one run of the tools: those of a repository of usual size, and a bound on what they print."""
TESTED_FILES = 20
"""Of a change of no more files the tests of each are run: in 20 seconds each at most, while its members read."""
_SECONDS, _SECONDS_PER_FILE = 30.0, 0.5
"""What a tool may take; the slowest, bandit, needs about 0.03 s a file on a free core."""
_OUTPUT_BYTES = 64_000_000
"""Bandit writes a kilobyte for each `assert` in a test."""


@dataclass(frozen=True, slots=True)
class _Said:
    """One tool's evidence about a group of files, and its messages by file."""

    evidence: Evidence
    by_path: Mapping[str, Sequence[Diagnostic]]


class ManyFilesChecks:
    """What the files of one review share; close it when they are done.

    The tools look at a group of files when the first of them asks. A named check is about all files: it is run with the
    first group, and told with the first file.
    """

    def __init__(self, parts: CheckParts, task: Task, settings: Settings) -> None:
        """Prepare the checks of `task.paths`; nothing is copied or run yet."""
        self._parts = parts
        self._task = task
        self._settings = settings
        self._groups = _groups_of(parts.project, task.paths)
        self._number = {path: number for number, paths in enumerate(self._groups) for path in paths}
        self._runs: dict[int, asyncio.Task[tuple[_Said, ...]]] = {}
        self._executed_told = False

    @property
    def runs_tests(self) -> bool:
        """Whether each file's tests are run beside its review: those of a small change, in a trusted folder."""
        named = self._task.check or self._settings.check
        small = bool(self._task.changed_lines) and len(self._task.paths) <= TESTED_FILES
        return small and self._settings.review.tests and self._parts.project.trusted and not named

    @property
    def searches(self) -> bool:
        """Whether small changes are tried where the tests of a file fail."""
        return self.runs_tests and self._settings.search.repair

    async def close(self) -> None:
        """End what runs and give the copies up."""
        for run in self._runs.values():
            run.cancel()
        await asyncio.gather(*self._runs.values(), return_exceptions=True)
        await self._parts.pool.close()

    def of_file(self, task: Task) -> "FileChecks":
        """Return the checks of `task.path`, one of the files; closing them leaves the copies to the others."""
        return FileChecks(self._parts, task, self)

    async def said_of(self, path: str) -> CheckReport:
        """Return what the tools say of one file. Raises `CheckError` where no copy can be made."""
        number = self._number[path]
        if number not in self._runs:
            self._runs[number] = asyncio.create_task(self._look(number, first=not self._runs))
        said = await asyncio.shield(self._runs[number])
        return CheckReport(evidence=tuple(item for each in said if (item := self._about(each, path))))

    async def _look(self, number: int, *, first: bool) -> tuple[_Said, ...]:
        paths, settings = self._groups[number], self._settings
        check = self._task.check if first else None
        task = self._task.model_copy(update={"path": None, "paths": paths, "check": check})
        chosen = await plan(
            self._parts.project,
            task,
            (),
            checks=settings.checks,
            default_check=settings.check if first else None,
            interpreter=self._parts.interpreter,
            most=len(paths),
            test_files=False,
        )
        limits = Limits(seconds=_SECONDS + _SECONDS_PER_FILE * len(paths), output_bytes=_OUTPUT_BYTES)
        checks = Checks(self._parts, task=task, chosen=chosen, searches=False, static_limits=limits)
        return tuple(_sorted(item) for item in (await checks.baseline()).evidence)

    def _about(self, said: _Said, path: str) -> Evidence | None:
        """Return what a group's evidence says of one file."""
        item = said.evidence
        if item.rank is Rank.EXECUTED:
            told, self._executed_told = self._executed_told, True
            return None if told else item
        if item.outcome not in {Outcome.PASSED, Outcome.FAILED}:
            return item.model_copy(update={"target": path})
        verdict = of_diagnostics(said.by_path.get(path, ()))
        return item.model_copy(
            update={
                "target": path,
                "outcome": verdict.outcome,
                "summary": verdict.summary,
                "diagnostics": verdict.diagnostics,
            }
        )


class FileChecks(Checks):
    """The checks of one of many files: what the tools said of it, and probes in the copies of all."""

    def __init__(self, parts: CheckParts, task: Task, shared: ManyFilesChecks) -> None:
        self._path = task.path or ""
        chosen = Plan(Targets(paths=(self._path,)), nearby=(), static=(), executing=(), seconds=0.0)
        super().__init__(parts, task=task, chosen=chosen, searches=shared.searches)
        self._shared = shared

    async def baseline(self) -> CheckReport:
        """Return what the tools said of the file, and of a small change's file its tests."""
        said = await self._shared.said_of(self._path)
        if not self._shared.runs_tests or self._refusal:
            return said
        nearby = await self._nearby()
        if nearby and not self._plan.executing:
            witness = PytestWitness(self._project, self._interpreter, nearby)
            targets = replace(self._plan.targets, tests=nearby)
            self._plan = replace(
                self._plan, targets=targets, executing=(witness,), seconds=REVIEW_LIMIT_SECONDS
            )
        ran = await super().baseline() if self._plan.executing else CheckReport()
        return CheckReport(evidence=(*said.evidence, *ran.evidence))

    async def probe(self, changes: Sequence[FileChange], test_code: str) -> Evidence:
        """Run a test that a model wrote beside the tests of the file, which are looked for only now."""
        if not self._refusal:
            await self._nearby()
        return await super().probe(changes, test_code)

    async def _nearby(self) -> tuple[str, ...]:
        if not self._plan.nearby:
            nearby = await asyncio.to_thread(choose_tests, self._project, [self._path])
            self._plan = replace(self._plan, nearby=nearby)
        return self._plan.nearby

    async def close(self) -> None:
        """Leave the copies to the other files."""
        await self._forked.close()


def _groups_of(project: Project, paths: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the files that one run of the tools looks at together, each group in the order of `paths`."""
    by_home: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_home[home_of(project, path)].append(path)
    return [
        tuple(each[start : start + FILES_TOGETHER])
        for each in by_home.values()
        for start in range(0, len(each), FILES_TOGETHER)
    ]


def _sorted(item: Evidence) -> _Said:
    by_path: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in item.diagnostics:
        by_path[diagnostic.path].append(diagnostic)
    if item.rank is not Rank.EXECUTED:
        # The log of hundreds of files is nobody's.
        item = item.model_copy(update={"diagnostics": (), "log": ""})
    return _Said(item, by_path)
