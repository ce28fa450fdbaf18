"""Asking members: in parallel, with events, within deadline and budget, and with losers cancelled.

A member that cannot answer is a `Silence`, never an exception: the deliberation goes on with who is there.
Cancelling the caller cancels every call in flight.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import BudgetExceeded, EnsembleError, ModelError, ModelTimeout
from ensemble_lsp.core.events import MemberDelta, MemberFinished, MemberStarted, SpendReported
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import Deliberation, ModelReply, ModelRequest

T = TypeVar("T", bound=BaseModel)
V = TypeVar("V")

DELTA_INTERVAL = 0.05
"""Seconds between two `memberDelta` events of one member: 20 a second at most (docs/protocol.md)."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[V]):
    """What one member said: `value` is the text as written, or the parsed object of `ask_as`."""

    member: Member
    value: V
    reply: ModelReply


@dataclass(frozen=True, slots=True)
class Silence:
    """Why one member said nothing. `error` is None when it was cancelled as no longer needed."""

    member: Member
    error: EnsembleError | None


def seconds_left(deliberation: Deliberation) -> float | None:
    """Return the seconds until the job's deadline (never below 0), or None without one."""
    if deliberation.deadline is None:
        return None
    return max(0.0, deliberation.deadline - deliberation.clock())


def must_stop(deliberation: Deliberation) -> bool:
    """Whether nothing more may be asked: the person said "decide", or the time is up."""
    return deliberation.answer_now.is_set() or seconds_left(deliberation) == 0.0


async def ask(deliberation: Deliberation, request: ModelRequest) -> Answer[str] | Silence:
    """Ask one member for text."""

    async def call(on_delta: Callable[[str], None]) -> tuple[str, ModelReply]:
        reply = await deliberation.models.complete(request, deliberation.purse, on_delta)
        return reply.text, reply

    return await _asked(deliberation, request, call)


async def ask_as(deliberation: Deliberation, request: ModelRequest, answer: type[T]) -> Answer[T] | Silence:
    """Ask one member for an answer held to `answer`'s JSON schema."""

    async def call(on_delta: Callable[[str], None]) -> tuple[T, ModelReply]:
        return await deliberation.models.complete_as(request, answer, deliberation.purse, on_delta)

    return await _asked(deliberation, request, call)


async def ask_together(
    deliberation: Deliberation,
    questions: Sequence[tuple[Member, Coroutine[object, object, Answer[V] | Silence]]],
    *,
    enough: Callable[[Sequence[Answer[V]]], bool] | None = None,
) -> list[Answer[V] | Silence]:
    """Ask all at once; results stand in the order of `questions`.

    Ends early when `enough` says so of the answers so far, when the person asks to decide now, or at the
    deadline: what is then in flight is cancelled and becomes a `Silence`.
    """
    tasks = [asyncio.ensure_future(question) for _, question in questions]
    stop = asyncio.ensure_future(deliberation.answer_now.wait())
    timed_out = False
    try:
        pending: set[asyncio.Future[Answer[V] | Silence]] = set(tasks)
        # At most one turn per question: each turn ends at least one of them or leaves the loop.
        while pending:
            waiting: set[asyncio.Future[Any]] = {*pending, stop}
            done, _ = await asyncio.wait(
                waiting, timeout=seconds_left(deliberation), return_when=asyncio.FIRST_COMPLETED
            )
            pending -= {task for task in tasks if task in done}
            # A timer may fire a little before its time: what counts is that nothing else ended the wait.
            timed_out = not done
            if timed_out or stop in done:
                break
            answered = [
                outcome for task in tasks if task.done() and isinstance(outcome := task.result(), Answer)
            ]
            if enough is not None and pending and enough(answered):
                break
    finally:
        for task in (*tasks, stop):
            task.cancel()
        ended: list[asyncio.Future[Any]] = [*tasks, stop]
        await asyncio.gather(*ended, return_exceptions=True)
    results: list[Answer[V] | Silence] = []
    for (member, _), task in zip(questions, tasks, strict=True):
        if task.cancelled():
            error = ModelTimeout("the job's time was up", member=member.id) if timed_out else None
            results.append(Silence(member, error))
        else:
            results.append(task.result())
    return results


async def _asked(
    deliberation: Deliberation,
    request: ModelRequest,
    call: Callable[[Callable[[str], None]], Coroutine[object, object, tuple[V, ModelReply]]],
) -> Answer[V] | Silence:
    member = request.member
    started = deliberation.clock()
    stream = _Stream(deliberation, member.id, request.nonce)

    def finish(spend: Spend, **how: object) -> None:
        stream.flush()
        finished = MemberFinished(
            member=member.id,
            purpose=request.purpose,
            sample=request.nonce,
            spend=spend,
            seconds=deliberation.clock() - started,
        )
        deliberation.emit(finished.model_copy(update=how))
        # A cancelled call is charged what it may have used; so is one that failed halfway.
        deliberation.emit(SpendReported(spend=deliberation.budget.spent))

    deliberation.emit(
        MemberStarted(member=member.id, family=member.family, purpose=request.purpose, sample=request.nonce)
    )
    try:
        value, reply = await call(stream.add)
    except (ModelError, BudgetExceeded) as problem:
        kind = type(problem).__name__
        finish(Spend(), error=problem.message, error_kind=kind, hint=problem.hint or None)
        return Silence(member, problem)
    except asyncio.CancelledError:
        finish(Spend(), cancelled=True)
        raise
    finish(reply.spend, cached=reply.cached)
    return Answer(member, value, reply)


class _Stream:
    """Coalesces what a member streams into few events; nothing is dropped."""

    def __init__(self, deliberation: Deliberation, member: str, sample: int) -> None:
        self._deliberation = deliberation
        self._member = member
        self._sample = sample
        self._pending: list[str] = []
        self._last = float("-inf")

    def add(self, text: str) -> None:
        self._pending.append(text)
        if self._deliberation.clock() - self._last >= DELTA_INTERVAL:
            self.flush()

    def flush(self) -> None:
        if self._pending:
            self._last = self._deliberation.clock()
            text = "".join(self._pending)
            self._deliberation.emit(MemberDelta(member=self._member, text=text, sample=self._sample))
            self._pending.clear()
