"""The bytes of the fake model server: HTTP, OpenAI's and Ollama's forms of an answer."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from http import HTTPStatus
from typing import cast

from tests.support.fake_model_script import Answer, Recorded, ServedModel, words

SECONDS_OF_A_HANG = 600.0


def details(model: ServedModel) -> dict[str, str]:
    """Return what Ollama's listing says of a model."""
    return {"family": "test", "parameter_size": model.parameter_size, "quantization_level": "Q4_K_M"}


def _usage(request: Recorded, answer: Answer) -> dict[str, object]:
    prompt = answer.prompt_tokens if answer.prompt_tokens is not None else len(words(request.prompt))
    completion = answer.completion_tokens if answer.completion_tokens is not None else len(words(answer.text))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
    }


def _envelope(request: Recorded, kind: str) -> dict[str, object]:
    return {"id": "fake-1", "object": kind, "created": 1, "model": request.model}


def completion(request: Recorded, answer: Answer) -> dict[str, object]:
    """Return OpenAI's whole answer."""
    message = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    usage = {"usage": _usage(request, answer)} if answer.usage else {}
    return {**_envelope(request, "chat.completion"), "choices": [choice], **usage}


def chunk(request: Recorded, delta: dict[str, object], finish: str | None = None) -> dict[str, object]:
    """Return one of OpenAI's streamed pieces."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**_envelope(request, "chat.completion.chunk"), "choices": [choice]}


def event(data: object) -> bytes:
    """Return one server-sent event."""
    return f"data: {json.dumps(data)}\n\n".encode()


def ollama_part(request: Recorded, token: str) -> bytes:
    """Return one of Ollama's streamed pieces."""
    message = {"role": "assistant", "content": token}
    return json.dumps({"model": request.model, "message": message, "done": False}).encode() + b"\n"


def ollama_end(request: Recorded, answer: Answer) -> dict[str, object]:
    """Return Ollama's last piece, or its whole answer."""
    stream = request.body.get("stream", True) is True
    usage = _usage(request, answer)
    return {
        "model": request.model,
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": "" if stream else answer.text},
        "done": True,
        "done_reason": answer.finish_reason,
        "total_duration": 1_000_000,
        "eval_duration": 1_000_000,
    } | (
        {"prompt_eval_count": usage["prompt_tokens"], "eval_count": usage["completion_tokens"]}
        if answer.usage
        else {}
    )


def ending(request: Recorded, answer: Answer, *, ollama: bool) -> list[bytes]:
    """Return the pieces after the last token."""
    if ollama:
        return [json.dumps(ollama_end(request, answer)).encode() + b"\n"]
    parts: list[bytes] = []
    if answer.refusal is not None:
        parts.append(event(chunk(request, {"refusal": answer.refusal})))
    parts.append(event(chunk(request, {}, answer.finish_reason)))
    options = request.body.get("stream_options")
    if answer.usage and isinstance(options, dict) and cast("dict[str, object]", options).get("include_usage"):
        usage: dict[str, object] = {"choices": [], "usage": _usage(request, answer)}
        parts.append(event({**_envelope(request, "chat.completion.chunk"), **usage}))
    return [*parts, b"data: [DONE]\n\n"]


async def paced(answer: Answer) -> AsyncGenerator[str]:
    """Yield the answer's words with their blanks, at its speed."""
    tokens = words(answer.text)
    loop = asyncio.get_running_loop()
    started = loop.time()
    for number, token in enumerate(tokens):
        if answer.hang == "within" and number >= len(tokens) // 2:
            await asyncio.sleep(SECONDS_OF_A_HANG)
        if answer.tokens_per_second:
            due = started + number / answer.tokens_per_second
            await asyncio.sleep(max(0.0, due - loop.time()))
        yield token


async def read_request(reader: asyncio.StreamReader) -> Recorded | None:
    """Read one request; None when the client closed the connection."""
    line = await reader.readline()
    if not line.strip():
        return None
    method, target, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (header := (await reader.readline()).decode().strip()) != "":
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    body: object = json.loads(raw) if raw else {}
    fields = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    return Recorded(method, target.split("?", 1)[0], headers, fields)


async def send(
    writer: asyncio.StreamWriter,
    status: int,
    kind: str,
    body: bytes,
    headers: Mapping[str, str] | None = None,
) -> bool:
    """Send a whole response; returns that the connection can be used again."""
    extra = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    writer.write(
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: {kind}\r\n{extra}"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    await writer.drain()
    return True


async def send_json(
    writer: asyncio.StreamWriter, status: int, data: object, headers: Mapping[str, str] | None = None
) -> bool:
    """Send a whole response as JSON."""
    return await send(writer, status, "application/json", json.dumps(data).encode(), headers)


async def write_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Send one piece of a chunked body."""
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()
