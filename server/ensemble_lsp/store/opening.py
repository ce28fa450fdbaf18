"""Opening the database file, whatever state it is in: nothing is deleted, and the product goes on."""

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock

from ensemble_lsp.store.schema import MIGRATIONS, TABLES, Migration, migrate, tables_of, version_of

FILE_NAME = "ensemble.sqlite3"

BUSY_SECONDS = 10.0
"""How long a writer waits for another process; a write of ours takes milliseconds."""

_CACHE_PAGES = -4096
"""SQLite's page cache; negative counts KiB."""

DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Primary result codes that say that the file itself is broken."""

UNUSABLE = frozenset(
    {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_NOLFS,
    }
)
"""Primary result codes that say that the file cannot be written here and now."""

_CARRIED = {
    "spend": "day >= date('now', '-2 days')",
    "consents": "1",
    "trusted": "1",
    "outcomes": "1",
    "dismissals": "1",
}
"""Tables that a session in memory takes along from a file that can still be read: caps and permissions."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An open connection in autocommit mode. `path` is None when it lives in memory."""

    connection: sqlite3.Connection
    path: Path | None
    notices: tuple[str, ...] = ()


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code, or -1 for an error of the Python module itself."""
    code: object = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else -1


def open_file(
    directory: Path, migrations: tuple[Migration, ...] = MIGRATIONS, *, thorough: bool = False
) -> Opened:
    """Open (or make) the database in `directory`.

    A damaged or newer file is renamed out of the way with its write-ahead log. `thorough` checks every page,
    which takes about a second per 100 MB, for use after damage was met. Raises `OSError` or `sqlite3.Error`
    when the directory cannot be used.
    """
    if not directory.exists():
        directory.mkdir(mode=0o700, parents=True)
    path = directory / FILE_NAME
    # One process at a time decides what becomes of the file; the second finds a healthy one.
    with FileLock(directory / f"{FILE_NAME}.lock", mode=0o600, timeout=BUSY_SECONDS):
        _make_private(path)
        try:
            return Opened(_connect(path, migrations, thorough=thorough), path)
        except _SetAside as reason:
            aside = _set_aside(path, reason.label)
            connection = _connect(path, migrations, thorough=False)
            carry(aside, connection, tables=("spend",))
            return Opened(connection, path, (reason.notice.format(path=path, aside=aside),))


def open_memory(
    source: Path | sqlite3.Connection | None, migrations: tuple[Migration, ...] = MIGRATIONS
) -> sqlite3.Connection:
    """Open a database in memory, with what can be read of `source`, so that caps and consent still hold."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection, migrations)
    if isinstance(source, Path):
        carry(source, connection, tables=tuple(_CARRIED))
    elif source is not None:
        _copy_all(source, connection, tuple(_CARRIED))
    return connection


def carry(source: Path, target: sqlite3.Connection, *, tables: tuple[str, ...]) -> None:
    """Copy what can be read of some tables; what cannot be read is left behind."""
    if not source.is_file():
        return
    for mode in ("mode=ro", "immutable=1"):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(_read_only(source, mode)) as reader:
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            _copy_all(reader, target, tables)
            return


class _SetAside(Exception):
    """The file has to make room for a fresh one; `notice` is a format with `path` and `aside`."""

    def __init__(self, label: str, notice: str) -> None:
        super().__init__(label)
        self.label = label
        self.notice = notice


def _damaged(what: str) -> _SetAside:
    return _SetAside(
        "corrupt",
        f"the database {{path}} {what}; it was kept as {{aside}} and a fresh one was started "
        "(jobs, consent and trust of before are in the old file)",
    )


def _connect(path: Path, migrations: tuple[Migration, ...], *, thorough: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
    )
    try:
        _prepare(connection, migrations, thorough=thorough)
    except sqlite3.Error as error:
        connection.close()
        if primary_code(error) in DAMAGED:
            raise _damaged("is damaged") from error
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, migrations: tuple[Migration, ...], *, thorough: bool) -> None:
    version = version_of(connection)
    if version > len(migrations):
        raise _SetAside(
            "newer",
            f"the database {{path}} was written by a newer version (schema {version}, this one knows "
            f"{len(migrations)}); it was kept as {{aside}} and a fresh one was started",
        )
    tables = tables_of(connection)
    if version == 0 and tables:
        raise _damaged("is not one of ours")
    if version == 0:
        # Before the first table is made: pages freed by a purge can then be given back to the system.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    # Durable against a killed process; a power cut may take the last moments, never the file.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA cache_size = {_CACHE_PAGES}")
    connection.execute("PRAGMA temp_store = MEMORY")
    migrate(connection, migrations)
    if not tables_of(connection) >= TABLES:
        raise _damaged("lacks some of its tables")
    if thorough and connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise _damaged("is damaged")
    # A file that can only be read says so here, not at the first job.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")


def _make_private(path: Path) -> None:
    """Make the file readable by its owner only; SQLite gives the log files the same permissions."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        if os.fstat(descriptor).st_mode & 0o077:
            path.chmod(0o600)
    finally:
        os.close(descriptor)


def _set_aside(path: Path, label: str) -> Path:
    stamp = datetime.now(tz=UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}.{label}-{stamp}")
    for number in range(2, 100):
        if not aside.exists():
            break
        aside = path.with_name(f"{path.name}.{label}-{stamp}-{number}")
    # The log belongs to the file under its new name too: whoever opens it later finds all of it.
    for suffix in ("-wal", "-shm"):
        log = path.with_name(path.name + suffix)
        if log.exists():
            log.rename(aside.with_name(aside.name + suffix))
    path.rename(aside)
    _make_private(path)
    return aside


def _read_only(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(str(path))}?{mode}",
        uri=True,
        timeout=1.0,
        isolation_level=None,
        check_same_thread=False,
    )


def _copy_all(reader: sqlite3.Connection, target: sqlite3.Connection, tables: tuple[str, ...]) -> None:
    for table in tables:
        with contextlib.suppress(sqlite3.Error):
            _copy(reader, target, table)


def _copy(reader: sqlite3.Connection, target: sqlite3.Connection, table: str) -> None:
    theirs = {str(row[1]) for row in reader.execute(f"PRAGMA table_info({table})")}
    ours = [str(row[1]) for row in target.execute(f"PRAGMA table_info({table})")]
    columns = ", ".join(name for name in ours if name in theirs)
    if not columns:
        return
    where = _CARRIED[table]
    rows = reader.execute(f"SELECT {columns} FROM {table} WHERE {where}").fetchall()  # noqa: S608
    marks = ", ".join("?" for _ in columns.split(", "))
    target.executemany(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", rows)  # noqa: S608
