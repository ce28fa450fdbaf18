"""How long a way takes when nothing is kept: wall time, and beside it what kept answers took when they were made."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class _Call:
    began: float
    ended: float
    took: float
    """What it took when it was made."""


@dataclass(slots=True)
class Stopwatch:
    """Runs from its making. Seconds; calls side by side count once, at the longest of them."""

    clock: Callable[[], float] = time.monotonic
    _calls: list[_Call] = field(default_factory=list[_Call])
    _started: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self.clock()

    def note(self, began: float, took: float) -> None:
        """Note a call that began at `began` on the clock, ends now, and took `took` seconds when it was made."""
        self._calls.append(_Call(began, self.clock(), took))

    def seconds(self) -> float:
        """Return the time so far."""
        return self.clock() - self._started + sum(self._missing())

    def _missing(self) -> list[float]:
        """Return, for each stretch of calls that overlap, what it would have taken longer."""
        missing: list[float] = []
        calls = sorted(self._calls, key=lambda call: call.began)
        while calls:
            stretch = [calls.pop(0)]
            while calls and calls[0].began <= max(call.ended for call in stretch):
                stretch.append(calls.pop(0))
            real = max(call.ended for call in stretch) - stretch[0].began
            missing.append(max(0.0, max(call.took for call in stretch) - real))
        return missing
