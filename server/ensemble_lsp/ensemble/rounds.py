"""Debate rounds over things claimed about code: every member attacks others' and answers for its own."""

from collections.abc import Sequence
from typing import Protocol

from ensemble_lsp.core.events import Phase, PhaseEntered, RevisionMade
from ensemble_lsp.core.evidence import Evidence, Rank
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.challenging import ROUND_BATCH, Assignment, Challenge, Point, batch_of, challenge
from ensemble_lsp.ensemble.probing import Prober
from ensemble_lsp.ensemble.prompts.challenging import second_look_task
from ensemble_lsp.ensemble.sitting import Sitting

ROUNDS_AT_MOST = 5


class Disputed(Protocol):
    """Something claimed, with what was said and shown for and against it."""

    id: str
    challenges: list[Challenge]
    evidence: list[Evidence]
    withdrawn: set[str]
    """Members who claimed it and took it back."""
    seconded: set[str]
    """Families that stood behind it later, with evidence."""

    @property
    def members(self) -> tuple[str, ...]:
        """Who claims it still."""
        ...

    def point(self) -> Point:
        """Return it as it is put in front of a challenger: nameless."""
        ...


async def debate_rounds(
    sitting: Sitting, prober: Prober, disputed: Sequence[Disputed], focus_path: str
) -> None:
    """Let every member attack others' claims and answer for its own, until a round adds no evidence.

    One call per member and round. A member of another family that brings evidence *for* a claim stands
    behind it from then on; agreement without evidence changes nothing.
    """
    deliberation = sitting.deliberation
    if Phase.CRITIQUE in deliberation.leaves_out:
        return
    fresh: dict[str, list[Challenge]] = {}
    # At most five rounds (docs/deliberation.md), whatever was asked for.
    for number in range(1, min(ROUNDS_AT_MOST, max(1, deliberation.task.rounds)) + 1):
        standing = [item for item in disputed if item.members]
        assignments = [
            item
            for member in deliberation.panel.members
            if (item := _share(sitting, member, standing, fresh)).points or item.own
        ]
        if not assignments or not sitting.may_ask:
            return
        deliberation.emit(PhaseEntered(phase=Phase.CRITIQUE, round=number))
        by_id = {item.id: item for item in disputed}
        hits = {ident: [_text_of(item) for item in made] for ident, made in fresh.items()}

        def task(
            item: Assignment,
            number: int = number,
            by_id: dict[str, Disputed] = by_id,
            hits: dict[str, list[str]] = hits,
        ) -> str:
            return second_look_task(
                [with_objections(by_id[point.id]) for point in item.points],
                ["\n".join((point.text, *hits.get(point.id, ()))) for point in item.own],
                sitting.quoting,
                focus_path,
                number,
            )

        made = await challenge(sitting, prober, assignments, task, purpose="critique")
        record(disputed, made)
        _answer_for_own(sitting, by_id, made)
        fresh = {}
        for item in made:
            if item.outcome.refuted and not item.own:
                fresh.setdefault(item.point, []).append(item)
        if not any(item.evidence is not None and not item.own for item in made):
            return


def _share(
    sitting: Sitting, member: Member, disputed: Sequence[Disputed], fresh: dict[str, list[Challenge]]
) -> Assignment:
    """Return what one member looks at in this round: up to four of others', criticals and unchallenged first."""
    answers = Phase.REVISE not in sitting.deliberation.leaves_out
    own = [
        claimed for claimed in disputed if answers and member.id in claimed.members and claimed.id in fresh
    ]
    others = [
        claimed
        for claimed in disputed
        if member.id not in claimed.point().members
        and all(made.by.id != member.id for made in claimed.challenges)
    ]
    sitting.deliberation.randomness.shuffle(others)
    others.sort(key=lambda claimed: (not claimed.point().urgent, len(claimed.challenges)))
    limit = min(ROUND_BATCH, batch_of(member))
    points = tuple(claimed.point() for claimed in others[:limit])
    room = max(0, batch_of(member) - len(points))
    return Assignment(member, points, own=tuple(claimed.point() for claimed in own[:room]))


def record(disputed: Sequence[Disputed], made: Sequence[Challenge]) -> None:
    """Keep every challenge with what it is about; an executed test in favour becomes evidence for it."""
    by_id = {each.id: each for each in disputed}
    for item in made:
        claimed = by_id[item.point]
        claimed.challenges.append(item)
        if not item.refutes and item.evidence is not None and item.evidence.rank is Rank.EXECUTED:
            claimed.evidence.append(item.evidence)


def _answer_for_own(sitting: Sitting, by_id: dict[str, Disputed], made: Sequence[Challenge]) -> None:
    """Apply withdrawals, and support that came with evidence."""
    for item in made:
        claimed = by_id[item.point]
        if item.own:
            if item.refutes:
                claimed.withdrawn.add(item.by.id)
            sitting.deliberation.emit(
                RevisionMade(
                    member=item.by.id,
                    about=claimed.id,
                    outcome="withdrawn" if item.refutes else "kept",
                    note=item.reason,
                )
            )
        elif not item.refutes and item.evidence is not None and not item.same_family:
            claimed.seconded.add(item.by.family)


def with_objections(claimed: Disputed) -> str:
    """Return the point with the evidence and the objections so far, all nameless."""
    objections = [_text_of(item) for item in claimed.challenges if item.refutes and not item.own]
    for_it = [f"evidence for it: {item.witness}: {item.summary}" for item in claimed.evidence]
    return "\n".join((claimed.point().text, *for_it, *objections))


def _text_of(item: Challenge) -> str:
    backed = f"evidence: {item.evidence.witness}: {item.evidence.summary}" if item.evidence else "no evidence"
    return f"objection: {item.reason} ({backed})"
