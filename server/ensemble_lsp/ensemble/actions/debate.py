"""Debate: blind positions, objections with evidence, moves that must be earned, a recommendation by rule."""

from collections.abc import Sequence

from ensemble_lsp.core.events import Mode, Phase, PhaseEntered, PositionTaken, Status
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.markdown import sanitise_inline
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.blind import Forms, Voice, ask_blind, voices_of
from ensemble_lsp.ensemble.challenging import cited
from ensemble_lsp.ensemble.debate_report import plain, report
from ensemble_lsp.ensemble.debating import debate_round
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.explanation import panel_line
from ensemble_lsp.ensemble.ports import Deliberation, ModelRequest
from ensemble_lsp.ensemble.positions import BriefPositionDraft, Floor, PositionDraft, Seat, Synthesis, opened
from ensemble_lsp.ensemble.probing import Prober
from ensemble_lsp.ensemble.prompts.debating import position_task, question, synthesis_task
from ensemble_lsp.ensemble.prompts.numbered import reading
from ensemble_lsp.ensemble.recommending import Recommendation, recommend
from ensemble_lsp.ensemble.rounds import ROUNDS_AT_MOST
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.speaking import Answer, ask_as, ask_together

POSITION_TOKENS = 2_000
"""More than a position needs: members that think before they answer count their thoughts in."""
BRIEF_POSITION_TOKENS = 400
SYNTHESIS_TOKENS = 2_000
QUICK_CRITICS = 2


async def run(deliberation: Deliberation) -> JobResult:
    """Debate the task's question, about `dossier.focus` where there is one. The report is in the result.

    Cancelling it cancels all calls and checks in flight; answers already there were saved.
    """
    task, panel = deliberation.task, deliberation.panel
    sitting = Sitting.open(
        deliberation, bound_on_calls(task.action, task.mode, len(panel.members), task.rounds)
    )
    deliberation.emit(PhaseEntered(phase=Phase.DRAFT))
    drafts = await _positions(sitting, voices_of(panel, task.mode))
    if not drafts:
        status, reason = sitting.silent_end()
        return JobResult(
            status=status,
            reason=reason,
            spend=sitting.spend,
            notes=tuple(sitting.notes),
            drafts=tuple(sitting.drafts),
        )
    floor = opened(drafts)
    _cite(sitting, floor, drafts)
    for seat in floor.seats:
        stance = seat.position.stance
        deliberation.emit(PositionTaken(member=seat.voice.member.id, stance=stance, round=0))
    await _rounds(sitting, floor)

    deliberation.emit(PhaseEntered(phase=Phase.DECIDE))
    recommendation = recommend(floor)
    synthesis = await _synthesis(sitting, floor, recommendation)
    _keep_dissent(sitting, floor, recommendation)
    return _result(sitting, floor, recommendation, synthesis)


async def _positions(sitting: Sitting, voices: Sequence[Voice]) -> list[tuple[Voice, PositionDraft]]:
    deliberation = sitting.deliberation

    def task(voice: Voice) -> str:
        return position_task(deliberation.task, deliberation.dossier, sitting.quoting, voice.style)

    forms = Forms(PositionDraft, BriefPositionDraft, POSITION_TOKENS, BRIEF_POSITION_TOKENS)
    said = await ask_blind(sitting, voices, forms, task, purpose="position")
    return [(answer.voice, answer.value) for answer in said if answer.value.stance.strip()]


def _cite(sitting: Sitting, floor: Floor, drafts: Sequence[tuple[Voice, PositionDraft]]) -> None:
    """Look up the lines that were cited for the positions; what is not there is not support."""
    focus = sitting.deliberation.dossier.focus
    if focus is None:
        return
    seats = {seat.voice.id: seat for seat in floor.seats}
    for voice, draft in drafts:
        evidence = cited(sitting, focus.path, draft.line - 1, draft.quote)
        support = seats[voice.id].position.support
        if evidence is not None and evidence not in support:
            support.append(evidence)
            seats[voice.id].seen.add((evidence.target, evidence.summary))


async def _rounds(sitting: Sitting, floor: Floor) -> None:
    """Hold the rounds that the mode allows, until no position moves."""
    deliberation = sitting.deliberation
    task = deliberation.task
    asked = question(task, deliberation.dossier, sitting.quoting)
    prober = Prober(sitting)
    if task.mode is Mode.QUICK:
        if len(floor.positions) > 1 and sitting.may_ask:
            speakers = floor.seats[:QUICK_CRITICS]
            await debate_round(sitting, prober, floor, asked, 1, speakers=speakers, may_move=False)
        return
    rounds = min(ROUNDS_AT_MOST, max(1, task.rounds)) if task.mode is Mode.DEBATE else 1
    for number in range(1, rounds + 1):
        if not sitting.may_ask:
            return
        moved = await debate_round(sitting, prober, floor, asked, number, speakers=floor.seats, may_move=True)
        if not moved:
            return


async def _synthesis(
    sitting: Sitting, floor: Floor, recommendation: Recommendation
) -> tuple[str, Synthesis] | None:
    """Ask the strong member, or the anchor, to sum up; a debate without objections needs no summary."""
    deliberation = sitting.deliberation
    objections = any(position.objections for position in floor.positions)
    if deliberation.task.mode is Mode.QUICK or not objections or not sitting.may_ask:
        return None
    panel = deliberation.panel
    member = panel.strong or panel.member(panel.anchor)
    asked = question(deliberation.task, deliberation.dossier, sitting.quoting)
    task = synthesis_task(asked, plain(floor, recommendation), sitting.quoting)
    request = ModelRequest(
        member=member,
        messages=reading(deliberation.dossier, sitting.quoting, member, task),
        purpose="synthesis",
        max_tokens=min(SYNTHESIS_TOKENS, member.max_output_tokens),
        timeout=sitting.timeout(0.8),
    )
    outcomes = await ask_together(deliberation, [(member, ask_as(deliberation, request, Synthesis))])
    sitting.hear(outcomes)
    return next(((member.id, item.value) for item in outcomes if isinstance(item, Answer)), None)


def _keep_dissent(sitting: Sitting, floor: Floor, recommendation: Recommendation) -> None:
    """Keep every position that is not recommended, and every objection to the one that is."""
    for seat in floor.seats:
        if seat.position is not recommendation.position:
            _dissent(sitting, seat)
    chosen = recommendation.position
    for objection in chosen.objections if chosen else ():
        backed = f" [{objection.evidence.summary}]" if objection.evidence else " [no evidence]"
        sitting.keep_dissent(
            Dissent(
                member=objection.by.id,
                family=objection.by.family,
                about=chosen.id if chosen else "",
                text=objection.text + backed,
            )
        )


def _dissent(sitting: Sitting, seat: Seat) -> None:
    member, position = seat.voice.member, seat.position
    text = f"{position.stance} {position.argument}".strip()
    sitting.keep_dissent(Dissent(member=member.id, family=member.family, about=position.id, text=text))


def _result(
    sitting: Sitting,
    floor: Floor,
    recommendation: Recommendation,
    synthesis: tuple[str, Synthesis] | None,
) -> JobResult:
    members = list({seat.voice.member.id: seat.voice.member for seat in floor.seats}.values())
    if len({member.family for member in members}) == 1:
        sitting.note("one family only: its members share their mistakes, agreement proves less")
    conformed = sum(not move.because for move in floor.moves)
    if conformed:
        sitting.note(f"{conformed} of {len(floor.moves)} moves came without new evidence and do not count")
    short = sitting.cut_short()
    if short:
        sitting.note(short)
    task = sitting.deliberation.task
    document = report(
        question=task.instruction,
        floor=floor,
        recommendation=recommendation,
        synthesis=synthesis,
        footer=(panel_line(members, sitting.spend), *(sanitise_inline(note) for note in sitting.notes)),
    )
    chosen = recommendation.position
    reason = f"recommends: {chosen.stance}" if chosen else f"split: {recommendation.why}"
    return JobResult(
        status=Status.OVER_BUDGET if sitting.over_budget is not None else Status.DONE,
        reason=f"{reason}; {short}" if short else reason,
        document=document,
        dissent=tuple(sitting.dissent),
        drafts=tuple(sitting.drafts),
        spend=sitting.spend,
        notes=tuple(sitting.notes),
    )
