"""A job that is ended, an engine that dies, an editor that is killed."""

import asyncio
from pathlib import Path

import pytest

from tests.lsp.stage import Stage, stage
from tests.support.fake_editor import PATIENCE, RICH, ServerError
from tests.support.fake_model_server import Answer

pytestmark = pytest.mark.asyncio(loop_scope="session")


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


async def test_state_directory_that_cannot_be_made_ends_the_job_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    async with stage(tmp_path, RICH) as own:
        assert str(tmp_path) in (await own.editor.message("window/showMessage"))["message"]
        ended = await own.finished(await own.fix(own.file()))
        assert ended["status"] == "failed"
        assert str(tmp_path / "state") in ended["reason"]
        assert "could not be started" in (await own.editor.message("window/showMessage"))["message"]
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
