"""How far a review of several files is: files, findings, money and the time that is likely left, in one line."""

from rich.text import Text

from ensemble_lsp.cli.steps import finding_line, minutes, step_line
from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.events import (
    CheckFinished,
    EventBody,
    FindingMade,
    MemberFinished,
    PhaseEntered,
    SpendReported,
    Started,
)
from ensemble_lsp.core.evidence import Outcome


class FilesProgress:
    """Follows the events of a review; says nothing for a job about a single file."""

    def __init__(self) -> None:
        self._files = 0
        self._done = 0
        self._kept = 0
        self._findings: set[str] = set()
        self._usd = 0.0
        self._cap: float | None = None
        self._expected: float | None = None
        self._began: float | None = None
        self._told: set[tuple[str, str]] = set()
        self.file = ""
        """The file that was begun last."""

    @property
    def several(self) -> bool:
        """Whether the job is about several files."""
        return self._files > 0

    def follow(self, body: EventBody, time: float) -> None:
        """Take one event; `time` in seconds since the epoch."""
        match body:
            case Started():
                self._cap, self._expected = body.estimate.usd_cap, body.estimate.seconds_expected
            case PhaseEntered(files=int(files)):
                self._files, self._done, self.file = files, body.done or 0, one_line(body.note)
                if self._began is None:
                    # What was done before the first file begins is kept from an earlier review.
                    self._began, self._kept = time, self._done
            case FindingMade():
                if body.finding.admitted:
                    self._findings.add(body.finding.id)
            case SpendReported():
                self._usd = body.spend.usd
            case _:
                pass

    def step(self, body: EventBody, time: float, *, logs_files: bool) -> Text | None:
        """Return the line of one event; None for what is one file's own, since files run side by side.

        With `logs_files` each file has a line when it begins. The first finding should not wait for the last file.
        What keeps a member or a check from working is said once, not for every file.
        """
        match body:
            case PhaseEntered(files=int()) if logs_files:
                return Text(self.file, style="bold").append(f" ({self.line(time)})", style="not bold dim")
            case FindingMade() if body.finding.admitted:
                return finding_line(body.finding)
            case MemberFinished(error=str(error)) if error and not body.cancelled:
                return self._once(body, body.member, error)
            case CheckFinished(outcome=Outcome.NOT_RUN | Outcome.ERROR):
                return self._once(body, body.witness, body.summary)
            case Started():
                return step_line(body)
            case _:
                return None

    def line(self, now: float, *, cap: bool = True) -> str:
        """Return "37/200 files · 12 findings · $0.42 of $2.00 · about 6 min left"; without `cap` for less room."""
        found = len(self._findings)
        money = f"${self._usd:.2f}" + ("" if self._cap is None or not cap else f" of ${self._cap:.2f}")
        parts = [f"{self._done}/{counted(self._files, 'file')}", counted(found, "finding"), money]
        seconds = self._left(now)
        if seconds is not None:
            parts.append(f"about {minutes(seconds)} left")
        return " · ".join(parts)

    def _once(self, body: EventBody, who: str, why: str) -> Text | None:
        if (who, why) in self._told:
            return None
        self._told.add((who, why))
        return step_line(body)

    def _left(self, now: float) -> float | None:
        """Return the seconds that are likely left: as fast as until now, before that as was estimated."""
        looked_at = self._done - self._kept
        if self._began is None or looked_at <= 0:
            return self._expected
        return (now - self._began) / looked_at * (self._files - self._done)
