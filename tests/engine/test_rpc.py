"""JSON-RPC between front and engine, over real socket pairs."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ensemble_lsp.core.errors import BudgetExceeded, EngineError, UnknownItem
from ensemble_lsp.engine.messages import JobRef
from ensemble_lsp.engine.rpc import Connection, error_from_wire, error_to_wire


@asynccontextmanager
async def connected() -> AsyncGenerator[tuple[Connection, Connection, asyncio.StreamWriter]]:
    left, right = socket.socketpair()
    near_reader, near_writer = await asyncio.open_connection(sock=left)
    far_reader, far_writer = await asyncio.open_connection(sock=right)
    near, far = Connection(near_reader, near_writer), Connection(far_reader, far_writer)
    serving = [asyncio.ensure_future(near.run()), asyncio.ensure_future(far.run())]
    try:
        yield near, far, near_writer
    finally:
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        near_writer.close()
        far_writer.close()


async def test_an_answer_comes_back_to_the_one_who_asked():
    async with connected() as (near, far, _):

        async def double(params: dict[str, Any]) -> dict[str, object]:
            return {"twice": params["number"] * 2}

        far.on("double", double)
        answers = await asyncio.gather(*(near.request("double", {"number": number}) for number in range(50)))
        assert [answer["twice"] for answer in answers] == [number * 2 for number in range(50)]


async def test_bytes_that_do_not_decode_travel_as_they_are():
    async with connected() as (near, far, _):

        async def echo(params: dict[str, Any]) -> dict[str, object]:
            return params

        far.on("echo", echo)
        assert await near.request("echo", {"text": "caf\udce9 \u2028 😀"}) == {"text": "caf\udce9 \u2028 😀"}


async def test_an_error_of_ours_arrives_as_itself():
    async with connected() as (near, far, _):

        async def fail(_: dict[str, Any]) -> None:
            raise UnknownItem("no job 'x'", field="job", hint="ensemble-lsp jobs lists them")

        far.on("fail", fail)
        with pytest.raises(UnknownItem, match="no job 'x'") as caught:
            await near.request("fail", {})
        assert caught.value.hint == "ensemble-lsp jobs lists them"


async def test_a_wrong_parameter_is_answered_with_its_name():
    async with connected() as (near, far, _):

        async def job(params: dict[str, Any]) -> None:
            JobRef.model_validate(params)

        far.on("job", job)
        with pytest.raises(EngineError, match="job: Field required"):
            await near.request("job", {})


async def test_a_bug_in_a_handler_is_an_answer_not_a_hang():
    async with connected() as (near, far, _):

        async def broken(_: dict[str, Any]) -> None:
            raise ZeroDivisionError

        far.on("broken", broken)
        with pytest.raises(EngineError, match="ZeroDivisionError"):
            await near.request("broken", {})


async def test_an_unknown_method_is_an_answer():
    async with connected() as (near, _, _):
        with pytest.raises(EngineError, match="no method 'nothing'"):
            await near.request("nothing", {})


async def test_who_waits_when_the_peer_goes_gets_an_error():
    async with connected() as (near, far, _):
        asked = asyncio.Event()

        async def never(_: dict[str, Any]) -> None:
            asked.set()
            await asyncio.Event().wait()

        far.on("never", never)
        waiting = asyncio.ensure_future(near.request("never", {}))
        await asked.wait()
        await far.close()
        with pytest.raises(EngineError, match="went away"):
            await waiting


async def test_notifications_keep_their_order():
    async with connected() as (near, far, _):
        seen: list[int] = []
        done = asyncio.Event()

        async def note(params: dict[str, Any]) -> None:
            seen.append(params["number"])
            if params["number"] == 199:
                done.set()

        far.on("note", note)
        for number in range(200):
            near.notify("note", {"number": number})
        await done.wait()
        assert seen == list(range(200))


async def test_what_is_not_json_ends_the_connection_with_a_message():
    left, right = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=left)
    with right:
        right.sendall(b"Content-Length: 5\r\n\r\nhello")
        with pytest.raises(EngineError, match="not JSON-RPC"):
            await Connection(reader, writer).run()
    writer.close()


@pytest.mark.parametrize("error", [UnknownItem("gone", hint="look"), BudgetExceeded("too much", cap="calls")])
def test_errors_keep_class_message_and_hint_on_the_wire(error: UnknownItem | BudgetExceeded):
    back = error_from_wire(error_to_wire(error))
    assert (type(back), back.message, back.hint) == (type(error), error.message, error.hint)
