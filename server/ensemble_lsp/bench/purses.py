"""Whose money it is: what a way counts as its own, and what the run really pays."""

from dataclasses import dataclass, field

from ensemble_lsp.core.budget import Budget, Limits, Reservation, Spend
from ensemble_lsp.core.errors import BudgetExceeded
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import Purse


@dataclass(frozen=True, slots=True)
class WayPurse:
    """The account of one way on one case: kept answers are charged like new ones."""

    budget: Budget

    async def reserve(self, member: Member, usd: float) -> Reservation:
        """Hold the worst case; raises `BudgetExceeded` at the way's own caps."""
        del member
        return self.budget.reserve(usd)

    async def settle(self, member: Member, reservation: Reservation, used: Spend) -> None:
        """Replace the reservation by what was used."""
        del member
        self.budget.settle(reservation, used)

    async def release(self, member: Member, reservation: Reservation) -> None:
        """Give the reservation back: nothing was sent."""
        del member
        self.budget.release(reservation)


@dataclass(slots=True)
class RunCaps:
    """What the whole run may really spend; `reached` is set once something was not sent for it."""

    purse: Purse
    limits: Limits
    reached: BudgetExceeded | None = None

    def reach(self, problem: BudgetExceeded) -> None:
        """Remember which cap was reached, as the run's own where it is one."""
        message = problem.message
        if problem.cap == "calls":
            message = f"the run's cap of {self.limits.calls} calls is reached"
        elif problem.cap == "job-usd":
            message = f"the next call may cost more than is left of the run's cap of ${self.limits.usd:.4f}"
        self.reached = BudgetExceeded(message, cap=problem.cap, hint=problem.hint)


@dataclass(slots=True)
class PaidPurse:
    """Both accounts at once, for a call that is really sent."""

    way: Purse
    caps: RunCaps
    _runs: dict[int, Reservation] = field(default_factory=dict[int, Reservation])
    """Reservation of the way → reservation of the run."""

    async def reserve(self, member: Member, usd: float) -> Reservation:
        """Hold the worst case in both; when the run's account refuses, the way gets its part back."""
        held = await self.way.reserve(member, usd)
        try:
            self._runs[held.id] = await self.caps.purse.reserve(member, usd)
        except BaseException as problem:
            if isinstance(problem, BudgetExceeded):
                self.caps.reach(problem)
            await self.way.release(member, held)
            raise
        return held

    async def settle(self, member: Member, reservation: Reservation, used: Spend) -> None:
        """Book what was used, in both."""
        await self.way.settle(member, reservation, used)
        await self.caps.purse.settle(member, self._runs.pop(reservation.id), used)

    async def release(self, member: Member, reservation: Reservation) -> None:
        """Give both back."""
        await self.way.release(member, reservation)
        await self.caps.purse.release(member, self._runs.pop(reservation.id))
