"""What became of the panel's work: what the person and the checks said of it."""

import sqlite3
import time
from collections.abc import Callable, Iterable
from enum import StrEnum

from ensemble_lsp.store.columns import from_column, to_column
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.reliability import BetaCount, Reliabilities, fade

MAXIMUM_OUTCOMES = 20_000
"""Outcomes that are read at the start of a job; the newest count. Under 0.1 s."""


class Verdict(StrEnum):
    """What was said of a candidate or finding."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DISMISSED = "dismissed"
    CHECK_PASSED = "checkPassed"
    CHECK_FAILED = "checkFailed"


_BY_CHECK = frozenset({Verdict.CHECK_PASSED, Verdict.CHECK_FAILED})

_DISMISSAL_WEIGHT = {"wrong": 1.0, "style": 0.5, "wontfix": 0.0}
"""How much a dismissal speaks against who raised the finding: "wontfix" may well be right. Else one half."""


def weight_of(verdict: Verdict, reason: str = "") -> BetaCount:
    """Return what one verdict adds to the counts of each member behind it."""
    if verdict in (Verdict.ACCEPTED, Verdict.CHECK_PASSED):
        return BetaCount(successes=1.0)
    if verdict is Verdict.DISMISSED:
        return BetaCount(failures=_DISMISSAL_WEIGHT.get(reason, 0.5))
    return BetaCount(failures=1.0)


class OutcomeStore:
    """Verdicts, on this machine only. Contents are not kept, only ids and categories."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def record(
        self,
        *,
        job: str,
        subject: str,
        members: Iterable[str],
        category: str,
        verdict: Verdict,
        reason: str = "",
    ) -> None:
        """Write down one verdict on `subject` (the id of a candidate or finding) for the members behind it.

        The person's later word on the same subject replaces the earlier one, and so does a check's.
        """
        count = weight_of(verdict, reason)
        source = "check" if verdict in _BY_CHECK else "person"
        now = self._clock()
        rows = [
            (
                to_column(job),
                to_column(subject),
                to_column(member),
                source,
                to_column(category.casefold()),
                verdict.value,
                count.successes,
                count.failures,
                now,
            )
            for member in sorted(set(members))
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT OR REPLACE INTO outcomes "
                "(job, subject, member, source, category, verdict, success, failure, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

        await self._database.write(work)

    async def reliabilities(self) -> Reliabilities:
        """Return what was learned so far, as of now."""

        def work(connection: sqlite3.Connection) -> list[tuple[str, str, BetaCount, float]]:
            rows = connection.execute(
                "SELECT member, category, success, failure, at FROM outcomes ORDER BY at DESC LIMIT ?",
                (MAXIMUM_OUTCOMES,),
            )
            return [
                (from_column(member), from_column(category), BetaCount(success, failure), at)
                for member, category, success, failure, at in rows.fetchall()
            ]

        return fade(await self._database.read(work), self._clock())

    async def reset(self, member: str | None = None) -> int:
        """Forget what was learned, of one member or of all; returns how many verdicts went."""

        def work(connection: sqlite3.Connection) -> int:
            if member is None:
                return connection.execute("DELETE FROM outcomes").rowcount
            return connection.execute("DELETE FROM outcomes WHERE member = ?", (to_column(member),)).rowcount

        return await self._database.write(work)
