"""How far a review of several files is: files, findings, money and the time that is likely left, in one line."""

from ensemble_lsp.core.events import EventBody, FindingMade, PhaseEntered, SpendReported, Started


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
                self._files, self._done = files, body.done or 0
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

    def line(self, now: float) -> str:
        """Return "37/200 files · 12 findings · $0.42 of $2.00 · about 6 min left"."""
        found = len(self._findings)
        money = f"${self._usd:.2f}" + ("" if self._cap is None else f" of ${self._cap:.2f}")
        parts = [f"{self._done}/{self._files} files", f"{found} finding{'' if found == 1 else 's'}", money]
        seconds = self._left(now)
        if seconds is not None:
            parts.append(f"about {minutes(seconds)} left")
        return " · ".join(parts)

    def _left(self, now: float) -> float | None:
        """Return the seconds that are likely left: as fast as until now, before that as was estimated."""
        looked_at = self._done - self._kept
        if self._began is None or looked_at <= 0:
            return self._expected
        return (now - self._began) / looked_at * (self._files - self._done)


def minutes(seconds: float) -> str:
    """Return a length of time as a person says it."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5_400 else f"{seconds / 3600:.1f} h"
