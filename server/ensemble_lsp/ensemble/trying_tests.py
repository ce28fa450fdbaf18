"""What is known while tests are written: who wrote which, how they ran, and what they notice."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.errors import CheckError, TrustRequired
from ensemble_lsp.core.events import CheckFinished
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.choosing_tests import Score, kills_of, survivors_of
from ensemble_lsp.ensemble.framework import Chosen, Framework, TestModule, Unit
from ensemble_lsp.ensemble.ports import MutantRun
from ensemble_lsp.ensemble.region import Region
from ensemble_lsp.ensemble.sitting import Sitting, unless_stopped


@dataclass(slots=True)
class Contribution:
    """One member's tests, and how each ended on the code as it is."""

    voice: Voice
    module: TestModule
    outcomes: dict[str, Outcome] = field(default_factory=dict[str, Outcome])
    """`Group::name` → outcome."""
    log: str = ""
    measured: bool = False
    later: bool = False
    """Whether its tests ran only against the changes that no other test noticed."""

    def of(self, *wanted: Outcome) -> list[Unit]:
        """Return the tests that ended so."""
        return [unit for unit in self.module.units if self.outcomes.get(unit.id_in) in wanted]


@dataclass(slots=True)
class Bench:
    """Where written tests are tried. Owned by one task."""

    sitting: Sitting
    region: Region
    framework: Framework
    existing: SourceText | None
    contributions: list[Contribution] = field(default_factory=list[Contribution])
    runs: tuple[MutantRun, ...] = ()
    refusal: str = ""
    """Why nothing could be run."""
    unloaded: list[tuple[Voice, str, str]] = field(default_factory=list[tuple[Voice, str, str]])
    """Answers that could not be run: whose, the module, and why."""

    @property
    def home(self) -> str:
        """The test file."""
        return self.framework.home

    @property
    def before(self) -> str:
        """The test file as it is, with LF line endings."""
        return "" if self.existing is None else self.existing.text.replace("\r\n", "\n").replace("\r", "\n")

    def change(self, chosen: Chosen) -> FileChange:
        """Return the test file with the chosen tests in it, in the line endings that it has."""
        text = self.framework.composed(self.before, chosen)
        if self.existing is None:
            return FileChange(path=self.home, before=None, after=SourceText(text))
        if "\r\n" in self.existing.text:
            text = text.replace("\n", "\r\n")
        after = SourceText(text, self.existing.encoding, self.existing.bom)
        return FileChange(path=self.home, before=self.existing, after=after)

    async def take(self, voice: Voice, code: str) -> str:
        """Read a member's module and run it on the code as it is; returns why it could not be run, or ""."""
        framework = self.framework
        module = framework.read(code)
        if isinstance(module, str):
            return module
        theirs = (framework.names_of(item.module) for item in self.contributions)
        module = framework.renamed(module, framework.names_in(self.before).union(*theirs))
        told = await self._run(module, voice)
        if told is None:
            return ""
        if told.outcome is Outcome.NOT_RUN:
            self.refusal = told.summary
            self.contributions.append(Contribution(voice, module))
            return ""
        mine = framework.by_unit(told.tests, module.units)
        if not mine:
            return told.log[-2_000:] or told.summary
        self.contributions.append(Contribution(voice, module, mine, told.log))
        return ""

    async def measure(self) -> None:
        """Run the tests that pass against mutants of the code; later ones against what went unnoticed before."""
        fresh = [item for item in self.contributions if not item.measured]
        passing = [(item.module, item.of(Outcome.PASSED)) for item in fresh]
        units = [unit for _, some in passing for unit in some]
        if not units:
            return
        unnoticed = None if not self.runs else frozenset(survivors_of(self.scores(), self.runs))
        checks = self.sitting.deliberation.checks
        lines = (self.region.first, self.region.last)
        try:
            work = checks.mutant_runs(
                (self.change(passing),), self.home, lines, only=unnoticed, units=self._alone(units)
            )
            runs = await unless_stopped(self.sitting.deliberation, work)
        except (CheckError, TrustRequired) as problem:
            self.sitting.note(problem.message)
            return
        if runs is None:
            return
        for item in fresh:
            item.measured, item.later = True, unnoticed is not None
        runs = tuple(
            run.model_copy(update={"outcomes": self.framework.by_unit(run.outcomes, units)}) for run in runs
        )
        again = {run.mutant: run for run in runs}
        self.runs = tuple(_with(run, again.get(run.mutant)) for run in self.runs) if self.runs else runs

    def scores(self) -> list[Score]:
        """Return what each passing test notices."""
        return [
            Score(unit.id_in, kills_of(unit.id_in, self.runs), len(unit.text))
            for item in self.contributions
            for unit in item.of(Outcome.PASSED)
        ]

    async def confirm(self, change: FileChange, about: str, units: Sequence[Unit] = ()) -> Evidence | None:
        """Run the file that is to be proposed once more as it is, or some tests of it."""
        return await self._ask((change,), about, units)

    async def _run(self, module: TestModule, voice: Voice) -> Evidence | None:
        units = self._alone(module.units)
        return await self._ask((self.change([(module, module.units)]),), voice.id, units)

    def _alone(self, units: Sequence[Unit]) -> Sequence[Unit]:
        """Return the tests to be chosen out of the file: in a new file there are no others."""
        return units if self.existing is not None else ()

    async def _ask(
        self, changes: tuple[FileChange, ...], about: str, units: Sequence[Unit] = ()
    ) -> Evidence | None:
        deliberation = self.sitting.deliberation
        work = deliberation.checks.run_tests(changes, self.home, units=units)
        try:
            told = await unless_stopped(deliberation, work)
        except (CheckError, TrustRequired) as problem:
            self.sitting.note(problem.message)
            return None
        if told is not None:
            deliberation.emit(
                CheckFinished(
                    witness=told.witness,
                    target=self.home,
                    outcome=told.outcome,
                    summary=told.summary,
                    about=about,
                )
            )
        return told


def _with(run: MutantRun, more: MutantRun | None) -> MutantRun:
    if more is None:
        return run
    return run.model_copy(
        update={"outcomes": {**run.outcomes, **more.outcomes}, "broken": run.broken or more.broken}
    )
