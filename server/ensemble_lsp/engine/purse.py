"""The job's budget and the day's cap, asked together before anything is sent."""

from dataclasses import dataclass, field

from ensemble_lsp.core.budget import Budget, Reservation, Spend
from ensemble_lsp.core.panel import Member
from ensemble_lsp.store.ledger import Ledger


@dataclass(slots=True)
class JobPurse:
    """Implements `ensemble.ports.Purse` for one job."""

    job: str
    budget: Budget
    ledger: Ledger
    day_cap: float | None
    _entries: dict[int, int] = field(default_factory=dict[int, int])
    """Reservation of the budget → entry of the ledger."""

    async def reserve(self, member: Member, usd: float) -> Reservation:
        """Hold the worst case in both; when the ledger refuses, the budget gets its part back."""
        reservation = self.budget.reserve(usd)
        try:
            entry = await self.ledger.reserve(self.job, member.id, usd, self.day_cap)
        except BaseException:
            self.budget.release(reservation)
            raise
        self._entries[reservation.id] = entry
        return reservation

    async def settle(self, member: Member, reservation: Reservation, used: Spend) -> None:
        """Book what was used; the budget first, so that it holds also when the ledger's write is cancelled."""
        del member
        self.budget.settle(reservation, used)
        await self.ledger.settle(self._entries.pop(reservation.id), used)

    async def release(self, member: Member, reservation: Reservation) -> None:
        """Nothing was sent: give both back."""
        del member
        self.budget.release(reservation)
        await self.ledger.release(self._entries.pop(reservation.id))
