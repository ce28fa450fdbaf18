"""A model server on loopback that answers as it is told: OpenAI's chat completions and Ollama's own API.

In a test::

    script = {"draft": [Answer(status=429, retry_after=2), Answer(text="fixed")], "*": [Answer(text="ok")]}
    async with FakeModelServer(script) as server:
        ...                       # member: model="openai/draft", api_base=server.openai_base
        server.requests[0].prompt

As a process, for tests of the whole product; prints `{"port": …, "base_url": …}` on one line, then serves
until its standard input ends or it is killed, and appends every finished request to `--record` as JSON::

    python -m tests.support.fake_model_server --port 0 --script FILE [--record FILE]

FILE is JSON: `{"script": {"draft": [{"text": "fixed"}]}, "models": [{"name": "draft"}]}`.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict

from tests.support.fake_model_script import Answer, Recorded, Script, ServedModel
from tests.support.fake_model_wire import (
    SECONDS_OF_A_HANG,
    chunk,
    completion,
    details,
    ending,
    event,
    ollama_end,
    ollama_part,
    paced,
    read_request,
    send,
    send_json,
    write_chunk,
)

__all__ = ["Answer", "FakeModelServer", "Recorded", "Script", "ServedModel"]


_COMPLETIONS = frozenset({"/v1/chat/completions", "/chat/completions", "/api/chat"})


class FakeModelServer:
    """Serves while the context is open. `requests` are all requests, `calls` those for completions."""

    def __init__(
        self, script: Script | None = None, *, models: Sequence[ServedModel] = (), port: int = 0
    ) -> None:
        self._script = script if script is not None else {"*": [Answer()]}
        named = () if callable(self._script) else tuple(self._script)
        self._models = tuple(models) or tuple(ServedModel(name=name) for name in named if name != "*")
        self._port = port
        self._counts: Counter[tuple[str, str]] = Counter()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._arrived = asyncio.Condition()
        self.requests: list[Recorded] = []
        self.on_ended: Callable[[Recorded], None] = lambda _request: None
        self.most_at_once = 0
        self._at_once = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, limit=2**24)
        self._port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._port

    @property
    def base_url(self) -> str:
        """The root: Ollama's API base."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_base(self) -> str:
        """The API base of an OpenAI-compatible client."""
        return f"{self.base_url}/v1"

    @property
    def calls(self) -> list[Recorded]:
        """The requests for completions, in the order they came in."""
        return [request for request in self.requests if request.path in _COMPLETIONS]

    async def wait_for_calls(self, count: int) -> list[Recorded]:
        """Wait until `count` requests for completions have come in."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.calls) >= count)
        return self.calls

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while (request := await read_request(reader)) is not None:
                async with self._arrived:
                    self.requests.append(request)
                    self._arrived.notify_all()
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                try:
                    if not await self._served(request, reader, writer):
                        break
                finally:
                    self._at_once -= 1
                    request.ended.set()
                    self.on_ended(request)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away, or the server is closing
        finally:
            self._connections.discard(task)
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _served(
        self, request: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; whether the connection can be used again. Notices a client that goes away."""
        answering = asyncio.ensure_future(self._answer(request, writer))
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                return answering.result()
            request.disconnected = True
            return False
        except ConnectionError:
            request.disconnected = True
            return False
        finally:
            answering.cancel()
            leaving.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)

    async def _answer(self, request: Recorded, writer: asyncio.StreamWriter) -> bool:
        if request.path not in _COMPLETIONS:
            return await send_json(writer, *self._listing(request))
        answer = self._chosen(request)
        if answer.hang == "before":
            await asyncio.sleep(SECONDS_OF_A_HANG)
        if answer.latency:
            await asyncio.sleep(answer.latency)
        if answer.status != HTTPStatus.OK:
            error: object = answer.error
            if request.path != "/api/chat":
                error = {
                    "message": answer.error,
                    "type": answer.error_type,
                    "code": answer.error_code,
                    "param": None,
                }
            extra = {} if answer.retry_after is None else {"Retry-After": str(answer.retry_after)}
            return await send_json(writer, answer.status, {"error": error}, extra)
        if answer.malformed:
            return await send(writer, 200, "application/json", b'{"choices": [{"mess')
        ollama = request.path == "/api/chat"
        if request.body.get("stream", ollama) is not True:
            tokens = [token async for token in paced(answer)]
            request.tokens_sent = len(tokens)
            whole = ollama_end(request, answer) if ollama else completion(request, answer)
            return await send_json(writer, 200, whole)
        return await self._stream(request, answer, writer, ollama=ollama)

    async def _stream(
        self, request: Recorded, answer: Answer, writer: asyncio.StreamWriter, *, ollama: bool
    ) -> bool:
        kind = "application/x-ndjson" if ollama else "text/event-stream"
        writer.write(
            f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        await writer.drain()
        async for token in paced(answer):
            if answer.cut_after is not None and request.tokens_sent >= answer.cut_after:
                writer.transport.abort()
                return False
            part = ollama_part(request, token) if ollama else event(chunk(request, {"content": token}))
            await write_chunk(writer, part)
            request.tokens_sent += 1
        for part in ending(request, answer, ollama=ollama):
            await write_chunk(writer, part)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def _chosen(self, request: Recorded) -> Answer:
        if callable(self._script):
            return self._script(request)
        answers = self._script.get(request.model) or self._script.get("*")
        if not answers:
            return Answer(
                status=404, error=f"model '{request.model}' not found", error_code="model_not_found"
            )
        for text in dict.fromkeys(answer.contains for answer in answers if answer.contains):
            if text in request.prompt:
                break
        else:
            text = ""
        fitting = [answer for answer in answers if answer.contains == text]
        if not fitting:
            return Answer(status=400, error=f"no scripted answer for this prompt to {request.model}")
        number = self._counts[request.model, text]
        self._counts[request.model, text] += 1
        return fitting[min(number, len(fitting) - 1)]

    def _listing(self, request: Recorded) -> tuple[int, object]:
        if request.path in {"/v1/models", "/models"}:
            return 200, {
                "object": "list",
                "data": [
                    {"id": model.name, "object": "model", "owned_by": "test"}
                    | ({"max_model_len": model.max_model_len} if model.max_model_len else {})
                    for model in self._models
                ],
            }
        if request.path == "/api/tags":
            return 200, {
                "models": [
                    {"name": model.name, "model": model.name, "details": details(model)}
                    | ({"remote_host": model.remote_host} if model.remote_host else {})
                    for model in self._models
                ]
            }
        if request.path == "/api/show":
            for model in self._models:
                if model.name in {str(request.body.get("model")), str(request.body.get("name"))}:
                    info = {"general.architecture": "test", "test.context_length": model.context_length}
                    return 200, {
                        "details": details(model),
                        "model_info": info,
                        "capabilities": list(model.capabilities),
                        "template": "",
                        "parameters": "",
                    }
        if request.path == "/health":
            return 200, {"status": "ok"}
        return 404, {"error": {"message": f"no such path: {request.path}", "type": "not_found"}}


class _File(BaseModel):
    """What `--script` names."""

    model_config = ConfigDict(extra="forbid")

    script: dict[str, list[Answer]]
    models: list[ServedModel] = []


async def _serve(file: _File, port: int, record: Path | None) -> None:
    def write(request: Recorded) -> None:
        line = {
            "method": request.method,
            "path": request.path,
            "body": request.body,
            "disconnected": request.disconnected,
            "tokens_sent": request.tokens_sent,
        }
        if record is not None:
            with record.open("a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")

    async with FakeModelServer(file.script, models=file.models, port=port) as server:
        server.on_ended = write
        print(json.dumps({"port": server.port, "base_url": server.base_url}), flush=True)
        await asyncio.to_thread(sys.stdin.read)


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    file = _File.model_validate_json(options.script.read_text(encoding="utf-8"))
    asyncio.run(_serve(file, options.port, options.record))


if __name__ == "__main__":
    main()
