"""Runs every way on every case that the record does not hold yet; stops at a cap, or when going on is no use."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.examination import Examination
from ensemble_lsp.bench.outcomes import Outcome
from ensemble_lsp.bench.record import Record
from ensemble_lsp.bench.ways.answering import answer
from ensemble_lsp.bench.ways.catalogue import Kind, Way
from ensemble_lsp.bench.workspace import Place, laid_out
from ensemble_lsp.core.errors import BudgetExceeded, CheckError, EnsembleError

HOPELESS = 10
"""After so many failures in a row a run ends: a server that is down answers no better for being asked on."""

_ORDER = (
    # The product's modes come first: they ask their members side by side, as a person has it. What they were
    # answered is kept for the others.
    Kind.DEBATE,
    Kind.PANEL,
    Kind.QUICK,
)


class Watcher(Protocol):
    """Who is told how a run goes."""

    def beginning(self, case: BenchCase, way: Way) -> None:
        """Tell that one way begins on one case."""
        ...

    def ended(self, outcome: Outcome) -> None:
        """Tell an outcome that is recorded now."""
        ...


@dataclass(slots=True)
class Runner:
    """One run, or what is left of it. `stopped` says why it ended before its time."""

    examination: Examination
    record: Record
    ways: Sequence[Way]
    watcher: Watcher
    seconds: float | None = None
    """Cap on the time of this run."""
    at_once: int = 1
    """Cases at the same time; the ways of one case always run one after the other."""
    stopped: EnsembleError | None = None
    _failures: list[str] = field(default_factory=list[str])

    def missing(self, cases: Sequence[BenchCase]) -> int:
        """Return how many outcomes are still to be made."""
        return sum(not self.record.has(case.id, way.name) for case in cases for way in self.ways)

    async def run(self, cases: Sequence[BenchCase]) -> None:
        """Make what is missing. Cancelling ends all calls and checks in flight; recorded outcomes stay."""
        ways = sorted(
            self.ways, key=lambda way: _ORDER.index(way.kind) if way.kind in _ORDER else len(_ORDER)
        )
        waiting = iter(cases)

        async def work() -> None:
            # One turn per case: the workers share the iterator.
            for case in waiting:
                if self.stopped is not None:
                    return
                await self._one(case, ways)

        try:
            async with asyncio.timeout(self.seconds), asyncio.TaskGroup() as group:
                for _ in range(max(1, self.at_once)):
                    group.create_task(work())
        except TimeoutError:
            self.stopped = BudgetExceeded(
                f"the run's cap of {self.seconds:g} s is reached", cap="seconds", hint="raise --seconds"
            )

    async def _one(self, case: BenchCase, ways: Sequence[Way]) -> None:
        missing = [way for way in ways if not self.record.has(case.id, way.name)]
        if not missing:
            return
        try:
            with laid_out(case) as place:
                await self._each(case, place, missing)
        except CheckError as problem:
            # What the case was made from is gone.
            self.stopped = problem

    async def _each(self, case: BenchCase, place: Place, missing: Sequence[Way]) -> None:
        for way in missing:
            if self.stopped is not None:
                return
            self.watcher.beginning(case, way)
            outcome = await self._outcome(case, place, way)
            reached = self.examination.caps.reached
            if reached is not None:
                # Cut short by the run's own cap: no outcome of this way.
                self.stopped = reached
                return
            self.record.add(outcome)
            self.watcher.ended(outcome)
            if self._is_hopeless(outcome):
                return

    async def _outcome(self, case: BenchCase, place: Place, way: Way) -> Outcome:
        try:
            return await answer(self.examination, case, place, way)
        except EnsembleError as problem:
            return Outcome(
                case=case.id, group=case.group, way=way.name, clean=case.clean, failed=problem.message
            )

    def _is_hopeless(self, outcome: Outcome) -> bool:
        if not outcome.failed:
            self._failures.clear()
            return False
        self._failures.append(outcome.failed)
        if len(self._failures) < HOPELESS:
            return False
        self.stopped = EnsembleError(
            f"{HOPELESS} times in a row there was no outcome; the last time: {outcome.failed}",
            hint="put it right, then go on with the same command",
        )
        return True
