"""One review over many files: few at a time, in order, and what happens to one of them is not the end of all."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ensemble_lsp.core.errors import BudgetExceeded, UsageError
from ensemble_lsp.core.events import EventBody, PhaseEntered, Status
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.engine.files import FILES_AT_ONCE, FilesInTurn

PATHS = [f"m{number}.py" for number in range(8)]
FINE = JobResult(status=Status.NOTHING, reason="no findings")


async def reviewed(
    review: Callable[[str], Awaitable[JobResult]], *, must_stop: Callable[[], bool] = lambda: False
) -> tuple[JobResult, list[EventBody]]:
    events: list[EventBody] = []
    files = FilesInTurn(PATHS, emit=events.append)
    return await files.run(review, must_stop=must_stop), events


async def test_every_file_is_told_when_it_begins() -> None:
    async def review(_: str) -> JobResult:
        return FINE

    result, events = await reviewed(review)
    assert [(event.note, event.file, event.files) for event in events if isinstance(event, PhaseEntered)] == [
        (path, number, 8) for number, path in enumerate(PATHS, 1)
    ]
    assert result.reviewed == tuple(PATHS)
    assert result.status is Status.NOTHING


async def test_no_more_than_a_few_run_at_once() -> None:
    running: set[str] = set()
    most = 0

    async def review(path: str) -> JobResult:
        nonlocal most
        running.add(path)
        most = max(most, len(running))
        await asyncio.sleep(0)
        running.discard(path)
        return FINE

    await reviewed(review)
    assert most == FILES_AT_ONCE


async def test_file_that_cannot_be_read_does_not_end_the_others() -> None:
    async def review(path: str) -> JobResult:
        if path == "m3.py":
            raise UsageError("no such file: m3.py")
        return FINE

    result, _ = await reviewed(review)
    assert result.reviewed == tuple(path for path in PATHS if path != "m3.py")
    assert result.unreviewed == ("m3.py",)
    assert result.notes == ("m3.py: no such file: m3.py", "not looked at to the end: m3.py")


async def test_no_file_is_begun_after_a_cap_was_met() -> None:
    begun: list[str] = []

    async def review(path: str) -> JobResult:
        begun.append(path)
        raise BudgetExceeded("0.50 USD are used up", cap="job-usd")

    result, _ = await reviewed(review)
    assert len(begun) < len(PATHS)
    assert result.status is Status.OVER_BUDGET
    assert result.reason == f"0.50 USD are used up; {8 - len(begun)} of 8 files were not looked at"
    assert result.reviewed == ()


async def test_deciding_now_keeps_what_was_looked_at() -> None:
    done: list[str] = []

    async def review(path: str) -> JobResult:
        done.append(path)
        return FINE

    result, _ = await reviewed(review, must_stop=lambda: len(done) >= 3)
    assert result.reviewed == tuple(PATHS[:3])
    assert result.reason.endswith("5 of 8 files were not looked at")


async def test_cancelling_ends_every_file() -> None:
    started = asyncio.Event()
    ended: list[str] = []

    async def review(path: str) -> JobResult:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(path)
        return FINE

    task = asyncio.ensure_future(reviewed(review))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == PATHS[:FILES_AT_ONCE]


async def test_progress_counts_what_is_done_and_not_what_was_begun() -> None:
    async def review(_: str) -> JobResult:
        await asyncio.sleep(0)
        return FINE

    _, events = await reviewed(review)
    done = [event.done or 0 for event in events if isinstance(event, PhaseEntered)]
    assert done[:FILES_AT_ONCE] == [0] * FILES_AT_ONCE
    assert sorted(done) == done
    assert done[-1] >= len(PATHS) - FILES_AT_ONCE


async def test_files_that_are_kept_are_not_looked_at_again_and_stand_in_the_result() -> None:
    begun: list[str] = []

    async def review(path: str) -> JobResult:
        begun.append(path)
        return FINE

    kept = {"m2.py": FINE, "m5.py": FINE}
    result = await FilesInTurn(PATHS, emit=lambda _: None, kept=kept).run(review, must_stop=lambda: False)
    assert begun == [path for path in PATHS if path not in kept]
    assert result.reviewed == tuple(PATHS)


async def test_where_money_is_tight_files_run_one_after_the_other_and_none_is_left_out() -> None:
    running: set[str] = set()
    together: list[int] = []

    async def review(path: str) -> JobResult:
        running.add(path)
        together.append(len(running))
        await asyncio.sleep(0)
        running.discard(path)
        return FINE

    files = FilesInTurn(
        PATHS, emit=lambda _: None, room=lambda others: "not beside another" if others else ""
    )
    result = await files.run(review, must_stop=lambda: False)
    assert together == [1] * len(PATHS)
    assert result.reviewed == tuple(PATHS)


async def test_review_that_has_no_money_left_says_so_and_names_what_it_did_not_look_at() -> None:
    done: list[str] = []

    async def review(path: str) -> JobResult:
        done.append(path)
        return FINE

    files = FilesInTurn(PATHS, emit=lambda _: None, room=lambda _: "nothing left" if len(done) >= 2 else "")
    result = await files.run(review, must_stop=lambda: False)
    assert result.status is Status.OVER_BUDGET
    assert result.reason == "0 findings in 2 files; nothing left; 6 of 8 files were not looked at"
    assert result.unreviewed == tuple(PATHS[2:])
    assert result.notes == ("not looked at to the end: m2.py, m3.py, m4.py and 3 more",)


async def test_what_was_finished_is_there_after_a_cancellation() -> None:
    hanging = asyncio.Event()

    async def review(path: str) -> JobResult:
        if path == "m1.py":
            hanging.set()
            await asyncio.Event().wait()
        return FINE

    files = FilesInTurn(PATHS[:2], emit=lambda _: None)
    task = asyncio.ensure_future(files.run(review, must_stop=lambda: False))
    await hanging.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert files.so_far().reviewed == ("m0.py",)
    assert files.so_far().unreviewed == ("m1.py",)
