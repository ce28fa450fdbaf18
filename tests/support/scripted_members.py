"""A `ModelPort` whose members say what a test wrote down, and a purse that keeps the job's budget."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel

from ensemble_lsp.core.budget import Budget, Reservation, Spend
from ensemble_lsp.core.errors import EnsembleError, MalformedReply
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import ModelReply, ModelRequest, Purse

T = TypeVar("T", bound=BaseModel)

Line = str | EnsembleError | asyncio.Event | Callable[[ModelRequest], str]
"""What a member says next: a text, an error, a text made from the request, or nothing until an event fires."""


@dataclass(slots=True)
class ScriptedMembers:
    """Each member says its lines in order, the last one again and again."""

    lines: Mapping[str, Sequence[Line]]
    usd: float = 0.01
    """The price of every call; reserved before it, and used."""
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    cancelled: list[str] = field(default_factory=list[str])
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def complete(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        reservation = await purse.reserve(request.member, self.usd)
        used = Spend(calls=1, tokens_in=100, tokens_out=50, usd=self.usd)
        said = sum(1 for earlier in self.requests if earlier.member.id == request.member.id)
        self.requests.append(request)
        self.asked.set()
        try:
            await asyncio.sleep(0)
            script = self.lines[request.member.id]
            line = script[min(said, len(script) - 1)]
            if isinstance(line, asyncio.Event):
                await line.wait()
                line = "NO FAULT"
        except asyncio.CancelledError:
            self.cancelled.append(request.member.id)
            await purse.settle(request.member, reservation, used)
            raise
        await purse.settle(request.member, reservation, used)
        if isinstance(line, EnsembleError):
            raise line
        text = line(request) if callable(line) else line
        if on_delta is not None:
            on_delta(text)
        return ModelReply(text=text, finish="stop", spend=used, seconds=0.0)

    async def complete_as(
        self,
        request: ModelRequest,
        answer: type[T],
        purse: Purse,
        on_delta: Callable[[str], None] | None = None,
    ) -> tuple[T, ModelReply]:
        reply = await self.complete(request, purse, on_delta)
        try:
            return answer.model_validate_json(reply.text), reply
        except ValueError as problem:
            raise MalformedReply(str(problem), member=request.member.id) from problem

    def count_tokens(self, member: Member, text: str) -> int:
        del member
        return max(1, len(text) // 4)

    def worst_case_usd(self, request: ModelRequest) -> float:
        del request
        return self.usd

    def purposes(self) -> list[str]:
        """Return "member: purpose" for each call, in the order in which they were made."""
        return [f"{request.member.id}: {request.purpose}" for request in self.requests]


@dataclass(slots=True)
class JobPurse:
    """Keeps the job's own caps."""

    budget: Budget

    async def reserve(self, member: Member, usd: float) -> Reservation:
        del member
        return self.budget.reserve(usd)

    async def settle(self, member: Member, reservation: Reservation, used: Spend) -> None:
        del member
        self.budget.settle(reservation, used)

    async def release(self, member: Member, reservation: Reservation) -> None:
        del member
        self.budget.release(reservation)
