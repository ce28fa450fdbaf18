"""Two thousand requests on the wire before the first answer is read, with typing in between."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.lsp.stage import CART, Stage, stage
from tests.support.fake_editor import PATIENCE, RICH, Json, ServerError
from tests.support.processes import engine_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

REQUESTS = 2_000
CANCELLED = -32800
INVALID_PARAMS = -32602


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def own(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """An editor of these tests alone."""
    async with stage(tmp_path_factory.mktemp("flood").resolve(), RICH, ollama=True) as shared:
        yield shared


def menu_at(uri: str, line: int) -> Json:
    """Return the parameters of a code action request."""
    place = {"line": line, "character": 4}
    return {
        "textDocument": {"uri": uri},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    }


async def test_flood_of_requests_while_typing_is_answered_and_documents_stay_in_order(own: Stage) -> None:
    uri = own.file(CART)
    waiting: list[tuple[str, asyncio.Future[Any]]] = []
    names: list[str] = []
    for number in range(REQUESTS):
        if number % 10 == 0:
            # The function is renamed; the next menu must show the name it has just then.
            name = f"total_{number}"
            own.editor.type(uri, 0, 4, name, until=(0, own.editor.texts[uri].index("(")))
            names.append(name)
        match number % 3:
            case 0:
                asked = own.editor.send_request("textDocument/codeAction", menu_at(uri, 0))
                waiting.append((names[-1], asked[1]))
            case 1:
                place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 5}}
                waiting.append(("", own.editor.send_request("textDocument/hover", place)[1]))
            case _:
                command: Json = {"command": "ensemble.cancel", "arguments": [{"job": f"nobody {number}"}]}
                waiting.append(("refused", own.editor.send_request("workspace/executeCommand", command)[1]))
    async with asyncio.timeout(PATIENCE):
        for expected, answer in waiting:
            if expected == "refused":
                with pytest.raises(ServerError) as refusal:
                    await answer
                assert refusal.value.code == INVALID_PARAMS
            elif expected:
                assert f"Ensemble: write tests for `{expected}`" in [item["title"] for item in await answer]
            else:
                assert await answer is None
    assert not own.editor.unexpected()


async def test_cancelled_requests_in_a_flood_are_answered_as_cancelled(own: Stage) -> None:
    """Commands that wait for the engine, half of them cancelled while it stands still."""
    listing: Json = {"command": "ensemble.jobs", "arguments": [{}]}
    await own.editor.command("ensemble.jobs", {})
    engine = engine_of(own.editor)
    os.kill(engine, signal.SIGSTOP)
    try:
        asked = [own.editor.send_request("workspace/executeCommand", listing) for _ in range(200)]
        for number, _ in asked[::2]:
            own.editor.notify("$/cancelRequest", {"id": number})
        async with asyncio.timeout(PATIENCE):
            for _, answer in asked[::2]:
                with pytest.raises(ServerError) as refusal:
                    await answer
                assert refusal.value.code == CANCELLED
        assert not any(answer.done() for _, answer in asked[1::2])
    finally:
        os.kill(engine, signal.SIGCONT)
    async with asyncio.timeout(PATIENCE):
        for _, answer in asked[1::2]:
            assert "jobs" in await answer
    assert not own.editor.unexpected()
