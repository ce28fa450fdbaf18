"""Actions that need an instruction: clients that can ask the person for it, and those that cannot."""

import pytest

from tests.lsp.stage import CART, MEMBERS, Stage, block
from tests.support.fake_editor import Json, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="session")

INVALID_PARAMS = -32602
ASKING = ("ensemble.refactor", "ensemble.rewrite", "ensemble.debate")


def _answering(stage: Stage, text: str | None) -> list[Json]:
    """Answer every question for an instruction like this; returns the questions as they come."""
    questions: list[Json] = []

    def answer(params: Json) -> Json:
        questions.append(params)
        return {"text": text}

    stage.editor.answers["ensemble/input"] = answer
    return questions


async def test_client_that_can_ask_is_offered_what_needs_an_instruction(full: Stage) -> None:
    titles = {action["title"]: action["command"]["command"] for action in await full.actions(full.file())}
    assert titles["Ensemble: refactor…"] == "ensemble.refactor"
    assert titles["Ensemble: ask the panel…"] == "ensemble.debate"
    assert "Ensemble: rewrite this text" not in titles, "this is no prose"


async def test_client_that_cannot_ask_is_not(rich: Stage) -> None:
    commands = {action["command"]["command"] for action in await rich.actions(rich.file("# total\n"), 0)}
    assert commands.isdisjoint(ASKING)


@pytest.mark.parametrize("command", ASKING)
async def test_client_that_cannot_ask_has_to_say_it_with_the_command(rich: Stage, command: str) -> None:
    with pytest.raises(ServerError, match="needs an instruction") as refused:
        await rich.editor.command(command, {"uri": rich.file(), "instruction": "  "})
    assert refused.value.code == INVALID_PARAMS
    assert (refused.value.data or {})["field"] == "instruction"


async def test_person_is_asked_and_the_members_get_the_answer(full: Stage) -> None:
    questions = _answering(full, "call it sum_of")
    uri = full.file()
    change = block(full.voices.path, "def total(prices):\n", "def sum_of(prices):\n")
    full.voices.changes = dict.fromkeys(MEMBERS, change)
    calls = len(full.server.calls)
    answer = await full.editor.command("ensemble.refactor", {"uri": uri})
    proposal = await full.editor.message("ensemble/proposal")
    assert proposal["job"] == answer["job"]
    (question,) = questions
    assert question["job"] == answer["job"]
    assert question["title"].startswith("Ensemble refactor: ")
    assert "call it sum_of" in full.server.calls[calls].prompt
    assert full.editor.texts[uri] == CART


@pytest.mark.parametrize("text", [None, "", " \n"])
async def test_closing_the_question_cancels_the_job_and_costs_nothing(full: Stage, text: str | None) -> None:
    _answering(full, text)
    calls = len(full.server.calls)
    answer = await full.editor.command("ensemble.debate", {"uri": full.file()})
    ended = await full.finished(answer["job"])
    assert (ended["status"], ended["reason"]) == ("cancelled", "no instruction was given")
    assert len(full.server.calls) == calls
    assert not full.editor.unexpected()


async def test_question_comes_after_the_answer_of_its_command(full: Stage) -> None:
    answer = await full.editor.command("ensemble.debate", {"uri": full.file()})
    await full.editor.until(lambda: any(item["method"] == "ensemble/input" for item in full.editor.inbox))
    assert not [item for item in full.editor.inbox if item["method"] == "ensemble/event"]
    full.editor.answer("ensemble/input", {"text": None})
    assert (await full.finished(answer["job"]))["status"] == "cancelled"


async def test_job_cancelled_while_the_question_stands_does_not_start(full: Stage) -> None:
    calls = len(full.server.calls)
    answer = await full.editor.command("ensemble.debate", {"uri": full.file()})
    await full.editor.until(lambda: any(item["method"] == "ensemble/input" for item in full.editor.inbox))
    await full.editor.command("ensemble.cancel", {"job": answer["job"]})
    assert (await full.finished(answer["job"]))["status"] == "cancelled"
    full.editor.answer("ensemble/input", {"text": "now what?"})
    await full.actions(full.file())
    assert len(full.server.calls) == calls
    assert not full.editor.unexpected()


async def test_text_typed_while_the_question_stands_is_what_the_job_works_on(full: Stage) -> None:
    uri = full.file()
    calls = len(full.server.calls)

    def typed_first(_: Json) -> Json:
        full.editor.type(uri, 0, 0, "# typed meanwhile\n")
        return {"text": "what is this?"}

    full.editor.answers["ensemble/input"] = typed_first
    answer = await full.editor.command("ensemble.debate", {"uri": uri, "mode": "quick"})
    await full.finished(answer["job"])
    assert "# typed meanwhile" in full.server.calls[calls].prompt
    full.editor.drop("window/showMessage")
