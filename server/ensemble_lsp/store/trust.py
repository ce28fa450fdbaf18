"""Folders whose own settings and commands may count: nothing of a folder is obeyed before it stands here."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from ensemble_lsp.store.columns import from_column, to_column
from ensemble_lsp.store.database import Database


def resolved(path: Path) -> Path:
    """Return an absolute path with symbolic links resolved, as far as it exists."""
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError):
        return path.absolute()


class TrustStore:
    """Trusted folders. Trust in a folder covers all folders below it."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def is_trusted(self, path: Path) -> bool:
        """Return whether the folder or one above it is trusted.

        Links are resolved first: a link inside a trusted folder that leads out of it is not trusted.
        """
        place = resolved(path)
        candidates = [to_column(str(folder)) for folder in (place, *place.parents)]

        def work(connection: sqlite3.Connection) -> bool:
            return any(
                connection.execute("SELECT 1 FROM trusted WHERE path = ?", (candidate,)).fetchone()
                for candidate in candidates
            )

        return await self._database.read(work)

    async def trust(self, path: Path) -> Path:
        """Trust a folder and return it as it is kept, links resolved."""
        place = resolved(path)
        row = (to_column(str(place)), self._clock())
        await self._database.write(
            lambda c: c.execute("INSERT OR IGNORE INTO trusted (path, at) VALUES (?, ?)", row).rowcount
        )
        return place

    async def untrust(self, path: Path) -> bool:
        """Take trust in exactly this folder back; returns whether it was there.

        A folder above that is trusted still covers it: `list` shows which.
        """
        row = (to_column(str(resolved(path))),)
        return await self._database.write(
            lambda c: c.execute("DELETE FROM trusted WHERE path = ?", row).rowcount > 0
        )

    async def list(self) -> tuple[Path, ...]:
        """Return the trusted folders, sorted."""

        def work(connection: sqlite3.Connection) -> tuple[Path, ...]:
            rows = connection.execute("SELECT path FROM trusted").fetchall()
            return tuple(sorted(Path(from_column(row[0])) for row in rows))

        return await self._database.read(work)
