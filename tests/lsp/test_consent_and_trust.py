"""What needs the person's word: code that leaves the machine, and what a folder says about commands and money."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

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
