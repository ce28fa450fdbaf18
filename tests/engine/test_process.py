"""The engine as a process: started, killed, shared database, gone with its front."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.events import JobEvent, MemberFinished, Status
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.findings import Band, Finding, fingerprint_of
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.engine.client import EngineClient, EngineListener
from ensemble_lsp.engine.messages import DismissalNote, DismissalQuery, JobListQuery, ResultNote
from tests.engine.test_local_jobs import fix_start
from tests.support.fake_model_server import Answer, FakeModelServer
from tests.support.shop import make_shop, members, whole_answer

pytestmark = pytest.mark.timeout(180)


class Listener(EngineListener):
    """Keeps what the engine says."""

    def __init__(self) -> None:
        self.events: list[JobEvent] = []
        self.results: dict[str, JobResult] = {}
        self.deaths: list[int | None] = []
        self._news = asyncio.Condition()
        self._telling: set[asyncio.Future[None]] = set()

    def event(self, event: JobEvent) -> None:
        self.events.append(event)
        self._tell()

    def result(self, note: ResultNote) -> None:
        self.results[note.job] = note.result

    def died(self, code: int | None) -> None:
        self.deaths.append(code)
        self._tell()

    def _tell(self) -> None:
        self._telling.add(asyncio.ensure_future(self._notify()))

    async def _notify(self) -> None:
        async with self._news:
            self._news.notify_all()

    def kinds(self, job: str) -> list[str]:
        return [event.body.kind for event in self.events if event.job == job]

    async def until_finished(self, *jobs: str) -> None:
        async with self._news:
            await self._news.wait_for(lambda: all("finished" in self.kinds(job) for job in jobs))

    async def until(self, body: type[object]) -> None:
        async with self._news:
            await self._news.wait_for(lambda: any(isinstance(event.body, body) for event in self.events))

    async def until_dead(self) -> None:
        async with self._news:
            await self._news.wait_for(lambda: bool(self.deaths))


async def test_an_engine_killed_mid_job_keeps_the_drafts_and_the_next_job_runs(tmp_path: Path):
    root = make_shop(tmp_path)
    slow = {
        "quick": [Answer(text=whole_answer())],
        "slow": [Answer(hang="before"), Answer(text=whole_answer())],
    }
    async with FakeModelServer(slow) as server:
        listener = Listener()
        client = EngineClient(listener)
        await client.start_job(fix_start(root, members(server.openai_base, ["quick", "slow"])))
        await listener.until(MemberFinished)
        assert client.pid is not None
        os.kill(client.pid, signal.SIGKILL)
        await listener.until_dead()
        assert listener.deaths == [-signal.SIGKILL]

        await client.start_job(fix_start(root, members(server.openai_base, ["quick", "slow"]), job="j2"))
        await listener.until_finished("j2")
        assert listener.results["j2"].status is Status.DONE
        listing = await client.jobs(JobListQuery())
        assert {summary.job: summary.status for summary in listing.jobs} == {"j1": "lost", "j2": "done"}
        await client.stop()


async def test_two_engines_share_one_database(tmp_path: Path):
    async with FakeModelServer({"*": [Answer(text=whole_answer())]}) as server:
        listeners = [Listener(), Listener()]
        clients = [EngineClient(listener) for listener in listeners]
        panel = members(server.openai_base, ["a", "b"])
        roots = [make_shop(tmp_path / str(number)) for number in range(2)]
        await asyncio.gather(
            *(
                client.start_job(fix_start(root, panel, job=f"job-{number}"))
                for number, (client, root) in enumerate(zip(clients, roots, strict=True))
            )
        )
        await asyncio.gather(*(each.until_finished(f"job-{n}") for n, each in enumerate(listeners)))
        listing = await clients[0].jobs(JobListQuery())
        assert {summary.job: summary.status for summary in listing.jobs} == {"job-0": "done", "job-1": "done"}
        with pytest.raises(UnknownItem):
            await clients[1].transcript("nobody")
        await asyncio.gather(*(client.stop() for client in clients))


async def test_what_was_dismissed_in_the_moment_the_editor_closed_stays_dismissed(tmp_path: Path):
    root = make_shop(tmp_path)
    quote = "        result = price"
    finding = Finding(
        id="f1",
        path="cart.py",
        line=3,
        end_line=3,
        quote=quote,
        severity=Severity.CRITICAL,
        category="bug",
        title="The loop overwrites the sum",
        detail="",
        confidence=0.5,
        band=Band.MEDIUM,
        members=("a",),
        families=("a",),
        fingerprint=fingerprint_of("bug", quote, "total"),
    )
    closing = EngineClient(Listener())
    await closing.start()
    note = DismissalNote(job="job-1", workspace=str(root), finding=finding, reason="wontfix")
    asked = asyncio.ensure_future(closing.dismiss(note))
    await asyncio.sleep(0)  # the question is on its way, and the engine has not even opened its database
    await closing.stop()
    await asyncio.gather(asked, return_exceptions=True)
    later = EngineClient(Listener())
    kept = await later.dismissals(DismissalQuery(workspace=str(root)))
    await later.stop()
    assert [item.reason for item in kept.dismissals] == ["wontfix"]


async def test_what_is_asked_while_an_engine_is_let_go_is_answered_by_a_new_one():
    listener = Listener()
    client = EngineClient(listener)
    await client.start()
    first = client.pid
    leaving = asyncio.ensure_future(client.stop())
    await asyncio.sleep(0)
    assert (await client.jobs(JobListQuery())).jobs == ()
    await leaving
    assert client.pid not in {None, first}
    assert (await client.jobs(JobListQuery())).jobs == ()
    assert listener.deaths == []
    await client.stop()
