"""Servers of OpenAI's API that somebody named: called directly, without litellm.

llama.cpp, LM Studio, vLLM, our own embedded server and proxies need none of what litellm translates, and
importing it costs seconds and some 200 MB.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import cast

from ensemble_lsp.core.panel import Member
from ensemble_lsp.models.calls import (
    Call,
    CallFailure,
    Chunk,
    FailureKind,
    Usage,
    failure_of_status,
    seconds_of_retry_after,
)
from ensemble_lsp.models.http_client import connected
from ensemble_lsp.models.http_library import httpx
from ensemble_lsp.models.local_servers import is_loopback
from ensemble_lsp.models.pricing import facts_of

PREFIX = "openai/"

_LONGEST_ERROR = 2_000
"""Characters of an error's body that are looked at."""
_END = "[DONE]"


def is_called_directly(member: Member) -> bool:
    """Whether the member answers at a named server of OpenAI's API, under a name that is no provider's model.

    Providers' own models have rules for what may be sent (gpt-5 takes no `max_tokens`), also behind a proxy.
    """
    if member.model.startswith("embedded/"):
        return True
    return member.model.startswith(PREFIX) and member.api_base is not None and facts_of(member.model) is None


class OpenAITransport:
    """Calls `/chat/completions` of the call's API base."""

    async def stream(self, call: Call) -> AsyncGenerator[Chunk]:
        """Send the call and yield what comes back; raises `CallFailure`."""
        base = (call.api_base or "").rstrip("/")
        async with (
            connected(base, call.api_key, call.timeout, proxies=not is_loopback(base)) as client,
            client.stream("POST", f"{base}/chat/completions", json=_body(call)) as response,
        ):
            if not response.is_success:
                await response.aread()
                raise failure_of_status(
                    response.status_code,
                    _error_text(response.text),
                    seconds_of_retry_after(response.headers.get("retry-after")),
                )
            async with aclosing(_chunks(response)) as chunks:
                async for chunk in chunks:
                    yield chunk


def _body(call: Call) -> dict[str, object]:
    body: dict[str, object] = {
        "model": call.model.removeprefix(PREFIX),
        "messages": [dict(message) for message in call.messages],
        "max_tokens": call.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if call.temperature is not None:
        body["temperature"] = call.temperature
    if call.seed is not None:
        body["seed"] = call.seed
    if call.json_schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": dict(call.json_schema), "strict": True},
        }
    return body


async def _chunks(response: "httpx.Response") -> AsyncGenerator[Chunk]:
    """Yield the pieces of a stream, or of a whole answer where the server does not stream."""
    if response.headers.get("content-type", "").partition(";")[0].strip() == "application/json":
        yield _chunk((await response.aread()).decode("utf-8", "replace"), refused=False)
        return
    refused = finished = False
    async for line in response.aiter_lines():
        field, _, data = line.partition(":")
        data = data.strip()
        if field != "data" or not data:
            continue  # comments that keep the connection alive, names of events, the blank lines between
        if data == _END:
            finished = True
            break
        chunk = _chunk(data, refused=refused)
        refused = refused or chunk.finish == "refusal"
        finished = finished or chunk.finish is not None
        yield chunk
    if not finished:
        raise CallFailure(FailureKind.BROKEN, "the answer ended before it was complete")


def _chunk(data: str, *, refused: bool) -> Chunk:
    """Read one piece; `refused`: an earlier one said that the model declines, which a later "stop" does not undo."""
    try:
        parsed: object = json.loads(data)
    except ValueError as error:
        raise CallFailure(FailureKind.BROKEN, "the answer is not JSON") from error
    piece = _mapping(parsed)
    if piece is None:
        raise CallFailure(FailureKind.BROKEN, "the answer is not a JSON object")
    if piece.get("error"):
        code = (_mapping(piece["error"]) or {}).get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        raise failure_of_status(status, _error_text(data))
    text, finish = "", None
    choices = piece.get("choices")
    if isinstance(choices, list) and choices:
        choice = _mapping(cast("list[object]", choices)[0]) or {}
        said = _mapping(choice.get("delta")) or _mapping(choice.get("message")) or {}
        content, reason = said.get("content"), choice.get("finish_reason")
        text = content if isinstance(content, str) else ""
        finish = reason if isinstance(reason, str) else None
        if refused or said.get("refusal"):
            finish = "refusal"
    return Chunk(text=text, finish=finish, usage=_usage(piece.get("usage")))


def _usage(given: object) -> Usage | None:
    usage = _mapping(given) or {}
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    cached = (_mapping(usage.get("prompt_tokens_details")) or {}).get("cached_tokens")
    return Usage(prompt=prompt, completion=completion, cached=cached if isinstance(cached, int) else 0)


def _error_text(body: str) -> str:
    """Return the server's own words, and its code for them, which alone may say what is the matter."""
    try:
        parsed = _mapping(json.loads(body))
    except ValueError:
        parsed = None
    if parsed is None:
        return body[:_LONGEST_ERROR]
    error = parsed.get("error") or parsed.get("detail") or parsed.get("message") or body
    about = _mapping(error)
    if about is None:
        return str(error)[:_LONGEST_ERROR]
    code = about.get("code")
    words = str(about.get("message") or error)
    return f"{words} ({code})"[:_LONGEST_ERROR] if isinstance(code, str) and code else words[:_LONGEST_ERROR]


def _mapping(value: object) -> Mapping[str, object] | None:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None
