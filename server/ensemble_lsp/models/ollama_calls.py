"""Ollama through its own API, without litellm.

litellm's Ollama path asks `/api/show` with a blocking client on the event loop after each answer, which
stalls every other stream for as long as Ollama is busy. The native API also takes `num_ctx`: without it
Ollama cuts long prompts off in silence.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from typing import cast

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

DEFAULT_BASE = "http://127.0.0.1:11434"
PREFIXES = ("ollama_chat/", "ollama/")

# Loading a model takes longest; keeping it for a job's length spares the next call that.
_KEEP_ALIVE = "15m"


class OllamaTransport:
    """Calls `/api/chat`."""

    async def stream(self, call: Call) -> AsyncGenerator[Chunk]:
        """Send the call and yield what comes back; raises `CallFailure`."""
        base = (call.api_base or DEFAULT_BASE).rstrip("/").removesuffix("/v1")
        async with (
            connected(base, call.api_key, call.timeout, proxies=False) as client,
            client.stream("POST", f"{base}/api/chat", json=_body(call)) as response,
        ):
            if not response.is_success:
                await response.aread()
                raise failure_of_status(
                    response.status_code,
                    _error_text(response.text),
                    seconds_of_retry_after(response.headers.get("retry-after")),
                )
            finished = False
            async for line in response.aiter_lines():
                if line.strip():
                    chunk = _chunk(line)
                    finished = finished or chunk.finish is not None
                    yield chunk
            if not finished:
                raise CallFailure(FailureKind.BROKEN, "the answer ended before it was complete")


def ollama_name(model: str) -> str:
    """Return the model's name as Ollama knows it."""
    for prefix in PREFIXES:
        if model.startswith(prefix):
            return model.removeprefix(prefix)
    return model


def _body(call: Call) -> dict[str, object]:
    options: dict[str, object] = {"num_ctx": call.context_tokens, "num_predict": call.max_tokens}
    if call.temperature is not None:
        options["temperature"] = call.temperature
    if call.seed is not None:
        options["seed"] = call.seed
    body: dict[str, object] = {
        "model": ollama_name(call.model),
        "messages": [dict(message) for message in call.messages],
        "stream": True,
        "keep_alive": _KEEP_ALIVE,
        "options": options,
    }
    if call.json_schema is not None:
        body["format"] = dict(call.json_schema)
    return body


def _chunk(line: str) -> Chunk:
    try:
        parsed: object = json.loads(line)
    except ValueError as error:
        raise CallFailure(FailureKind.BROKEN, "Ollama's answer is not JSON") from error
    if not isinstance(parsed, dict):
        raise CallFailure(FailureKind.BROKEN, "Ollama's answer is not a JSON object")
    data = cast("Mapping[str, object]", parsed)
    if "error" in data:
        raise CallFailure(FailureKind.BROKEN, str(data["error"]))
    message = data.get("message")
    text = (
        str(cast("Mapping[str, object]", message).get("content") or "") if isinstance(message, dict) else ""
    )
    if data.get("done") is not True:
        return Chunk(text=text)
    prompt, completion = data.get("prompt_eval_count"), data.get("eval_count")
    usage = None
    if isinstance(prompt, int) and isinstance(completion, int):
        usage = Usage(prompt=prompt, completion=completion)
    return Chunk(text=text, finish=str(data.get("done_reason") or "stop"), usage=usage)


def _error_text(body: str) -> str:
    try:
        parsed: object = json.loads(body)
    except ValueError:
        return body[:500]
    if isinstance(parsed, dict):
        return str(cast("Mapping[str, object]", parsed).get("error", body))[:500]
    return body[:500]
