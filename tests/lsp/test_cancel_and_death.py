"""A job that is ended, an engine that dies, an editor that is killed."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lsp.stage import Stage, stage
from tests.support.fake_editor import PATIENCE, RICH, ServerError
from tests.support.fake_model_server import Answer

pytestmark = pytest.mark.asyncio(loop_scope="session")


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _engine_of(stage: Stage) -> int:
    (engine,) = _children(stage.editor.process.pid)
    return engine


async def _gone(pid: int) -> None:
    """Wait until a process is no more; a zombie that waits for its parent counts."""
    await _until(lambda: not _alive(pid))


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  (the state of other processes: nothing would tell us)
            await asyncio.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("hang", ["before", "within"])
@pytest.mark.parametrize("by", ["progress", "command"])
async def test_cancel_while_a_member_hangs(rich: Stage, hang: str, by: str) -> None:
    uri = rich.file()
    rich.voices.answer = Answer.model_validate({"text": "one two three four", "hang": hang})
    calls = len(rich.server.calls)
    job = await rich.fix(uri)
    asked = (await rich.server.wait_for_calls(calls + 2))[calls:]
    begun = await rich.editor.message("$/progress", lambda params: params["token"] == job)
    assert begun["value"]["cancellable"] is True
    if by == "progress":
        rich.editor.notify("window/workDoneProgress/cancel", {"token": job})
    else:
        assert await rich.editor.command("ensemble.cancel", {"job": job}) == {"job": job}
    assert (await rich.progress_end(job)).startswith("cancelled")
    assert (await rich.finished(job))["status"] == "cancelled"
    for call in asked:
        await asyncio.wait_for(call.ended.wait(), PATIENCE)
        assert call.disconnected
    with pytest.raises(ServerError, match="no running job"):
        await rich.editor.command("ensemble.cancel", {"job": job})
    assert not rich.editor.unexpected()


async def test_cancel_request_ends_a_command_that_waits_for_the_person(rich: Stage) -> None:
    uri = rich.file()
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    del rich.editor.answers["workspace/applyEdit"]
    number, answer = rich.editor.send_request(
        "workspace/executeCommand",
        {"command": "ensemble.apply", "arguments": [{"proposal": proposal["proposal"]}]},
    )
    await rich.editor.until(
        lambda: any(item["method"] == "workspace/applyEdit" for item in rich.editor.inbox)
    )
    rich.editor.notify("$/cancelRequest", {"id": number})
    with pytest.raises(ServerError) as cancelled:
        await answer
    assert cancelled.value.code == -32800
    rich.editor.answer("workspace/applyEdit", {"applied": False})
    assert not rich.editor.unexpected()


async def test_engine_killed_in_the_middle_then_the_next_job_has_a_new_one(rich: Stage) -> None:
    uri = rich.file()
    rich.voices.gate.clear()
    calls = len(rich.server.calls)
    job = await rich.fix(uri)
    await rich.server.wait_for_calls(calls + 2)
    engine = _engine_of(rich)
    os.kill(engine, signal.SIGKILL)
    ended = await rich.finished(job)
    assert ended["status"] == "failed"
    assert "signal 9" in ended["reason"]
    assert (await rich.progress_end(job)).startswith("failed")
    told = await rich.editor.message("window/showMessage")
    assert told["type"] == 1
    assert "Start the job again" in told["message"]
    rich.voices.gate.set()
    await rich.fix(uri)
    await rich.editor.message("ensemble/proposal")
    assert _engine_of(rich) != engine
    assert not rich.editor.unexpected()


async def test_editor_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    async with stage(tmp_path, RICH) as own:
        uri = own.file()
        own.voices.gate.clear()
        await own.fix(uri)
        await _until(lambda: bool(_children(own.editor.process.pid)))
        engine = _engine_of(own)
        # An editor that is killed closes its ends of the pipes, and nothing else.
        assert own.editor.process.stdin is not None
        own.editor.process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            assert await own.editor.process.wait() == 1
        await _gone(engine)
        assert not own.editor.unexpected()


async def test_state_directory_that_cannot_be_made_ends_the_job_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    async with stage(tmp_path, RICH) as own:
        assert str(tmp_path) in (await own.editor.message("window/showMessage"))["message"]
        ended = await own.finished(await own.fix(own.file()))
        assert ended["status"] == "failed"
        assert str(tmp_path / "state") in ended["reason"]
        assert "could not be started" in (await own.editor.message("window/showMessage"))["message"]
        assert not own.editor.unexpected()


async def test_server_killed_takes_the_engine_with_it(tmp_path: Path) -> None:
    async with stage(tmp_path, RICH) as own:
        await _until(lambda: bool(_children(own.editor.process.pid)))
        engine = _engine_of(own)
        own.editor.process.kill()
        await own.editor.process.wait()
        await _gone(engine)
        assert not own.editor.unexpected()


async def test_start_is_answered_before_any_engine_exists(tmp_path: Path) -> None:
    async with stage(tmp_path, RICH) as own:
        assert own.editor.server["capabilities"]["experimental"] == {"ensemble": {"version": 1}}
        uri = own.file()
        job = await own.fix(uri)
        assert await own.editor.command("ensemble.cancel", {"job": job}) == {"job": job}
        assert (await own.finished(job))["status"] == "cancelled"
        assert not own.server.calls
        assert not own.editor.unexpected()
