"""Explanations and transcripts as documents: virtual where the client asks for their text, else files."""

import pytest

from tests.lsp.stage import Stage, finding
from tests.support.fake_editor import Json, ServerError, file_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINE = "        result = price"
CLAIM = {"kind": "purpose", "text": "Sums the prices.", "line": 1, "symbol": "total"}


async def _text(stage: Stage, uri: str) -> str:
    answer: Json = await stage.editor.request("workspace/textDocumentContent", {"uri": uri})
    return str(answer["text"])


async def _explained(stage: Stage, name: str = "") -> str:
    """Explain a new file and return the job."""
    uri = stage.file(name=name)
    stage.voices.claims = [CLAIM]
    answer = await stage.editor.command("ensemble.explain", {"uri": uri})
    await stage.progress_end(str(answer["job"]))
    return str(answer["job"])


async def _reviewed(stage: Stage) -> str:
    """Review a new file and return the job."""
    uri = stage.file()
    stage.voices.findings = [finding(4, LINE, "It *overwrites* <b>the sum</b>", path=stage.voices.path)]
    answer = await stage.editor.command("ensemble.review", {"uri": uri})
    await stage.progress_end(str(answer["job"]))
    return str(answer["job"])


def _refreshed(stage: Stage) -> list[str]:
    return [
        params["uri"]
        for method, params in stage.editor.asked
        if method == "workspace/textDocumentContent/refresh"
    ]


async def test_an_explanation_is_opened_by_a_name_that_people_can_read(vscode: Stage) -> None:
    job = await _explained(vscode, "tills/big cart.py")
    await vscode.editor.until(lambda: job in "".join(vscode.editor.shown[-1:]))
    uri = vscode.editor.shown[-1]
    assert uri == f"ensemble:/explanation/{job}/big-cart.md"
    text = await _text(vscode, uri)
    assert text.startswith("# What ")
    assert "Sums the prices (`total`, line 1)." in text


async def test_an_explanation_for_a_client_without_virtual_documents_is_a_read_only_file(
    neovim: Stage,
) -> None:
    job = await _explained(neovim)
    await neovim.editor.until(lambda: "explanation" in "".join(neovim.editor.shown[-1:]))
    document = file_of(neovim.editor.shown[-1])
    assert document.stat().st_mode & 0o222 == 0
    assert await _text(neovim, f"ensemble:/explanation/{job}/x.md") == document.read_text(encoding="utf-8")


async def test_a_client_that_cannot_open_the_virtual_document_gets_the_file(vscode: Stage) -> None:
    def refuse(params: Json) -> Json:
        vscode.editor.shown.append(params["uri"])
        return {"success": params["uri"].startswith("file:")}

    vscode.editor.answers["window/showDocument"] = refuse
    await _explained(vscode)
    await vscode.editor.until(lambda: vscode.editor.shown[-1:] != [] and "file:" in vscode.editor.shown[-1])
    assert "Sums the prices (`total`, line 1)." in file_of(vscode.editor.shown[-1]).read_text(
        encoding="utf-8"
    )


async def test_the_transcript_of_any_job_is_listed_and_shown(vscode: Stage) -> None:
    job = await _reviewed(vscode)
    newest = (await vscode.editor.command("ensemble.jobs", {}))["jobs"][0]
    assert (newest["job"], newest["uri"]) == (job, f"ensemble:/transcript/{job}.md")
    assert await vscode.editor.command("ensemble.show", {"job": job}) == {"uri": newest["uri"]}
    assert vscode.editor.shown[-1] == newest["uri"]
    text = await _text(vscode, newest["uri"])
    lines = text.splitlines()
    assert lines[0] == f"# Review: {vscode.voices.path}"
    assert lines[2].startswith("**done**: 1 finding")
    assert "- `alpha`, family alpha: `openai/alpha` (on this machine)" in lines
    assert "### Blind answers" in lines
    assert "- `ruff` the code as it is ✓ passed: nothing to report" in lines
    assert f"- `{vscode.voices.path}:4` **critical** It *overwrites* &lt;b>the sum&lt;/b>" in text
    assert '```json\n{\n  "findings": [\n' in text
    assert "### Gather" not in lines


async def test_a_transcript_in_a_client_that_can_do_nothing(bare: Stage) -> None:
    uri = bare.file()
    bare.voices.findings = [finding(4, LINE, path=bare.voices.path)]
    job = (await bare.editor.command("ensemble.review", {"uri": uri}))["job"]
    await bare.diagnostics(uri)
    shown = await bare.editor.command("ensemble.show", {"job": job})
    told = await bare.editor.message("window/showMessage")
    assert told["message"].startswith("Ensemble: see ")
    assert "transcript" in told["message"]
    assert (await _text(bare, shown["uri"])).startswith("# Review: ")


async def test_only_what_a_job_wrote_can_be_shown_again(vscode: Stage) -> None:
    job = await _explained(vscode)
    again = await vscode.editor.command("ensemble.show", {"job": job, "document": "result"})
    assert again["uri"].startswith(f"ensemble:/explanation/{job}/")
    wrote_nothing = await _reviewed(vscode)
    with pytest.raises(ServerError, match="nothing that job") as caught:
        await vscode.editor.command("ensemble.show", {"job": wrote_nothing, "document": "result"})
    assert caught.value.code == -32602


async def test_a_transcript_that_was_asked_for_is_refreshed_while_the_job_runs(vscode: Stage) -> None:
    uri = vscode.file()
    vscode.voices.findings = [finding(4, LINE, path=vscode.voices.path)]
    vscode.voices.gate.clear()
    calls = len(vscode.server.calls)
    job = (await vscode.editor.command("ensemble.review", {"uri": uri}))["job"]
    await vscode.server.wait_for_calls(calls + 2)
    document = f"ensemble:/transcript/{job}.md"
    before = await _text(vscode, document)
    assert "**running**" in before
    assert document not in _refreshed(vscode)
    vscode.voices.gate.set()
    await vscode.finished(job)
    await vscode.editor.until(lambda: document in _refreshed(vscode))
    assert "**done**: 1 finding" in await _text(vscode, document)


@pytest.mark.parametrize(
    "uri",
    [
        "ensemble:/transcript/nobody-knows-it.md",
        "ensemble:/explanation/nobody-knows-it/cart.md",
        "ensemble:/nothing/abc.md",
        "ensemble:/transcript/../../etc/passwd.md",
        "ensemble:/transcript/.md",
        "ensemble:",
        "file:///etc/passwd",
        "ensemble://[",
        "",
    ],
)
async def test_a_document_that_is_not_there_is_an_answer_with_the_reason(vscode: Stage, uri: str) -> None:
    with pytest.raises(ServerError, match=r"no document|no job") as caught:
        await _text(vscode, uri)
    assert caught.value.code == -32602


async def test_what_models_write_cannot_leave_its_quotation(vscode: Stage) -> None:
    uri = vscode.file()
    hostile = "```\n# Owned\n[x](command:evil) <img src=https://evil.example/p.png>\n````"
    vscode.voices.findings = [{**finding(4, LINE, path=vscode.voices.path), "detail": hostile}]
    job = (await vscode.editor.command("ensemble.review", {"uri": uri}))["job"]
    await vscode.finished(job)
    text = await _text(vscode, f"ensemble:/transcript/{job}.md")
    outside: list[str] = []
    fence = ""
    for line in text.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.rstrip("abcdefghijklmnopqrstuvwxyz")
        else:
            outside.append(line)
    assert not fence
    assert "# Owned" not in outside
    assert not any("<img" in line or "](command" in line for line in outside)
