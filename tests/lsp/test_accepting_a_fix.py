"""A fix on its way to the text, for each kind of client; each takes exactly the text that was proposed."""

from pathlib import Path

import pytest

from tests.lsp.stage import BUG, CART, REPAIR, Stage
from tests.support.fake_editor import Json, file_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIXED = CART.replace(BUG, REPAIR)


def _answering(stage: Stage, *titles: str) -> list[Json]:
    """Let the person press these buttons, one a question; returns the questions as they come."""
    waiting = list(titles)
    questions: list[Json] = []

    def choose(params: Json) -> Json:
        questions.append(params)
        title = waiting.pop(0)
        assert title in {action["title"] for action in params["actions"]}
        return {"title": title}

    stage.editor.answers["window/showMessageRequest"] = choose
    return questions


def _assert_diff(path: Path) -> None:
    assert path.suffix == ".diff"
    assert f"-{BUG}+{REPAIR}" in path.read_text(encoding="utf-8")


async def test_rich_client_gets_the_proposal_and_applies_it(rich: Stage) -> None:
    uri = rich.file()
    job = await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    assert proposal["job"] == job
    assert proposal["status"] == "agreed"
    (file,) = proposal["files"]
    assert file["uri"] == uri
    assert file["version"] == 1
    (hunk,) = file["hunks"]
    assert (hunk["oldStart"], hunk["oldLines"], hunk["newLines"]) == (3, [BUG], [REPAIR])
    preview = await rich.editor.request(
        "ensemble/proposalText", {"proposal": proposal["proposal"], "uri": uri}
    )
    assert preview == {"text": FIXED, "version": 1, "revision": proposal["revision"]}
    assert rich.editor.texts[uri] == CART
    answer = await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]})
    assert answer == {"applied": True}
    assert rich.editor.texts[uri] == FIXED
    assert not rich.editor.unexpected()


async def test_annotating_client_confirms_in_its_own_preview(annotating: Stage) -> None:
    uri = annotating.file()
    job = await annotating.fix(uri)
    await annotating.progress_end(job)
    await annotating.editor.until(lambda: annotating.editor.texts[uri] == FIXED)
    edit = [params for method, params in annotating.editor.asked if method == "workspace/applyEdit"][-1][
        "edit"
    ]
    (annotation,) = edit["changeAnnotations"].values()
    assert annotation["needsConfirmation"] is True
    (change,) = edit["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 1}
    assert {each["annotationId"] for each in change["edits"]} == set(edit["changeAnnotations"])
    assert not annotating.editor.unexpected()


async def test_neovim_is_asked_and_shown_a_diff_first(neovim: Stage) -> None:
    questions = _answering(neovim, "Preview", "Apply")
    uri = neovim.file()
    await neovim.fix(uri)
    await neovim.editor.until(lambda: neovim.editor.texts[uri] == FIXED)
    assert "2 families" in questions[0]["message"]
    assert [action["title"] for action in questions[0]["actions"]] == ["Preview", "Apply", "Discard"]
    await neovim.editor.until(lambda: neovim.editor.shown[-1] == uri)
    _assert_diff(file_of(neovim.editor.shown[-2]))
    assert not neovim.editor.unexpected()


async def test_bare_client_is_asked_and_told_where_the_diff_is(bare: Stage) -> None:
    _answering(bare, "Preview", "Apply")
    uri = bare.file()
    await bare.fix(uri)
    await bare.editor.until(lambda: bare.editor.texts[uri] == FIXED)
    told = await bare.editor.message("window/showMessage")
    _assert_diff(Path(told["message"].partition("see ")[2]))
    edit = [params for method, params in bare.editor.asked if method == "workspace/applyEdit"][-1]["edit"]
    assert set(edit) == {"changes"}, "a client that never said `documentChanges` gets the old form"
    assert not bare.editor.unexpected()


async def test_discarding_changes_nothing_and_takes_the_proposal_away(neovim: Stage) -> None:
    questions = _answering(neovim, "Discard")
    uri = neovim.file()
    await neovim.fix(uri)
    await neovim.editor.until(lambda: len(questions) == 1)
    titles = [action["title"] for action in await neovim.actions(uri)]
    assert not any("apply fix" in title for title in titles)
    assert neovim.editor.texts[uri] == CART
    assert not neovim.editor.unexpected()


async def test_closing_the_question_leaves_the_fix_among_the_code_actions(bare: Stage) -> None:
    bare.editor.answers["window/showMessageRequest"] = lambda _: None
    uri = bare.file()
    await bare.fix(uri)
    told = await bare.editor.message("window/showMessage")
    assert "code actions" in told["message"]
    (apply,) = [each for each in await bare.actions(uri) if "apply fix" in each["title"]]
    assert await bare.run(apply) == {"applied": True}
    assert bare.editor.texts[uri] == FIXED
    assert not bare.editor.unexpected()


async def test_crlf_and_an_emoji_before_the_range_stay_as_they_are(rich: Stage) -> None:
    text = CART.replace("def total", "# 🛒 𝒙\ndef total").replace("\n", "\r\n")
    uri = rich.file(text)
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    assert await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}) == {
        "applied": True
    }
    assert rich.editor.texts[uri] == text.replace("result = price", "result += price")
    assert not rich.editor.unexpected()


async def test_emoji_in_utf8_positions(neovim: Stage) -> None:
    neovim.editor.answers["window/showMessageRequest"] = lambda _: {"title": "Apply"}
    text = "total = 0; label = '🛒é'; total = price"
    uri = neovim.file(text)
    neovim.voices.blocks = [(f"{text}\n", f"{text.replace('= price', '+= price')}\n")]
    await neovim.fix(uri)
    await neovim.editor.until(lambda: neovim.editor.texts[uri] != text)
    assert neovim.editor.texts[uri] == text.replace("= price", "+= price")
    assert not neovim.editor.unexpected()


async def test_one_hunk_at_a_time(rich: Stage) -> None:
    uri = rich.file("a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n")
    rich.voices.blocks = [("a = 1\n", "a = 10\n"), ("e = 5\n", "e = 50\n")]
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    first, second = [hunk["id"] for hunk in proposal["files"][0]["hunks"]]
    identifier = proposal["proposal"]
    assert (await rich.editor.command("ensemble.apply", {"proposal": identifier, "hunks": [second]}))[
        "applied"
    ]
    assert rich.editor.texts[uri] == "a = 1\nb = 2\nc = 3\nd = 4\ne = 50\n"
    again = await rich.editor.message("ensemble/proposal")
    assert again["revision"] > proposal["revision"]
    assert [hunk["id"] for hunk in again["files"][0]["hunks"]] == [first]
    assert (await rich.editor.command("ensemble.apply", {"proposal": identifier}))["applied"]
    assert rich.editor.texts[uri] == "a = 10\nb = 2\nc = 3\nd = 4\ne = 50\n"
    assert not rich.editor.unexpected()


async def test_rejected_hunk_is_not_applied_with_the_rest(rich: Stage) -> None:
    uri = rich.file("a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n")
    rich.voices.blocks = [("a = 1\n", "a = 10\n"), ("e = 5\n", "e = 50\n")]
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    first = proposal["files"][0]["hunks"][0]["id"]
    await rich.editor.command("ensemble.reject", {"proposal": proposal["proposal"], "hunks": [first]})
    assert (await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert rich.editor.texts[uri] == "a = 1\nb = 2\nc = 3\nd = 4\ne = 50\n"
    assert not rich.editor.unexpected()


async def test_file_under_another_spelling_of_its_uri(rich: Stage) -> None:
    path = rich.workspace / "cart (1)+.py"
    path.write_text(CART, encoding="utf-8")
    rich.voices.path = path.name
    spelled = f"file://{path.parent}/cart%20%281%29%2B.py"
    rich.editor.texts[spelled] = CART
    rich.editor.versions[spelled] = 1
    rich.editor.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": spelled, "languageId": "python", "version": 1, "text": CART}},
    )
    rich.editor.type(spelled, 0, 0, "# mine\n")
    await rich.fix(spelled)
    proposal = await rich.editor.message("ensemble/proposal")
    assert proposal["files"][0]["uri"] == spelled
    assert (await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert rich.editor.texts[spelled] == f"# mine\n{FIXED}"
    assert not rich.editor.unexpected()
