"""Dismissed findings of each workspace, on this machine only."""

import sqlite3

from ensemble_lsp.core.dismissals import Dismissal
from ensemble_lsp.store.columns import from_column, to_column
from ensemble_lsp.store.database import Database

DISMISSALS_AT_MOST = 10_000
"""Of one workspace that are read; the newest count."""


class DismissalStore:
    """What a person does not want to see again, by workspace (an absolute path)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, workspace: str, dismissal: Dismissal) -> None:
        """Remember a dismissal; a later one of the same finding replaces the earlier."""
        row = tuple(
            to_column(value)
            for value in (
                workspace,
                dismissal.path,
                dismissal.fingerprint,
                dismissal.title,
                dismissal.category,
                dismissal.reason,
                dismissal.date,
            )
        )
        await self._database.write(
            lambda c: (
                c.execute("INSERT OR REPLACE INTO dismissals VALUES (?, ?, ?, ?, ?, ?, ?)", row).rowcount
            )
        )

    async def remove(self, workspace: str, dismissal: Dismissal) -> None:
        """Take a dismissal back."""
        row = tuple(to_column(value) for value in (workspace, dismissal.path, dismissal.fingerprint))
        await self._database.write(
            lambda c: (
                c.execute(
                    "DELETE FROM dismissals WHERE workspace = ? AND path = ? AND fingerprint = ?", row
                ).rowcount
            )
        )

    async def of(self, workspace: str) -> tuple[Dismissal, ...]:
        """Return what was dismissed in a workspace, sorted by path."""

        def work(connection: sqlite3.Connection) -> tuple[Dismissal, ...]:
            rows = connection.execute(
                "SELECT path, fingerprint, title, category, reason, date FROM dismissals "
                "WHERE workspace = ? ORDER BY date DESC LIMIT ?",
                (to_column(workspace), DISMISSALS_AT_MOST),
            )
            names = ("path", "fingerprint", "title", "category", "reason", "date")
            return tuple(
                Dismissal.model_validate(dict(zip(names, map(from_column, row), strict=True)))
                for row in rows.fetchall()
            )

        found = await self._database.read(work)
        return tuple(sorted(found, key=lambda item: (item.path, item.fingerprint)))
