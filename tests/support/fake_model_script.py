"""What the fake model server is told to answer, and what it records of each request."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """One scripted answer. `contains` narrows it to prompts that hold this text; such answers go first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = "ok"
    contains: str = ""
    latency: float = 0.0
    """Seconds before the first byte of the answer."""
    tokens_per_second: float | None = None
    """None: as fast as the client reads. A token is one word with its trailing blanks."""
    status: int = 200
    error: str = "the server says no"
    error_code: str | None = None
    error_type: str = "server_error"
    retry_after: str | float | None = None
    hang: Literal["", "before", "within"] = ""
    """"before": nothing is ever sent; "within": silence after half of the tokens."""
    cut_after: int | None = None
    """Tokens after which the connection is dropped."""
    malformed: bool = False
    """The body is not JSON."""
    finish_reason: str = "stop"
    refusal: str | None = None
    usage: bool = True
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0


class ServedModel(BaseModel):
    """One model as the listings show it. `capabilities` and `context_length` are Ollama's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    capabilities: tuple[str, ...] = ("completion",)
    context_length: int = 32_768
    max_model_len: int | None = None
    """vLLM's word for the context window."""
    parameter_size: str = "1.5B"
    remote_host: str | None = None
    """Where Ollama's cloud answers for it."""


@dataclass(slots=True)
class Recorded:
    """One request as it came in, and how it ended. `body` is the parsed JSON, `{}` where there is none."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, object]
    ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    disconnected: bool = False
    """The client went away before the answer was complete."""
    tokens_sent: int = 0

    @property
    def model(self) -> str:
        """The model asked for, without Ollama's ":latest"."""
        return str(self.body.get("model", "")).removesuffix(":latest")

    @property
    def prompt(self) -> str:
        """All messages, joined."""
        messages = self.body.get("messages")
        if not isinstance(messages, list):
            return ""
        return "\n".join(_content(message) for message in cast("list[object]", messages))


Script = Mapping[str, Sequence[Answer]] | Callable[[Recorded], Answer]
"""Model name (or "*") to its answers by call number, the last one repeating; or a function of the request."""


def words(text: str) -> list[str]:
    """Split into words, each with the blank that follows it: what the server calls tokens."""
    parts = [piece + " " for piece in text.split(" ")]
    parts[-1] = parts[-1][:-1]
    return [part for part in parts if part] or [""]


def _content(message: object) -> str:
    if not isinstance(message, dict):
        return ""
    content = cast("dict[str, object]", message).get("content", "")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
