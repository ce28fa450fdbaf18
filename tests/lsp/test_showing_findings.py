"""Findings as diagnostics, pushed or asked for, and what a hover says of them."""

import pytest

from tests.lsp.stage import CART, Stage, finding
from tests.support.fake_editor import Json

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINE = "        result = price"
HERE = {"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 22}}
OBJECTION = {
    "number": 1,
    "verdict": "refuted",
    "reason": "Prices holds one item.",
    "line": 0,
    "quote": "",
    "test": "",
}
"""Words alone: they are kept with the finding, and do not refute it."""


async def _pull(stage: Stage, uri: str, previous: str | None = None) -> Json:
    params: Json = {"textDocument": {"uri": uri}}
    if previous is not None:
        params["previousResultId"] = previous
    report: Json = await stage.editor.request("textDocument/diagnostic", params)
    return report


async def _hover(stage: Stage, uri: str, line: int, character: int = 10) -> Json | None:
    at = {"line": line, "character": character}
    answer: Json | None = await stage.editor.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": at}
    )
    return answer


def _refreshes(stage: Stage) -> int:
    return sum(1 for method, _ in stage.editor.asked if method == "workspace/diagnostic/refresh")


async def _asked_again(stage: Stage, before: int) -> None:
    await stage.editor.until(lambda: _refreshes(stage) > before)


async def _reviewed(stage: Stage, *, title: str = "The loop overwrites the sum", **fields: object) -> str:
    """Review a new file and return its URI; the diagnostics are there."""
    uri = stage.file()
    stage.voices.findings = [{**finding(4, LINE, title, path=stage.voices.path), **fields}]
    before = _refreshes(stage)
    await stage.editor.command("ensemble.review", {"uri": uri})
    await _asked_again(stage, before)
    return uri


async def test_an_open_document_is_asked_for_and_never_pushed(vscode: Stage) -> None:
    uri = await _reviewed(vscode)
    report = await _pull(vscode, uri)
    assert report["kind"] == "full"
    (shown,) = report["items"]
    assert shown["range"] == HERE
    assert shown["severity"] == 1
    assert shown["source"] == "ensemble"
    assert shown["code"] == "bug"
    assert shown["message"] == "The loop overwrites the sum (2 of 2 families)"
    assert isinstance(shown["data"], str)
    assert "relatedInformation" not in shown
    assert not vscode.editor.drop("textDocument/publishDiagnostics")


async def test_what_did_not_change_is_not_sent_again(vscode: Stage) -> None:
    uri = await _reviewed(vscode)
    first = await _pull(vscode, uri)
    again = await _pull(vscode, uri, first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    vscode.editor.type(uri, 0, 0, "# above\n")
    moved = await _pull(vscode, uri, first["resultId"])
    assert moved["items"][0]["range"]["start"] == {"line": 4, "character": 8}
    assert moved["resultId"] != first["resultId"]


async def test_a_closed_document_has_its_findings_pushed_until_it_is_opened_again(vscode: Stage) -> None:
    uri = await _reviewed(vscode)
    vscode.editor.close(uri)
    (pushed,) = await vscode.diagnostics(uri)
    assert pushed["range"] == HERE
    assert (await _pull(vscode, uri))["items"] == []
    before = _refreshes(vscode)
    vscode.editor.open(vscode.path)
    assert await vscode.diagnostics(uri) == []
    await _asked_again(vscode, before)
    assert len((await _pull(vscode, uri))["items"]) == 1


async def test_the_docs_page_is_the_one_that_the_package_names(vscode: Stage) -> None:
    uri = await _reviewed(vscode)
    (shown,) = (await _pull(vscode, uri))["items"]
    assert shown["codeDescription"]["href"].startswith("https://")
    assert shown["codeDescription"]["href"].endswith("/docs/review.md#reading-a-finding")


async def test_unused_code_is_marked_as_such(vscode: Stage) -> None:
    uri = await _reviewed(vscode, category="unused")
    (shown,) = (await _pull(vscode, uri))["items"]
    assert shown["tags"] == [1]


async def test_an_objection_is_counted_and_stands_beside_the_finding(vscode: Stage) -> None:
    vscode.voices.silent, vscode.voices.verdicts = ["beta"], [OBJECTION]
    uri = await _reviewed(vscode)
    (shown,) = (await _pull(vscode, uri))["items"]
    assert shown["message"] == "The loop overwrites the sum (1 of 2 families; 1 objection)"
    (objection,) = shown["relatedInformation"]
    assert objection["location"] == {"uri": uri, "range": HERE}
    assert objection["message"] == "beta (beta) objects: Prices holds one item. [no evidence]"


async def test_a_client_without_related_information_sees_the_count_alone(bare: Stage) -> None:
    uri = bare.file()
    bare.voices.findings = [finding(4, LINE, path=bare.voices.path)]
    bare.voices.silent, bare.voices.verdicts = ["beta"], [OBJECTION]
    await bare.editor.command("ensemble.review", {"uri": uri})
    (shown,) = await bare.diagnostics(uri)
    assert "1 objection" in shown["message"]
    assert not {"relatedInformation", "codeDescription", "tags"} & set(shown)


async def test_a_message_shows_no_control_characters_of_a_model(vscode: Stage) -> None:
    uri = await _reviewed(vscode, title="over\x1b[31mred\u202eevil\nsecond line")
    (shown,) = (await _pull(vscode, uri))["items"]
    assert shown["message"].startswith("over[31mredevil second line (")


async def test_hover_says_who_said_it_who_objected_with_what_and_at_what_cost(vscode: Stage) -> None:
    vscode.voices.silent, vscode.voices.verdicts = ["beta"], [OBJECTION]
    uri = await _reviewed(vscode)
    hover = await _hover(vscode, uri, 3)
    assert hover is not None
    assert hover["range"] == HERE
    assert hover["contents"]["kind"] == "markdown"
    said = hover["contents"]["value"]
    assert said.startswith("**The loop overwrites the sum**\n\ncritical · bug · ")
    assert "total([1, 2]) gives 2" in said
    assert "```python\nresult = price\n```" in said
    assert "Said by `alpha` (alpha): 1 of 2 families asked." in said
    assert "Kept because: anchor, not refuted; the objection brought no evidence." in said
    assert "Against it:\n\n- `beta` (beta): Prices holds one item. [no evidence]" in said
    assert "calls · " in said
    assert "tokens · $0." in said


async def test_hover_is_plain_text_for_a_client_that_never_asked_for_markdown(bare: Stage) -> None:
    uri = bare.file()
    bare.voices.findings = [finding(4, LINE, "It *overwrites* <b>`result`</b>", path=bare.voices.path)]
    await bare.editor.command("ensemble.review", {"uri": uri})
    await bare.diagnostics(uri)
    hover = await _hover(bare, uri, 3)
    assert hover is not None
    assert hover["contents"]["kind"] == "plaintext"
    lines = hover["contents"]["value"].splitlines()
    assert lines[0] == "It *overwrites* <b>`result`</b>"
    assert "    result = price" in lines


async def test_hover_makes_nothing_clickable_of_what_a_model_wrote(vscode: Stage) -> None:
    uri = await _reviewed(
        vscode,
        title="[Fix now](command:evil) <img src=x>",
        detail="![p](https://evil.example/p.png) see [docs](https://evil.example) or https://evil.example",
    )
    hover = await _hover(vscode, uri, 3)
    assert hover is not None
    said = hover["contents"]["value"]
    assert "[Fix now\\](command:evil) &lt;img src=x>" in said
    assert "![p\\](`https://evil.example/p.png`) see docs (`https://evil.example`)" in said
    assert said.count("https://") == said.count("`https://")


async def test_hover_elsewhere_says_nothing(vscode: Stage) -> None:
    uri = await _reviewed(vscode)
    assert await _hover(vscode, uri, 2) is None
    assert await _hover(vscode, uri, 3, 2) is None
    assert await _hover(vscode, "file:///nowhere.py", 0) is None


async def test_a_finding_that_typing_pulled_apart_is_found_on_its_line_again(vscode: Stage) -> None:
    uri = await _reviewed(vscode, title="Another wording")
    vscode.editor.type(uri, 3, 0, "        check(price)\n")
    hover = await _hover(vscode, uri, 4)
    assert hover is not None
    assert await _hover(vscode, uri, 3) is None
    vscode.editor.replace_text(uri, CART.replace("result = price", "result += price"))
    assert (await _pull(vscode, uri))["items"] == []
