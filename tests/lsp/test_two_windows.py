"""Two editors at once on two workspaces: both work, and both know what was spent and what ran."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.lsp.stage import BUG, CART, REPAIR, Stage, environment_of, settings_of
from tests.support.fake_editor import RICH, FakeEditor, editor

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def other(rich: Stage, tmp_path: Path) -> AsyncIterator[FakeEditor]:
    """A second window: its own folder and members with prices, the same person's directories; one slip in it."""
    settings: dict[str, Any] = settings_of(rich.server, rounds="many")
    for member in settings["panel"]:
        member |= {"price_in": 40.0, "price_out": 80.0}
    (tmp_path / "cart.py").write_text(CART, encoding="utf-8")
    async with editor(
        tmp_path,
        capabilities=RICH,
        options={"settings": settings},
        environment=environment_of(rich.home),
    ) as window:
        yield window


async def _fixed(window: FakeEditor, path: Path) -> str:
    uri = path.as_uri()
    if uri not in window.texts:
        window.open(path)
    job = str((await window.command("ensemble.fix", {"uri": uri}))["job"])
    proposal = await window.message("ensemble/proposal")
    assert (await window.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert window.texts[uri] == CART.replace(BUG, REPAIR)
    return job


async def test_both_windows_work_and_share_what_was_spent(
    rich: Stage, other: FakeEditor, tmp_path: Path
) -> None:
    told = (await other.message("window/showMessage"))["message"]
    assert "rounds" in told
    assert "no job starts until it is right" in told
    path = tmp_path / "cart.py"
    uri = other.open(path)
    await other.command("ensemble.fix", {"uri": uri})
    assert "rounds" in (await other.message("window/showMessage"))["message"]
    other.notify("workspace/didChangeConfiguration", {"settings": {"ensemble": {"rounds": 1}}})

    rich.file(name="cart.py")
    rich.voices.path = "cart.py"
    here = await _fixed(rich.editor, rich.workspace / "cart.py")
    there = await _fixed(other, path)

    spent: list[float] = []
    for window in (rich.editor, other):
        listed = [each["job"] for each in (await window.command("ensemble.jobs", {}))["jobs"]]
        assert {here, there} <= set(listed)
        spent.append((await window.command("ensemble.panel", {}))["spentTodayUsd"])
    assert spent[0] == spent[1] > 0
    assert not other.unexpected()
