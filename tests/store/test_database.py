"""Whatever state the file is in, the store opens, says what happened, and deletes nothing."""

# ruff: noqa: ASYNC240  (a few small files; nothing else waits on this loop)

import asyncio
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import StoreError
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.ledger import Ledger
from ensemble_lsp.store.opening import FILE_NAME
from ensemble_lsp.store.outcomes import OutcomeStore
from ensemble_lsp.store.schema import MIGRATIONS, migrate, version_of
from ensemble_lsp.store.trust import TrustStore
from tests.store.conftest import Clock
from tests.store.processes import line_from, start, tell

V1 = Path(__file__).parents[1] / "cases" / "store" / "version1.sql"


async def count(database: Database, table: str) -> int:
    statement = f"SELECT count(*) FROM {table}"  # noqa: S608
    return await database.read(lambda c: int(c.execute(statement).fetchone()[0]))


async def test_what_is_written_is_there_after_opening_again(directory: Path) -> None:
    with Database(directory) as first:
        await TrustStore(first).trust(directory)
    with Database(directory) as second:
        assert await TrustStore(second).is_trusted(directory)
        assert second.notices == ()


def test_only_the_owner_can_read_the_files(directory: Path) -> None:
    with Database(directory):
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert modes.pop("processes") == 0o700
    assert set(modes.values()) == {0o600}
    assert f"{FILE_NAME}-wal" in modes


def test_a_file_that_others_could_read_is_closed_to_them(directory: Path) -> None:
    Database(directory).close()
    (directory / FILE_NAME).chmod(0o644)
    Database(directory).close()
    assert stat.S_IMODE((directory / FILE_NAME).stat().st_mode) == 0o600


async def test_a_corrupt_file_is_set_aside_and_kept(directory: Path) -> None:
    directory.mkdir()
    (directory / FILE_NAME).write_bytes(b"not a database" * 100)
    with Database(directory) as database:
        (notice,) = database.notices
        assert await count(database, "jobs") == 0
    (aside,) = directory.glob("*.corrupt-*Z")
    assert aside.read_bytes() == b"not a database" * 100
    assert str(aside) in notice
    assert stat.S_IMODE((directory / FILE_NAME).stat().st_mode) == 0o600


async def test_a_newer_database_is_set_aside_and_kept_with_its_log(directory: Path) -> None:
    Database(directory).close()
    with closing(sqlite3.connect(directory / FILE_NAME)) as newer:
        newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        newer.execute("CREATE TABLE of_the_future (x)")
        newer.commit()
        # Still open elsewhere: its write-ahead log lies beside it.
        with Database(directory) as database:
            assert "newer version" in database.notices[0]
            assert await count(database, "jobs") == 0
    (aside,) = directory.glob("*.newer-*Z")
    with closing(sqlite3.connect(aside)) as kept:
        assert kept.execute("SELECT count(*) FROM of_the_future").fetchone() == (0,)


async def test_spending_of_today_survives_when_a_newer_database_is_set_aside(
    directory: Path, clock: Clock
) -> None:
    clock.now = time.time()
    with Database(directory) as database:
        ledger = Ledger(database, clock=clock)
        await ledger.settle(await ledger.reserve("job", "a", 1.0), Spend(calls=1, usd=0.75))
    with closing(sqlite3.connect(directory / FILE_NAME)) as newer:
        newer.execute("PRAGMA user_version = 99")
    with Database(directory) as database:
        assert await Ledger(database, clock=clock).spent_today() == 0.75


async def test_somebody_elses_sqlite_file_is_set_aside(directory: Path) -> None:
    directory.mkdir()
    with closing(sqlite3.connect(directory / FILE_NAME)) as other:
        other.execute("CREATE TABLE jobs (theirs)")
    with Database(directory) as database:
        assert "not one of ours" in database.notices[0]
        assert await count(database, "spend") == 0


async def test_a_database_that_lost_a_table_is_set_aside(directory: Path) -> None:
    Database(directory).close()
    with closing(sqlite3.connect(directory / FILE_NAME)) as damaged:
        damaged.execute("DROP TABLE trusted")
    with Database(directory) as database:
        assert "lacks some of its tables" in database.notices[0]


async def test_an_empty_file_is_a_new_database(directory: Path) -> None:
    directory.mkdir()
    (directory / FILE_NAME).touch()
    with Database(directory) as database:
        assert database.notices == ()
        assert await count(database, "jobs") == 0


async def test_damage_met_while_running_is_set_aside_and_the_work_is_done(directory: Path) -> None:
    with Database(directory) as database:
        trust = TrustStore(database)
        for number in range(200):
            await trust.trust(directory / f"{'x' * 200}{number}")
    path = directory / FILE_NAME
    data = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as reader:
        root = reader.execute("SELECT rootpage FROM sqlite_master WHERE name = 'trusted'").fetchone()[0]
        size = reader.execute("PRAGMA page_size").fetchone()[0]
    data[(root - 1) * size : root * size] = b"\xff" * size
    path.write_bytes(data)
    with Database(directory) as database:
        assert database.notices == ()  # opening reads the schema only, which is whole
        await TrustStore(database).trust(directory)
        assert await TrustStore(database).list() == (directory,)
        assert "is damaged" in database.notices[0]
        assert database.path == path
    assert len(list(directory.glob("*.corrupt-*Z"))) == 1


async def test_a_file_where_the_directory_should_be_means_memory(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    with Database(tmp_path / "state") as database:
        await TrustStore(database).trust(tmp_path)
        assert await TrustStore(database).is_trusted(tmp_path)
        assert database.path is None
        assert "in memory only" in database.notices[0]
    assert (tmp_path / "state").read_text() == "in the way"


async def test_a_file_system_that_takes_no_files_means_memory() -> None:
    with Database(Path("/proc/ensemble-lsp/state")) as database:
        assert await count(database, "jobs") == 0
        assert database.path is None
        assert "in memory only" in database.notices[0]


async def test_a_directory_in_place_of_the_file_means_memory(directory: Path) -> None:
    (directory / FILE_NAME).mkdir(parents=True)
    with Database(directory) as database:
        assert await count(database, "jobs") == 0
        assert "in memory only" in database.notices[0]


FULL_DISK = """
import resource
from ensemble_lsp.store.trust import TrustStore

async def main():
    ledger, trust = Ledger(database), TrustStore(database)
    await ledger.settle(await ledger.reserve("job", "a", 0.5), Spend(calls=1, usd=0.25))
    await trust.trust(Path("/before"))
    # No file may grow from now on: every write fails, as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    await trust.trust(Path("/after"))
    print(database.path, await ledger.spent_today(), [str(path) for path in await trust.list()])
    print(database.notices)

asyncio.run(main())
"""


def test_a_full_disk_means_memory_with_todays_spending_and_trust(directory: Path) -> None:
    with start(FULL_DISK, directory) as process:
        assert line_from(process) == "None 0.25 ['/after', '/before']"
        assert "in memory only" in line_from(process)
    assert process.returncode == 0


async def test_a_database_that_may_not_grow_at_this_moment_is_opened_anew(database: Database) -> None:
    await database.read(lambda c: c.execute("PRAGMA max_page_count = 1").fetchone())
    await TrustStore(database).trust(Path("/" + "big" * 5000))
    assert database.path is not None
    assert database.notices == ()


async def test_a_database_moved_away_by_another_process_is_opened_anew(directory: Path) -> None:
    with Database(directory) as database:
        trust = TrustStore(database)
        await trust.trust(directory)
        for name in (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"):
            (directory / name).rename(directory / f"moved-{name}")
        await trust.trust(directory / "later")
        assert await trust.is_trusted(directory / "later")


async def test_a_failed_transaction_leaves_nothing(database: Database) -> None:
    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO trusted VALUES ('/a', 0)")
        raise LookupError

    with pytest.raises(LookupError):
        await database.write(work)
    assert await count(database, "trusted") == 0


async def test_a_write_is_kept_when_its_caller_is_cancelled(database: Database) -> None:
    writing = asyncio.ensure_future(TrustStore(database).trust(Path("/kept")))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await TrustStore(database).is_trusted(Path("/kept"))


async def test_a_closed_database_says_so(database: Database) -> None:
    database.close()
    database.close()
    with pytest.raises(StoreError, match="closed"):
        await TrustStore(database).list()


async def test_a_refused_statement_is_a_store_error(database: Database) -> None:
    with pytest.raises(StoreError, match="no such table"):
        await database.write(lambda c: c.execute("DELETE FROM nowhere").rowcount)


async def test_a_database_of_version_1_is_brought_up_to_date(directory: Path) -> None:
    directory.mkdir()
    with closing(sqlite3.connect(directory / FILE_NAME)) as old:
        old.executescript(V1.read_text())
    with Database(directory) as database:
        assert database.notices == ()
        assert await database.read(version_of) == len(MIGRATIONS)
        assert await TrustStore(database).is_trusted(Path("/home/ada/project"))
        assert await Ledger(database).by_member(days=100_000) != ()


async def test_what_was_learned_before_actions_were_kept_is_filed_under_its_action(directory: Path) -> None:
    directory.mkdir()
    with closing(sqlite3.connect(directory / FILE_NAME)) as old:
        old.executescript(V1.read_text())
        old.executemany(
            "INSERT INTO outcomes VALUES ('j', ?, 'm', 'person', ?, 'accepted', 1.0, 0.0, 1790000000.0)",
            [("c1", "fix"), ("f1", "null-pointer")],
        )
        old.commit()
    with Database(directory) as database:
        learned = await OutcomeStore(database, clock=lambda: 1_790_000_000.0).reliabilities()
    assert (learned.known("m", "fix").successes, learned.known("m", "review").successes) == (1.0, 1.0)


async def test_a_migration_runs_once_and_keeps_what_is_there(directory: Path) -> None:
    with Database(directory) as database:
        await TrustStore(database).trust(Path("/before"))
    migrations = (*MIGRATIONS, ("ALTER TABLE trusted ADD COLUMN why TEXT NOT NULL DEFAULT 'asked'",))
    for _ in range(2):
        with Database(directory, migrations=migrations) as database:
            rows = await database.read(lambda c: c.execute("SELECT path, why FROM trusted").fetchall())
            assert rows == [("/before", "asked")]


def test_a_migration_that_fails_leaves_the_version_before_it(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x", isolation_level=None)) as connection:
        broken = (*MIGRATIONS, ("CREATE TABLE half (x)", "CREATE NONSENSE"))
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, broken)
        assert version_of(connection) == len(MIGRATIONS)
        assert connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchone() is None


COUNTING = """
from ensemble_lsp.store.trust import TrustStore
name = sys.stdin.readline().strip()
asyncio.run(TrustStore(database).trust(Path(f"/{name}")))
print(len(database.notices), flush=True)
database.close()
"""


async def test_processes_that_meet_a_damaged_file_at_once_set_it_aside_once(directory: Path) -> None:
    directory.mkdir()
    (directory / FILE_NAME).write_bytes(b"x" * 10_000)
    with start(COUNTING, directory) as one, start(COUNTING, directory) as two:
        tell(one, "one")
        tell(two, "two")
        assert {line_from(one), line_from(two)} == {"0", "1"}
    assert len(list(directory.glob("*.corrupt-*Z"))) == 1
    with Database(directory) as database:
        assert await TrustStore(database).list() == (Path("/one"), Path("/two"))
