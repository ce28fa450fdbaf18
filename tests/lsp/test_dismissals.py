"""Dismissing a finding in the editor: gone at once, in later reviews, and taken back."""

import json
from pathlib import Path

import pytest

from tests.lsp.stage import CART, TRUSTED, Stage, finding, stage
from tests.support.fake_editor import NEOVIM, Json, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINE = "        result = price"
PLACE = ".ensemble/dismissed.json"


def _say(at: Stage, line: int = 4, title: str = "The loop overwrites the sum") -> None:
    at.voices.findings = [finding(line, LINE, title, path=at.voices.path)]


async def _shown(at: Stage, uri: str) -> list[Json]:
    """Review a document and return its diagnostics."""
    answer = await at.editor.command("ensemble.review", {"uri": uri})
    shown = await at.diagnostics(uri)
    await at.progress_end(str(answer["job"]))
    # A review without findings says so, at times after all else.
    if not shown:
        await at.editor.message("window/showMessage")
    at.editor.drop("window/showMessage")
    return shown


async def _dismissed(at: Stage, **reason: str) -> str:
    """Review a new file, dismiss its finding, and return the document."""
    uri = at.file()
    _say(at)
    (shown,) = await _shown(at, uri)
    assert await at.editor.command("ensemble.dismiss", {"finding": shown["data"], **reason}) == {}
    assert await at.diagnostics(uri) == []
    return uri


async def _of(at: Stage, path: str) -> list[Json]:
    answer = await at.editor.command("ensemble.dismissals", {})
    return [item for item in answer["dismissals"] if item["path"] == path]


async def test_a_dismissed_finding_stays_away_when_its_lines_move_and_others_word_it(neovim: Stage) -> None:
    uri = await _dismissed(neovim, reason="wontfix")
    neovim.editor.type(uri, 0, 0, "# one\n# two\n")
    _say(neovim, 6, "Only the last price counts")
    assert await _shown(neovim, uri) == []


async def test_a_review_says_how_many_findings_it_left_out(neovim: Stage) -> None:
    uri = await _dismissed(neovim)
    job = (await neovim.editor.command("ensemble.review", {"uri": uri}))["job"]
    assert "1 left out because you dismissed it" in await neovim.progress_end(job)
    await neovim.diagnostics(uri)
    neovim.editor.drop("window/showMessage")


async def test_the_same_line_in_another_function_is_shown(neovim: Stage) -> None:
    uri = await _dismissed(neovim)
    neovim.editor.replace_text(uri, CART + CART.replace("def total", "def other"))
    _say(neovim, 9)
    (shown,) = await _shown(neovim, uri)
    assert shown["range"]["start"]["line"] == 8


async def test_a_dismissal_is_listed_with_its_reason_and_taken_back(neovim: Stage) -> None:
    uri = await _dismissed(neovim, reason="callers check it")
    (entry,) = await _of(neovim, neovim.voices.path)
    assert entry["reason"] == "callers check it"
    assert (entry["category"], entry["kept"], entry["counts"]) == ("bug", "private", True)
    assert entry["title"] == "The loop overwrites the sum"
    neovim.editor.type(uri, 0, 0, "# above\n")
    restored = await neovim.editor.command("ensemble.restore", {"id": entry["id"]})
    assert [item["path"] for item in restored["dismissals"]] == [neovim.voices.path]
    (again,) = await neovim.diagnostics(uri)
    assert again["range"]["start"]["line"] == 4
    assert await _of(neovim, neovim.voices.path) == []
    with pytest.raises(ServerError, match="no dismissed finding"):
        await neovim.editor.command("ensemble.restore", {"id": entry["id"]})


async def test_a_dismissal_in_the_second_folder_is_listed_and_taken_back(rich: Stage) -> None:
    uri = rich.file(folder=rich.home / TRUSTED)
    _say(rich)
    (shown,) = await _shown(rich, uri)
    await rich.editor.command("ensemble.dismiss", {"finding": shown["data"]})
    assert await rich.diagnostics(uri) == []
    (entry,) = await _of(rich, rich.voices.path)
    await rich.editor.command("ensemble.restore", {"id": entry["id"]})
    assert len(await rich.diagnostics(uri)) == 1


async def test_a_dismissal_counts_in_the_next_session(neovim: Stage) -> None:
    await _dismissed(neovim)
    path = neovim.path
    async with stage(neovim.home, NEOVIM) as later:
        later.voices.path = neovim.voices.path
        _say(later, title="Said by a new session")
        assert await _shown(later, later.editor.open(path)) == []


async def test_a_file_of_a_folder_that_is_not_trusted_hides_nothing(neovim: Stage) -> None:
    uri = await _dismissed(neovim)
    (entry,) = await _of(neovim, neovim.voices.path)
    await neovim.editor.command("ensemble.restore", {"id": entry["id"]})
    await neovim.diagnostics(uri)
    kept = {key: entry[key] for key in ("fingerprint", "path", "title", "category", "date")}
    _place(neovim.workspace, json.dumps({"version": 1, "dismissed": [kept]}))
    try:
        assert len(await _shown(neovim, uri)) == 1
        (listed,) = await _of(neovim, neovim.voices.path)
        assert (listed["kept"], listed["counts"]) == ("shared", False)
    finally:
        (neovim.workspace / PLACE).unlink()


async def _pulled(at: Stage, uri: str) -> list[Json]:
    """Review a document for the client that asks for diagnostics, and return them."""
    job = (await at.editor.command("ensemble.review", {"uri": uri}))["job"]
    await at.finished(job)
    report = await at.editor.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    at.editor.drop("window/showMessage")
    found: list[Json] = report["items"]
    return found


async def test_a_team_shares_its_dismissals_in_a_file_that_counts_as_it_is_now(vscode: Stage) -> None:
    uri = vscode.file()
    _say(vscode)
    (shown,) = await _pulled(vscode, uri)
    await vscode.editor.command("ensemble.dismiss", {"finding": shown["data"], "reason": "style"})
    file = vscode.workspace / PLACE
    (entry,) = json.loads(file.read_text(encoding="utf-8"))["dismissed"]
    assert (entry["path"], entry["reason"]) == (vscode.voices.path, "style")
    assert str(vscode.home) not in file.read_text(encoding="utf-8")
    assert await _pulled(vscode, uri) == []
    file.unlink()
    assert len(await _pulled(vscode, uri)) == 1


async def test_a_file_that_cannot_be_used_keeps_the_finding_and_is_warned_of(vscode: Stage) -> None:
    uri = vscode.file()
    _say(vscode)
    _place(vscode.workspace, "{\n<<<<<<< ours\n")
    try:
        job = (await vscode.editor.command("ensemble.review", {"uri": uri}))["job"]
        warned = await vscode.editor.message("window/showMessage")
        assert warned["type"] == 2
        assert f"{PLACE} cannot be used: line 2 is not JSON (a merge is not finished)" in warned["message"]
        await vscode.finished(job)
        report = await vscode.editor.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        (shown,) = report["items"]
        with pytest.raises(ServerError, match="a merge is not finished"):
            await vscode.editor.command("ensemble.dismiss", {"finding": shown["data"]})
        again = await vscode.editor.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert again["items"] == [shown]
    finally:
        (vscode.workspace / PLACE).unlink()


def _place(workspace: Path, text: str) -> None:
    (workspace / PLACE).parent.mkdir(exist_ok=True)
    (workspace / PLACE).write_text(text, encoding="utf-8")
