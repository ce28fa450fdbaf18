"""Attempts to refute points: who is asked, what they must bring, and whether it holds.

A verdict is an opinion until its evidence has been looked up (a cited line that exists) or run (a probe).
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from ensemble_lsp.core.events import CritiqueMade
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank
from ensemble_lsp.core.findings import Refutation
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.answer_form import AnswerForm
from ensemble_lsp.ensemble.blind import ask_in
from ensemble_lsp.ensemble.grounding import find_quote, lines_of
from ensemble_lsp.ensemble.ports import ModelRequest
from ensemble_lsp.ensemble.probing import Prober
from ensemble_lsp.ensemble.prompts.numbered import reading
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask_together

BATCH = 12
"""Points in one refutation call at most."""
BRIEF_BATCH = 4
"""The same for a small local member: what fits into the time it has."""
ROUND_BATCH = 4
"""Points that one critic gets in one debate round (docs/deliberation.md, "critique")."""
VERDICT_TOKENS = 3_000
BRIEF_VERDICT_TOKENS = 900
"""Output tokens of a small local model: at 11 tokens a second this is 80 seconds."""


class Judgement(StrEnum):
    """What a challenger says of one point."""

    REFUTED = "refuted"
    STANDS = "stands"


class Verdict(AnswerForm):
    """A challenger's word on one numbered point. `line` is 1-based; empty `quote` and `test`: no evidence."""

    number: int = Field(ge=1, le=30)
    verdict: Judgement
    reason: str = Field(max_length=400)
    line: int = Field(ge=0)
    quote: str = Field(max_length=240)
    test: str = Field(max_length=1_200)


class Verdicts(AnswerForm):
    """What a challenger returns."""

    verdicts: list[Verdict] = Field(max_length=BATCH)


class BriefVerdict(AnswerForm):
    """`Verdict` for small local models: what fits into the time they have."""

    number: int = Field(ge=1, le=30)
    verdict: Judgement
    reason: str = Field(max_length=160)
    line: int = Field(ge=0)
    quote: str = Field(max_length=120)
    test: str = Field(max_length=400)


class BriefVerdicts(AnswerForm):
    """What a small local challenger returns."""

    verdicts: list[BriefVerdict] = Field(max_length=BRIEF_BATCH)


@dataclass(frozen=True, slots=True)
class Point:
    """Something claimed about the code, as it is put in front of a challenger. Lines are 0-based.

    `urgent` points (criticals, contested claims) come first when a batch is full.
    """

    id: str
    text: str
    path: str
    line: int
    end_line: int
    members: frozenset[str]
    families: frozenset[str]
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Challenge:
    """One verdict with its evidence checked. `evidence` None: none was brought, or it did not hold."""

    point: str
    by: Member
    refutes: bool
    reason: str
    evidence: Evidence | None
    same_family: bool
    own: bool = False
    """Said by an author of the point about it."""

    @property
    def outcome(self) -> Refutation:
        """What it amounts to."""
        if not self.refutes:
            return Refutation.SURVIVED_SAME_FAMILY if self.same_family else Refutation.SURVIVED
        if self.evidence is None:
            return Refutation.OBJECTED
        if self.evidence.rank is Rank.EXECUTED:
            return Refutation.REFUTED_BY_EXECUTION
        return Refutation.REFUTED_BY_CITATION


@dataclass(frozen=True, slots=True)
class Assignment:
    """The points that one member gets in one call; `own` are its own that evidence has hit."""

    member: Member
    points: tuple[Point, ...]
    own: tuple[Point, ...] = ()


_STRONGEST_FIRST = (
    Refutation.REFUTED_BY_EXECUTION,
    Refutation.REFUTED_BY_CITATION,
    Refutation.OBJECTED,
    Refutation.SURVIVED,
    Refutation.SURVIVED_SAME_FAMILY,
)


def combined(challenges: Iterable[Challenge]) -> Refutation:
    """Return what several challenges of one point amount to: the strongest counts, refutations first."""
    outcomes = {challenge.outcome for challenge in challenges if not challenge.own}
    return next((each for each in _STRONGEST_FIRST if each in outcomes), Refutation.NOT_ATTEMPTED)


def assign(points: Sequence[Point], members: Sequence[Member], calls: int) -> list[Assignment]:
    """Share points out to challengers of another family than any of their authors, in at most `calls` calls.

    The first is the member who may challenge most points, so that one call is enough wherever a family has
    not spoken; two families take two and refute each other. Only a panel of one family challenges itself,
    with another member where there is one. Points that are left over go unchallenged.
    """
    single_family = len({member.family for member in members}) == 1

    def may(member: Member, point: Point) -> int:
        if member.family not in point.families:
            return 2
        if not single_family:
            return 0
        return 2 if member.id not in point.members else 1

    open_points = sorted(points, key=lambda point: (not point.urgent, point.id))
    assignments: list[Assignment] = []
    # Bounded by `calls`; every turn takes at least one point away or ends.
    for _ in range(calls):
        if not open_points:
            break
        taken = {assignment.member.id for assignment in assignments}
        free = [member for member in members if member.id not in taken]
        if not free:
            break
        best = max(free, key=lambda member: sum(may(member, point) for point in open_points))
        batch = [point for point in open_points if may(best, point)][: batch_of(best)]
        if not batch:
            break
        assignments.append(Assignment(best, tuple(batch)))
        gone = {point.id for point in batch}
        open_points = [point for point in open_points if point.id not in gone]
    return assignments


def batch_of(member: Member) -> int:
    """Return how many points a member can judge in one call."""
    return BRIEF_BATCH if member.local else BATCH


async def challenge(
    sitting: Sitting,
    prober: Prober,
    assignments: Sequence[Assignment],
    task: Callable[[Assignment], str],
    *,
    purpose: str,
) -> list[Challenge]:
    """Ask all challengers at once, check the evidence they bring, and return what holds."""
    deliberation = sitting.deliberation

    async def one(assignment: Assignment) -> Answer[Verdicts] | Silence:
        member = assignment.member
        request = ModelRequest(
            member=member,
            messages=reading(deliberation.dossier, sitting.quoting, member, task(assignment)),
            purpose=purpose,
            max_tokens=min(
                BRIEF_VERDICT_TOKENS if member.local else VERDICT_TOKENS, member.max_output_tokens
            ),
            timeout=sitting.timeout(0.8),
        )
        return await ask_in(sitting, request, Verdicts, BriefVerdicts)

    if not assignments or not sitting.may_ask:
        return []
    outcomes = await ask_together(deliberation, [(item.member, one(item)) for item in assignments])
    sitting.hear(outcomes)
    checking: list[asyncio.Task[Challenge]] = []
    async with asyncio.TaskGroup() as tasks:
        for assignment, outcome in zip(assignments, outcomes, strict=True):
            if isinstance(outcome, Silence):
                continue
            shown = (*assignment.points, *assignment.own)
            # The first verdict on a point counts: a member that contradicts itself has said nothing new.
            first = {verdict.number: verdict for verdict in reversed(outcome.value.verdicts)}
            for number, point in enumerate(shown, 1):
                if number in first:
                    checking.append(
                        tasks.create_task(
                            _checked(
                                sitting,
                                prober,
                                assignment.member,
                                point,
                                first[number],
                                own=number > len(assignment.points),
                            )
                        )
                    )
    return [task.result() for task in checking]


async def _checked(
    sitting: Sitting, prober: Prober, member: Member, point: Point, verdict: Verdict, *, own: bool
) -> Challenge:
    evidence: Evidence | None = None
    if verdict.test.strip():
        evidence = await prober.prove(point.id, point.path, point.line, verdict.test)
    if evidence is None:
        evidence = cited(sitting, point.path, verdict.line - 1, verdict.quote)
    made = Challenge(
        point=point.id,
        by=member,
        refutes=verdict.verdict is Judgement.REFUTED,
        reason=verdict.reason,
        evidence=evidence,
        same_family=member.family in point.families,
        own=own,
    )
    sitting.deliberation.emit(
        CritiqueMade.model_validate(
            {
                "from": member.id,
                "about": point.id,
                "claim": verdict.reason,
                "evidence": evidence.summary if evidence else "",
                "broke": made.outcome.refuted and not own,
                "against": tuple(sorted(point.members)),
            }
        )
    )
    return made


def cited(sitting: Sitting, path: str, line: int, quote: str) -> Evidence | None:
    """Return a cited source line as evidence if it exists in the file; `line` is 0-based."""
    source = sitting.deliberation.dossier.files.get(path)
    if source is None or not quote.strip():
        return None
    place = find_quote(lines_of(source.text), sitting.deliberation.dossier.restore(quote), max(0, line))
    if place is None:
        return None
    shown = sitting.quoting.redact(place.quote)
    return Evidence(
        witness="citation",
        # A line that exists is more than an opinion and less than what a tool or several families say.
        rank=Rank.OPINION,
        target=f"{path}:{place.line + 1}",
        outcome=Outcome.PASSED,
        summary=f"line {place.line + 1}: {shown}",
    )
