"""What the person agreed to: who may receive code, which weights to fetch, where to run without a sandbox."""

import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ensemble_lsp.store.columns import from_column, to_column
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.trust import resolved


class ConsentKind(StrEnum):
    """The kinds of things that are asked for once."""

    RECIPIENT = "recipient"
    """Code may be sent to this provider or host."""
    WEIGHTS = "weights"
    """These weights may be downloaded (the name in the table of known weights)."""
    UNSANDBOXED = "unsandboxed"
    """Checks may run in this workspace where the system cannot enforce a sandbox."""


@dataclass(frozen=True, slots=True)
class Consent:
    """One thing agreed to. `workspace` empty: everywhere. `at` in seconds since the epoch."""

    kind: ConsentKind
    subject: str
    workspace: str
    at: float


class ConsentStore:
    """The person's answers. A workspace is an absolute path, symbolic links resolved before comparing."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def missing(self, recipients: Iterable[str], workspace: Path | None = None) -> tuple[str, ...]:
        """Return the recipients that nobody agreed to, in their order and once each.

        Names are compared without case. The empty recipient (this machine) needs no consent.
        """
        wanted = tuple(dict.fromkeys(name for name in recipients if name))
        granted = await self._subjects(ConsentKind.RECIPIENT, workspace)
        return tuple(name for name in wanted if name.casefold() not in granted)

    async def grant(self, recipients: Iterable[str], workspace: Path | None = None) -> None:
        """Write down that code may be sent to these, from one workspace or (None) from all."""
        await self._add(ConsentKind.RECIPIENT, [name.casefold() for name in recipients if name], workspace)

    async def revoke(self, recipients: Iterable[str] | None = None, workspace: Path | None = None) -> int:
        """Take consent back; returns how many entries went.

        With `workspace` None every entry of the recipients goes, in all workspaces too; with `recipients`
        None, all recipients.
        """
        names = None if recipients is None else [name.casefold() for name in recipients]
        return await self._remove(ConsentKind.RECIPIENT, names, workspace)

    async def may_download(self, weights: str) -> bool:
        """Return whether the person agreed to download these weights."""
        return weights in await self._subjects(ConsentKind.WEIGHTS, None)

    async def allow_download(self, weights: str) -> None:
        """Write down that these weights may be downloaded."""
        await self._add(ConsentKind.WEIGHTS, [weights], None)

    async def may_run_unsandboxed(self, workspace: Path) -> bool:
        """Return whether checks may run in this workspace without an enforced sandbox."""
        return "checks" in await self._subjects(ConsentKind.UNSANDBOXED, workspace)

    async def allow_unsandboxed(self, workspace: Path) -> None:
        """Write down that checks may run in this one workspace without an enforced sandbox."""
        await self._add(ConsentKind.UNSANDBOXED, ["checks"], workspace)

    async def forbid_unsandboxed(self, workspace: Path) -> None:
        """Take that back."""
        await self._remove(ConsentKind.UNSANDBOXED, ["checks"], workspace)

    async def withdraw(self, subject: str) -> int:
        """Take back whatever was agreed to under a name, everywhere; returns how many entries went.

        A recipient or a name of weights, without case; or the path of a workspace: what was agreed to for it alone.
        """
        names = (to_column(subject), to_column(subject.casefold()))
        place = _place(Path(subject))

        def work(connection: sqlite3.Connection) -> int:
            return connection.execute(
                "DELETE FROM consents WHERE subject IN (?, ?) OR (workspace <> '' AND workspace = ?)",
                (*names, place),
            ).rowcount

        return await self._database.write(work)

    async def list(self) -> tuple[Consent, ...]:
        """Return everything agreed to, oldest first."""

        def work(connection: sqlite3.Connection) -> tuple[Consent, ...]:
            rows = connection.execute("SELECT kind, subject, workspace, at FROM consents ORDER BY at")
            return tuple(
                Consent(ConsentKind(kind), from_column(subject), from_column(workspace), at)
                for kind, subject, workspace, at in rows.fetchall()
            )

        return await self._database.read(work)

    async def _subjects(self, kind: ConsentKind, workspace: Path | None) -> frozenset[str]:
        place = _place(workspace)

        def work(connection: sqlite3.Connection) -> frozenset[str]:
            rows = connection.execute(
                "SELECT subject FROM consents WHERE kind = ? AND workspace IN ('', ?)", (kind.value, place)
            )
            return frozenset(from_column(row[0]) for row in rows.fetchall())

        return await self._database.read(work)

    async def _add(self, kind: ConsentKind, subjects: Iterable[str], workspace: Path | None) -> None:
        now, place = self._clock(), _place(workspace)
        rows = [(kind.value, to_column(subject), place, now) for subject in subjects]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT OR IGNORE INTO consents (kind, subject, workspace, at) VALUES (?, ?, ?, ?)", rows
            )

        await self._database.write(work)

    async def _remove(self, kind: ConsentKind, subjects: Iterable[str] | None, workspace: Path | None) -> int:
        place = None if workspace is None else _place(workspace)
        names = [None] if subjects is None else [to_column(subject) for subject in subjects]

        def work(connection: sqlite3.Connection) -> int:
            return sum(
                connection.execute(
                    "DELETE FROM consents WHERE kind = ?1 AND (?2 IS NULL OR subject = ?2) "
                    "AND (?3 IS NULL OR workspace = ?3)",
                    (kind.value, name, place),
                ).rowcount
                for name in names
            )

        return await self._database.write(work)


def _place(workspace: Path | None) -> str | bytes:
    return "" if workspace is None else to_column(str(resolved(workspace)))
