"""Jobs are written while they run, so that nothing that was paid is lost, whatever happens to the process."""

# ruff: noqa: ASYNC240  (a few small files; nothing else waits on this loop)

import asyncio
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import UnknownItem, UsageError
from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.results import DraftRecord, JobResult, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.jobs import JobStore
from ensemble_lsp.store.ledger import Ledger
from ensemble_lsp.store.opening import FILE_NAME
from tests.store.conftest import NOON, Clock
from tests.store.processes import line_from, start

LONE = "\udc80"
"""A byte that does not decode, as text holds it."""


@pytest.fixture
def jobs(database: Database, clock: Clock) -> JobStore:
    return JobStore(database, clock=clock)


async def begin(
    jobs: JobStore,
    job: str = "j1",
    *,
    workspace: str = "/w",
    keep_transcript: bool = True,
    keep_days: float = 30,
) -> Task:
    task = Task(action=Action.FIX, path="pay.py", instruction=f"total {LONE} is wrong")
    await jobs.record_start(
        job=job,
        workspace=workspace,
        action=Action.FIX,
        title=f"fix pay.py {LONE}",
        task=task.to_wire(),
        pid=os.getpid(),
        start={"job": job, "task": task.to_wire()},
        keep_transcript=keep_transcript,
        keep_days=keep_days,
    )
    return task


def draft(member: str = "a", text: str = "answer") -> DraftRecord:
    return DraftRecord(member=member, family="f", text=text, spend=Spend(calls=1, usd=0.01))


def delta(member: str, text: str) -> dict[str, object]:
    return {"kind": "memberDelta", "member": member, "text": text}


def result() -> JobResult:
    change = FileChange(path="new.py", before=None, after=SourceText(f"x = 1{LONE}\r\n", bom=True))
    chosen = Candidate(id="c1", changes=(change,), members=("a",), families=("f",))
    proposal = Proposal(id="p1", job="j1", title="t", standing=Standing.VERIFIED, chosen=chosen)
    spend = Spend(calls=2, tokens_in=10, tokens_out=5, usd=0.015)
    return JobResult(status=Status.DONE, reason=f"tests pass {LONE}", proposal=proposal, spend=spend)


async def test_a_finished_job_is_given_back_as_it_was(jobs: JobStore, clock: Clock) -> None:
    task = await begin(jobs)
    await jobs.append_events("j1", [{"kind": "phase", "phase": "draft", "job": "j1", "seq": 0}])
    await jobs.save_draft("j1", draft(text=f"text{LONE}"))
    clock.now += 3
    await jobs.finish("j1", result())
    record = await jobs.get("j1")
    assert record.task is not None
    assert Task.model_validate(record.task) == task
    assert record.events == ({"kind": "phase", "phase": "draft", "job": "j1", "seq": 0},)
    assert record.drafts == (draft(text=f"text{LONE}"),)
    assert record.result == result()
    assert record.line.state is Status.DONE
    assert record.line.reason == f"tests pass {LONE}"
    assert record.line.title == f"fix pay.py {LONE}"
    assert (record.line.started, record.line.seconds) == (NOON, 3.0)
    assert record.line.spend == result().spend


async def test_the_request_is_there_for_going_on_from_the_drafts(jobs: JobStore) -> None:
    task = await begin(jobs)
    assert await jobs.start_of("j1") == {"job": "j1", "task": task.to_wire()}
    assert await jobs.start_of("unknown") is None
    assert await jobs.drafts("unknown") == ()


async def test_what_members_stream_is_joined_over_all_batches(jobs: JobStore) -> None:
    await begin(jobs)
    await jobs.append_events("j1", [delta("a", "de"), delta("b", "x"), delta("a", "f ")])
    await jobs.append_events("j1", [delta("a", "main")])
    joined = (delta("a", "def main"), delta("b", "x"))
    assert (await jobs.get("j1")).events == joined
    await jobs.finish("j1", result())
    assert (await jobs.get("j1")).events == joined


async def test_a_finished_transcript_lies_in_one_piece(jobs: JobStore, database: Database) -> None:
    await begin(jobs)
    for number in range(20):
        await jobs.append_events("j1", [delta("a", str(number))])
    await jobs.finish("j1", result())
    rows = await database.read(lambda c: c.execute("SELECT length(body) FROM events").fetchall())
    assert len(rows) == 1
    assert rows[0][0] < 150


async def test_a_taken_id_is_refused(jobs: JobStore) -> None:
    await begin(jobs)
    with pytest.raises(UsageError, match="taken"):
        await begin(jobs)


@pytest.mark.parametrize("call", ["get", "finish", "append", "draft"])
async def test_an_unknown_job_is_named(jobs: JobStore, call: str) -> None:
    with pytest.raises(UnknownItem, match="nope"):
        await {
            "get": lambda: jobs.get("nope"),
            "finish": lambda: jobs.finish("nope", result()),
            "append": lambda: jobs.append_events("nope", [delta("a", "x")]),
            "draft": lambda: jobs.save_draft("nope", draft()),
        }[call]()


async def test_the_list_has_the_newest_first_and_knows_workspaces(jobs: JobStore, clock: Clock) -> None:
    for number, workspace in enumerate(["/w", f"/w{LONE}", "/w"]):
        clock.now = NOON + number
        await begin(jobs, f"j{number}", workspace=workspace)
    assert [line.job for line in await jobs.list()] == ["j2", "j1", "j0"]
    assert [line.job for line in await jobs.list(limit=1)] == ["j2"]
    assert [line.job for line in await jobs.list("/w")] == ["j2", "j0"]
    (odd,) = await jobs.list(f"/w{LONE}")
    assert odd.workspace == f"/w{LONE}"


async def test_jobs_of_one_moment_are_listed_in_the_order_they_started(jobs: JobStore) -> None:
    for number in range(3):
        await begin(jobs, f"j{number}")
    assert [line.job for line in await jobs.list()] == ["j2", "j1", "j0"]


async def test_a_running_job_shows_what_the_ledger_knows(
    jobs: JobStore, database: Database, clock: Clock
) -> None:
    await begin(jobs)
    ledger = Ledger(database, clock=clock)
    await ledger.settle(await ledger.reserve("j1", "a", 0.1), Spend(calls=1, tokens_in=7, usd=0.02))
    clock.now += 5
    (line,) = await jobs.list()
    assert line.state == "running"
    assert line.seconds == 5.0
    assert line.spend == Spend(calls=1, tokens_in=7, usd=0.02)


async def test_an_id_may_be_given_by_its_beginning(jobs: JobStore) -> None:
    for job in ("abc", "abd", "ab", "x%_"):
        await begin(jobs, job)
    assert await jobs.find("abc") == "abc"
    assert await jobs.find("ab") == "ab"
    assert await jobs.find("x") == "x%_"
    with pytest.raises(UnknownItem, match="several"):
        await jobs.find("a")
    with pytest.raises(UnknownItem, match="no job"):
        await jobs.find("%")


async def test_without_transcripts_only_the_line_reaches_the_disk(directory: Path) -> None:
    with Database(directory) as database:
        jobs = JobStore(database)
        await begin(jobs, keep_transcript=False)
        await jobs.append_events("j1", [delta("a", "secret reasoning")])
        await jobs.save_draft("j1", draft(text="secret answer"))
        await jobs.finish("j1", result())
        # This process can still go on from the drafts that were paid.
        assert await jobs.drafts("j1") == (draft(text="secret answer"),)
        assert (await jobs.get("j1")).result == result()
        jobs.close()
    with Database(directory) as database:
        record = await JobStore(database).get("j1")
        assert record.line.state is Status.DONE
        assert (record.task, record.events, record.drafts, record.result) == (None, (), (), None)
        for table in ("contents", "events", "drafts"):
            statement = f"SELECT * FROM {table}"  # noqa: S608
            assert await database.read(lambda c, s=statement: c.execute(s).fetchall()) == []


async def test_jobs_go_when_their_time_is_over(database: Database, clock: Clock) -> None:
    jobs = JobStore(database, clock=clock)
    for job, keep_days in (("short", 1), ("long", 60), ("usual", 30)):
        await begin(jobs, job, keep_days=keep_days)
        await jobs.finish(job, result())
    clock.now += 31 * 86_400
    # What was promised when a job ran counts, not what the next one says.
    await begin(jobs, "new", keep_days=0)
    assert [line.job for line in await jobs.list()] == ["new", "long"]


async def test_a_purge_says_which_and_leaves_running_jobs(jobs: JobStore, clock: Clock) -> None:
    for job, workspace in (("a", "/w"), ("b", "/w"), ("c", "/v")):
        await begin(jobs, job, workspace=workspace)
    for job in ("a", "c"):
        await jobs.finish(job, result())
    clock.now += 86_400
    assert await jobs.purge(older_than_days=2) == 0
    assert await jobs.purge(workspace="/w") == 1
    assert await jobs.purge(everything=True) == 1
    assert [line.job for line in await jobs.list()] == ["b"]
    with pytest.raises(ValueError, match="exactly one"):
        await jobs.purge(everything=True, workspace="/w")


async def test_what_was_purged_is_gone_from_the_disk(directory: Path) -> None:
    with Database(directory) as database:
        jobs = JobStore(database)
        await begin(jobs, "purge-me-entirely")
        await jobs.finish("purge-me-entirely", result())
        await jobs.purge(everything=True)
        for path in directory.glob(f"{FILE_NAME}*"):
            assert b"purge-me-entirely" not in path.read_bytes()


async def test_a_result_of_another_form_is_left_out(jobs: JobStore, database: Database) -> None:
    await begin(jobs)
    await jobs.finish("j1", result())
    from ensemble_lsp.store.columns import pack

    body = pack({"status": "done", "reason": "", "ofTheFuture": 1})
    await database.write(lambda c: c.execute("UPDATE contents SET result = ?", (body,)).rowcount)
    assert (await jobs.get("j1")).result is None


async def test_a_job_whose_file_was_replaced_meanwhile_is_kept_from_then_on(
    jobs: JobStore, directory: Path
) -> None:
    await begin(jobs)
    with closing(sqlite3.connect(directory / FILE_NAME)) as other:
        other.execute("DELETE FROM jobs")
        other.commit()
    await jobs.save_draft("j1", draft())
    await jobs.finish("j1", result())
    record = await jobs.get("j1")
    assert record.drafts == (draft(),)
    assert record.line.state is Status.DONE


async def test_a_cancelled_job_still_keeps_the_draft_it_was_saving(jobs: JobStore) -> None:
    await begin(jobs)
    saving = asyncio.ensure_future(jobs.save_draft("j1", draft()))
    await asyncio.sleep(0)
    saving.cancel()
    await asyncio.gather(saving, return_exceptions=True)
    assert await jobs.drafts("j1") == (draft(),)


KILLED = """
async def main():
    jobs, ledger = JobStore(database), Ledger(database)
    await jobs.record_start(job="j1", workspace="/w", action=Action.FIX, title="t", task={}, pid=1)
    await ledger.settle(await ledger.reserve("j1", "a", 0.1), Spend(calls=1, usd=0.02))
    await jobs.save_draft("j1", DraftRecord(member="a", family="f", text="paid for"))
    print("saved", flush=True)
    while True:
        await jobs.append_events("j1", [{"kind": "memberDelta", "member": "a", "text": "x" * 50_000}])

asyncio.run(main())
"""


async def test_a_process_killed_while_writing_loses_no_paid_answer(directory: Path, jobs: JobStore) -> None:
    with start(KILLED, directory) as process:
        assert line_from(process) == "saved"
        assert (await jobs.get("j1")).line.state == "running"
        process.kill()
    record = await jobs.get("j1")
    assert record.line.state == "lost"
    assert "process" in record.line.reason
    assert [item.text for item in record.drafts] == ["paid for"]
    assert record.line.spend == Spend(calls=1, usd=0.02)
    assert await jobs.purge(everything=True) == 1


WRITER = """
async def main():
    jobs = JobStore(database)
    name = sys.stdin.readline().strip()
    for number in range(12):
        job = f"{name}{number}"
        await jobs.record_start(job=job, workspace="/w", action=Action.FIX, title="t", task={}, pid=1)
        await jobs.append_events(job, [{"kind": "phase", "n": n} for n in range(20)])
        await jobs.save_draft(job, DraftRecord(member="a", family="f", text="x" * 5000))
        await jobs.finish(job, JobResult(status=Status.DONE, reason="ok"))
    print(database.notices, flush=True)
    database.close()

asyncio.run(main())
"""


async def test_two_processes_write_at_once_and_all_is_there(directory: Path, jobs: JobStore) -> None:
    with start(WRITER, directory) as one, start(WRITER, directory) as two:
        for name, process in (("a", one), ("b", two)):
            assert process.stdin is not None
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
        await begin(jobs, "here")
        assert (line_from(one), line_from(two)) == ("()", "()")
    lines = await jobs.list(limit=100)
    assert len(lines) == 25
    assert sum(line.state is Status.DONE for line in lines) == 24


async def test_the_default_clock_is_the_systems(database: Database) -> None:
    jobs = JobStore(database)
    before = time.time()
    await begin(jobs)
    assert before <= (await jobs.get("j1")).line.started <= time.time()
