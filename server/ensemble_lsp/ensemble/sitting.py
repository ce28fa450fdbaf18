"""One sitting of the panel over code that is read, not changed: its bound, its silences, how it ends."""

import asyncio
import dataclasses
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import BudgetExceeded, EnsembleError
from ensemble_lsp.core.events import DissentKept, Status
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.results import DraftRecord
from ensemble_lsp.ensemble.allowance import BoundedPurse, BoundReached
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.speaking import Silence, must_stop, seconds_left

V = TypeVar("V")

LONGEST_CALL = 120.0
"""Seconds for one call when the job has no deadline."""


@dataclass(slots=True)
class Sitting:
    """What the phases of a review, an explanation or a debate share. Owned by one task."""

    deliberation: Deliberation
    purse: BoundedPurse
    quoting: Quoting
    spent_before: Spend
    drafts: list[DraftRecord] = field(default_factory=list[DraftRecord])
    notes: list[str] = field(default_factory=list[str])
    dissent: list[Dissent] = field(default_factory=list[Dissent])
    over_budget: BudgetExceeded | None = None
    failures: list[EnsembleError] = field(default_factory=list[EnsembleError])

    @classmethod
    def open(cls, deliberation: Deliberation, calls: int) -> "Sitting":
        """Start a sitting in which at most `calls` calls are made."""
        purse = BoundedPurse(deliberation.purse, calls)
        return cls(
            deliberation=dataclasses.replace(deliberation, purse=purse),
            purse=purse,
            quoting=Quoting.of(deliberation.dossier),
            spent_before=deliberation.budget.spent,
        )

    @property
    def may_ask(self) -> bool:
        """Whether one more call can be made: nobody said stop, no cap was met, the mode has calls left."""
        return self.purse.left > 0 and self.over_budget is None and not must_stop(self.deliberation)

    @property
    def spend(self) -> Spend:
        """What this sitting used."""
        now, before = self.deliberation.budget.spent, self.spent_before
        return Spend(
            calls=now.calls - before.calls,
            tokens_in=now.tokens_in - before.tokens_in,
            tokens_out=now.tokens_out - before.tokens_out,
            usd=max(0.0, now.usd - before.usd),
        )

    def timeout(self, share: float) -> float:
        """Return the seconds that one call may take: a share of what is left, so that deciding has time."""
        left = seconds_left(self.deliberation)
        return LONGEST_CALL if left is None else max(1.0, left * share)

    def hear(self, outcomes: Iterable[object]) -> None:
        """Remember why members were silent."""
        for outcome in outcomes:
            if not isinstance(outcome, Silence) or outcome.error is None:
                continue
            if isinstance(outcome.error, BoundReached):
                continue
            if isinstance(outcome.error, BudgetExceeded):
                self.over_budget = outcome.error
            else:
                self.failures.append(outcome.error)
            self.note(f"{outcome.member.id} did not answer: {outcome.error.message}")

    def enclosing(self, path: str, line: int) -> tuple[str, int, int] | None:
        """Return name, first and last line (0-based, inclusive) of the symbol around a line; None without either."""
        deliberation = self.deliberation
        source = deliberation.dossier.files.get(path) or deliberation.dossier.read(path)
        return deliberation.checks.enclosing(path, source.text, line) if source is not None else None

    def note(self, text: str) -> None:
        """Note something the person should know, once."""
        if text not in self.notes:
            self.notes.append(text)

    def keep_dissent(self, dissent: Dissent) -> None:
        """Keep what was argued and not adopted, and show it."""
        self.dissent.append(dissent)
        self.deliberation.emit(DissentKept(dissent=dissent))

    def silent_end(self) -> tuple[Status, str]:
        """Say why nobody answered at all."""
        if self.over_budget is not None:
            return Status.OVER_BUDGET, self.over_budget.message
        if self.deliberation.answer_now.is_set():
            return Status.ABSTAINED, "decided before any member had answered"
        if seconds_left(self.deliberation) == 0.0:
            return (
                Status.OVER_BUDGET,
                "the time was up before any member had answered; give the job more seconds, or faster members",
            )
        if self.failures:
            return Status.FAILED, str(self.failures[0])
        return Status.ABSTAINED, "no member answered"

    def cut_short(self) -> str:
        """Say why the deliberation ended early; empty when it did not."""
        if self.over_budget is not None:
            return self.over_budget.message
        if self.deliberation.answer_now.is_set():
            return "decided early, as asked, with what was there"
        if seconds_left(self.deliberation) == 0.0:
            return "the time was up; decided with what was there"
        return ""


async def unless_stopped(deliberation: Deliberation, work: Coroutine[object, object, V]) -> V | None:
    """Return what `work` returns, or None when the person decides or the time is up first; it is then cancelled."""
    task = asyncio.ensure_future(work)
    stop = asyncio.ensure_future(deliberation.answer_now.wait())
    try:
        await asyncio.wait(
            {task, stop}, timeout=seconds_left(deliberation), return_when=asyncio.FIRST_COMPLETED
        )
        return task.result() if task.done() else None
    finally:
        for each in (task, stop):
            each.cancel()
        await asyncio.gather(task, stop, return_exceptions=True)
