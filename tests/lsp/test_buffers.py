"""Documents that are no files: new buffers and cells of notebooks are worked on like files, and nothing is written."""

import pytest

from tests.lsp.stage import BUG, CART, REPAIR, Stage, finding
from tests.support.fake_editor import Json, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIXED = CART.replace(BUG, REPAIR)

UNTITLED = "untitled:Untitled-1"

CELL = "vscode-notebook-cell:{folder}/sales.ipynb#W2sZmlsZQ%3D%3D"


def _cell(stage: Stage) -> str:
    return CELL.format(folder=stage.workspace.as_posix())


def _places(stage: Stage) -> dict[str, str]:
    """Return URIs of buffers with the paths by which members are told of them."""
    return {UNTITLED: "Untitled-1.py", _cell(stage): "sales-W2sZmlsZQ.py"}


@pytest.mark.parametrize("which", [0, 1], ids=["untitled", "notebook cell"])
async def test_fix_is_applied_to_the_buffer(rich: Stage, which: int) -> None:
    uri, rich.voices.path = list(_places(rich).items())[which]
    rich.editor.open_buffer(uri, CART)
    before = sorted(path.name for path in rich.workspace.iterdir())
    job = await rich.fix(uri)
    started = await rich.editor.message(
        "ensemble/event", lambda params: params["job"] == job and params["kind"] == "started"
    )
    assert started["uri"] == uri
    proposal = await rich.editor.message("ensemble/proposal")
    (file,) = proposal["files"]
    assert (file["uri"], file["version"], file["kind"]) == (uri, 1, "change")
    assert (await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert rich.editor.texts[uri] == FIXED
    assert sorted(path.name for path in rich.workspace.iterdir()) == before, "nothing was written"
    assert not rich.editor.unexpected()


async def test_findings_of_a_buffer_are_shown_in_it_and_move(rich: Stage) -> None:
    uri = rich.editor.open_buffer("untitled:Untitled-2", CART)
    rich.voices.findings = [finding(4, BUG.strip(), path="Untitled-2.py")]
    await rich.editor.command("ensemble.review", {"uri": uri, "mode": "quick"})
    (shown,) = await rich.diagnostics(uri)
    assert shown["range"]["start"]["line"] == 3
    rich.editor.type(uri, 0, 0, "\n")
    (moved,) = await rich.diagnostics(uri)
    assert moved["range"]["start"]["line"] == 4
    await rich.editor.command("ensemble.dismiss", {"finding": moved["data"]})
    assert await rich.diagnostics(uri) == []


async def test_explanation_of_a_buffer(rich: Stage) -> None:
    rich.editor.open_buffer(UNTITLED, CART)
    rich.voices.claims = [{"kind": "purpose", "text": "Sums the prices.", "line": 1, "symbol": "total"}]
    before = len(rich.editor.shown)
    await rich.editor.command("ensemble.explain", {"uri": UNTITLED, "mode": "quick"})
    await rich.editor.until(lambda: len(rich.editor.shown) > before)


@pytest.mark.parametrize("which", [0, 1], ids=["untitled", "notebook cell"])
async def test_code_actions_of_a_buffer(rich: Stage, which: int) -> None:
    uri = list(_places(rich))[which]
    rich.editor.open_buffer(uri, CART)
    titles = [action["title"] for action in await rich.actions(uri)]
    assert "Ensemble: fix…" in titles
    assert "Ensemble: explain" in titles


async def test_other_buffers_are_not_sent_along(rich: Stage) -> None:
    rich.editor.open_buffer("untitled:Private", "def private_notes():\n    return 'dear diary'\n")
    await rich.editor.command("ensemble.explain", {"uri": "untitled:Private", "mode": "quick"})
    await rich.editor.message("window/showMessage")
    uri = rich.file("from Private import private_notes\n" + CART)
    calls = len(rich.server.calls)
    await rich.fix(uri)
    await rich.editor.message("ensemble/proposal")
    prompts = [call.prompt for call in rich.server.calls[calls:] if "def total" in call.prompt]
    assert prompts
    assert not any("dear diary" in prompt for prompt in prompts)


async def test_buffer_closed_during_the_job_is_a_conflict(rich: Stage) -> None:
    rich.editor.open_buffer(UNTITLED, CART)
    rich.voices.path = "Untitled-1.py"
    rich.voices.gate.clear()
    calls = len(rich.server.calls)
    await rich.fix(UNTITLED)
    await rich.server.wait_for_calls(calls + 2)
    rich.editor.close(UNTITLED)
    rich.voices.gate.set()
    proposal = await rich.editor.message("ensemble/proposal")
    assert proposal["files"][0]["conflict"] == "the file is gone"
    with pytest.raises(ServerError, match="the file is gone"):
        await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]})
    assert not (rich.workspace / "Untitled-1.py").exists()


async def test_buffer_with_the_name_of_a_file_is_not_that_file(rich: Stage) -> None:
    there = rich.workspace / "Untitled-7.py"
    there.write_text("unrelated = True\n", encoding="utf-8")
    rich.voices.path = "Untitled-7-2.py"
    rich.editor.open_buffer("untitled:Untitled-7", CART)
    await rich.fix("untitled:Untitled-7")
    proposal = await rich.editor.message("ensemble/proposal")
    assert (await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert rich.editor.texts["untitled:Untitled-7"] == FIXED
    assert there.read_text(encoding="utf-8") == "unrelated = True\n"
    there.unlink()


@pytest.mark.parametrize(
    "uri", ["untitled:never-opened", "git:/x/cart.py?HEAD", "ensemble:/job/x.md", "", "x"]
)
async def test_what_is_neither_file_nor_open_is_refused_with_what_to_do(rich: Stage, uri: str) -> None:
    with pytest.raises(ServerError, match="neither a file nor open") as refused:
        await rich.editor.command("ensemble.fix", {"uri": uri})
    assert refused.value.data == {"field": "uri", "hint": "open it, or save it to a file first"}


async def test_notebook_notifications_that_nobody_asked_for_do_no_harm(rich: Stage) -> None:
    cell = _cell(rich)
    notebook: Json = {
        "uri": (rich.workspace / "sales.ipynb").as_uri(),
        "notebookType": "jupyter-notebook",
        "version": 1,
        "cells": [{"kind": 2, "document": cell}],
    }
    item = {"uri": cell, "languageId": "python", "version": 1, "text": CART}
    rich.editor.notify(
        "notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": [item]}
    )
    rich.editor.notify("notebookDocument/didChange", {"notebookDocument": {"uri": 7}, "change": {}})
    rich.editor.notify("notebookDocument/didClose", {"notebookDocument": notebook, "cellTextDocuments": []})
    assert isinstance(await rich.actions(cell), list)
    with pytest.raises(ServerError, match="neither a file nor open"):
        await rich.editor.command("ensemble.explain", {"uri": cell})
