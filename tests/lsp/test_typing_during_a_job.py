"""What the person does to the text while the panel thinks, or right after: never overwritten."""

import pytest

from tests.lsp.stage import BUG, CART, REPAIR, Stage
from tests.support.fake_editor import Json, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIXED = CART.replace(BUG, REPAIR)
CONTENT_MODIFIED = -32801


async def _thinking(stage: Stage, uri: str) -> str:
    """Start a fix whose members do not answer yet, and return the job once they were asked."""
    stage.voices.gate.clear()
    calls = len(stage.server.calls)
    job = await stage.fix(uri)
    await stage.server.wait_for_calls(calls + 2)
    return job


async def test_typing_above_the_range_moves_the_fix_along(rich: Stage) -> None:
    uri = rich.file()
    await _thinking(rich, uri)
    rich.editor.type(uri, 0, 0, "# prices are in cents 🪙\n\n")
    rich.voices.gate.set()
    proposal = await rich.editor.message("ensemble/proposal")
    assert proposal["files"][0]["hunks"][0]["oldStart"] == 5
    assert proposal["files"][0]["version"] == 2
    assert (await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert rich.editor.texts[uri] == f"# prices are in cents 🪙\n\n{FIXED}"
    assert not rich.editor.unexpected()


async def test_typing_inside_the_range_is_a_conflict_and_stays(rich: Stage) -> None:
    uri = rich.file()
    await _thinking(rich, uri)
    rich.editor.type(uri, 3, 8, "result = max(result, price)", until=(3, 22))
    typed = rich.editor.texts[uri]
    rich.voices.gate.set()
    proposal = await rich.editor.message("ensemble/proposal")
    (hunk,) = proposal["files"][0]["hunks"]
    assert hunk["conflict"] is True
    assert hunk["oldLines"] == ["        result = max(result, price)\n"]
    with pytest.raises(ServerError, match="changed since") as refused:
        await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]})
    assert refused.value.code == CONTENT_MODIFIED
    assert rich.editor.texts[uri] == typed
    assert not rich.editor.unexpected()


async def test_typing_after_the_proposal_sends_it_again_with_a_higher_revision(rich: Stage) -> None:
    uri = rich.file()
    await rich.fix(uri)
    first = await rich.editor.message("ensemble/proposal")
    rich.editor.type(uri, 0, 0, "\n")
    second = await rich.editor.message("ensemble/proposal")
    assert second["proposal"] == first["proposal"]
    assert second["revision"] == first["revision"] + 1
    assert second["files"][0]["version"] == 2
    assert second["files"][0]["hunks"][0]["id"] == first["files"][0]["hunks"][0]["id"]
    assert second["files"][0]["hunks"][0]["oldStart"] == 4
    assert not rich.editor.unexpected()


async def test_person_types_what_was_proposed(rich: Stage) -> None:
    uri = rich.file()
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    rich.editor.type(uri, 3, 15, "+")
    assert rich.editor.texts[uri] == FIXED
    with pytest.raises(ServerError, match="already is as proposed"):
        await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]})
    assert not any("apply fix" in action["title"] for action in await rich.actions(uri))
    assert rich.editor.texts[uri] == FIXED


async def test_edit_against_a_version_that_is_out_of_date(rich: Stage) -> None:
    uri = rich.file()
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    apply = rich.editor.answers["workspace/applyEdit"]

    def typed_meanwhile(params: Json) -> Json:
        rich.editor.type(uri, 3, 8, "pass  # mine\n        ")
        answer: Json = apply(params)
        return answer

    rich.editor.answers["workspace/applyEdit"] = typed_meanwhile
    answer = await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]})
    assert answer == {"applied": False, "failureReason": "stale version"}
    assert "pass  # mine\n        result = price\n" in rich.editor.texts[uri]
    rich.editor.answers["workspace/applyEdit"] = apply
    again = await rich.editor.message("ensemble/proposal")
    assert again["files"][0]["version"] == 2
    assert not rich.editor.unexpected()


async def test_client_that_says_applied_and_did_something_else(rich: Stage) -> None:
    uri = rich.file()
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    rich.editor.answers["workspace/applyEdit"] = lambda _: {"applied": True}
    answer = await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]})
    assert answer["applied"] is False
    assert "not as proposed" in answer["failureReason"]
    assert any("apply fix" in action["title"] for action in await rich.actions(uri)), "it is still on offer"


async def test_typing_on_at_once_after_applying_still_counts_as_applied(neovim: Stage) -> None:
    neovim.editor.answers["window/showMessageRequest"] = lambda _: {"title": "Apply"}
    uri = neovim.file()
    apply = neovim.editor.answers["workspace/applyEdit"]

    def applied_and_typed(params: Json) -> Json:
        neovim.editor.answers_first = False
        answer: Json = apply(params)
        neovim.editor.type(uri, 0, 0, "# and on\n")
        neovim.editor.answers_first = True
        return answer

    neovim.editor.answers["workspace/applyEdit"] = applied_and_typed
    job = await neovim.fix(uri)
    await neovim.progress_end(job)
    await neovim.editor.until(lambda: neovim.editor.texts[uri] == f"# and on\n{FIXED}")
    assert not any("apply fix" in action["title"] for action in await neovim.actions(uri))
    assert not neovim.editor.unexpected()


async def test_question_answered_after_the_lines_changed(neovim: Stage) -> None:
    uri = neovim.file()

    def typed_first(_: Json) -> Json:
        neovim.editor.type(uri, 3, 8, "result = 1", until=(3, 22))
        return {"title": "Apply"}

    neovim.editor.answers["window/showMessageRequest"] = typed_first
    await neovim.fix(uri)
    told = await neovim.editor.message("window/showMessage")
    assert "changed since" in told["message"]
    assert neovim.editor.texts[uri] == CART.replace("result = price", "result = 1")
    assert not neovim.editor.unexpected()


async def test_document_closed_during_the_job_is_edited_as_its_file_is(rich: Stage) -> None:
    uri = rich.file()
    await _thinking(rich, uri)
    rich.editor.close(uri)
    rich.voices.gate.set()
    proposal = await rich.editor.message("ensemble/proposal")
    assert proposal["files"][0].get("version") is None
    assert (await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    await rich.editor.until(lambda: rich.editor.texts.get(uri) == FIXED)
    assert not rich.editor.unexpected()


async def test_file_deleted_during_the_job_is_a_conflict(rich: Stage) -> None:
    uri = rich.file()
    await _thinking(rich, uri)
    rich.editor.close(uri)
    rich.path.unlink()
    rich.voices.gate.set()
    proposal = await rich.editor.message("ensemble/proposal")
    assert proposal["files"][0]["conflict"] == "the file is gone"
    with pytest.raises(ServerError, match="the file is gone"):
        await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]})
    assert not rich.editor.unexpected()


async def test_line_separator_inside_a_line_then_a_change_on_the_next_line(rich: Stage) -> None:
    text = "label = 'a\u2028b\u0085c\x0bd'\n" + CART
    uri = rich.file(text)
    rich.editor.type(uri, 1, 10, "all_")
    rich.editor.type(uri, 1, 10, "", until=(1, 14))
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    assert proposal["files"][0]["hunks"][0]["oldStart"] == 4
    assert (await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert rich.editor.texts[uri] == text.replace("result = price", "result += price")
    assert not rich.editor.unexpected()
