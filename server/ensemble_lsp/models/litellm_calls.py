"""The one import of litellm: lazy, kept quiet, and wrapped in our own types.

`import litellm` costs 4–5 s of CPU, reaches for the internet unless told not to, and loads the working
directory's `.env` in its default mode; so it is imported inside functions, after the environment is set.
"""

import asyncio
import contextlib
import functools
import logging
import os
import threading
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Any, Protocol, cast

from ensemble_lsp.models.calls import (
    Call,
    CallFailure,
    Chunk,
    FailureKind,
    Usage,
    failure_of_status,
    seconds_of_retry_after,
)
from ensemble_lsp.models.http_library import httpx
from ensemble_lsp.models.tokens import sendable

_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "litellm")
_PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


class _Stream(Protocol):
    def __aiter__(self) -> AsyncIterator[object]: ...

    async def aclose(self) -> None: ...


def warm() -> None:
    """Import litellm and pay what its first call costs; takes seconds, so call it in a thread.

    The first call goes to a closed port of this machine: it builds the client and maps an error, no more. Done
    once a process, whoever asks first: closing its connections would cut those of calls already under way.
    """
    with _Warmth.lock:
        if not _Warmth.warm:
            _warm()
            _Warmth.warm = True


class _Warmth:
    """Whether this process paid the costs of the first call."""

    lock = threading.Lock()
    warm = False


def is_warm() -> bool:
    """Whether `warm` is through, so that a call starts at once and nobody closes its connections."""
    return _Warmth.warm


def _warm() -> None:
    count_tokens("gpt-4o", "warm")
    unreachable = Call("openai/warm", ({"role": "user", "content": ""},), 1, "http://127.0.0.1:9/v1", "none")

    async def first_call() -> None:
        with contextlib.suppress(CallFailure):
            async for _ in LitellmTransport().stream(unreachable):
                pass
        await close()

    asyncio.run(first_call())


def is_loaded() -> bool:
    """Whether litellm is imported, so that a call on the event loop will not stall it for seconds."""
    return _library.cache_info().currsize > 0


def count_tokens(model: str, text: str) -> int:
    """Return the number of tokens by OpenAI's tokenizer, which litellm bundles; imports litellm."""
    litellm = _library()
    return int(litellm.token_counter(model=model.partition("/")[2] or model, text=sendable(text)))


async def close() -> None:
    """Close the connections that litellm keeps open for this event loop."""
    if not is_loaded():
        return
    litellm = _library()
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()


class LitellmTransport:
    """Calls through litellm. Its own retries are off: the gateway's reserve before each attempt."""

    async def stream(self, call: Call) -> AsyncGenerator[Chunk]:
        """Send the call and yield what comes back; raises `CallFailure`."""
        litellm = _library()
        stream: _Stream | None = None
        try:
            stream = cast("_Stream", await litellm.acompletion(**_arguments(call)))
            async for part in stream:
                yield _chunk(part)
        except (_provider_error(litellm), *_odd_answers()) as error:
            raise failure_of(error) from error
        finally:
            if stream is not None:
                await asyncio.shield(stream.aclose())


def failure_of(error: Exception) -> CallFailure:
    """Return what an exception of litellm stands for."""
    name = type(error).__name__
    message = str(getattr(error, "message", "") or error)
    status = getattr(error, "status_code", None)
    if name == "MidStreamFallbackError":
        original = getattr(error, "original_exception", None)
        if getattr(error, "is_pre_first_chunk", False) and isinstance(original, Exception):
            return failure_of(original)  # nothing had been said yet: an error like any other
        return CallFailure(FailureKind.BROKEN, str(original or message), status=status)
    if any(isinstance(cause, httpx.ConnectError | ConnectionRefusedError) for cause in _causes(error)):
        return CallFailure(FailureKind.UNREACHABLE, message)
    kind = _KINDS.get(name)
    if kind is not None:
        return CallFailure(kind, message, status=status)
    if isinstance(status, int) and name != "APIConnectionError":
        return failure_of_status(status, message, _retry_after(error))
    return CallFailure(FailureKind.BROKEN, message)


def _odd_answers() -> tuple[type[Exception], ...]:
    """Return what litellm lets through when an answer is not shaped as its parsers expect."""
    return (httpx.HTTPError, OSError, ValueError, TypeError, KeyError, IndexError, AttributeError)


_KINDS = {
    "Timeout": FailureKind.TIMEOUT,
    "ContextWindowExceededError": FailureKind.CONTEXT,
    "ContentPolicyViolationError": FailureKind.REFUSED,
    "RejectedRequestError": FailureKind.REFUSED,
    "NotFoundError": FailureKind.UNKNOWN_MODEL,
    "LiteLLMUnknownProvider": FailureKind.UNKNOWN_MODEL,
    "PaymentRequiredError": FailureKind.NO_CREDIT,
}


@functools.cache
def _library() -> Any:
    """Import litellm with the environment it needs, and keep it off the terminal."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    _reach_loopback_directly()
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL)
        logger.propagate = False
        logger.addHandler(logging.NullHandler())
    warnings.filterwarnings("ignore", module=r"(litellm|pydantic)(\..*)?")
    litellm = _imported()
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Some of the providers' URLs carry the key, and httpx logs every URL.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    litellm.suppress_debug_info = True
    # Otherwise counting tokens for some models' names fetches their tokenizers from a hub.
    litellm.disable_hf_tokenizer_download = True
    litellm.disable_streaming_logging = True
    litellm.turn_off_message_logging = True
    # Plain httpx: what is cancelled closes its socket at once, and nothing is left open at exit.
    litellm.disable_aiohttp_transport = True
    return litellm


def _imported() -> Any:
    import litellm  # noqa: PLC0415

    return litellm


def _provider_error(litellm: Any) -> type[Exception]:
    """Return the root of the providers' errors: the class that litellm's own are derived from."""
    return litellm.exceptions.OpenAIError.__mro__[1]


def _reach_loopback_directly() -> None:
    """Keep calls to this machine away from a proxy that the environment names."""
    if any(os.environ.get(name) or os.environ.get(name.lower()) for name in _PROXY_VARIABLES):
        present = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
        if "127.0.0.1" not in present:
            exempt = ",".join(filter(None, (present, "127.0.0.1", "localhost", "::1")))
            os.environ["NO_PROXY"] = os.environ["no_proxy"] = exempt


def _arguments(call: Call) -> dict[str, object]:
    arguments: dict[str, object] = {
        "model": call.model,
        "messages": [dict(message) for message in call.messages],
        "max_tokens": call.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
        "timeout": call.timeout,
        "max_retries": 0,
        "drop_params": True,
    }
    optional: dict[str, object | None] = {
        "api_base": call.api_base,
        "api_key": call.api_key,
        "temperature": call.temperature,
        "seed": call.seed,
        "reasoning_effort": call.reasoning_effort,
    }
    arguments |= {name: value for name, value in optional.items() if value is not None}
    if call.json_schema is not None:
        arguments["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": dict(call.json_schema), "strict": True},
        }
    return arguments


def _chunk(part: object) -> Chunk:
    choices = cast("Sequence[Any]", getattr(part, "choices", None) or ())
    text, finish = "", None
    if choices:
        text = getattr(choices[0].delta, "content", None) or ""
        finish = getattr(choices[0], "finish_reason", None)
    usage = getattr(part, "usage", None)
    return Chunk(text=text, finish=finish, usage=None if usage is None else _usage(usage))


def _usage(usage: Any) -> Usage:
    details = getattr(usage, "prompt_tokens_details", None)
    return Usage(
        prompt=int(usage.prompt_tokens or 0),
        completion=int(usage.completion_tokens or 0),
        cached=int(getattr(details, "cached_tokens", 0) or 0),
        cache_writes=int(getattr(usage, "cache_creation_input_tokens", 0) or 0),
    )


def _retry_after(error: Exception) -> float | None:
    for source in (getattr(error, "litellm_response_headers", None), getattr(error, "response", None)):
        headers = getattr(source, "headers", source)
        if isinstance(headers, Mapping):
            value = cast("Mapping[str, str]", headers).get("retry-after")
            if value is not None:
                return seconds_of_retry_after(value)
    return None


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and len(chain) < 10:  # a cause may point back
        chain.append(current)
        current = current.__cause__ or current.__context__
    return chain
