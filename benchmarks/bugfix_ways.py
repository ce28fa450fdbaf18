"""The ways of answering that are compared, each on the product's own prompts, members and checks.

- panel: the product's fix job, as the command line runs it;
- first of MEMBER: the first answer of one member alone, the same request that it gets on the panel (and so
  the same answer, out of the reply cache, where the panel asked for it);
- best of k: up to k samples of one member, the first that passes the tests that the panel sees.
"""

import asyncio
import random
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.bugfix_cases import Case, Judge, Seen
from benchmarks.bugfix_figures import Outcome
from ensemble_lsp.core.budget import Reservation, Spend
from ensemble_lsp.core.edits import apply_reply
from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.core.events import Action, JobEvent, MemberFinished, Mode
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.proposals import FileChange, Standing
from ensemble_lsp.core.results import DraftRecord, JobResult, Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import JobOptions, JobStart
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case as Casefile
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.fix_requests import draft_request, sentinel_for
from ensemble_lsp.ensemble.ports import ModelReply, ModelRequest
from ensemble_lsp.ensemble.region import region_of
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.trials import gather_baseline


@dataclass(frozen=True, slots=True)
class Price:
    """What an answer cost when it was made; out of the reply cache it costs nothing any more."""

    spend: Spend
    seconds: float


Prices = dict[tuple[str, str], Price]
"""(case, member) → the price of the member's first answer."""

PanelRunner = Callable[[Path, Case, Prices], Awaitable[JobResult]]
"""Runs one fix over the workspace of a case; `ProductPanel.run` is the one that is measured."""


@dataclass(frozen=True, slots=True)
class ProductPanel:
    """The product's fix job, in this process."""

    engine: LocalEngine
    settings: dict[str, object]
    mode: Mode = Mode.PANEL

    def start(self, workspace: Path, case: Case) -> JobStart:
        """Return the job: fix the case's program, with the tests in the workspace as the check."""
        return JobStart(
            job=f"bench-{uuid.uuid4().hex[:12]}",
            workspace=str(workspace),
            task=Task(action=Action.FIX, path=case.path, mode=self.mode),
            trusted=True,
            options=JobOptions(local=True, overrides=self.settings),
        )

    async def run(self, workspace: Path, case: Case, prices: Prices) -> JobResult:
        """Run the job to its end, noting what each member's first draft cost."""

        def note(event: JobEvent) -> None:
            body = event.body
            if isinstance(body, MemberFinished) and body.purpose == "draft" and body.spend.tokens_out:
                prices.setdefault((case.id, body.member), Price(body.spend, body.seconds))

        return await self.engine.run(self.start(workspace, case), note)


@dataclass(frozen=True, slots=True)
class Sampled:
    """One answer of one member: what it costs, and what became of the program it makes."""

    price: Price
    placed: bool
    passes_seen: bool = False
    passes_all: bool = False

    @property
    def mark(self) -> str:
        """One word for the record."""
        if not self.placed:
            return "unplaced"
        return "solved" if self.passes_all else "seen-only" if self.passes_seen else "failed"


@dataclass(frozen=True, slots=True)
class Examination:
    """The same cases, members and judge for every way."""

    panel: ProductPanel
    judge: Judge
    seen: Seen
    prices: Prices = field(default_factory=dict[tuple[str, str], Price])

    async def run_panel(self, run: PanelRunner, workspace: Path, case: Case) -> Outcome:
        """Run the panel and judge what it offers: only a proposal that it calls verified is accepted."""
        began = time.monotonic()
        result = await run(workspace, case, self.prices)
        seconds = time.monotonic() - began
        proposal = result.proposal
        program = program_of(proposal.chosen.changes, case) if proposal is not None else None
        accepted = proposal is not None and proposal.standing is Standing.VERIFIED
        standing = proposal.standing.value if proposal is not None else result.status.value
        weak = " (weak)" if proposal is not None and proposal.weak else ""
        return Outcome(
            case=case.id,
            way="panel",
            accepted=accepted,
            solved=accepted and program is not None and await self.judge.passes(case, program),
            calls=result.spend.calls,
            prompt_tokens=result.spend.tokens_in,
            output_tokens=result.spend.tokens_out,
            seconds=round(seconds, 1),
            note=f"{standing}{weak}: {result.reason}"[:300],
        )

    @asynccontextmanager
    async def table(self, workspace: Path, case: Case) -> AsyncGenerator[Casefile, None]:
        """Put a case in front of the panel as the fix job does, up to the baseline; nothing is asked yet."""
        start = self.panel.start(workspace, case)
        wiring = self.panel.engine.wiring
        parts = await wiring.prepare(start, await wiring.load(start), _nobody_to_ask, _ignore)
        deliberation = await wiring.deliberation(
            start,
            parts,
            start.task,
            emit=_ignore,
            answer_now=asyncio.Event(),
            prior_drafts=(),
            save_draft=_forget,
            deadline=None,
            randomness=random.Random(case.id),  # noqa: S311  (shuffles that can be repeated)
        )
        try:
            region = region_of(start.task, deliberation.dossier, deliberation.checks)
            if region is None:
                raise SystemExit(f"{case.id}: the panel finds nothing to change in {case.path}")
            bound = bound_on_calls(Action.FIX, self.panel.mode, len(parts.panel.members), 1)
            sitting = Sitting.open(deliberation, bound)
            casefile = Casefile(sitting, bound, region, sentinel_for(deliberation, sitting.quoting))
            await gather_baseline(casefile)
            yield casefile
        finally:
            await wiring.release(deliberation)

    async def first_answer(self, casefile: Casefile, case: Case, member: Member) -> Outcome:
        """Judge the member's first answer alone."""
        way = f"first of {member.id}"
        try:
            drawn = [await self.sample(casefile, case, member, 0)]
        except EnsembleError as problem:
            return _outcome(case, way, [], note=str(problem)[:300])
        return _outcome(case, way, drawn)

    async def best_of(
        self, casefile: Casefile, case: Case, member: Member, *, most: int, at_once: int
    ) -> Outcome:
        """Draw samples, `at_once` in parallel, until one passes the seen tests or `most` are drawn."""
        drawn: list[Sampled] = []
        for start in range(0, most, at_once):
            numbers = range(start, min(most, start + at_once))
            drawn += await asyncio.gather(
                *(self.sample(casefile, case, member, number) for number in numbers)
            )
            if any(item.passes_seen for item in drawn):
                break
        return _outcome(case, f"best of {most}: {member.id}", drawn)

    async def sample(self, casefile: Casefile, case: Case, member: Member, number: int) -> Sampled:
        """Ask the member for its `number`th draft (from 0) with the panel's own request, and judge it."""
        request = draft_request(casefile, Voice(member, member.style, number), "draft")
        reply = await casefile.deliberation.models.complete(request, _Free(), None)
        price = Price(reply.spend, reply.seconds)
        if reply.cached:
            first = self.prices.get((case.id, member.id)) if number == 0 else None
            price = first or _estimated(casefile, request, reply)
        program = program_from(casefile, case, reply)
        if program is None or program == case.buggy:
            return Sampled(price, placed=program is not None)
        seen = await self.judge.passes(case, program, self.seen)
        everything = seen if self.seen is Seen.TESTS else await self.judge.passes(case, program)
        return Sampled(price, placed=True, passes_seen=seen, passes_all=everything)


def program_from(casefile: Casefile, case: Case, reply: ModelReply) -> str | None:
    """Place an answer as the product does; None when it makes no change that can be applied."""
    deliberation = casefile.deliberation
    outcome = apply_reply(
        deliberation.dossier.restore(reply.text),
        casefile.files,
        default_path=casefile.region.path,
        sentinel=casefile.sentinel,
        cut_off=reply.finish == "length",
        target=casefile.region.target,
        parse_errors=deliberation.checks.parse_errors,
        enclosing=deliberation.checks.enclosing,
        judge_path=deliberation.dossier.judge_path,
    )
    return program_of(outcome.changes, case) if outcome.ok else None


def program_of(changes: Sequence[FileChange], case: Case) -> str | None:
    """Return the case's program after the changes; None when they do not touch it."""
    for change in changes:
        if change.path == case.path and change.after is not None:
            return change.after.text
    return None


class _Free:
    """A purse without caps: embedded members cost nothing, and the harness bounds its own calls."""

    async def reserve(self, member: Member, usd: float) -> Reservation:
        del member, usd
        return Reservation(id=0, usd=0.0)

    async def settle(self, member: Member, reservation: Reservation, used: Spend) -> None:
        pass

    async def release(self, member: Member, reservation: Reservation) -> None:
        pass


def _estimated(casefile: Casefile, request: ModelRequest, reply: ModelReply) -> Price:
    count = casefile.deliberation.models.count_tokens
    asked = sum(count(request.member, message.content) for message in request.messages)
    return Price(Spend(calls=1, tokens_in=asked, tokens_out=count(request.member, reply.text)), 0.0)


async def _nobody_to_ask(_question: object) -> bool:
    return False


async def _forget(_draft: DraftRecord) -> None:
    pass


def _ignore(_told: object) -> None:
    pass


def _outcome(case: Case, way: str, drawn: Sequence[Sampled], note: str = "") -> Outcome:
    first = next((item for item in drawn if item.passes_seen), None)
    return Outcome(
        case=case.id,
        way=way,
        accepted=first is not None,
        solved=first is not None and first.passes_all,
        calls=len(drawn),
        prompt_tokens=sum(item.price.spend.tokens_in for item in drawn),
        output_tokens=sum(item.price.spend.tokens_out for item in drawn),
        seconds=round(sum(item.price.seconds for item in drawn), 1),
        note=note or " ".join(item.mark for item in drawn),
    )
