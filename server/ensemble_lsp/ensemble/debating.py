"""The rounds of a debate: everybody objects with evidence, and may move when evidence says so."""

from collections.abc import Sequence
from dataclasses import dataclass

from ensemble_lsp.core.events import CritiqueMade, Phase, PhaseEntered, PositionTaken, RevisionMade
from ensemble_lsp.core.evidence import Evidence
from ensemble_lsp.ensemble.blind import ask_in
from ensemble_lsp.ensemble.challenging import BRIEF_VERDICT_TOKENS, VERDICT_TOKENS, cited
from ensemble_lsp.ensemble.ports import ModelRequest
from ensemble_lsp.ensemble.positions import (
    BriefTurn,
    Decision,
    Floor,
    Move,
    Objection,
    Position,
    Seat,
    Turn,
    same_stance,
)
from ensemble_lsp.ensemble.probing import Prober
from ensemble_lsp.ensemble.prompts.debating import turn_task
from ensemble_lsp.ensemble.prompts.numbered import reading
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask_together

SHOWN_AT_MOST = 4
"""Positions of others that a member gets in one round (docs/deliberation.md, "critique")."""


@dataclass(frozen=True, slots=True)
class _Hand:
    """What one seat sees in one round: others' positions in a fresh order, fresh evidence against its own."""

    seat: Seat
    others: tuple[Position, ...]
    against: tuple[Objection, ...]


async def debate_round(
    sitting: Sitting,
    prober: Prober,
    floor: Floor,
    asked: str,
    number: int,
    *,
    speakers: Sequence[Seat],
    may_move: bool,
) -> bool:
    """Hold one round, one call per speaker, all at once; returns whether any position moved.

    `asked` is the question as members read it. All see the floor as it was before the round.
    """
    sitting.deliberation.emit(PhaseEntered(phase=Phase.CRITIQUE, round=number))
    hands = [_deal(sitting, floor, seat) for seat in speakers]
    outcomes = await ask_together(
        sitting.deliberation,
        [(hand.seat.voice.member, _ask(sitting, hand, asked, number, may_move=may_move)) for hand in hands],
    )
    sitting.hear(outcomes)
    spoken = [
        (hand, outcome.value)
        for hand, outcome in zip(hands, outcomes, strict=True)
        if isinstance(outcome, Answer)
    ]
    # Objections first, then moves: nobody moves on what was said after it spoke.
    for hand, turn in spoken:
        await _object(sitting, prober, hand, turn, floor=floor, number=number)
    moved = False
    for hand, turn in spoken:
        moved = _decide(sitting, floor, hand, turn, number, may_move=may_move) or moved
    return moved


def _deal(sitting: Sitting, floor: Floor, seat: Seat) -> _Hand:
    others = [position for position in floor.held() if position is not seat.position]
    sitting.deliberation.randomness.shuffle(others)
    # With more than four, those that were attacked least come first.
    others.sort(key=lambda position: len(position.objections))
    shown = others[:SHOWN_AT_MOST]
    sitting.deliberation.randomness.shuffle(shown)
    against = tuple(
        item
        for item in seat.position.objections
        if item.evidence is not None
        and item.by.id != seat.voice.member.id
        and _key(item.evidence) not in seat.seen
    )
    return _Hand(seat, tuple(shown), against)


async def _ask(
    sitting: Sitting, hand: _Hand, asked: str, number: int, *, may_move: bool
) -> Answer[Turn] | Silence:
    deliberation = sitting.deliberation
    member = hand.seat.voice.member
    own = hand.seat.position
    focus = deliberation.dossier.focus
    task = turn_task(
        asked,
        sitting.quoting,
        own=_told(own),
        against_own=[_objection_text(item) for item in hand.against],
        others=[_told(position) for position in hand.others],
        path=focus.path if focus is not None else None,
        round_number=number,
        may_move=may_move,
    )
    request = ModelRequest(
        member=member,
        messages=reading(deliberation.dossier, sitting.quoting, member, task),
        purpose="critique",
        max_tokens=min(BRIEF_VERDICT_TOKENS if member.local else VERDICT_TOKENS, member.max_output_tokens),
        timeout=sitting.timeout(0.8),
        nonce=hand.seat.voice.sample,
    )
    return await ask_in(sitting, request, Turn, BriefTurn)


async def _object(
    sitting: Sitting, prober: Prober, hand: _Hand, turn: Turn, *, floor: Floor, number: int
) -> None:
    """Check the evidence of an objection and keep it with the position it is aimed at."""
    if not turn.objection.strip():
        return
    if 1 <= turn.target <= len(hand.others):
        target = hand.others[turn.target - 1]
    elif not hand.others:
        target = hand.seat.position
    else:
        return
    member = hand.seat.voice.member
    focus = sitting.deliberation.dossier.focus
    evidence: Evidence | None = None
    if focus is not None:
        line = max(0, turn.line - 1)
        if turn.test.strip():
            evidence = await prober.prove(target.id, focus.path, line, turn.test)
        if evidence is None:
            evidence = cited(sitting, focus.path, line, turn.quote)
    target.objections.append(Objection(member, turn.objection, evidence, number))
    sitting.deliberation.emit(
        CritiqueMade.model_validate(
            {
                "from": member.id,
                "about": target.id,
                "claim": turn.objection,
                "evidence": evidence.summary if evidence else "",
                "broke": evidence is not None,
                "against": sorted(seat.voice.member.id for seat in floor.holders(target)),
            }
        )
    )


def _decide(sitting: Sitting, floor: Floor, hand: _Hand, turn: Turn, number: int, *, may_move: bool) -> bool:
    """Apply a seat's decision; what is not backed by evidence it had not seen before is conformity."""
    seat, before = hand.seat, hand.seat.position
    target: Position | None = None
    if may_move and turn.decision is Decision.MOVE:
        if 1 <= turn.adopt <= len(hand.others):
            target = hand.others[turn.adopt - 1]
        elif turn.stance.strip() and not same_stance(turn.stance, before.stance):
            alike = (each for each in floor.positions if same_stance(turn.stance, each.stance))
            target = next(alike, None) or floor.new_position(turn.stance, turn.argument)
    because = ""
    if target is not None and target is not before:
        fresh = [item.evidence for item in hand.against if item.evidence is not None]
        fresh += (
            [item for item in target.support if _key(item) not in seat.seen] if target in hand.others else []
        )
        because = fresh[0].summary if fresh else ""
        seat.position, seat.conformed = target, not because
        floor.moves.append(Move(seat.voice, number, before.id, target.id, because, turn.because))
        sitting.deliberation.emit(
            RevisionMade(
                member=seat.voice.member.id,
                about=before.id,
                outcome="revised",
                conformity=not because,
                note=turn.because,
            )
        )
    seat.seen.update(_key(item.evidence) for item in hand.against if item.evidence is not None)
    seat.seen.update(_key(item) for position in hand.others for item in position.support)
    moved = seat.position is not before
    sitting.deliberation.emit(
        PositionTaken(
            member=seat.voice.member.id,
            stance=seat.position.stance,
            round=number,
            moved=moved,
            because=because,
        )
    )
    return moved


def _told(position: Position) -> str:
    cited_lines = [f"cited: {item.summary}" for item in position.support]
    return "\n".join((position.stance, position.argument, *cited_lines))


def _objection_text(item: Objection) -> str:
    evidence = item.evidence
    backed = f"{evidence.witness}: {evidence.summary}" if evidence else "no evidence"
    return f"{item.text}\n{backed}"


def _key(evidence: Evidence) -> tuple[str, str]:
    return (evidence.target, evidence.summary)
