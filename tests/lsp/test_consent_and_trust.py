"""What needs the person's word: code that leaves the machine, and what a folder says about commands and money."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from ensemble_lsp.lsp.documents import Documents
from ensemble_lsp.lsp.folders import Folders
from tests.lsp.stage import BUG, CART, REPAIR, TRUSTED, Stage
from tests.support.fake_editor import Json

pytestmark = pytest.mark.asyncio(loop_scope="session")

FAR_AWAY = "models.example.org"

ELSEWHERE = "elsewhere.example.org"

FAR_PANEL = f"""
[[panel]]
id = "far"
model = "openai/far"
api_base = "https://{FAR_AWAY}/v1"
family = "far"
price_in = 0.0
price_out = 0.0
"""

CART_TEST = "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"


@pytest_asyncio.fixture(loop_scope="session")
async def trusted(rich: Stage) -> AsyncIterator[Path]:
    """The trusted folder; what a test leaves there is taken away."""
    folder = rich.home / TRUSTED
    yield folder
    for path in folder.iterdir():
        if path.is_file():
            path.unlink()


def _checks(stage: Stage, job: str) -> list[Json]:
    events = [item["params"] for item in stage.editor.inbox if item["method"] == "ensemble/event"]
    return [event for event in events if event["job"] == job and event["kind"] == "check"]


async def test_refused_consent_sends_nothing(rich: Stage, trusted: Path) -> None:
    (trusted / "ensemble.toml").write_text(FAR_PANEL, encoding="utf-8")
    uri = rich.file(folder=trusted)
    questions: list[Json] = []

    def refuse(params: Json) -> Json:
        questions.append(params)
        return {"title": "Do not send"}

    rich.editor.answers["window/showMessageRequest"] = refuse
    before = len(rich.server.requests)
    ended = await rich.finished(await rich.fix(uri))
    assert ended["status"] == "failed"
    assert "nothing was sent" in ended["reason"]
    (question,) = questions
    assert FAR_AWAY in question["message"]
    assert [action["title"] for action in question["actions"]] == ["Send", "Do not send"]
    # A question in a corner may go by unseen: the job itself says that it waits, and for what.
    await rich.editor.message(
        "ensemble/event", lambda event: event.get("note") == "may code be sent? waiting for the answer"
    )
    assert rich.server.requests[before:] == [], "the proxy for everything beyond this machine saw nothing"
    assert "nothing was sent" in (await rich.editor.message("window/showMessage"))["message"]
    assert not rich.editor.unexpected()


async def test_agreed_consent_lets_the_call_out_through_the_same_proxy(rich: Stage, trusted: Path) -> None:
    """The control: were anything sent without consent, the proxy would see it."""
    (trusted / "ensemble.toml").write_text(FAR_PANEL.replace(FAR_AWAY, ELSEWHERE), encoding="utf-8")
    uri = rich.file(folder=trusted)
    rich.editor.answers["window/showMessageRequest"] = lambda _: {"title": "Send"}
    job = await rich.fix(uri)
    await rich.finished(job)
    assert any(ELSEWHERE in request.path for request in rich.server.requests)
    await rich.editor.message("window/showMessage")
    assert not rich.editor.unexpected()


async def test_closing_the_consent_question_is_a_refusal(rich: Stage, trusted: Path) -> None:
    (trusted / "ensemble.toml").write_text(FAR_PANEL, encoding="utf-8")
    uri = rich.file(folder=trusted)
    rich.editor.answers["window/showMessageRequest"] = lambda _: None
    before = len(rich.server.requests)
    assert (await rich.finished(await rich.fix(uri)))["status"] == "failed"
    assert rich.server.requests[before:] == []
    await rich.editor.message("window/showMessage")
    assert not rich.editor.unexpected()


async def test_panel_of_a_folder_that_is_not_trusted_is_ignored(rich: Stage) -> None:
    file = rich.workspace / "ensemble.toml"
    file.write_text(FAR_PANEL, encoding="utf-8")
    try:
        uri = rich.file()
        job = await rich.fix(uri)
        started = await rich.editor.message(
            "ensemble/event", lambda params: params["job"] == job and params["kind"] == "started"
        )
        assert [seat["member"] for seat in started["panel"]] == ["alpha", "beta"]
        assert any("not trusted" in note for note in started["notes"])
        await rich.editor.message("ensemble/proposal")
        assert not rich.editor.unexpected()
    finally:
        file.unlink()


async def test_tests_of_a_folder_that_is_not_trusted_are_not_run(rich: Stage) -> None:
    folder = rich.workspace / "shop"
    folder.mkdir()
    ran = rich.home / "ran"
    (folder / "test_cart.py").write_text(f"open({str(ran)!r}, 'w')\n{CART_TEST}", encoding="utf-8")
    uri = rich.file(name="shop/cart.py")
    job = await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    assert proposal["status"] != "verified"
    assert {check["outcome"] for check in _checks(rich, job) if check["witness"] == "pytest"} == {"notRun"}
    assert not ran.exists()
    assert not rich.editor.unexpected()


async def test_trusted_folder_has_its_tests_run_and_the_fix_verified(rich: Stage, trusted: Path) -> None:
    (trusted / "test_cart.py").write_text(CART_TEST, encoding="utf-8")
    uri = rich.file(name="cart.py", folder=trusted)
    job = await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    outcomes = [check["outcome"] for check in _checks(rich, job) if check["witness"] == "pytest"]
    assert outcomes[0] == "failed"
    assert "passed" in outcomes
    assert proposal["status"] == "verified"
    (apply,) = [each for each in await rich.actions(uri) if "apply fix" in each["title"]]
    assert apply.get("isPreferred", False) is not proposal["weak"]
    assert await rich.run(apply) == {"applied": True}
    assert rich.editor.texts[uri] == CART.replace(BUG, REPAIR)
    assert not rich.editor.unexpected()


async def test_trust_taken_back_while_the_editor_runs(rich: Stage, trusted: Path) -> None:
    (trusted / "ensemble.toml").write_text(FAR_PANEL, encoding="utf-8")
    rich.editor.notify("ensemble/trust", {"uri": trusted.as_uri(), "trusted": False})
    uri = rich.file(folder=trusted)
    job = await rich.fix(uri)
    started = await rich.editor.message(
        "ensemble/event", lambda params: params["job"] == job and params["kind"] == "started"
    )
    assert [seat["member"] for seat in started["panel"]] == ["alpha", "beta"]
    rich.editor.notify("ensemble/trust", {"uri": trusted.as_uri(), "trusted": True})
    await rich.editor.message("ensemble/proposal")
    assert not rich.editor.unexpected()


def _member(name: str, host: str) -> str:
    return FAR_PANEL.replace("far", name).replace(FAR_AWAY, host)


async def test_person_is_asked_once_and_again_for_a_new_recipient_only(rich: Stage, trusted: Path) -> None:
    questions: list[str] = []

    def agree(params: Json) -> Json:
        questions.append(str(params["message"]))
        return {"title": "Send"}

    rich.editor.answers["window/showMessageRequest"] = agree
    uri = rich.file(folder=trusted)
    first, second = "first.example.org", "second.example.org"
    (trusted / "ensemble.toml").write_text(_member("one", first), encoding="utf-8")
    for _ in range(2):
        await rich.fix(uri)
        await rich.editor.message("window/showMessage")
    assert len(questions) == 1
    assert first in questions[0]
    assert "$0.50 a job and $5.00 a day" in questions[0], "the caps are named"
    assert "the code in question" in questions[0], "so is what is sent"
    both = _member("one", first) + _member("two", second)
    (trusted / "ensemble.toml").write_text(both, encoding="utf-8")
    await rich.fix(uri)
    await rich.editor.message("window/showMessage")
    assert len(questions) == 2
    assert second in questions[1]
    assert first not in questions[1]


async def test_members_on_this_machine_need_no_consent(rich: Stage) -> None:
    rich.editor.asked.clear()
    await rich.fix(rich.file())
    await rich.editor.message("ensemble/proposal")
    assert "window/showMessageRequest" not in [method for method, _ in rich.editor.asked]
    assert not rich.editor.unexpected()


async def test_weights_are_fetched_after_a_question_of_their_own(rich: Stage, trusted: Path) -> None:
    (trusted / "ensemble.toml").write_text('panel = ["embedded/qwen2.5-coder-1.5b"]\n', encoding="utf-8")
    questions: list[Json] = []

    def refuse(params: Json) -> Json:
        questions.append(params)
        return {"title": "Do not download"}

    rich.editor.answers["window/showMessageRequest"] = refuse
    before = len(rich.server.requests)
    ended = await rich.finished(await rich.fix(rich.file(folder=trusted)))
    assert ended["status"] == "failed"
    (question,) = questions
    assert [action["title"] for action in question["actions"]] == ["Download", "Do not download"]
    assert "MB" in question["message"]
    assert rich.server.requests[before:] == [], "nothing was fetched through the proxy"
    await rich.editor.message(
        "ensemble/event",
        lambda event: event.get("note") == "may the model be downloaded? waiting for the answer",
    )
    await rich.editor.message("window/showMessage")


async def test_folders_of_one_window_are_trusted_each_for_itself(rich: Stage, trusted: Path) -> None:
    uris: list[str] = []
    for folder in (rich.workspace, trusted):
        (folder / "ensemble.toml").write_text("[budget]\nday_usd = 0.25\ncalls = 0\n", encoding="utf-8")
        uris.append(rich.file(folder=folder, name=f"in_{folder.name}.py"))
    try:
        rich.voices.path = f"in_{rich.workspace.name}.py"
        assert (await rich.finished(await rich.fix(uris[0])))["status"] == "done"
        assert (await rich.finished(await rich.fix(uris[1])))["status"] == "overBudget"
        await rich.editor.message("ensemble/proposal")
        await rich.editor.message("window/showMessage")
    finally:
        (rich.workspace / "ensemble.toml").unlink()


async def test_workspace_that_is_not_trusted_spends_sends_and_runs_nothing_by_its_settings(
    rich: Stage,
) -> None:
    ran = rich.home / "ran-by-settings"
    (rich.workspace / "secret_notes.txt").write_text("the vault opens at noon\n", encoding="utf-8")
    (rich.workspace / ".gitignore").write_text("secret_notes.txt\n", encoding="utf-8")
    settings = f"""
check = "mine"
mode = "debate"
rounds = 5
strong = "openai/strong"
[[checks]]
id = "mine"
command = "touch {ran}"
[budget]
usd = 1000.0
day_usd = 1000.0
calls = 1000
[context]
include = ["secret_notes.txt"]
[execution]
python = "{rich.workspace / "python"}"
{_member("far", "untrusted.example.org")}
"""
    file = rich.workspace / "ensemble.toml"
    python = rich.workspace / "python"
    python.write_text(f"#!/bin/sh\ntouch {ran}\n", encoding="utf-8")
    python.chmod(0o755)
    file.write_text(settings, encoding="utf-8")
    try:
        uri = rich.file()
        before = len(rich.server.requests)
        job = await rich.fix(uri)
        started = await rich.editor.message(
            "ensemble/event", lambda params: params["job"] == job and params["kind"] == "started"
        )
        await rich.editor.message("ensemble/proposal")
        assert started["mode"] == "panel"
        (note,) = [note for note in started["notes"] if "not trusted" in note]
        for key in (
            "panel",
            "check",
            "checks",
            "strong",
            "budget.usd",
            "context.include",
            "execution.python",
        ):
            assert key in note
        assert not ran.exists()
        assert not any("vault opens" in call.prompt for call in rich.server.calls)
        assert not any("untrusted.example.org" in request.path for request in rich.server.requests[before:])
        assert (await rich.editor.command("ensemble.panel", {}))["dayUsd"] == 5.0
    finally:
        for path in (file, python, rich.workspace / ".gitignore", rich.workspace / "secret_notes.txt"):
            path.unlink()


async def test_job_that_goes_on_from_a_trusted_one_after_trust_was_taken_back(
    rich: Stage, trusted: Path
) -> None:
    (trusted / "ensemble.toml").write_text("[budget]\ncalls = 9\n", encoding="utf-8")
    (trusted / "test_cart.py").write_text(CART_TEST, encoding="utf-8")
    job = await rich.fix(rich.file(name="cart.py", folder=trusted), mode="quick")
    await rich.editor.message("ensemble/proposal")
    rich.editor.notify("ensemble/trust", {"uri": trusted.as_uri(), "trusted": False})
    try:
        after = (await rich.editor.command("ensemble.continue", {"job": job, "mode": "panel"}))["job"]
        started = await rich.editor.message(
            "ensemble/event", lambda params: params["job"] == after and params["kind"] == "started"
        )
        assert any("not trusted" in note for note in started["notes"])
        await rich.editor.message("ensemble/proposal")
        assert {check["outcome"] for check in _checks(rich, after) if check["witness"] == "pytest"} == {
            "notRun"
        }
    finally:
        rich.editor.notify("ensemble/trust", {"uri": trusted.as_uri(), "trusted": True})


@pytest.mark.parametrize(
    ("options", "told", "kept"),
    [
        ({}, None, True),
        ({"trustedFolders": []}, None, False),
        ({}, {"uri": "file:///elsewhere", "trusted": True}, False),
    ],
)
async def test_terminals_word_counts_only_where_the_editor_has_no_say(
    options: Json, told: Json | None, kept: bool
) -> None:
    folders = Folders(Documents())
    capabilities = types.ClientCapabilities()
    folders.read(types.InitializeParams(capabilities, root_uri="file:///work"), options)
    if told is not None:
        folders.trust(told)
    assert folders.client_trusts is not kept
    assert not folders.is_trusted(Path("/work"))
