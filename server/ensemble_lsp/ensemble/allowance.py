"""The mode's own bound on calls, enforced where calls are reserved: repair turns and retries count too."""

from dataclasses import dataclass

from ensemble_lsp.core.budget import Reservation, Spend
from ensemble_lsp.core.errors import BudgetExceeded
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import Purse


class BoundReached(BudgetExceeded):
    """The mode allows no further call. Not one of the person's caps: the job goes on to decide."""


@dataclass(slots=True)
class BoundedPurse:
    """A `Purse` that lets at most `calls` calls through to `inner`."""

    inner: Purse
    calls: int
    taken: int = 0

    @property
    def left(self) -> int:
        """How many calls may still be made."""
        return max(0, self.calls - self.taken)

    async def reserve(self, member: Member, usd: float) -> Reservation:
        """Hold the worst case of one call; raises `BoundReached` past the bound, else as `inner` does."""
        if self.taken >= self.calls:
            raise BoundReached(f"this mode makes at most {self.calls} calls", cap="calls")
        self.taken += 1
        try:
            return await self.inner.reserve(member, usd)
        except BaseException:
            self.taken -= 1
            raise

    async def settle(self, member: Member, reservation: Reservation, used: Spend) -> None:
        """Replace the reservation by what was used."""
        await self.inner.settle(member, reservation, used)

    async def release(self, member: Member, reservation: Reservation) -> None:
        """Give the reservation back: nothing was sent."""
        self.taken -= 1
        await self.inner.release(member, reservation)
