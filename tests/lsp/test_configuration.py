"""The editor's settings, live: asked for by folder, checked key by key, and never what a job waits for in vain."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from tests.lsp.stage import Stage
from tests.support.fake_editor import Json

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHANGED: Json = {"settings": None}


@pytest_asyncio.fixture(loop_scope="session")
async def settings(full: Stage) -> AsyncIterator[Callable[..., None]]:
    """Change the settings that the client has for all folders alike; afterwards it has none again."""

    def change(answer: object, scoped: Callable[[str | None], object] | None = None) -> None:
        def answers(params: Json) -> Any:
            return [scoped(item.get("scopeUri")) if scoped else answer for item in params["items"]]

        full.editor.answers["workspace/configuration"] = answers
        full.editor.notify("workspace/didChangeConfiguration", CHANGED)

    yield change
    change(None)
    await full.editor.command("ensemble.panel", {})


async def _day_usd(stage: Stage) -> float:
    described = await stage.editor.command("ensemble.panel", {})
    return float(described["dayUsd"])


def _trust(stage: Stage, *, trusted: bool) -> None:
    stage.editor.notify("ensemble/trust", {"uri": stage.workspace.as_uri(), "trusted": trusted})


@pytest_asyncio.fixture(loop_scope="session")
async def trusted(full: Stage) -> AsyncIterator[Stage]:
    """The full client with its first folder trusted."""
    _trust(full, trusted=True)
    yield full
    _trust(full, trusted=False)


async def test_settings_are_asked_for_once_everywhere_and_once_a_folder(full: Stage) -> None:
    asked = [params for method, params in full.editor.asked if method == "workspace/configuration"]
    full.editor.notify("workspace/didChangeConfiguration", CHANGED)
    again = len(asked) + 1
    await full.editor.until(
        lambda: sum(method == "workspace/configuration" for method, _ in full.editor.asked) >= again
    )
    latest = [params for method, params in full.editor.asked if method == "workspace/configuration"][-1]
    second = full.home / "second"
    assert latest["items"] == [
        {"section": "ensemble"},
        {"scopeUri": full.workspace.as_uri(), "section": "ensemble"},
        {"scopeUri": second.as_uri(), "section": "ensemble"},
    ]


async def test_client_is_asked_to_tell_of_changes(full: Stage) -> None:
    methods = [
        registration["method"]
        for method, params in full.editor.asked
        if method == "client/registerCapability"
        for registration in params["registrations"]
    ]
    assert "workspace/didChangeConfiguration" in methods


async def test_changed_setting_counts_for_what_starts_from_then_on(
    trusted: Stage, settings: Callable[..., None]
) -> None:
    settings({"budget": {"dayUsd": 1.25}})
    assert await _day_usd(trusted) == 1.25
    settings(None)
    assert await _day_usd(trusted) == 5.0


async def test_each_folder_has_its_own_settings(trusted: Stage, settings: Callable[..., None]) -> None:
    first = trusted.workspace.as_uri()

    def of_folder(scope: str | None) -> Json:
        return {"budget": {"dayUsd": 3.0 if scope == first else 9.0}}

    settings(None, of_folder)
    assert await _day_usd(trusted) == 3.0


async def test_job_that_runs_keeps_the_settings_it_started_with(
    trusted: Stage, settings: Callable[..., None]
) -> None:
    uri = trusted.file()
    trusted.voices.gate.clear()
    calls = len(trusted.server.calls)
    job = await trusted.fix(uri)
    await trusted.server.wait_for_calls(calls + 2)
    settings({"budget": {"calls": 0}})
    assert await _day_usd(trusted) == 5.0
    trusted.voices.gate.set()
    assert (await trusted.finished(job))["status"] == "done"
    await trusted.editor.message("ensemble/proposal")
    assert (await trusted.finished(await trusted.fix(uri)))["status"] == "overBudget"
    await trusted.editor.message("window/showMessage")


async def test_wrong_value_is_named_and_the_last_good_one_stays(
    trusted: Stage, settings: Callable[..., None]
) -> None:
    settings({"budget": {"dayUsd": 1.5}})
    assert await _day_usd(trusted) == 1.5
    settings({"budget": {"dayUsd": "plenty"}, "rounds": 2})
    told = await trusted.editor.message("window/showMessage")
    assert "budget.day_usd" in told["message"]
    assert "what was set before stays" in told["message"]
    assert await _day_usd(trusted) == 1.5


@pytest.mark.parametrize("answer", [{}, [], "ensemble", 7, [{"budget": {"dayUsd": 1}}] * 9])
async def test_answer_of_the_wrong_shape_changes_nothing(
    trusted: Stage, settings: Callable[..., None], answer: object
) -> None:
    settings({"budget": {"dayUsd": 1.5}})
    assert await _day_usd(trusted) == 1.5
    trusted.editor.answers["workspace/configuration"] = lambda _: answer
    trusted.editor.notify("workspace/didChangeConfiguration", CHANGED)
    assert await _day_usd(trusted) == 1.5


async def test_section_that_is_no_object_is_said_to_be_wrong(
    trusted: Stage, settings: Callable[..., None]
) -> None:
    settings("everything")
    assert "ensemble must be an object" in (await trusted.editor.message("window/showMessage"))["message"]
    assert await _day_usd(trusted) == 5.0


async def test_restricted_settings_of_a_folder_that_is_not_trusted_are_ignored(
    full: Stage, settings: Callable[..., None]
) -> None:
    settings({"budget": {"dayUsd": 500.0}, "panel": ["openai/expensive"]})
    described = await full.editor.command("ensemble.panel", {})
    assert described["dayUsd"] == 5.0
    assert [seat["id"] for seat in described["seats"]] == ["alpha", "beta"]
    told = (await full.editor.message("window/showMessage"))["message"]
    assert "budget.day_usd" in told
    assert "panel" in told
    assert str(full.workspace) in told


async def test_exclusion_counts_in_a_folder_that_is_not_trusted(
    full: Stage, settings: Callable[..., None]
) -> None:
    settings({"context": {"exclude": ["private_*"]}})
    full.number += 1
    uri = full.file(name=f"private_{full.number}.py")
    calls = len(full.server.calls)
    ended = await full.finished(await full.fix(uri))
    assert ended["status"] == "failed"
    assert "context.exclude" in ended["reason"]
    assert len(full.server.calls) == calls
    await full.editor.message("window/showMessage")


async def test_client_that_never_answers_holds_no_job_up(full: Stage, settings: Callable[..., None]) -> None:
    del full.editor.answers["workspace/configuration"]
    full.editor.notify("workspace/didChangeConfiguration", CHANGED)
    await full.editor.until(
        lambda: any(item["method"] == "workspace/configuration" for item in full.editor.inbox)
    )
    await full.fix(full.file())
    assert await full.editor.message("ensemble/proposal")
    full.editor.answer("workspace/configuration", [None, None, None])


async def test_answer_to_an_earlier_question_does_not_count(
    trusted: Stage, settings: Callable[..., None]
) -> None:
    del trusted.editor.answers["workspace/configuration"]
    trusted.editor.notify("workspace/didChangeConfiguration", CHANGED)
    await trusted.editor.until(
        lambda: any(item["method"] == "workspace/configuration" for item in trusted.editor.inbox)
    )
    settings({"budget": {"dayUsd": 2.0}})
    assert await _day_usd(trusted) == 2.0
    trusted.editor.answer("workspace/configuration", [{"budget": {"dayUsd": 4.0}}] * 3)
    assert await _day_usd(trusted) == 2.0


async def test_old_client_sends_the_settings_along(bare: Stage) -> None:
    assert await _day_usd(bare) == 5.0
    bare.editor.notify("ensemble/trust", {"uri": bare.workspace.as_uri(), "trusted": True})
    changed = {"ensemble": {"budget": {"dayUsd": 0.75}}, "other": {"budget": {"dayUsd": 9}}}
    bare.editor.notify("workspace/didChangeConfiguration", {"settings": changed})
    assert await _day_usd(bare) == 0.75
    bare.editor.notify("workspace/didChangeConfiguration", {"settings": {}})
    assert await _day_usd(bare) == 5.0
    bare.editor.notify("ensemble/trust", {"uri": bare.workspace.as_uri(), "trusted": False})


@pytest.mark.parametrize("params", [None, [], {"settings": 7}, {"settings": {"ensemble": None}}, {}])
async def test_change_notification_of_any_shape(bare: Stage, params: object) -> None:
    bare.editor.notify("workspace/didChangeConfiguration", params)
    assert await _day_usd(bare) == 5.0
