"""What earlier reviews said of files, found again by what they looked at: how a long review goes on after it ended."""

import sqlite3
import time
from collections.abc import Callable, Collection, Mapping

from pydantic import ValidationError

from ensemble_lsp.core.errors import StoreError
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.store import retention
from ensemble_lsp.store.columns import pack, to_column, unpack_object
from ensemble_lsp.store.database import Database

_AT_ONCE = 500
"""Keys in one question; SQLite takes 999 at least."""


class ReviewedFiles:
    """One result per file that was looked at to the end. `key` stands for everything that the result depends on."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def keep(
        self, key: str, workspace: str, result: JobResult, *, keep_days: float = retention.JOB_DAYS
    ) -> None:
        """Keep a file's result at once; a store that cannot take it costs no more than doing the file again."""
        now = self._clock()
        row = (key, to_column(workspace), pack(result.to_wire()), now, now + keep_days * retention.DAY)
        try:
            await self._database.write(
                lambda c: c.execute("INSERT OR REPLACE INTO reviewed VALUES (?, ?, ?, ?, ?)", row).rowcount
            )
        except StoreError as error:
            self._database.note(f"a file's review could not be written down: {error.message}")

    async def of(self, keys: Collection[str]) -> Mapping[str, JobResult]:
        """Return what is kept under these keys and not past its time; what an older version wrote is left out."""
        wanted, now = sorted(keys), self._clock()

        def work(connection: sqlite3.Connection) -> dict[str, JobResult]:
            found: dict[str, JobResult] = {}
            for start in range(0, len(wanted), _AT_ONCE):
                part = wanted[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(part))
                rows = connection.execute(
                    f"SELECT key, body FROM reviewed WHERE expires >= ? AND key IN ({marks})",  # noqa: S608
                    (now, *part),
                )
                for key, body in rows.fetchall():
                    try:
                        found[key] = JobResult.model_validate(unpack_object(body))
                    except ValidationError:
                        continue
            return found

        return await self._database.read(work)

    async def forget(self, *, workspace: str | None = None, older_than_days: float | None = None) -> int:
        """Remove what is kept of one workspace, or what is older than some days; return how many files."""
        if workspace is not None:
            condition, value = "workspace = ?", to_column(workspace)
        else:
            condition, value = "made <= ?", self._clock() - (older_than_days or 0.0) * retention.DAY
        return await self._database.write(
            lambda c: c.execute(f"DELETE FROM reviewed WHERE {condition}", (value,)).rowcount  # noqa: S608
        )
