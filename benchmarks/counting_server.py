"""A model server on loopback that takes a fixed time for every reply, and counts what goes over the wire.

It speaks OpenAI's chat completions, with tools, streamed or whole, and asks a function what the model says. Tokens
are counted here, alike for everybody who calls: by OpenAI's o200k_base over the text of all messages, tool calls,
tool descriptions and response schemas of a request, and over the text or tool call of a reply. Roles, and what a
provider's chat template adds, are not counted.
"""

import asyncio
import functools
import importlib.util
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, cast

import tiktoken

from tests.support.fake_model_script import Recorded
from tests.support.fake_model_wire import event, read_request, send_json, write_chunk

Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says: a text, or a call of one tool."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def counted(self) -> str:
        """The text that counts as received."""
        return self.tool + json.dumps(dict(self.arguments), ensure_ascii=False) if self.tool else self.text


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call: seconds by `time.perf_counter`, tokens sent to the model and received from it."""

    model: str
    arrived: float
    answered: float
    sent: int
    received: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one decision put on the wire."""

    exchanges: tuple[Exchange, ...] = ()

    @property
    def calls(self) -> int:
        """How many calls there were."""
        return len(self.exchanges)

    @property
    def sent(self) -> int:
        """Tokens of all requests."""
        return sum(exchange.sent for exchange in self.exchanges)

    @property
    def received(self) -> int:
        """Tokens of all replies."""
        return sum(exchange.received for exchange in self.exchanges)

    @property
    def first(self) -> float:
        """When the first request came in."""
        return min(exchange.arrived for exchange in self.exchanges)

    def steps(self, latency: float) -> int:
        """Return how many replies had to be waited for one after the other."""
        steps, free = 0, float("-inf")
        for exchange in sorted(self.exchanges, key=lambda each: each.arrived):
            if exchange.arrived >= free:
                steps, free = steps + 1, exchange.arrived + latency
        return steps


class CountingServer:
    """Serves while the context is open."""

    def __init__(self, script: Callable[[Body], Reply], latency: float) -> None:
        self._script = script
        self._latency = latency
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._exchanges: list[Exchange] = []
        self.failure = ""
        """Why the script could not answer; the run that met it counts for nothing."""
        self.bodies: list[Body] = []
        """The requests for completions, for looking at."""

    async def __aenter__(self) -> Self:
        tokens_of("")  # reading the tokenizer takes longer than a reply
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=2**24)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    @property
    def openai_base(self) -> str:
        """The API base of an OpenAI-compatible client."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def taken(self) -> Traffic:
        """Return what was counted since the last time, and begin anew."""
        traffic, self._exchanges = Traffic(tuple(self._exchanges)), []
        self.bodies = []
        return traffic

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while (request := await read_request(reader)) is not None:
                await self._answer(request, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away, or the server is closing
        finally:
            self._connections.discard(task)
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(self, request: Recorded, writer: asyncio.StreamWriter) -> None:
        if "messages" not in request.body:
            await send_json(writer, 200, {"object": "list", "data": []})
            return
        arrived = time.perf_counter()
        try:
            reply = self._script(request.body)
        except ValueError as problem:
            self.failure = str(problem)
            await send_json(
                writer, 400, {"error": {"message": self.failure, "type": "invalid_request_error"}}
            )
            return
        sent, received = tokens_of(sent_text(request.body)), tokens_of(reply.counted)
        # Counting is the server's own work, not the model's: it comes out of the reply's time.
        await asyncio.sleep(max(0.0, arrived + self._latency - time.perf_counter()))
        answered = time.perf_counter()
        self.bodies.append(request.body)
        self._exchanges.append(Exchange(request.model, arrived, answered, sent, received))
        usage = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
        if request.body.get("stream") is True:
            await _stream(writer, request, reply, usage)
        else:
            message = {"role": "assistant", **_said(reply)}
            choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
            head = _head(request, "chat.completion")
            await send_json(writer, 200, {**head, "choices": [choice], "usage": usage})


async def _stream(
    writer: asyncio.StreamWriter, request: Recorded, reply: Reply, usage: Mapping[str, int]
) -> None:
    head = _head(request, "chat.completion.chunk")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    delta = {"role": "assistant", **_said(reply)}
    choices: tuple[dict[str, object], ...] = (
        {"index": 0, "delta": delta, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": _finish(reply)},
    )
    for choice in choices:
        await write_chunk(writer, event({**head, "choices": [choice]}))
    await write_chunk(writer, event({**head, "choices": [], "usage": usage}))
    await write_chunk(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _head(request: Recorded, kind: str) -> dict[str, object]:
    return {"id": "counted", "object": kind, "created": 1, "model": request.model}


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.tool else "stop"


def _said(reply: Reply) -> dict[str, object]:
    if not reply.tool:
        return {"content": reply.text}
    function = {"name": reply.tool, "arguments": json.dumps(dict(reply.arguments), ensure_ascii=False)}
    call = {"index": 0, "id": f"call_{time.perf_counter_ns()}", "type": "function", "function": function}
    return {"content": None, "tool_calls": [call]}


def messages_of(body: Body) -> list[str]:
    """Return the text of each message, tool calls as JSON."""
    texts: list[str] = []
    for message in cast("Sequence[Body]", body.get("messages") or ()):
        content = message.get("content")
        text = content if isinstance(content, str) else _json(content) if content else ""
        if calls := message.get("tool_calls"):
            text += _json(calls)
        texts.append(text)
    return texts


def sent_text(body: Body) -> str:
    """Return all of a request that a model reads."""
    rest = [_json(body[name]) for name in ("tools", "response_format") if body.get(name)]
    return "\n".join([*messages_of(body), *rest])


def tokens_of(text: str) -> int:
    """Return the number of tokens under o200k_base; the file of it comes with litellm, nothing is fetched."""
    return len(_encoding().encode(text, disallowed_special=())) if text else 0


@functools.cache
def _encoding() -> "tiktoken.Encoding":
    found = importlib.util.find_spec("litellm")
    assert found is not None
    assert found.origin is not None
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(found.origin).parent / "litellm_core_utils" / "tokenizers")
    return tiktoken.get_encoding("o200k_base")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
