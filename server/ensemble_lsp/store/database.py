"""The database of one process: one connection in a thread of its own, and what to do when the disk fails.

Failures of the file never reach the caller as such: a damaged file is set aside, an unusable one is replaced
by a database in memory for the rest of the session, and a notice says so.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from ensemble_lsp import directories
from ensemble_lsp.core.errors import StoreError
from ensemble_lsp.store.opening import (
    DAMAGED,
    FILE_NAME,
    UNUSABLE,
    Opened,
    open_file,
    open_memory,
    primary_code,
)
from ensemble_lsp.store.presence import Presence
from ensemble_lsp.store.schema import MIGRATIONS, Migration

T = TypeVar("T")

Work = Callable[[sqlite3.Connection], T]
"""Runs in the store's thread; may run again after a failure, on a transaction that was rolled back."""

_ATTEMPTS = 3
"""The file as it is, the file opened anew, memory."""


class Database:
    """All access to the store goes through here. Several processes may each have one on the same directory.

    `directory` defaults to the state directory; `in_memory` keeps nothing. Opening takes a few milliseconds
    and never raises for a bad file; `notices` then says what happened.
    """

    def __init__(
        self,
        directory: Path | None = None,
        *,
        in_memory: bool = False,
        migrations: tuple[Migration, ...] = MIGRATIONS,
    ) -> None:
        self._directory = None if in_memory else (directory or directories.state_directory())
        self._migrations = migrations
        self._notices: list[str] = []
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._closed = False
        self._standby: sqlite3.Connection | None = None
        self._opened, self.presence = self._thread.submit(self._open_first).result()

    @property
    def notices(self) -> tuple[str, ...]:
        """What the person should know about the database, oldest first."""
        return tuple(self._notices)

    @property
    def path(self) -> Path | None:
        """The file, or None when this session works in memory."""
        return self._opened.path

    def note(self, notice: str) -> None:
        """Add a notice, once."""
        if notice not in self._notices:
            self._notices.append(notice)

    def submit(self, work: Work[T]) -> "Future[T]":
        """Queue a transaction; all work of this process runs in the order in which it was queued."""
        if self._closed:
            raise StoreError("the database is closed")
        return self._thread.submit(self._run, work)

    def write(self, work: Work[T]) -> Awaitable[T]:
        """Run `work` in one immediate transaction.

        It is queued by the call itself, and cancelling the caller does not take it back: what was to be kept
        is kept. Raises `StoreError` when another process holds the database too long.
        """
        return asyncio.shield(asyncio.wrap_future(self.submit(work)))

    async def read(self, work: Work[T]) -> T:
        """Run `work` on a consistent view; raises `StoreError`."""
        if self._closed:
            raise StoreError("the database is closed")
        return await asyncio.wrap_future(self._thread.submit(self._run, work, "BEGIN"))

    async def compact(self) -> None:
        """Give freed pages back and empty the log, so that what was removed is gone from the disk."""

        def work() -> None:
            try:
                self._opened.connection.execute("PRAGMA incremental_vacuum").fetchall()
                self._opened.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            except sqlite3.Error as error:
                # The rows are gone all the same; another process that reads right now delays the rest.
                self.note(f"space of removed jobs was not given back yet: {error}")

        await asyncio.shield(asyncio.wrap_future(self._thread.submit(work)))

    def close(self) -> None:
        """Finish what is queued and close; calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._thread.submit(self._shut).result()
        self._thread.shutdown()

    def __enter__(self) -> "Database":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open_first(self) -> tuple[Opened, Presence]:
        opened = self._open()
        try:
            presence = Presence(opened.path.parent / "processes" if opened.path else None)
            presence.sweep()
        except OSError as error:
            opened.connection.close()
            return self._in_memory(error), Presence(None)
        return opened, presence

    def _open(self, *, thorough: bool = False) -> Opened:
        if self._directory is None:
            return Opened(open_memory(None, self._migrations), None)
        try:
            opened = open_file(self._directory, self._migrations, thorough=thorough)
        except (OSError, sqlite3.Error) as error:
            return self._in_memory(error)
        for notice in opened.notices:
            self.note(notice)
        return opened

    def _in_memory(self, why: Exception) -> Opened:
        directory = self._directory or directories.state_directory()
        self.note(
            f"nothing can be kept in {directory} ({why}); jobs, spending and consent of this session "
            "are held in memory only"
        )
        standby, self._standby = self._standby, None
        return Opened(standby or open_memory(directory / FILE_NAME, self._migrations), None)

    def _run(self, work: Work[T], begin: str = "BEGIN IMMEDIATE") -> T:
        for attempt in range(_ATTEMPTS):
            connection = self._opened.connection
            try:
                connection.execute(begin)
                try:
                    result = work(connection)
                    connection.execute("COMMIT")
                except BaseException:
                    connection.rollback()
                    raise
            except sqlite3.Error as error:
                self._recover(error, attempt)
            else:
                self._drop_standby()
                return result
        raise StoreError("the database could not be used")

    def _recover(self, error: sqlite3.Error, attempt: int) -> None:
        """Put a usable database in place, or raise what the caller can act on."""
        code = primary_code(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreError(
                "another process has held the database for too long", hint=f"see who uses {self._opened.path}"
            ) from error
        if isinstance(error, sqlite3.IntegrityError):
            raise error
        if code not in DAMAGED | UNUSABLE:
            raise StoreError(f"the database refused: {error}") from error
        if self._opened.path is None:
            raise StoreError(f"the database in memory failed: {error}") from error
        # The first time the file may merely have been moved or mended by another process. What a session in
        # memory needs is taken along before closing: on a full disk the log cannot be opened a second time.
        if attempt == 0 and code in UNUSABLE:
            self._standby = open_memory(self._opened.connection, self._migrations)
        self._opened.connection.close()
        if attempt == 0:
            self._opened = self._open(thorough=code in DAMAGED)
        else:
            self._opened = self._in_memory(error)

    def _drop_standby(self) -> None:
        if self._standby is not None:
            self._standby.close()
            self._standby = None

    def _shut(self) -> None:
        self._drop_standby()
        self._opened.connection.close()
        self.presence.close()
