"""Budget arithmetic: what may still be sent, reserved before it is sent."""

from dataclasses import dataclass, field

from ensemble_lsp.core.errors import BudgetExceeded
from ensemble_lsp.core.frozen import Frozen


class Limits(Frozen):
    """Caps on one job. None means "no cap of this kind"; 0 means that nothing may be sent.

    The defaults of `usd` and `seconds` are the product's (protocol.md, "Consent").
    """

    usd: float | None = 0.50
    seconds: float | None = 120.0
    calls: int | None = None


class Spend(Frozen):
    """What was used. `usd` counts a cancelled call without usage at its reservation."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float = 0.0

    def __add__(self, other: "Spend") -> "Spend":
        return Spend(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            usd=self.usd + other.usd,
        )


@dataclass(frozen=True, slots=True)
class Reservation:
    """The worst case of one call, held until the call is settled or released."""

    id: int
    usd: float


@dataclass(slots=True)
class Budget:
    """The running account of one job. Not thread-safe: one event loop owns it."""

    limits: Limits
    spent: Spend = field(default_factory=Spend)
    _held: dict[int, float] = field(default_factory=dict[int, float])
    _next_id: int = 1

    @property
    def held_usd(self) -> float:
        """The sum of the worst cases of the calls in flight."""
        return sum(self._held.values())

    @property
    def calls_left(self) -> int | None:
        """How many calls may still be reserved, or None without a cap."""
        if self.limits.calls is None:
            return None
        return max(0, self.limits.calls - self.spent.calls - len(self._held))

    def reserve(self, usd: float) -> Reservation:
        """Hold the worst case of one call; raises `BudgetExceeded` when it would pass a cap.

        A job capped at exactly 0 USD may still call members that cost nothing; a cap of 0 calls allows none.
        """
        if self.calls_left == 0:
            raise BudgetExceeded(
                f"the job's cap of {self.limits.calls} calls is reached",
                cap="calls",
                hint="raise --budget-calls",
            )
        cap = self.limits.usd
        worst = self.spent.usd + self.held_usd + usd
        # The tolerance absorbs float sums only; it is far below the price of a token.
        if cap is not None and worst > cap + 1e-9:
            raise BudgetExceeded(
                f"the next call may cost ${usd:.4f}; with ${self.spent.usd + self.held_usd:.4f} spent or "
                f"held it would pass the job's cap of ${cap:.2f}",
                cap="job-usd",
                hint="raise it with --budget, or use --local",
            )
        reservation = Reservation(self._next_id, usd)
        self._next_id += 1
        self._held[reservation.id] = usd
        return reservation

    def settle(self, reservation: Reservation, used: Spend) -> None:
        """Replace the reservation by what was used; `used.calls` is 1 for a call that was sent."""
        del self._held[reservation.id]
        self.spent = self.spent + used

    def release(self, reservation: Reservation) -> None:
        """Give the reservation back: the call was never sent."""
        del self._held[reservation.id]
