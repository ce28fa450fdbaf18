"""A panel seated once for many cases, as the product seats it, with every answer kept and heard."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from ensemble_lsp.bench.examination import Attempt, Examination
from ensemble_lsp.bench.judge import Judge
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.purses import RunCaps
from ensemble_lsp.bench.replies import KeptReplies
from ensemble_lsp.bench.sets import Seen
from ensemble_lsp.core.budget import Budget, Limits
from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.results import Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion, JobOptions, JobStart
from ensemble_lsp.engine.purse import JobPurse
from ensemble_lsp.engine.scoping import Scoped
from ensemble_lsp.ensemble.ports import ModelPort, ModelReply, ModelRequest, Purse
from ensemble_lsp.models.structured import AnswersInForms

T = TypeVar("T", bound=BaseModel)

CASE_SECONDS = 3_600.0
"""The deadline of one job: it must not decide anything, whatever else the machine does."""


@dataclass(frozen=True, slots=True)
class Seats:
    """How the members of a run are found, and what they may cost."""

    workspace: Path
    """Whose settings count; trusted by the person, since programs and tests are run."""
    options: JobOptions
    usd: float
    """What all calls of the run may cost, those of earlier parts included."""
    agree: bool
    """Whether the person agreed to what seating members asks for (sending code, fetching weights)."""


@asynccontextmanager
async def seated(
    seats: Seats, action: Action, directory: Path, say: Callable[[str], None]
) -> AsyncGenerator[Examination]:
    """Seat the members and open the kept answers in `directory`; nothing is asked yet.

    Raises what finding members raises, and `SandboxUnavailable` where nothing confines what members write.
    """

    async def ask(question: ConsentQuestion) -> bool:
        say(f"{question.kind}: {'agreed' if seats.agree else 'refused, since --yes was not given'}")
        return seats.agree

    start = JobStart(
        job=f"eval-{action.value}",
        workspace=str(seats.workspace),
        task=Task(action=action),
        trusted=True,
        options=seats.options,
    )
    async with LocalEngine.open(ask) as engine:
        wiring = engine.wiring
        loaded = await wiring.load(start)
        async with Judge.open(python=loaded.settings.execution.python) as judge:
            parts = await wiring.prepare(start, loaded, ask, say, Scoped(start))
            replies = await asyncio.to_thread(KeptReplies.open, directory)
            limits = Limits(usd=seats.usd, seconds=None, calls=None)
            purse = JobPurse(start.job, Budget(limits, spent=replies.paid), wiring.ledger, None)
            await wiring.warm()
            yield Examination(
                subject=Subject.FIX,
                wiring=wiring,
                parts=parts,
                judge=judge,
                replies=replies,
                caps=RunCaps(purse, limits),
                seen=Seen.TESTS,
                k=1,
                rounds=1,
                case_seconds=CASE_SECONDS,
            )


@dataclass(frozen=True, slots=True)
class Heard:
    """One answer as it came."""

    member: str
    purpose: str
    reply: ModelReply


@dataclass(frozen=True, slots=True)
class Listening(AnswersInForms):
    """Implements `ensemble.ports.ModelPort` and remembers every answer, in the order in which they came."""

    models: ModelPort
    heard: list[Heard] = field(default_factory=list[Heard])

    async def complete(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the answer, however long it takes: a busy machine is no fault of a member's."""
        patient = request.model_copy(update={"timeout": CASE_SECONDS})
        reply = await self.models.complete(patient, purse, on_delta)
        self.heard.append(Heard(request.member.id, request.purpose, reply))
        return reply

    def count_tokens(self, member: Member, text: str) -> int:
        """Return about how many tokens `text` has."""
        return self.models.count_tokens(member, text)

    def worst_case_usd(self, request: ModelRequest) -> float:
        """Return what the call may cost at most, in USD."""
        return self.models.worst_case_usd(request)

    def first_of(self, member: str) -> list[Heard]:
        """Return the answers of a member to its first question: one, or two where the form had to be mended."""
        return [item for item in self.heard if item.member == member and item.purpose == "draft"]


def unless_in_vain(examination: Examination, attempt: Attempt) -> None:
    """Raise what kept members from answering, where anything did: there is nothing to compare then."""
    if examination.caps.reached is not None:
        raise examination.caps.reached
    if attempt.models.outages:
        raise EnsembleError("; ".join(attempt.models.outages))
