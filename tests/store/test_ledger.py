"""The day's cap holds over all processes, and no amount is lost or counted twice."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import BudgetExceeded, StoreError
from ensemble_lsp.store.columns import local_day
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.ledger import HELD_AT_MOST, Ledger
from tests.store.conftest import Clock
from tests.store.processes import line_from, start, tell


@pytest.fixture
def ledger(database: Database, clock: Clock) -> Ledger:
    return Ledger(database, clock=clock)


async def pay(ledger: Ledger, usd: float, *, job: str = "j1", member: str = "a") -> None:
    entry = await ledger.reserve(job, member, usd)
    await ledger.settle(entry, Spend(calls=1, tokens_in=100, tokens_out=10, usd=usd))


async def test_what_is_held_becomes_what_was_used(ledger: Ledger) -> None:
    entry = await ledger.reserve("j1", "a", 0.4, 1.0)
    assert (await ledger.spent_today(), await ledger.held_today()) == (0.0, 0.4)
    await ledger.settle(entry, Spend(calls=1, tokens_in=9, tokens_out=3, usd=0.1))
    assert (await ledger.spent_today(), await ledger.held_today()) == (0.1, 0.0)
    assert await ledger.spent_by_job("j1") == Spend(calls=1, tokens_in=9, tokens_out=3, usd=0.1)


async def test_what_is_held_counts_against_the_cap(ledger: Ledger) -> None:
    await ledger.reserve("j1", "a", 0.6, 1.0)
    with pytest.raises(BudgetExceeded, match=r"\$0\.6000 spent or held today") as refused:
        await ledger.reserve("j2", "a", 0.5, 1.0)
    assert refused.value.cap == "day-usd"
    assert await ledger.held_today() == 0.6


async def test_what_is_given_back_can_be_held_again(ledger: Ledger) -> None:
    entry = await ledger.reserve("j1", "a", 1.0, 1.0)
    await ledger.release(entry)
    await ledger.reserve("j1", "a", 1.0, 1.0)


async def test_a_cap_can_be_used_to_the_last_cent(ledger: Ledger) -> None:
    for _ in range(10):
        await ledger.reserve("j1", "a", 0.1, 1.0)
    with pytest.raises(BudgetExceeded):
        await ledger.reserve("j1", "a", 0.000_001, 1.0)


async def test_members_that_cost_nothing_are_never_refused(ledger: Ledger) -> None:
    await pay(ledger, 3.0)
    await ledger.reserve("j1", "local", 0.0, 0.0)
    with pytest.raises(BudgetExceeded):
        await ledger.reserve("j1", "a", 0.01, 0.0)


async def test_a_new_local_day_starts_at_nothing(ledger: Ledger, clock: Clock) -> None:
    await pay(ledger, 1.0)
    clock.now += 86_400
    assert await ledger.spent_today() == 0.0
    await ledger.reserve("j1", "a", 1.0, 1.0)


async def test_an_answer_after_midnight_counts_for_the_day_it_was_asked(ledger: Ledger, clock: Clock) -> None:
    day = local_day(clock.now)
    entry = await ledger.reserve("j1", "a", 0.2)
    clock.now += 86_400
    await ledger.settle(entry, Spend(calls=1, usd=0.2))
    assert await ledger.by_day() == {day: 0.2}


@pytest.mark.parametrize(
    ("zone", "day"), [("Pacific/Kiritimati", "2026-09-22"), ("Pacific/Niue", "2026-09-21")]
)
def test_the_day_is_the_persons_own(zone: str, day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert local_day(1_790_000_000.0) == day
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


async def test_an_entry_is_settled_once(ledger: Ledger) -> None:
    entry = await ledger.reserve("j1", "a", 0.1)
    await ledger.settle(entry, Spend(calls=1, usd=0.1))
    with pytest.raises(StoreError, match="no open entry"):
        await ledger.settle(entry, Spend(calls=1, usd=0.1))
    await ledger.release(entry)
    assert await ledger.spent_today() == 0.1


async def test_what_was_never_settled_is_booked_at_what_was_held(ledger: Ledger, clock: Clock) -> None:
    await ledger.reserve("j1", "a", 0.3)
    clock.now += HELD_AT_MOST + 1
    assert await ledger.spent_today() == 0.3
    assert await ledger.held_today() == 0.0


async def test_a_late_answer_corrects_what_was_booked_for_it(ledger: Ledger, clock: Clock) -> None:
    entry = await ledger.reserve("j1", "a", 0.3)
    clock.now += HELD_AT_MOST + 1
    assert await ledger.spent_today() == 0.3
    await ledger.settle(entry, Spend(calls=1, usd=0.05))
    assert await ledger.spent_today() == 0.05


async def test_a_caller_that_is_cancelled_holds_nothing(ledger: Ledger) -> None:
    reserving = asyncio.ensure_future(ledger.reserve("j1", "a", 0.3))
    await asyncio.sleep(0)
    reserving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reserving
    assert await ledger.held_today() == 0.0


async def test_members_and_days_are_summed_up(ledger: Ledger, clock: Clock) -> None:
    await pay(ledger, 0.25, member="small")
    clock.now += 86_400
    await pay(ledger, 1.0, member="large")
    await pay(ledger, 0.5, member="large")
    assert [(line.member, line.spend.usd, line.spend.calls) for line in await ledger.by_member()] == [
        ("large", 1.5, 2),
        ("small", 0.25, 1),
    ]
    assert [line.member for line in await ledger.by_member(days=1)] == ["large"]
    assert list((await ledger.by_day()).values()) == [1.5, 0.25]


steps = st.lists(
    st.tuples(st.sampled_from(["reserve", "settle", "release"]), st.integers(0, 500_000), st.integers(0, 9)),
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(steps)
def test_spent_and_held_are_exactly_what_a_plain_sum_says(
    some: list[tuple[str, int, int]],
) -> None:
    """Amounts are in millionths of a dollar, the cap is one dollar."""

    async def run() -> None:
        with Database(in_memory=True) as database:
            ledger = Ledger(database)
            held: dict[int, int] = {}
            spent = 0
            for step, micro, which in some:
                entry = sorted(held)[which % len(held)] if held else None
                if step == "reserve":
                    fits = micro == 0 or spent + sum(held.values()) + micro <= 1_000_000
                    try:
                        held[await ledger.reserve("j", "m", micro / 1e6, 1.0)] = micro
                        assert fits
                    except BudgetExceeded:
                        assert not fits
                elif entry is not None and step == "settle":
                    del held[entry]
                    spent += micro
                    await ledger.settle(entry, Spend(calls=1, usd=micro / 1e6))
                elif entry is not None:
                    del held[entry]
                    await ledger.release(entry)
            assert await ledger.spent_today() == spent / 1e6
            assert await ledger.held_today() == sum(held.values()) / 1e6

    asyncio.run(run())


RACER = """
async def main():
    ledger, got = Ledger(database), 0
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(30):
        try:
            entry = await ledger.reserve("j", "m", 0.05, 1.0)
        except BudgetExceeded:
            continue
        await ledger.settle(entry, Spend(calls=1, usd=0.05))
        got += 1
    print(got, flush=True)

asyncio.run(main())
"""


async def test_racing_processes_never_pass_the_days_cap(directory: Path, database: Database) -> None:
    with start(RACER, directory) as one, start(RACER, directory) as two:
        for process in (one, two):
            assert line_from(process) == "ready"
        for process in (one, two):
            tell(process, "go")
        got = [int(line_from(process)) for process in (one, two)]
    assert sum(got) == 20
    assert await Ledger(database).spent_today() == 1.0


HOLDER = """
async def main():
    await Ledger(database).reserve("j", "m", 0.4, 1.0)
    print("held", flush=True)
    sys.stdin.readline()

asyncio.run(main())
"""


async def test_what_a_killed_process_held_is_booked_and_holds_nothing_up(
    directory: Path, database: Database
) -> None:
    ledger = Ledger(database)
    with start(HOLDER, directory) as process:
        assert line_from(process) == "held"
        assert (await ledger.spent_today(), await ledger.held_today()) == (0.0, 0.4)
        os.kill(process.pid, 9)
    assert (await ledger.spent_today(), await ledger.held_today()) == (0.4, 0.0)
    assert (await ledger.spent_by_job("j")).calls == 1
