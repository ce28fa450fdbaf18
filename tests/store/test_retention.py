"""Everything that is kept has a time after which it goes."""

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import Action
from ensemble_lsp.ensemble.ports import ModelReply
from ensemble_lsp.store.cache import StoredReplies
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.jobs import JobStore
from ensemble_lsp.store.ledger import Ledger
from ensemble_lsp.store.outcomes import OutcomeStore, Verdict
from ensemble_lsp.store.reliability import HALF_LIFE_DAYS
from ensemble_lsp.store.retention import DAY, OUTCOME_DAYS, REPLY_DAYS, SPEND_DAYS
from tests.store.conftest import Clock


async def fill(database: Database, clock: Clock, job: str) -> JobStore:
    """Keep one of everything, in the way it is kept when a job runs."""
    jobs = JobStore(database, clock=clock)
    await jobs.record_start(job=job, workspace="/w", action=Action.FIX, title="t", task={}, pid=1)
    ledger = Ledger(database, clock=clock)
    await ledger.settle(await ledger.reserve(job, "a", 0.1), Spend(calls=1, usd=0.1))
    reply = ModelReply(text="x", finish="stop", spend=Spend(), seconds=1)
    await StoredReplies(database, clock=clock).put(job, reply)
    await OutcomeStore(database, clock=clock).record(
        scope=job, subject="c", members=["a"], action="fix", verdict=Verdict.ACCEPTED
    )
    return jobs


async def kept(database: Database, table: str, column: str = "job") -> list[str]:
    statement = f"SELECT {column} FROM {table} ORDER BY 1"  # noqa: S608
    return [row[0] for row in await database.read(lambda c: c.execute(statement).fetchall())]


async def test_each_thing_goes_when_its_time_is_over(database: Database, clock: Clock) -> None:
    begun = clock.now
    await fill(database, clock, "old")
    for number, (days, table, column) in enumerate(
        [(REPLY_DAYS, "replies", "key"), (SPEND_DAYS, "spend", "job"), (OUTCOME_DAYS, "outcomes", "scope")]
    ):
        clock.now = begun + (days - 1) * DAY
        await fill(database, clock, f"before{number}")
        assert "old" in await kept(database, table, column)
        clock.now = begun + (days + 2) * DAY
        await fill(database, clock, f"after{number}")
        assert "old" not in await kept(database, table, column)


async def test_a_long_running_process_sweeps_once_a_day(database: Database, clock: Clock) -> None:
    jobs = await fill(database, clock, "first")
    await database.write(lambda c: c.execute("UPDATE replies SET made = 0").rowcount)
    await jobs.record_start(job="soon", workspace="/w", action=Action.FIX, title="t", task={}, pid=1)
    assert await kept(database, "replies", "key") == ["first"]
    clock.now += DAY
    await jobs.record_start(job="later", workspace="/w", action=Action.FIX, title="t", task={}, pid=1)
    assert await kept(database, "replies", "key") == []


def test_an_outcome_that_is_removed_weighs_next_to_nothing() -> None:
    assert 0.5 ** (OUTCOME_DAYS / HALF_LIFE_DAYS) < 0.001
