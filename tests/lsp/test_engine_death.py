"""The engine is killed in each phase of a job; whoever is killed, nothing is left running."""

import os
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from tests.lsp.stage import BUG, CART, REPAIR, Stage, block, stage
from tests.support.fake_editor import RICH, Json
from tests.support.fake_model_server import Answer, Recorded
from tests.support.processes import children, engine_of, gone, is_alive, running, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

OTHER = "        result = result - price\n"
HANGS = Answer(hang="before")
MARK = "a-check-that-hangs"


@dataclass(frozen=True, slots=True)
class Moment:
    """When the engine is killed: at an event of a job whose members no longer answer from some prompt on."""

    kind: str
    phase: str = ""
    mode: str = "panel"
    hangs: Callable[[str], bool] = field(default=lambda _prompt: False)

    def is_now(self, event: Json) -> bool:
        """Whether this is the event."""
        return event["kind"] == self.kind and self.phase in {event.get("phase"), event.get("purpose"), ""}


def _drafting(prompt: str) -> bool:
    return "Try to break" not in prompt and "POSITION" not in prompt


def _criticising(prompt: str) -> bool:
    return not _drafting(prompt)


MOMENTS = {
    "gather": Moment("phase", "gather", hangs=_drafting),
    "draft": Moment("memberStarted", "draft", hangs=_drafting),
    "check": Moment("phase", "check", hangs=_criticising),
    "critique": Moment("memberStarted", "critique", hangs=_criticising),
    "revise": Moment("memberStarted", "revise", mode="debate", hangs=_criticising),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def own(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """An editor of these tests alone, with members that need no litellm: each test has a new engine."""
    async with stage(tmp_path_factory.mktemp("dying").resolve(), RICH, ollama=True) as shared:
        yield shared


def _script(path: str, moment: Moment) -> Callable[[Recorded], Answer]:
    def say(request: Recorded) -> Answer:
        if moment.hangs(request.prompt):
            return HANGS
        if _criticising(request.prompt):
            return Answer(text="NO FAULT: A")
        return Answer(text=block(path, BUG, REPAIR if request.model == "alpha" else OTHER))

    return say


@pytest.mark.parametrize("name", MOMENTS)
async def test_engine_killed_in_each_phase_ends_the_job_and_the_next_has_a_new_one(
    own: Stage, name: str
) -> None:
    moment = MOMENTS[name]
    uri = own.file()
    own.voices.script = _script(own.voices.path, moment)
    job = await own.fix(uri, mode=moment.mode)
    await own.editor.message("ensemble/event", lambda event: event["job"] == job and moment.is_now(event))
    engine = engine_of(own.editor)
    os.kill(engine, signal.SIGKILL)
    ended = await own.finished(job)
    assert ended["status"] == "failed"
    assert "signal 9" in ended["reason"]
    assert (await own.progress_end(job)).startswith("failed")
    told = await own.editor.message("window/showMessage")
    assert told["type"] == 1
    assert "Start the job again" in told["message"]
    await gone(engine)
    assert not own.editor.unexpected()


async def test_engine_killed_while_it_decides_ends_the_job_once(own: Stage) -> None:
    """Deciding takes no call that could be held up: the job may have ended by itself a moment earlier."""
    uri = own.file()
    own.voices.script = _script(own.voices.path, Moment("", ""))
    job = await own.fix(uri)
    await own.editor.message(
        "ensemble/event", lambda event: event["job"] == job and event.get("phase") == "decide"
    )
    os.kill(engine_of(own.editor), signal.SIGKILL)
    assert (await own.finished(job))["status"] in {"failed", "abstained"}
    await own.progress_end(job)
    await own.editor.message("window/showMessage")
    own.voices.script = lambda _: None
    following = await own.fix(uri)
    await own.editor.message("ensemble/proposal")
    assert (await own.finished(following))["status"] == "done"
    kinds = [event["kind"] for event in own.editor.drop("ensemble/event") if event["job"] == job]
    assert "finished" not in kinds
    assert not own.editor.unexpected()


@pytest.mark.parametrize("killed", ["engine", "server", "editor"])
async def test_whoever_is_killed_takes_the_running_check_along(tmp_path: Path, killed: str) -> None:
    mark = f"{MARK}-{killed}-{os.getpid()}"
    checks = [{"id": "hangs", "command": f"python3 -c 'import time; time.sleep(1000)' {mark}"}]
    trusted = {"trustedFolders": [(tmp_path / "workspace").as_uri()]}
    async with stage(
        tmp_path, RICH, ollama=True, settings={"checks": checks, "check": "hangs"}, options=trusted
    ) as own:
        await own.fix(own.file(CART))
        await until(lambda: bool(running(mark)))
        server = own.editor.process
        engine = engine_of(own.editor)
        assert children(engine)
        assert server.stdin is not None
        match killed:
            case "engine":
                os.kill(engine, signal.SIGKILL)
            case "server":
                server.kill()
                await server.wait()
            case _:
                # All that is left of an editor that was killed: its ends of the pipes are closed.
                server.stdin.close()
                await server.wait()
        await gone(engine)
        await until(lambda: not running(mark))
        assert is_alive(server.pid) == (killed == "engine")
        own.editor.inbox.clear()
