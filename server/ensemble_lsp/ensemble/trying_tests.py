"""What is known while tests are written: who wrote which, how they ran, and what they notice."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.errors import CheckError, TrustRequired
from ensemble_lsp.core.events import CheckFinished
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.choosing_tests import Score, by_test, kills_of, survivors_of
from ensemble_lsp.ensemble.ports import MutantRun
from ensemble_lsp.ensemble.region import Region
from ensemble_lsp.ensemble.sitting import Sitting, unless_stopped
from ensemble_lsp.ensemble.written_units import TestModule, Unit, composed, names_in, read_tests, renamed

_SECTION = re.compile(r"^_{3,} (.+?) _{3,}$", re.MULTILINE)
_FAILURE_CHARACTERS = 1_500


@dataclass(slots=True)
class Contribution:
    """One member's tests, and how each ended on the code as it is."""

    voice: Voice
    module: TestModule
    outcomes: dict[str, Outcome] = field(default_factory=dict[str, Outcome])
    """`Group::name` → outcome."""
    log: str = ""
    measured: bool = False

    def of(self, *wanted: Outcome) -> list[Unit]:
        """Return the tests that ended so."""
        return [unit for unit in self.module.units if self.outcomes.get(unit.id_in) in wanted]


@dataclass(slots=True)
class Bench:
    """Where written tests are tried. Owned by one task."""

    sitting: Sitting
    region: Region
    home: str
    existing: SourceText | None
    contributions: list[Contribution] = field(default_factory=list[Contribution])
    runs: tuple[MutantRun, ...] = ()
    refusal: str = ""
    """Why nothing could be run."""
    unloaded: list[tuple[Voice, str, str]] = field(default_factory=list[tuple[Voice, str, str]])
    """Answers that could not be run: whose, the module, and why."""

    @property
    def before(self) -> str:
        """The test file as it is, with LF line endings."""
        return "" if self.existing is None else self.existing.text.replace("\r\n", "\n").replace("\r", "\n")

    def change(self, chosen: Sequence[tuple[TestModule, Sequence[Unit]]]) -> FileChange:
        """Return the test file with the chosen tests in it, in the line endings that it has."""
        text = composed(self.before, chosen)
        if self.existing is None:
            return FileChange(path=self.home, before=None, after=SourceText(text))
        if "\r\n" in self.existing.text:
            text = text.replace("\n", "\r\n")
        after = SourceText(text, self.existing.encoding, self.existing.bom)
        return FileChange(path=self.home, before=self.existing, after=after)

    async def take(self, voice: Voice, code: str) -> str:
        """Read a member's module and run it on the code as it is; returns why it could not be run, or ""."""
        module = read_tests(code)
        if isinstance(module, str):
            return module
        taken = names_in(self.before).union(*(self._names(item) for item in self.contributions))
        module = renamed(module, taken)
        told = await self._run([(module, module.units)], voice)
        if told is None:
            return ""
        if told.outcome is Outcome.NOT_RUN:
            self.refusal = told.summary
            self.contributions.append(Contribution(voice, module))
            return ""
        outcomes = by_test(told.tests)
        mine = {unit.id_in: outcomes[unit.id_in] for unit in module.units if unit.id_in in outcomes}
        if not mine:
            return told.log[-2_000:] or told.summary
        self.contributions.append(Contribution(voice, module, mine, told.log))
        return ""

    async def measure(self) -> None:
        """Run the tests that pass against mutants of the code; later ones against what went unnoticed before."""
        fresh = [item for item in self.contributions if not item.measured]
        passing = [(item.module, item.of(Outcome.PASSED)) for item in fresh]
        if not any(units for _, units in passing):
            return
        unnoticed = None if not self.runs else frozenset(survivors_of(self.scores(), self.runs))
        checks = self.sitting.deliberation.checks
        lines = (self.region.first, self.region.last)
        try:
            work = checks.mutant_runs((self.change(passing),), self.home, lines, only=unnoticed)
            runs = await unless_stopped(self.sitting.deliberation, work)
        except (CheckError, TrustRequired) as problem:
            self.sitting.note(problem.message)
            return
        if runs is None:
            return
        for item in fresh:
            item.measured = True
        again = {run.mutant: run for run in runs}
        self.runs = tuple(_with(run, again.get(run.mutant)) for run in self.runs) if self.runs else runs

    def scores(self) -> list[Score]:
        """Return what each passing test notices."""
        return [
            Score(unit.id_in, kills_of(unit.id_in, self.runs), len(unit.text))
            for item in self.contributions
            for unit in item.of(Outcome.PASSED)
        ]

    async def confirm(self, change: FileChange, about: str) -> Evidence | None:
        """Run the file that is to be proposed once more as it is."""
        return await self._ask((change,), about)

    async def _run(
        self, chosen: Sequence[tuple[TestModule, Sequence[Unit]]], voice: Voice
    ) -> Evidence | None:
        return await self._ask((self.change(chosen),), voice.id)

    async def _ask(self, changes: tuple[FileChange, ...], about: str) -> Evidence | None:
        deliberation = self.sitting.deliberation
        try:
            told = await unless_stopped(deliberation, deliberation.checks.run_tests(changes, self.home))
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

    @staticmethod
    def _names(item: Contribution) -> frozenset[str]:
        groups = {group.name for group in item.module.groups}
        return frozenset({unit.name for unit in item.module.units if not unit.group} | groups)


def _with(run: MutantRun, more: MutantRun | None) -> MutantRun:
    if more is None:
        return run
    return run.model_copy(
        update={"outcomes": {**run.outcomes, **more.outcomes}, "broken": run.broken or more.broken}
    )


def failure_of(log: str, unit: Unit) -> str:
    """Return the part of pytest's output that speaks of one test, else the end of it all; bounded."""
    marks = list(_SECTION.finditer(log))
    for number, mark in enumerate(marks):
        if mark.group(1).rpartition(".")[2].partition("[")[0] == unit.name:
            end = marks[number + 1].start() if number + 1 < len(marks) else len(log)
            return log[mark.end() : end].partition("\n====")[0].strip()[:_FAILURE_CHARACTERS]
    return log.strip()[-_FAILURE_CHARACTERS:]
