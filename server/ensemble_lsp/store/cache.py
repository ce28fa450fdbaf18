"""Answers kept by the hash of the full request, so that the same question is not paid for twice."""

import sqlite3
import time
from collections.abc import Callable

from pydantic import ValidationError

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import StoreError
from ensemble_lsp.ensemble.ports import ModelReply
from ensemble_lsp.store.columns import pack, unpack_object
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.retention import REPLY_DAYS

MAXIMUM_BYTES = 64 * 1024 * 1024
"""Compressed answers kept; some 20,000 answers of a thousand tokens."""

_TOUCH_AFTER = 60.0
"""Seconds before another use of the same answer is written down; recency need not be exact."""

_ROOM = 0.9
"""Share of the maximum that eviction leaves, so that not every answer evicts."""


class StoredReplies:
    """Implements `ensemble.ports.ReplyCache`: bounded in size and age, least recently used go first."""

    def __init__(
        self,
        database: Database,
        *,
        maximum_bytes: int = MAXIMUM_BYTES,
        maximum_days: float = REPLY_DAYS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._maximum_bytes = maximum_bytes
        self._maximum_age = maximum_days * 86_400
        self._clock = clock

    async def get(self, key: str) -> ModelReply | None:
        """Return the kept answer, marked `cached` and with nothing spent, or None."""
        now = self._clock()

        def look(connection: sqlite3.Connection) -> tuple[bytes, float] | None:
            row = connection.execute(
                "SELECT body, used FROM replies WHERE key = ? AND made >= ?", (key, now - self._maximum_age)
            ).fetchone()
            return None if row is None else (row[0], row[1])

        try:
            found = await self._database.read(look)
            if found is None:
                return None
            body, used = found
            if now - used > _TOUCH_AFTER:
                await self._database.write(
                    lambda c: c.execute("UPDATE replies SET used = ? WHERE key = ?", (now, key)).rowcount
                )
            reply = ModelReply.model_validate(unpack_object(body))
        except (StoreError, ValidationError):
            # Asking the model again is always possible.
            return None
        return reply.model_copy(update={"cached": True, "spend": Spend()})

    async def put(self, key: str, reply: ModelReply) -> None:
        """Keep a complete answer; one that was cut off, refused, or came from here is not kept."""
        if reply.finish != "stop" or reply.cached:
            return
        now = self._clock()
        body = pack(reply.to_wire())
        if len(body) > self._maximum_bytes * _ROOM:
            return

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO replies (key, body, size, made, used) VALUES (?, ?, ?, ?, ?)",
                (key, body, len(body), now, now),
            )
            self._evict(connection, now)

        try:
            await self._database.write(work)
        except StoreError as error:
            self._database.note(f"an answer was not cached: {error.message}")

    async def size(self) -> tuple[int, int]:
        """Return how many answers are kept and how many bytes they take."""

        def work(connection: sqlite3.Connection) -> tuple[int, int]:
            row = connection.execute("SELECT count(*), coalesce(sum(size), 0) FROM replies").fetchone()
            return int(row[0]), int(row[1])

        return await self._database.read(work)

    async def count_older(self, days: float = 0.0) -> int:
        """Return how many answers were made more than so many days ago; by default all."""
        until = self._clock() - days * 86_400

        def work(connection: sqlite3.Connection) -> int:
            row = connection.execute("SELECT count(*) FROM replies WHERE made <= ?", (until,)).fetchone()
            return int(row[0])

        return await self._database.read(work)

    async def forget(self, older_than_days: float = 0.0) -> int:
        """Forget answers that were made more than so many days ago, by default all; returns how many."""
        until = self._clock() - older_than_days * 86_400
        removed = await self._database.write(
            lambda c: c.execute("DELETE FROM replies WHERE made <= ?", (until,)).rowcount
        )
        await self._database.compact()
        return removed

    def _evict(self, connection: sqlite3.Connection, now: float) -> None:
        connection.execute("DELETE FROM replies WHERE made < ?", (now - self._maximum_age,))
        total = int(connection.execute("SELECT coalesce(sum(size), 0) FROM replies").fetchone()[0])
        if total <= self._maximum_bytes:
            return
        target = int(self._maximum_bytes * _ROOM)
        rows = connection.execute("SELECT key, size FROM replies ORDER BY used").fetchall()
        for key, size in rows:
            if total <= target:
                return
            connection.execute("DELETE FROM replies WHERE key = ?", (key,))
            total -= int(size)


class NoReplies:
    """Implements `ensemble.ports.ReplyCache` for `--no-cache`: keeps and gives nothing."""

    async def get(self, key: str) -> ModelReply | None:
        """Return None."""
        del key

    async def put(self, key: str, reply: ModelReply) -> None:
        """Keep nothing."""
        del key, reply
