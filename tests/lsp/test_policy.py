"""An organisation's policy binds whatever the person, the workspace and the command say: it can only tighten."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing

import pytest
import pytest_asyncio

from tests.lsp.stage import Stage
from tests.support.fake_editor import Json

pytestmark = pytest.mark.asyncio(loop_scope="session")

FAR_STRONG = """
[strong]
id = "far-strong"
model = "openai/far-strong"
api_base = "https://strong.example.org/v1"
price_in = 0.0
price_out = 0.0
"""


@pytest_asyncio.fixture(loop_scope="session")
async def policy(rich: Stage) -> AsyncIterator[Callable[[str], None]]:
    """Lay down the policy; it goes after the test, and so does what the trusted folder said."""
    path = rich.home / "policy.toml"

    def lay_down(text: str) -> None:
        path.write_text(text, encoding="utf-8")

    yield lay_down
    path.unlink()
    (rich.home / "trusted" / "ensemble.toml").unlink(missing_ok=True)


async def _started(stage: Stage, job: str) -> Json:
    return await stage.editor.message(
        "ensemble/event", lambda params: params["job"] == job and params["kind"] == "started"
    )


async def test_caps_hold_against_a_command_that_asks_for_more(
    rich: Stage, policy: Callable[[str], None]
) -> None:
    policy("[caps]\ncalls = 0\nday_usd = 0.5\n")
    ended = await rich.finished(await rich.fix(rich.file(), budget={"calls": 50, "usd": 100}))
    assert ended["status"] == "overBudget"
    assert (await rich.editor.command("ensemble.panel", {}))["dayUsd"] == 0.5
    await rich.editor.message("window/showMessage")


async def test_caps_do_not_loosen(rich: Stage, policy: Callable[[str], None]) -> None:
    policy("local = false\ntranscripts = true\n[caps]\nday_usd = 900.0\n")
    assert (await rich.editor.command("ensemble.panel", {}))["dayUsd"] == 5.0


async def test_recipient_that_is_not_named_is_not_even_asked_about(
    rich: Stage, policy: Callable[[str], None]
) -> None:
    policy('recipients = ["azure", "*.corp.example"]\n')
    far = FAR_STRONG.replace("[strong]", "[[panel]]").replace("strong", "member")
    (rich.home / "trusted" / "ensemble.toml").write_text(far, encoding="utf-8")
    rich.editor.asked.clear()
    before = len(rich.server.requests)
    ended = await rich.finished(await rich.fix(rich.file(folder=rich.home / "trusted")))
    assert ended["status"] == "failed"
    assert "policy allows none" in ended["reason"]
    assert "window/showMessageRequest" not in [method for method, _ in rich.editor.asked]
    assert rich.server.requests[before:] == []
    await rich.editor.message("window/showMessage")


async def test_strong_member_of_another_recipient_is_left_out_too(
    rich: Stage, policy: Callable[[str], None]
) -> None:
    policy('recipients = ["*.corp.example"]\n')
    (rich.home / "trusted" / "ensemble.toml").write_text(FAR_STRONG, encoding="utf-8")
    rich.editor.asked.clear()
    job = await rich.fix(rich.file(folder=rich.home / "trusted"))
    started = await _started(rich, job)
    assert any("strong.example.org" in note and "policy" in note for note in started["notes"])
    await rich.editor.message("ensemble/proposal")
    assert "window/showMessageRequest" not in [method for method, _ in rich.editor.asked]


def _contents_of(stage: Stage, job: str) -> int:
    database = f"file:{stage.home / 'state' / 'ensemble.sqlite3'}?mode=ro"
    with closing(sqlite3.connect(database, uri=True)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM contents WHERE job = ?", (job,)).fetchone()
    return int(count)


async def test_no_transcript_is_written_down(rich: Stage, policy: Callable[[str], None]) -> None:
    uri = rich.file()
    before = await rich.fix(uri)
    await rich.editor.message("ensemble/proposal")
    policy("transcripts = false\n")
    after = await rich.fix(uri)
    await rich.editor.message("ensemble/proposal")
    assert (_contents_of(rich, before), _contents_of(rich, after)) == (1, 0)
    listed = await rich.editor.command("ensemble.jobs", {})
    assert after in [each["job"] for each in listed["jobs"]], "its line is kept, and what it cost"


async def test_policy_that_cannot_be_understood_stops_every_job(
    rich: Stage, policy: Callable[[str], None]
) -> None:
    policy("recipients = 7\n")
    before = len(rich.server.requests)
    ended = await rich.finished(await rich.fix(rich.file()))
    assert ended["status"] == "failed"
    assert "policy.toml" in ended["reason"]
    assert rich.server.requests[before:] == []
    await rich.editor.message("window/showMessage")
