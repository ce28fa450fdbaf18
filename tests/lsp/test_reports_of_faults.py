"""A fault is located from a report of it: a traceback in any document, or the words of an issue."""

import json

import pytest

from tests.lsp.stage import Stage, finding
from tests.support.fake_editor import ServerError
from tests.support.fake_model_server import Answer

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOOP = "        result = price"


def _pasted(stage: Stage, path: str) -> str:
    """Open a buffer that holds what a terminal printed."""
    text = (
        "$ python shop.py\nTraceback (most recent call last):\n"
        f'  File "/srv/{path}", line 4, in total\n    result = price\nTypeError: no\n'
    )
    return stage.editor.open_buffer("untitled:Untitled-9", text, "plaintext")


async def test_a_traceback_in_an_untitled_buffer_is_offered_and_leads_to_the_file(rich: Stage) -> None:
    uri = rich.file()
    path = rich.voices.path
    buffer = _pasted(rich, path)
    actions = await rich.actions(buffer, 1, end=(4, 13))
    (offer,) = [each for each in actions if each["title"] == "Ensemble: locate the bug of this traceback"]
    argument = offer["command"]["arguments"][0]
    assert argument["report"] == "selection"
    said = finding(4, LOOP, "It is set anew", path=path)
    rich.voices.answer = Answer(text=json.dumps({"findings": [said]}))

    await rich.editor.command("ensemble.locate", argument)

    shown = await rich.editor.message(
        "textDocument/publishDiagnostics", lambda params: params["uri"] == uri and bool(params["diagnostics"])
    )
    (place,) = shown["diagnostics"]
    assert (place["range"]["start"]["line"], place["code"]) == (3, "fault-location")
    fixes = await rich.actions(uri, 3)
    assert any("Place 1" in each["title"] for each in fixes)
    assert 'what=\\"the traceback\\"' in json.dumps(rich.server.calls[-1].body)
    rich.editor.drop("textDocument/publishDiagnostics")


async def test_other_selections_are_not_offered_as_tracebacks(rich: Stage) -> None:
    actions = await rich.actions(rich.file("x = 1\ny = 2\n"), 0, end=(1, 5))
    assert not [each for each in actions if "traceback" in each["title"]]


async def test_words_that_point_nowhere_end_the_job_with_what_to_do(rich: Stage) -> None:
    uri = rich.file()
    argument = {"uri": uri, "report": "instruction", "instruction": "It is zebra."}
    job = (await rich.editor.command("ensemble.locate", argument))["job"]
    end = await rich.editor.message(
        "ensemble/event", lambda params: params["job"] == job and params["kind"] == "finished"
    )
    assert end["status"] == "failed"
    assert "nothing in the report points to a file of this workspace" in end["reason"]
    assert end["reason"] in (await rich.editor.message("window/showMessage"))["message"]


async def test_a_report_may_be_about_the_folder_instead_of_a_document(rich: Stage) -> None:
    folder = rich.file().rpartition("/")[0]
    argument = {"uri": folder, "report": "instruction", "instruction": "It is zebra."}
    job = (await rich.editor.command("ensemble.locate", argument))["job"]
    end = await rich.editor.message(
        "ensemble/event", lambda params: params["job"] == job and params["kind"] == "finished"
    )
    assert "nothing in the report points to a file of this workspace" in end["reason"]
    assert end["reason"] in (await rich.editor.message("window/showMessage"))["message"]


async def test_an_empty_selection_is_refused(rich: Stage) -> None:
    buffer = rich.editor.open_buffer("untitled:Untitled-10", "\n\n", "plaintext")
    with pytest.raises(ServerError, match="there is no text to go by"):
        await rich.editor.command("ensemble.locate", {"uri": buffer, "report": "selection"})
