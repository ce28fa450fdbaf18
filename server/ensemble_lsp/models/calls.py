"""One call on the wire, in our own types: what is sent, what streams back, how it fails."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them. `cached` and `cache_writes` are parts of `prompt`."""

    prompt: int
    completion: int
    cached: int = 0
    cache_writes: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a streamed answer; `finish` is the provider's word, on one of the last chunks."""

    text: str = ""
    finish: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """Everything one request needs. `api_key` never appears in a repr."""

    model: str
    messages: tuple[Mapping[str, object], ...]
    max_tokens: int
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    seed: int | None = None
    json_schema: Mapping[str, object] | None = None
    """Already in the dialect of the provider."""
    reasoning_effort: str | None = None
    context_tokens: int = 32_768
    timeout: float = 60.0


class FailureKind(StrEnum):
    """Why a call failed, as far as the next step depends on it."""

    AUTHENTICATION = "authentication"
    NO_CREDIT = "no credit"
    UNKNOWN_MODEL = "unknown model"
    RATE_LIMITED = "rate limited"
    UNREACHABLE = "unreachable"
    """No connection: nothing was sent."""
    OVERLOADED = "overloaded"
    """Turned away before any work: 503, 529."""
    BROKEN = "broken"
    """Failed on the way, perhaps after work was done: 500, a cut connection, an unreadable answer."""
    TIMEOUT = "timeout"
    CONTEXT = "context"
    REFUSED = "refused"
    BAD_REQUEST = "bad request"


class CallFailure(Exception):
    """A call that brought no complete answer. `message` is the provider's, unscrubbed: never show it raw."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status
        self.retry_after = retry_after

    @property
    def charged_nothing(self) -> bool:
        """Whether it is certain that the provider did no work for it."""
        return self.kind not in {FailureKind.BROKEN, FailureKind.TIMEOUT}


class Transport(Protocol):
    """A way of calling models."""

    def stream(self, call: Call) -> AsyncGenerator[Chunk]:
        """Send the call and yield what comes back; raises `CallFailure`.

        Closing the iterator, or cancelling the task that reads it, closes the connection.
        """
        ...


def failure_of_status(status: int, message: str, retry_after: float | None = None) -> CallFailure:
    """Return the failure that an HTTP status and the provider's message stand for."""
    lowered = message.lower()
    if any(mark in lowered for mark in _CONTEXT_MARKS):
        kind = FailureKind.CONTEXT
    elif status == 402 or any(mark in lowered for mark in _CREDIT_MARKS):
        kind = FailureKind.NO_CREDIT
    elif status in {401, 403}:
        kind = FailureKind.AUTHENTICATION
    elif status == 404 or ("model" in lowered and "not found" in lowered):
        kind = FailureKind.UNKNOWN_MODEL
    elif status == 429:
        kind = FailureKind.RATE_LIMITED
    elif status in {503, 529}:
        kind = FailureKind.OVERLOADED
    elif status in {408, 504}:
        kind = FailureKind.TIMEOUT if status == 408 else FailureKind.BROKEN
    elif status >= 500:
        kind = FailureKind.BROKEN
    elif any(mark in lowered for mark in _FILTER_MARKS):
        kind = FailureKind.REFUSED
    else:
        kind = FailureKind.BAD_REQUEST
    return CallFailure(kind, message, status=status, retry_after=retry_after)


def seconds_of_retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header; None when it is absent, a date or nonsense."""
    try:
        seconds = float(value) if value is not None else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < float("inf") else None


# Words of the providers' own messages where the status says only "400" or "429".
_CONTEXT_MARKS = (
    "context_length_exceeded",
    "maximum context length",
    "context length exceeded",
    "exceeds the available context",
    "exceed context",
    "prompt is too long",
    "input token count exceeds",
)
_CREDIT_MARKS = (
    "insufficient_quota",
    "exceeded your current quota",
    "credit balance is too low",
    "insufficient balance",
)
_FILTER_MARKS = ("content_policy", "content policy", "content filter", "content_filter", "safety system")
