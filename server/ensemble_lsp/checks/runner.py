"""The checks of one job: who is asked, in which copy, under which confinement."""

import asyncio
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ensemble_lsp.checks.check_parts import MOST_TOGETHER, NO_TRUST, CheckParts
from ensemble_lsp.checks.description import ChecksDescription
from ensemble_lsp.checks.detection import describe_sandbox
from ensemble_lsp.checks.forked_runs import OF_VERSIONS, ForkedRuns
from ensemble_lsp.checks.line_coverage import record_lines
from ensemble_lsp.checks.mutants import MAX_MUTANTS, Mutant, mutants_of
from ensemble_lsp.checks.mutated_region import mutated_lines, mutated_path
from ensemble_lsp.checks.planning import NamedCheck, Plan, plan
from ensemble_lsp.checks.quoted_secrets import without_secrets
from ensemble_lsp.checks.repair_search import RepairSearch
from ensemble_lsp.checks.run_outcomes import finished_files
from ensemble_lsp.checks.sandbox import Limits, Sandbox
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.strength import StrengthCache, measure
from ensemble_lsp.checks.versions import identity, without_known
from ensemble_lsp.checks.witness import Targets, Witness, not_run
from ensemble_lsp.checks.witnesses import syntax
from ensemble_lsp.checks.written_tests import WrittenTests
from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Evidence, Outcome, Strength
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.directories import cache_directory
from ensemble_lsp.ensemble.credentials import SecretScan
from ensemble_lsp.ensemble.framework import NoFramework, Unit
from ensemble_lsp.ensemble.ports import Coverage, Dossier, MutantRun, RepairsFound
from ensemble_lsp.settings import Settings

STATIC_LIMITS = Limits(seconds=30.0)
_SHORTEST_LIMIT = 10.0
"""Seconds that a candidate's tests get at least, however fast they were before."""


class Checks:
    """Implements `ensemble.ports.CheckPort`. Made by `open`, given back by `close`."""

    def __init__(
        self,
        parts: "CheckParts",
        *,
        task: Task,
        chosen: Plan,
        searches: bool,
        framework: str = "pytest",
        static_limits: Limits = STATIC_LIMITS,
    ) -> None:
        self._parts = parts
        self._project = parts.project
        self._task = task
        self._plan = chosen
        self._pool = parts.pool
        self._sandbox = parts.sandbox
        self._interpreter = parts.interpreter
        self._refusal = parts.refusal
        self._searches = searches
        self._framework = framework
        self._static_limits = static_limits
        self._forked = ForkedRuns(parts.pool, parts.sandbox, several=task.action in OF_VERSIONS)
        self._baseline: CheckReport | None = None
        self._baseline_lock = asyncio.Lock()
        self._known: dict[str, tuple[Diagnostic, ...]] = {}
        self._fixed: tuple[FileChange, ...] = ()
        self._passing: set[str] = set()
        self._strength: Strength | None = None
        self._strength_of: str = ""

    @classmethod
    async def open(
        cls,
        workspace: Path,
        task: Task,
        *,
        overlays: Mapping[str, SourceText],
        trusted: bool,
        check_given: bool = False,
        unconfined: bool = False,
        settings: Settings | None = None,
        dossier: Dossier | None = None,
        scratch: Path | None = None,
        sandbox: Sandbox | None = None,
        secrets: SecretScan | None = None,
    ) -> "Checks":
        """Prepare the checks of one job; nothing is copied or run yet.

        `trusted`: the folder's code and configuration may be used. `check_given`: the person typed the check's
        command, so that it runs whatever the trust. `unconfined`: the person agreed to run code where no
        sandbox can be enforced. `scratch` and `sandbox` are for tests. `secrets` knows the job's: they are taken
        out of what tools say, and looked for as credentials. Raises `CheckError` for a workspace
        that cannot be copied and `UsageError` for a check's command that cannot be read.
        """
        settings = settings or Settings()
        parts = await CheckParts.of(
            workspace,
            overlays,
            trusted=trusted,
            check_given=check_given and bool(task.check),
            unconfined=unconfined,
            settings=settings,
            scratch=scratch,
            sandbox=sandbox,
            secrets=secrets,
        )
        named: Sequence[NamedCheck] = settings.checks
        editable: Iterable[str] = dossier.files if dossier is not None else ()
        chosen = await plan(
            parts.project,
            task,
            editable,
            checks=named,
            default_check=settings.check,
            interpreter=parts.interpreter,
            review_tests=settings.review.tests,
            secrets=parts.secrets,
        )
        framework = dossier.framework if dossier is not None else None
        written_in = "pytest" if framework is None or isinstance(framework, NoFramework) else framework.name
        return cls(parts, task=task, chosen=chosen, searches=settings.search.repair, framework=written_in)

    async def close(self) -> None:
        """Give the copies up; they stay on disk, restored, as a start for the workspace's next job."""
        await self._forked.close()
        await self._pool.close()

    async def baseline(self) -> CheckReport:
        """Run the witnesses on the code as it is; cached for the job."""
        async with self._baseline_lock:
            if self._baseline is None:
                report = await self._look((), self._plan.targets, self._plan.seconds, None)
                self._baseline = self._narrowed(report)
            return self._baseline

    def _narrowed(self, report: CheckReport) -> CheckReport:
        """Where the tests did not come to an end in time, go on with the files that did, best ones first."""
        kept: list[Evidence] = []
        for item in report.evidence:
            narrower = finished_files(item, self._plan.targets.tests) if item.witness == "pytest" else None
            if narrower is not None:
                files, item = narrower  # noqa: PLW2901 - the same evidence, about less
                self._plan = replace(self._plan, targets=replace(self._plan.targets, tests=files))
            kept.append(item)
        return CheckReport(evidence=tuple(kept))

    async def check(
        self, changes: Sequence[FileChange], *, on_evidence: Callable[[Evidence], None] | None = None
    ) -> CheckReport:
        """Run the same witnesses with `changes` in place. Ends the whole process tree when cancelled."""
        known = set(self._plan.targets.paths)
        further = tuple(dict.fromkeys(change.path for change in changes if change.path not in known))
        targets = replace(self._plan.targets, paths=(*self._plan.targets.paths, *further))
        was = await self._known_diagnostics(further)
        report = await self._look(changes, targets, self._limit_after_baseline(), on_evidence)
        if not was:
            return report
        return CheckReport(evidence=tuple(without_known(item, set(further), was) for item in report.evidence))

    async def _known_diagnostics(self, paths: Sequence[str]) -> tuple[Diagnostic, ...]:
        """Return what static tools say of files outside the baseline as they are: it is not the change's doing."""
        new = tuple(path for path in paths if path not in self._known and path in self._project.files)
        if new:
            targets = Targets(paths=new)
            async with self._pool.borrow() as lease:
                site = Site(lease, self._sandbox, self._interpreter)
                told = [
                    await self._ask(witness, site, targets, STATIC_LIMITS) for witness in self._plan.static
                ]
            for path in new:
                self._known[path] = tuple(
                    item for evidence in told for item in evidence.diagnostics if item.path == path
                )
        return tuple(item for path in paths for item in self._known.get(path, ()))

    def _limit_after_baseline(self) -> float:
        """Return the seconds a candidate's run may take: enough for the baseline's several times over."""
        took = max((item.seconds for item in (self._baseline or CheckReport()).executed), default=None)
        timed_out = any(
            item.outcome is Outcome.TIMED_OUT for item in (self._baseline or CheckReport()).executed
        )
        if took is None or timed_out:
            return self._plan.seconds
        return min(self._plan.seconds, max(_SHORTEST_LIMIT, 5 * took))

    async def _look(
        self,
        changes: Sequence[FileChange],
        targets: Targets,
        seconds: float,
        on_evidence: Callable[[Evidence], None] | None,
    ) -> CheckReport:
        witnesses = (*self._plan.static, *self._plan.executing)
        told: dict[int, Evidence] = {}
        async with self._pool.borrow(changes) as lease:
            site = Site(lease, self._sandbox, self._interpreter, forked=self._forked)

            async def ask(place: int, witness: Witness) -> None:
                executing = witness in self._plan.executing
                limits = Limits(seconds=seconds) if executing else self._static_limits
                told[place] = await self._ask(witness, site, targets, limits)
                if on_evidence is not None:
                    on_evidence(told[place])

            async with asyncio.TaskGroup() as group:
                for place, witness in enumerate(witnesses):
                    group.create_task(ask(place, witness))
        ended = [told[place].outcome for place, item in enumerate(witnesses) if item in self._plan.executing]
        if Outcome.PASSED in ended and set(ended) <= {Outcome.PASSED, Outcome.NOT_RUN}:
            self._passing.add(identity(changes))
        return CheckReport(evidence=tuple(told[place] for place in range(len(witnesses))))

    async def _ask(self, witness: Witness, site: Site, targets: Targets, limits: Limits) -> Evidence:
        return await self._told(await self._run(witness, site, targets, limits))

    async def _run(self, witness: Witness, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Return what a witness says, word for word: for whoever looks at its outcome alone."""
        if witness.executes and self._refusal:
            return not_run(witness, targets, self._refusal)
        try:
            return await witness.run(site, targets, limits)
        except (OSError, ValueError, KeyError, TypeError) as problem:
            # A full disk, or an answer of a tool in a form that this version does not know.
            reason = f"{witness.name} could not be used: {type(problem).__name__}: {problem}"
            return not_run(witness, targets, reason[:300]).model_copy(update={"outcome": Outcome.ERROR})

    async def _told(self, evidence: Evidence) -> Evidence:
        secrets = self._parts.secrets
        if secrets is None:
            return evidence
        # In a thread: of hundreds of files there are thousands of messages.
        return await asyncio.to_thread(without_secrets, evidence, secrets)

    async def probe(self, changes: Sequence[FileChange], test_code: str) -> Evidence:
        """Run a test that a model wrote (a pytest module's text) with `changes` in place.

        Only in an enforced sandbox or with consent, else `Outcome.NOT_RUN`. PASSED: a test of it ran, and none
        failed. `Outcome.ERROR`: it does not parse or load, and says nothing about the code.
        """
        paths, nearby = self._plan.targets.paths, self._plan.nearby
        return await self._told(await self._written.probe(changes, test_code, paths, nearby))

    async def coverage(self) -> Coverage | None:
        """Run the executing witnesses on the code as it is; the lines are empty where none runs pytest."""
        if self._refusal:
            return None
        limits = Limits(seconds=self._plan.seconds)
        async with self._pool.borrow(()) as lease:
            site = Site(lease, self._sandbox, self._interpreter, records_lines=True, forked=self._forked)
            return await record_lines(
                self._plan.executing, site, lambda item: self._ask(item, site, self._plan.targets, limits)
            )

    async def run_tests(
        self, changes: Sequence[FileChange], path: str, *, units: Sequence[Unit] = ()
    ) -> Evidence:
        """Run the test file `path`, which a model wrote or added to, with `changes` in place; tests by their id.

        Under the rules of `probe`. `Outcome.ERROR`: it does not load.
        """
        return await self._told(await self._written.run(changes, path, self._task.path or "", units))

    async def mutant_runs(
        self,
        changes: Sequence[FileChange],
        path: str,
        lines: tuple[int, int],
        *,
        only: Collection[str] | None = None,
        units: Sequence[Unit] = (),
    ) -> tuple[MutantRun, ...]:
        """Run the test file `path` against at most twelve mutants of `lines` of the task's file."""
        code = self._task.path or ""
        return await self._written.against_mutants(changes, path, code, lines, only=only, units=units)

    async def repairs(
        self, path: str, suspicion: Mapping[int, float], failing: Collection[str]
    ) -> RepairsFound:
        """Try small changes of `path` until one turns the `failing` tests green; see `repair_search`."""
        if not self._searches:
            return RepairsFound()
        search = RepairSearch(self._project, self._pool, self._sandbox, self._interpreter, self._no_code)
        return await search.run(path, suspicion, sorted(failing), self._plan.targets.tests)

    @property
    def _written(self) -> WrittenTests:
        return WrittenTests(
            self._project, self._pool, self._sandbox, self._interpreter, self._no_code, self._framework
        )

    @property
    def _no_code(self) -> str:
        """Why nothing that a model or a search wrote may be run; "" when it may."""
        return self._refusal or ("" if self._project.trusted else NO_TRUST)

    def fixed_by(self, changes: Sequence[FileChange]) -> None:
        """Tell which version passes, so that `strength` mutates a version whose checks are green."""
        self._fixed = tuple(changes)

    async def strength(self) -> Strength | None:
        """Mutate the region of the passing version and say how many mutants the checks kill.

        At most `MAX_MUTANTS` runs, fewer when the question whether half are killed is decided. None when
        nothing executes the code, when no version passes, and when there is nothing to mutate.
        """
        path = mutated_path(self._task, self._fixed, self._plan.targets.paths)
        if self._refusal or not self._plan.executing or path is None:
            return None
        source = next(
            (change.after for change in self._fixed if change.path == path and change.after is not None),
            self._project.source(path),
        )
        first, last = mutated_lines(self._task, self._fixed, path, source.text)
        mutants = mutants_of(path, source.text, first, last, seed=source.text, most=MAX_MUTANTS)
        if not mutants:
            return None
        cache = StrengthCache(cache_directory() / "strengths")
        key = cache.key(source.text, path, str(first), str(last), *self._judges())
        if self._strength is None or self._strength_of != key:
            kept = await asyncio.to_thread(cache.get, key)
            self._strength = kept or await self._measured(path, source, mutants)
            self._strength_of = key
            if kept is None and self._strength is not None:
                await asyncio.to_thread(cache.put, key, self._strength)
        return self._strength

    def _judges(self) -> list[str]:
        """Return the texts of what decides: the command, the tests, and the other files of the fix."""
        parts = [witness.target(self._plan.targets) for witness in self._plan.executing]
        parts += [self._project.read(test.partition("::")[0]) for test in self._plan.targets.tests]
        parts += [f"{change.path}\0{change.after.text}" for change in self._fixed if change.after is not None]
        return [*parts, str(self._project.workspace)]

    async def _measured(self, path: str, source: SourceText, mutants: Sequence[Mutant]) -> Strength | None:
        targets = replace(self._plan.targets, stop_at_first=True)
        others = tuple(change for change in self._fixed if change.path != path)
        if identity(self._fixed) not in self._passing:
            outcome = await self._execute(self._fixed, targets, self._plan.seconds)
            if outcome is not Outcome.PASSED:
                return None
        limit = self._limit_after_baseline()

        async def kills(mutant: Mutant) -> bool | None:
            after = SourceText(mutant.text, source.encoding, source.bom)
            change = FileChange(path=path, before=source, after=after)
            outcome = await self._execute((*others, change), targets, limit)
            return None if outcome in {None, Outcome.NOT_RUN} else outcome is not Outcome.PASSED

        return await measure(mutants, kills, together=min(MOST_TOGETHER, os.cpu_count() or 1))

    async def _execute(
        self, changes: Sequence[FileChange], targets: Targets, seconds: float
    ) -> Outcome | None:
        """Return how the executing witnesses end together: passed only when all that ran did."""
        outcomes: list[Outcome] = []
        async with self._pool.borrow(changes) as lease:
            site = Site(lease, self._sandbox, self._interpreter, forked=self._forked)
            for witness in self._plan.executing:
                told = await self._run(witness, site, targets, Limits(seconds=seconds))
                if told.outcome is not Outcome.NOT_RUN:
                    outcomes.append(told.outcome)
                if told.outcome not in {Outcome.NOT_RUN, Outcome.PASSED}:
                    return told.outcome
        return Outcome.PASSED if outcomes else None

    def parse_errors(self, path: str, text: str) -> int | None:
        """Return the number of parse errors, or None for a language without a parser."""
        return syntax.parse_errors(path, text)

    def normal_form(self, path: str, text: str) -> str:
        """Return a form equal for texts that differ in comments and layout only (same AST)."""
        return syntax.normal_form(path, text)

    def enclosing(self, path: str, text: str, line: int) -> tuple[str, int, int] | None:
        """Return name, first and last line (0-based, inclusive) of the innermost symbol around `line`."""
        return syntax.enclosing(path, text, line)

    async def describe(self) -> ChecksDescription:
        """Say what confines the checks, which Python runs them, and who is asked."""
        description = await describe_sandbox()
        listing = await self._pool.listing()
        return ChecksDescription(
            sandbox=self._sandbox.label if self._sandbox.enforced else "none",
            enforced=self._sandbox.enforced,
            detail=(*description.detail, *((self._refusal,) if self._refusal else ())),
            interpreter=f"{self._interpreter.executable} ({self._interpreter.why})",
            witnesses=tuple(witness.name for witness in (*self._plan.static, *self._plan.executing)),
            tests=self._plan.targets.tests,
            left_out=listing.left_out,
        )
