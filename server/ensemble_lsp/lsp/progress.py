"""One work-done progress a job: begun once, a percentage that only rises, ended once."""

from lsprotocol import types

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import (
    EventBody,
    MemberFinished,
    MemberStarted,
    Phase,
    PhaseEntered,
    SpendReported,
)

_SHARE = {
    Phase.GATHER: 2,
    Phase.DRAFT: 10,
    Phase.CHECK: 45,
    Phase.CRITIQUE: 60,
    Phase.REVISE: 72,
    Phase.ESCALATE: 85,
    Phase.DECIDE: 95,
}
"""Where each phase begins, in percent: measured shares of a typical `panel` fix, rounded."""


class JobProgress:
    """What the person sees of a running job in the editor's status line."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._percentage = 0
        self._phase = Phase.GATHER
        self._asked = 0
        self._answered = 0
        self._file = 0
        self._files = 0
        self._spend = Spend()

    def begin(self) -> types.WorkDoneProgressBegin:
        """Return the first message."""
        return types.WorkDoneProgressBegin(
            title=self.title, cancellable=True, percentage=0, message="starting"
        )

    def report(self, body: EventBody) -> types.WorkDoneProgressReport | None:
        """Return the message for one event, or None when nothing visible changed."""
        match body:
            case PhaseEntered():
                self._enter(body)
            case MemberStarted():
                self._asked += 1
            case MemberFinished():
                self._answered += 1
                if not self._files:
                    self._percentage = min(self._percentage + 4, 99)
            case SpendReported():
                self._spend = body.spend
            case _:
                return None
        return types.WorkDoneProgressReport(
            cancellable=True, percentage=self._percentage, message=self.message()
        )

    def _enter(self, body: PhaseEntered) -> None:
        if body.files:
            self._file, self._files = body.file or self._file, body.files
            self._percentage = max(self._percentage, 100 * (self._file - 1) // self._files)
        elif not self._files:
            # Of several files, a few at once, each goes through the phases: they say nothing of the whole.
            self._phase = body.phase
            self._asked = self._answered = 0
            self._percentage = max(self._percentage, _SHARE[body.phase])

    def message(self) -> str:
        """Return "draft 2/3 · 4.1k tokens · $0.003", or "file 3/12 · …" of a review of several."""
        if self._files:
            parts = [f"file {self._file}/{self._files}"]
        else:
            parts = [
                f"{self._phase.value} {self._answered}/{self._asked}" if self._asked else self._phase.value
            ]
        tokens = self._spend.tokens_in + self._spend.tokens_out
        if tokens:
            parts.append(f"{tokens / 1000:.1f}k tokens")
        if self._spend.usd:
            parts.append(f"${self._spend.usd:.3f}")
        return " · ".join(parts)
