"""What was spent, per local day, job and member, over all processes: the day's cap is kept here.

An amount is *held* before a call is sent and *settled* when it is known. When a process dies, nobody can know
what its calls in flight have cost, so they are booked at what was held (`lost`): a cap counts at most too
much, never too little.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import BudgetExceeded, StoreError
from ensemble_lsp.store.columns import from_column, local_day, to_column, to_nano, to_usd
from ensemble_lsp.store.database import Database

HELD_AT_MOST = 3600.0
"""Seconds after which an amount that was never settled counts as lost; a call takes minutes at most."""


@dataclass(frozen=True, slots=True)
class MemberSpend:
    """What one member has used over some days."""

    member: str
    spend: Spend


class Ledger:
    """The account of everything that is paid, shared by all processes of this user."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def reserve(self, job: str, member: str, usd: float, day_cap: float | None = None) -> int:
        """Hold the worst case of one call against today's cap and return the entry's id.

        Atomic over processes. Raises `BudgetExceeded` (cap `day-usd`), and then nothing may be sent. What
        costs nothing is never refused. A caller that is cancelled meanwhile holds nothing.
        """
        now = self._clock()
        day, nano = local_day(now), to_nano(usd)
        owner = self._database.presence.token

        def work(connection: sqlite3.Connection) -> int:
            self._book_lost(connection, now)
            if day_cap is not None and nano > 0:
                used = _sum_of_day(connection, day)
                if used + nano > to_nano(day_cap):
                    raise BudgetExceeded(
                        f"the next call may cost ${usd:.4f}; with ${to_usd(used):.4f} spent or held today it "
                        f"would pass the day's cap of ${day_cap:.2f}",
                        cap="day-usd",
                        hint="raise budget.day_usd, wait until tomorrow, or use --local",
                    )
            row = connection.execute(
                "INSERT INTO spend (day, job, member, state, owner, at, nano_usd) "
                "VALUES (?, ?, ?, 'held', ?, ?, ?) RETURNING id",
                (day, to_column(job), to_column(member), owner, now, nano),
            ).fetchone()
            return int(row[0])

        reserving = self._database.submit(work)
        try:
            return await asyncio.shield(asyncio.wrap_future(reserving))
        except asyncio.CancelledError:

            def give_back(connection: sqlite3.Connection) -> None:
                # Queued behind `reserving`, in the same thread: it has ended by now.
                if reserving.exception() is None:
                    _remove(connection, reserving.result())

            self._database.submit(give_back)
            raise

    async def settle(self, entry: int, used: Spend) -> None:
        """Replace what was held by what was used; it counts for the day on which it was held."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE spend SET state = 'settled', calls = ?, tokens_in = ?, tokens_out = ?, nano_usd = ? "
                "WHERE id = ? AND state <> 'settled'",
                (used.calls, used.tokens_in, used.tokens_out, to_nano(used.usd), entry),
            )
            if changed.rowcount == 0:
                raise StoreError(f"the ledger has no open entry {entry}")

        await self._database.write(work)

    async def release(self, entry: int) -> None:
        """Give back what was held: nothing was sent."""
        await self._database.write(lambda c: _remove(c, entry))

    async def spent_today(self) -> float:
        """Return US dollars spent on the current local day, all jobs together, without what is held."""
        now = self._clock()

        def work(connection: sqlite3.Connection) -> int:
            self._book_lost(connection, now)
            row = connection.execute(
                "SELECT coalesce(sum(nano_usd), 0) FROM spend WHERE day = ? AND state <> 'held'",
                (local_day(now),),
            ).fetchone()
            return int(row[0])

        return to_usd(await self._database.write(work))

    async def held_today(self) -> float:
        """Return US dollars held for calls in flight, of all processes."""
        day = local_day(self._clock())

        def work(connection: sqlite3.Connection) -> int:
            row = connection.execute(
                "SELECT coalesce(sum(nano_usd), 0) FROM spend WHERE day = ? AND state = 'held'", (day,)
            ).fetchone()
            return int(row[0])

        return to_usd(await self._database.read(work))

    async def spent_by_job(self, job: str) -> Spend:
        """Return what one job has used so far, with what it holds counted as money."""

        def work(connection: sqlite3.Connection) -> Spend:
            return _spend(connection.execute(f"{_TOTALS} WHERE job = ?", (to_column(job),)).fetchone())

        return await self._database.read(work)

    async def by_day(self, days: int = 30) -> dict[str, float]:
        """Return US dollars per local day (ISO), newest first, days without spending left out."""
        first = local_day(self._clock() - (days - 1) * 86_400)

        def work(connection: sqlite3.Connection) -> dict[str, float]:
            rows = connection.execute(
                "SELECT day, sum(nano_usd) FROM spend WHERE day >= ? GROUP BY day ORDER BY day DESC", (first,)
            )
            return {str(day): to_usd(nano) for day, nano in rows.fetchall()}

        return await self._database.read(work)

    async def by_member(self, days: int = 30) -> tuple[MemberSpend, ...]:
        """Return what each member has used in the last days, the dearest first."""
        first = local_day(self._clock() - (days - 1) * 86_400)

        def work(connection: sqlite3.Connection) -> tuple[MemberSpend, ...]:
            rows = connection.execute(
                "SELECT member, sum(calls), sum(tokens_in), sum(tokens_out), sum(nano_usd) FROM spend "
                "WHERE day >= ? GROUP BY member ORDER BY 5 DESC, member",
                (first,),
            )
            return tuple(MemberSpend(from_column(row[0]), _spend(row[1:])) for row in rows.fetchall())

        return await self._database.read(work)

    def _book_lost(self, connection: sqlite3.Connection, now: float) -> None:
        """Book what dead processes held. Bounded by the processes that hold something."""
        owners = connection.execute("SELECT DISTINCT owner FROM spend WHERE state = 'held'").fetchall()
        for (owner,) in owners:
            if not self._database.presence.is_alive(owner):
                connection.execute(
                    "UPDATE spend SET state = 'lost', calls = 1 WHERE state = 'held' AND owner = ?", (owner,)
                )
        connection.execute(
            "UPDATE spend SET state = 'lost', calls = 1 WHERE state = 'held' AND at < ?",
            (now - HELD_AT_MOST,),
        )


_TOTALS = (
    "SELECT coalesce(sum(calls), 0), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), "
    "coalesce(sum(nano_usd), 0) FROM spend"
)


def _spend(row: tuple[int, int, int, int]) -> Spend:
    calls, tokens_in, tokens_out, nano = row
    return Spend(calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, usd=to_usd(nano))


def _sum_of_day(connection: sqlite3.Connection, day: str) -> int:
    row = connection.execute("SELECT coalesce(sum(nano_usd), 0) FROM spend WHERE day = ?", (day,)).fetchone()
    return int(row[0])


def _remove(connection: sqlite3.Connection, entry: int) -> None:
    connection.execute("DELETE FROM spend WHERE id = ? AND state = 'held'", (entry,))
