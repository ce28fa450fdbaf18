"""Members that say what they were told to: the model port for tests, with the gateway's accounting.

::

    models = ScriptedModels({"a": ["first answer", "second answer"], "b": [ModelTimeout("too slow")]})
    models.requests          # what was asked, in order
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import ModelError, ModelTimeout
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import ModelReply, ModelRequest, Purse, ReplyCache
from ensemble_lsp.models import pricing
from ensemble_lsp.models.calls import Usage
from ensemble_lsp.models.gateway import request_key
from ensemble_lsp.models.structured import AnswersInForms
from ensemble_lsp.models.tokens import estimate_tokens, prompt_text


@dataclass(frozen=True, slots=True)
class Says:
    """One scripted turn: streamed in `pieces`, after `delay` seconds, or `hang`ing until cancelled."""

    text: str = ""
    delay: float = 0.0
    pieces: int = 1
    hang: bool = False
    """Say the first piece, then nothing until the call is cancelled or its time is up."""
    finish: Literal["stop", "length", "refusal"] = "stop"
    error: ModelError | None = None
    tokens_out: int | None = None
    """None: estimated from the text."""


Turn = str | ModelError | Says
Script = Sequence[Turn] | Callable[[ModelRequest], Turn]
"""The turns by call number, the last one repeating; or a function of the request."""


class ScriptedModels(AnswersInForms):
    """Answers from a script by member id ("*" for any other); `ensemble.ports.ModelPort`.

    Reserves and settles like the gateway. `requests` are the calls that were made, cache hits left out;
    `cancelled` are the ids of members whose call was cancelled.
    """

    def __init__(self, script: Mapping[str, Script], *, cache: ReplyCache | None = None) -> None:
        self._script = script
        self._cache = cache
        self._counts: Counter[str] = Counter()
        self.requests: list[ModelRequest] = []
        self.cancelled: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self.asked = asyncio.Condition()

    async def complete(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the next scripted answer; see `ModelPort.complete`."""
        if self._cache is not None:
            kept = await self._cache.get(request_key(request))
            if kept is not None:
                if on_delta is not None:
                    on_delta(kept.text)
                return kept.model_copy(update={"cached": True, "spend": Spend()})
        reply = await self._asked(request, purse, on_delta)
        if self._cache is not None and reply.finish == "stop":
            await self._cache.put(request_key(request), reply)
        return reply

    def count_tokens(self, member: Member, text: str) -> int:  # noqa: ARG002
        """Return the estimate that is used where no tokenizer is known."""
        return estimate_tokens(text)

    def worst_case_usd(self, request: ModelRequest) -> float:
        """Return what the call may cost at most at the member's prices, in USD."""
        prompt = estimate_tokens(prompt_text(request))
        return pricing.worst_case(request.member, prompt, request.max_tokens)

    async def wait_for_requests(self, count: int) -> None:
        """Wait until `count` calls have been made."""
        async with self.asked:
            await self.asked.wait_for(lambda: len(self.requests) >= count)

    async def _asked(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None
    ) -> ModelReply:
        member = request.member
        worst = self.worst_case_usd(request)
        reservation = await purse.reserve(member, worst)
        async with self.asked:
            self.requests.append(request)
            self.asked.notify_all()
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        loop = asyncio.get_running_loop()
        started = loop.time()
        usage = Usage(estimate_tokens(prompt_text(request)), 0)
        settled = False
        try:
            says = self._next(request)
            async with asyncio.timeout(request.timeout):
                first = await _speak(says, on_delta)
            tokens = says.tokens_out if says.tokens_out is not None else estimate_tokens(says.text)
            usage = Usage(usage.prompt, tokens)
            spend = pricing.spend_of(member, usage)
            settled = True
            await purse.settle(member, reservation, spend)
            return ModelReply(
                text=says.text,
                finish=says.finish,
                spend=spend,
                seconds=loop.time() - started,
                first_token_seconds=first - started,
            )
        except TimeoutError as error:
            raise ModelTimeout(f"{member.id}: no complete answer in time", member=member.id) from error
        except asyncio.CancelledError:
            self.cancelled.append(member.id)
            raise
        except ModelError:
            settled = True
            await purse.release(member, reservation)
            raise
        finally:
            self.at_once -= 1
            if not settled:
                used = Spend(calls=1, tokens_in=usage.prompt, usd=reservation.usd)
                await asyncio.shield(purse.settle(member, reservation, used))

    def _next(self, request: ModelRequest) -> Says:
        member = request.member.id
        name = member if member in self._script else "*"
        script = self._script.get(name)
        if script is None:
            raise ModelError(f"nothing is scripted for member {member!r}", member=member)
        if callable(script):
            turn = script(request)
        else:
            turn = script[min(self._counts[member], len(script) - 1)]
            self._counts[member] += 1
        if isinstance(turn, str):
            return Says(turn)
        return Says(error=turn) if isinstance(turn, ModelError) else turn


async def _speak(says: Says, on_delta: Callable[[str], None] | None) -> float:
    """Stream the turn; returns the loop's time of the first piece. Raises the turn's error."""
    if says.delay:
        await asyncio.sleep(says.delay)
    if says.error is not None:
        raise says.error
    size = max(1, -(-len(says.text) // max(1, says.pieces)))
    first: float | None = None
    for start in range(0, len(says.text), size):
        if on_delta is not None:
            on_delta(says.text[start : start + size])
        first = first if first is not None else asyncio.get_running_loop().time()
        await asyncio.sleep(0)
        if says.hang:
            break
    if says.hang:
        await asyncio.get_running_loop().create_future()
    return first if first is not None else asyncio.get_running_loop().time()
