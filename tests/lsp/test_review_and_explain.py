"""Findings as diagnostics, the explanation as a document."""

import pytest

from tests.lsp.stage import CART, Stage, finding
from tests.support.fake_editor import ServerError, file_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def _reviewed(stage: Stage, text: str = CART) -> str:
    uri = stage.file(text)
    stage.voices.findings = [finding(4, "        result = price", path=stage.voices.path)]
    await stage.editor.command("ensemble.review", {"uri": uri, "scope": "file"})
    (shown,) = await stage.diagnostics(uri)
    assert shown["range"] == {"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 22}}
    assert shown["source"] == "ensemble"
    assert shown["code"] == "bug"
    assert "2 families" in shown["message"]
    return uri


async def test_findings_move_with_typing_and_vanish_with_their_line(rich: Stage) -> None:
    uri = await _reviewed(rich)
    rich.editor.type(uri, 0, 0, "# above\n")
    (moved,) = await rich.diagnostics(uri, 2)
    assert moved["range"]["start"] == {"line": 4, "character": 8}
    rich.editor.type(uri, 5, 0, "    # below\n")
    rich.editor.type(uri, 4, 0, "\n")
    (moved,) = await rich.diagnostics(uri, 4)
    assert moved["range"] == {"start": {"line": 5, "character": 8}, "end": {"line": 5, "character": 22}}
    rich.editor.type(uri, 5, 15, "+")
    assert await rich.diagnostics(uri, 5) == []
    assert not rich.editor.unexpected()


async def test_typing_while_the_review_runs_does_not_misplace_its_findings(rich: Stage) -> None:
    uri = rich.file()
    rich.voices.findings = [finding(4, "        result = price", path=rich.voices.path)]
    rich.voices.gate.clear()
    calls = len(rich.server.calls)
    await rich.editor.command("ensemble.review", {"uri": uri})
    await rich.server.wait_for_calls(calls + 2)
    rich.editor.type(uri, 0, 0, "# one\n# two\n")
    rich.voices.gate.set()
    (shown,) = await rich.diagnostics(uri)
    assert shown["range"]["start"] == {"line": 5, "character": 8}
    assert not rich.editor.unexpected()


async def test_review_of_a_selection_leaves_findings_elsewhere(rich: Stage) -> None:
    uri = await _reviewed(rich, CART + CART.replace("total", "other"))
    rich.voices.findings = [
        finding(9, "        result = price", "The loop forgets the sum", path=rich.voices.path)
    ]
    span = {"start": {"line": 5, "character": 0}, "end": {"line": 9, "character": 0}}
    await rich.editor.command("ensemble.review", {"uri": uri, "scope": "range", "range": span})
    shown = await rich.diagnostics(uri)
    assert [each["range"]["start"]["line"] for each in shown] == [3, 8]
    assert not rich.editor.unexpected()


async def test_review_without_findings_says_so_and_clears_what_was_shown(rich: Stage) -> None:
    uri = await _reviewed(rich)
    rich.voices.findings = []
    await rich.editor.command("ensemble.review", {"uri": uri})
    assert await rich.diagnostics(uri) == []
    assert (await rich.editor.message("window/showMessage"))["type"] == 3
    assert not rich.editor.unexpected()


async def test_dismissing_a_finding_takes_it_away(rich: Stage) -> None:
    uri = await _reviewed(rich)
    (dismiss,) = [each for each in await rich.actions(uri) if "dismiss" in each["title"]]
    assert dismiss["kind"] == "quickfix"
    assert await rich.run(dismiss) == {}
    assert await rich.diagnostics(uri) == []
    with pytest.raises(ServerError, match="no finding"):
        await rich.run(dismiss)
    assert not rich.editor.unexpected()


async def test_fix_of_a_finding_that_moved_asks_about_the_line_where_it_is_now(rich: Stage) -> None:
    uri = await _reviewed(rich)
    rich.editor.type(uri, 0, 0, "# above\n")
    await rich.diagnostics(uri, 2)
    (fix,) = [each for each in await rich.actions(uri, 4) if each["title"].startswith('Ensemble: fix "')]
    assert fix["title"] == 'Ensemble: fix "The loop overwrites the sum"'
    calls = len(rich.server.calls)
    await rich.run(fix)
    await rich.editor.message("ensemble/proposal")
    prompt = rich.server.calls[calls].prompt
    assert "The loop overwrites the sum" in prompt
    assert "cart_" in prompt
    assert "line 5" in prompt
    assert not rich.editor.unexpected()


async def test_explanation_is_opened_as_a_document(neovim: Stage) -> None:
    uri = neovim.file()
    neovim.voices.claims = [{"kind": "purpose", "text": "Sums the prices.", "line": 1, "symbol": "total"}]
    job = (await neovim.editor.command("ensemble.explain", {"uri": uri}))["job"]
    await neovim.progress_end(job)
    await neovim.editor.until(lambda: "explanation" in "".join(neovim.editor.shown[-1:]))
    document = file_of(neovim.editor.shown[-1])
    assert document.suffix == ".md"
    assert "Sums the prices (`total`, line 1)." in document.read_text(encoding="utf-8")
    assert document.stat().st_mode & 0o222 == 0
    assert neovim.home in document.parents
    assert not neovim.editor.unexpected()


async def test_explanation_for_a_client_that_opens_nothing(bare: Stage) -> None:
    uri = bare.file()
    bare.voices.claims = [{"kind": "purpose", "text": "Sums the prices.", "line": 1, "symbol": "total"}]
    await bare.editor.command("ensemble.explain", {"uri": uri})
    told = await bare.editor.message("window/showMessage")
    assert told["message"].startswith("Ensemble: see ")
    assert not bare.editor.unexpected()
