"""A review of a whole folder: it goes on where it ended, however it ended, and keeps within its cap."""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
from collections import Counter
from pathlib import Path

import pytest

from ensemble_lsp.core.events import Action, JobEvent, Mode, PhaseEntered, Started, Status
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion, DismissalNote, JobOptions, JobStart
from tests.checks.workspaces import write
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded
from tests.support.shop import members

FILES = {
    f"part{number}.py": f'"""Part {number}."""\n\n\ndef f(x):\n    return x / 0\n' for number in range(4)
}


def about(request: Recorded) -> str:
    """Return the file that a finder is asked about."""
    text = json.dumps(request.body["messages"])
    return next(path for path in FILES if f"Part {path[4]}." in text)


def finds(request: Recorded) -> Answer:
    finding = {
        "path": about(request),
        "line": 5,
        "end_line": 5,
        "quote": "return x / 0",
        "severity": "warning",
        "category": "bug",
        "title": "It divides by zero",
        "detail": "Whatever x is.",
        "confidence": 0.9,
    }
    return Answer(text=json.dumps({"findings": [finding]}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "parts"
    write(root, FILES)
    return root.resolve()


def everything_below(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.rglob("*") if file.is_file()]


def kept_files(database: Path) -> int:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT count(*) FROM reviewed").fetchone()[0]


class Person:
    """Answers every question alike, and remembers them."""

    def __init__(self, *, agree: bool = True) -> None:
        self.agree = agree
        self.questions: list[ConsentQuestion] = []

    async def __call__(self, question: ConsentQuestion) -> bool:
        self.questions.append(question)
        return self.agree


async def review(
    root: Path,
    server: FakeModelServer,
    job: str,
    *,
    fresh: bool = False,
    person: Person | None = None,
    prices: float = 0.0,
    events: list[JobEvent] | None = None,
    **budget: float,
) -> JobResult:
    panel = members(server.openai_base, ["a", "b"], price_in=prices, price_out=prices)
    overrides: dict[str, object] = {"panel": panel, "budget": budget} if budget else {"panel": panel}
    start = JobStart(
        job=job,
        workspace=str(root),
        task=Task(action=Action.REVIEW, scope="workspace", mode=Mode.PANEL, fresh=fresh),
        options=JobOptions(overrides=overrides, no_cache=True),
    )
    async with LocalEngine.open(person or Person()) as engine:
        return await engine.run(start, (lambda _: None) if events is None else events.append)


def asked(server: FakeModelServer) -> Counter[str]:
    """Return how many calls there were about each file."""
    return Counter(about(request) for request in server.calls)


async def test_same_review_again_asks_nobody_and_shows_the_same(folder: Path):
    async with FakeModelServer(finds) as server:
        first = await review(folder, server, "j1")
        assert asked(server) == dict.fromkeys(FILES, 2)
        server.requests.clear()
        second = await review(folder, server, "j2")
        assert not server.calls
    assert second.findings == first.findings
    assert second.spend.calls == 0
    assert second.notes[-1].startswith("4 of 4 files are as an earlier review saw them")


async def test_only_the_file_that_changed_is_looked_at_again(folder: Path):
    async with FakeModelServer(finds) as server:
        await review(folder, server, "j1")
        server.requests.clear()
        write(folder, {"part2.py": FILES["part2.py"] + "\n\nX = 1\n"})
        result = await review(folder, server, "j2")
        assert asked(server) == {"part2.py": 2}
    assert set(result.reviewed) == set(FILES)


async def test_fresh_looks_at_all_of_them_again(folder: Path):
    async with FakeModelServer(finds) as server:
        await review(folder, server, "j1")
        await review(folder, server, "j2", fresh=True)
        assert asked(server) == dict.fromkeys(FILES, 4)


async def test_what_was_dismissed_meanwhile_is_left_out_of_a_kept_review(folder: Path):
    async with FakeModelServer(finds) as server:
        first = await review(folder, server, "j1")
        (finding,) = [each for each in first.findings if each.path == "part1.py" and each.admitted]
        async with LocalEngine.open(Person()) as engine:
            await engine.wiring.dismiss(
                DismissalNote(
                    job="j1", workspace=str(folder), trusted=False, finding=finding, reason="wontfix"
                )
            )
        second = await review(folder, server, "j2")
    assert {each.path for each in second.findings if each.admitted} == set(FILES) - {"part1.py"}


async def test_review_that_met_its_cap_says_what_is_left_and_goes_on_there(folder: Path):
    async with FakeModelServer(finds) as server:
        first = await review(folder, server, "j1", calls=4)
        assert first.status is Status.OVER_BUDGET
        assert sorted((*first.reviewed, *first.unreviewed)) == sorted(FILES)
        assert "files were not looked at" in first.reason
        assert first.reason.endswith("the same command goes on from there")
        assert first.spend.calls <= 4
        server.requests.clear()
        second = await review(folder, server, "j2")
        assert second.reviewed
        assert set(asked(server)) == set(first.unreviewed)
    assert second.status is Status.DONE


async def test_tight_money_means_fewer_at_once_and_never_more_than_the_cap(folder: Path):
    # The finders of one file may cost 0.20 at worst and cost 0.004: side by side four files would meet the cap.
    async with FakeModelServer(finds) as server:
        result = await review(folder, server, "j1", prices=5.0, usd=0.25)
    assert result.status is Status.DONE
    assert set(result.reviewed) == set(FILES)
    assert result.spend.usd <= 0.25


async def test_cancelled_review_shows_what_was_finished_and_goes_on_from_there(folder: Path):
    def answer(request: Recorded) -> Answer:
        return Answer(hang="before") if about(request) == "part3.py" else finds(request)

    done = asyncio.Event()
    async with FakeModelServer(answer) as server:
        panel = members(server.openai_base, ["a", "b"])
        start = JobStart(
            job="j1",
            workspace=str(folder),
            task=Task(action=Action.REVIEW, scope="workspace"),
            options=JobOptions(overrides={"panel": panel}, no_cache=True),
        )
        finished: set[str] = set()

        def watch(event: JobEvent) -> None:
            if event.body.kind == "finding":
                finished.add(event.body.finding.path)
            if len(finished) == 3:
                done.set()

        async with LocalEngine.open(Person()) as engine:
            running = asyncio.ensure_future(engine.run(start, watch))
            await asyncio.wait_for(done.wait(), 60)
            running.cancel()
            result = await running
    assert result.status is Status.CANCELLED
    assert "part3.py" in result.unreviewed
    assert sorted((*result.reviewed, *result.unreviewed)) == sorted(FILES)
    assert {each.path for each in result.findings} == set(result.reviewed)
    assert result.reason.endswith("the same command goes on from there")


async def test_killed_review_goes_on_from_the_files_that_were_done(folder: Path, own_directories: Path):
    def answer(request: Recorded) -> Answer:
        return Answer(hang="before") if about(request) == "part3.py" else finds(request)

    async with FakeModelServer(answer) as server:
        script = (
            "import asyncio, sys\n"
            "from pathlib import Path\n"
            "from tests.engine.test_whole_review import review\n"
            "class Server:\n"
            f"    openai_base = {server.openai_base!r}\n"
            "def told(event):\n"
            "    print(event.body.kind, flush=True)\n"
            "class Events(list):\n"
            "    def append(self, event):\n"
            "        if event.body.kind == 'finding': print(event.body.finding.path, flush=True)\n"
            f"asyncio.run(review(Path({str(folder)!r}), Server, 'j1', events=Events()))\n"
        )
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            script,
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            env=dict(os.environ),
        )
        assert child.stdout is not None
        seen: set[str] = set()
        while len(seen) < 3:  # ends with the process
            line = await asyncio.wait_for(child.stdout.readline(), 120)
            assert line, "the review ended by itself"
            seen.add(line.decode().strip())
        database = own_directories / "state" / "ensemble.sqlite3"
        async with asyncio.timeout(60):
            while kept_files(database) < 1:  # noqa: ASYNC110 - another process writes it, just after it told it
                await asyncio.sleep(0.05)
        child.send_signal(signal.SIGKILL)
        await child.wait()
    # Another server would be another member, and nothing would be kept of it.
    port = int(server.openai_base.rsplit(":", 1)[1].split("/")[0])
    async with FakeModelServer(finds, port=port) as server:
        result = await review(folder, server, "j2")
        again = set(asked(server))
    assert "part3.py" in again
    assert len(again) < len(FILES)
    assert set(result.reviewed) == set(FILES)


async def test_long_or_dear_review_is_asked_for_first(folder: Path):
    person = Person()
    async with FakeModelServer(finds) as server:
        await review(folder, server, "j1", person=person, prices=200.0, usd=20.0)
    (question,) = [each for each in person.questions if each.kind == "spend"]
    assert question.text.startswith("Review 4 files: about 12 calls")
    assert "never more than $20.00" in question.text


async def test_review_that_nobody_agreed_to_sends_nothing(folder: Path):
    async with FakeModelServer(finds) as server:
        result = await review(folder, server, "j1", person=Person(agree=False), prices=200.0, usd=20.0)
        assert not server.calls
    assert (result.status, result.error) == (Status.FAILED, "ConsentRequired")


async def test_estimate_and_progress_are_told(folder: Path):
    events: list[JobEvent] = []
    async with FakeModelServer(finds) as server:
        await review(folder, server, "j1", events=events)
    (started,) = [event.body for event in events if isinstance(event.body, Started)]
    assert started.estimate.calls_expected == 12
    assert started.estimate.usd_cap == 0.5
    assert started.estimate.tokens_expected
    turns = [event.body for event in events if isinstance(event.body, PhaseEntered) and event.body.files]
    assert [turn.files for turn in turns] == [4] * 4
    assert turns[0].done == 0


async def test_planted_credential_is_a_finding_and_its_value_is_nowhere(folder: Path, own_directories: Path):
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    write(folder, {"part1.py": f'"""Part 1."""\n\nTOKEN = "{secret}"\n'})
    events: list[JobEvent] = []
    async with FakeModelServer(lambda _: Answer(text='{"findings": []}')) as server:
        result = await review(folder, server, "j1", events=events)
        sent = json.dumps([request.body for request in server.calls])
    (finding,) = [each for each in result.findings if each.admitted]
    assert (finding.path, finding.line, finding.reason) == ("part1.py", 2, "secrets and bandit report it")
    assert "CWE-798" in finding.title
    told = json.dumps([event.flat() for event in events])
    assert secret not in sent
    assert secret not in told
    assert secret not in json.dumps(result.to_wire())
    async with LocalEngine.open(Person()) as engine:
        kept = await engine.wiring.transcript("j1")
    assert secret not in json.dumps(kept.to_wire())
    assert all(secret.encode() not in text for text in everything_below(own_directories / "state"))
