"""What a person sees while a benchmark runs: a bar on a terminal, else a line for every outcome."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.mutation.options import MutationProgress
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.ways.catalogue import Way
from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.core.counting import counted

_LONGEST = 60
_STAGES = {
    "coverage": "seeing what the tests cover",
    "mutants": "mutants that a test notices",
    "controls": "clean controls",
}


class BenchProgress:
    """Implements `bench.runner.Watcher`. Enter it around the work; `pause` takes the bar away for a question."""

    def __init__(self, err: Console, subject: Subject, *, quiet: bool) -> None:
        self._err = err
        self._subject = subject
        self._quiet = quiet
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=quiet or not err.is_terminal,
        )
        self._task = self._bar.add_task("", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def making(self, progress: MutationProgress) -> None:
        """Tell how far the cases are."""
        text = one_line(f"{_STAGES.get(progress.stage, progress.stage)}: {progress.text}", _LONGEST)
        self._bar.update(self._task, description=text, completed=progress.done, total=progress.of)

    def expect(self, outcomes: int) -> None:
        """Begin the bar of the run itself."""
        self._bar.reset(self._task, total=outcomes, description="starting")

    def beginning(self, case: BenchCase, way: Way) -> None:
        """Tell that one way begins on one case."""
        self._bar.update(self._task, description=one_line(f"{way.name}: {case.id}", _LONGEST))

    def ended(self, outcome: Outcome) -> None:
        """Tell an outcome."""
        self._bar.advance(self._task)
        if self._quiet:
            return
        figures = f"{counted(outcome.calls, 'call')}, {outcome.seconds:.1f} s"
        line = f"{outcome.case} · {outcome.way}: {self._mark(outcome)} ({figures})"
        if outcome.failed:
            line += f" {outcome.failed}"
        self._err.print(Text(one_line(line)), style="yellow" if outcome.failed else "", soft_wrap=True)

    def _mark(self, outcome: Outcome) -> str:
        if outcome.failed:
            return "no outcome"
        if self._subject is Subject.REVIEW:
            alarms = f", {outcome.false_alarms} false" if outcome.false_alarms else ""
            if outcome.clean:
                return f"clean code{alarms or ', nothing reported'}"
            return ("found" if outcome.solved else "missed") + alarms
        if outcome.solved:
            return "solved"
        if outcome.accepted:
            return "wrong, with a warning" if outcome.weak else "WRONG, and called right"
        return "not solved"
