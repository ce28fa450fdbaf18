"""The members of a run: each question is sent once, and charged to every way that asks it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from ensemble_lsp.bench.purses import PaidPurse, RunCaps
from ensemble_lsp.bench.replies import KeptReplies
from ensemble_lsp.bench.stopwatch import Stopwatch
from ensemble_lsp.core.errors import (
    AuthenticationFailed,
    ModelError,
    ModelUnavailable,
    RateLimited,
    UnknownModel,
)
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import ModelPort, ModelReply, ModelRequest, Purse
from ensemble_lsp.models.gateway import request_key
from ensemble_lsp.models.structured import AnswersInForms

_OUTAGES = (AuthenticationFailed, ModelUnavailable, RateLimited, UnknownModel)
"""What is no fault of a member's answer: a way that had to do without it is not what was to be compared."""


@dataclass(frozen=True, slots=True)
class PricedModels(AnswersInForms):
    """Implements `ensemble.ports.ModelPort` for one way on one case. `models` keeps no answers of its own."""

    models: ModelPort
    replies: KeptReplies
    caps: RunCaps
    watch: Stopwatch
    outages: list[str] = field(default_factory=list[str])
    """Members that could not be reached, in words."""

    async def complete(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the answer; one that is kept is charged to `purse` at what it cost when it was made."""
        began = self.watch.clock()
        key = request_key(request)
        kept = self.replies.get(key)
        if kept is None:
            reply = await self._sent(request, purse, on_delta)
            self.replies.put(key, reply)
        else:
            reply = await self._charged(kept, request.member, purse)
            if on_delta is not None and reply.text:
                on_delta(reply.text)
        self.watch.note(began, reply.seconds)
        return reply

    def count_tokens(self, member: Member, text: str) -> int:
        """Return about how many tokens `text` has."""
        return self.models.count_tokens(member, text)

    def worst_case_usd(self, request: ModelRequest) -> float:
        """Return what the call may cost at most, in USD."""
        return self.models.worst_case_usd(request)

    async def _sent(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None
    ) -> ModelReply:
        try:
            return await self.models.complete(request, PaidPurse(purse, self.caps), on_delta)
        except ModelError as problem:
            if isinstance(problem, _OUTAGES):
                self.outages.append(problem.message)
            raise

    async def _charged(self, kept: ModelReply, member: Member, purse: Purse) -> ModelReply:
        reservation = await purse.reserve(member, kept.spend.usd)
        # Questions asked side by side are answered side by side, kept or not: the watch counts them once.
        await asyncio.sleep(0)
        await purse.settle(member, reservation, kept.spend)
        return kept
