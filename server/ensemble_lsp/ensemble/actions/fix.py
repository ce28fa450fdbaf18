"""The action "fix": from blind drafts to one proposal with its evidence, or an honest abstention."""

from ensemble_lsp.core.events import Action, Mode, Phase, ProposalMade, Status
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.core.results import CheckVerdict, JobResult
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.checking import TargetState
from ensemble_lsp.ensemble.deciding import Decision
from ensemble_lsp.ensemble.drafting import draft, repair, take_prior_drafts
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.fix_critics import criticise
from ensemble_lsp.ensemble.fix_debate import debate_round
from ensemble_lsp.ensemble.fix_escalation import escalate
from ensemble_lsp.ensemble.fix_requests import sentinel_for
from ensemble_lsp.ensemble.fix_revisions import resample, revise
from ensemble_lsp.ensemble.fix_voices import first_voices, more_voices
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.region import region_of
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.stripping import judged_diff
from ensemble_lsp.ensemble.trials import gather_baseline

MOST_ROUNDS = 5
"""Rounds of a debate at most (docs/deliberation.md)."""


async def run(deliberation: Deliberation) -> JobResult:
    """Deliberate about one change; the result says what came out and why, whatever members or checks did."""
    region = region_of(deliberation.task, deliberation.dossier, deliberation.checks)
    if region is None:
        return JobResult(
            status=Status.FAILED, reason="there is no file in front of the panel that may be changed"
        )
    task = deliberation.task
    rounds = max(1, min(task.rounds, MOST_ROUNDS))
    bound = bound_on_calls(Action.FIX, task.mode, len(deliberation.panel.members), rounds)
    sitting = Sitting.open(deliberation, bound)
    case = Case(sitting, bound, region, sentinel_for(deliberation, sitting.quoting))
    await gather_baseline(case)
    if task.mode is Mode.DEBATE:
        await _debate(case, rounds)
    else:
        await _cascade(case)
    return conclude(case)


async def _cascade(case: Case) -> None:
    """Few calls first, more only while the question is open (`quick`, `panel`)."""
    panel = case.deliberation.panel
    thorough = case.deliberation.task.mode is Mode.PANEL
    keep = 1 if thorough and panel.strong is not None else 0
    await _first_drafts(case, first_voices(panel, case.deliberation.task.mode))
    if case.settled():
        return
    await repair(case, keep_calls=keep)
    if thorough and not case.settled() and case.sitting.may_ask:
        voices = more_voices(panel, list(case.voices.values()))
        await draft(case, voices, stop_when_settled=True, keep_calls=keep)
        await repair(case, keep_calls=keep)
    if not thorough:
        if not case.settled() and case.alive and _is_contested(case):
            await criticise(case, most_critics=1)
        return
    # Where nothing stands there is nothing to attack: the failing logs come first, then the critique.
    attacked = await _attack(case, keep)
    if not case.settled():
        await revise(case, keep_calls=keep)
    if not attacked and await _attack(case, keep) and not case.settled():
        await revise(case, keep_calls=keep)
    if _is_open(case) and not case.settled():
        await escalate(case)
    # Where nothing works yet, what the mode still allows goes into blind samples: free ones to the last call,
    # paid ones once, in the place of the critique that had nothing to attack.
    free = [member for member in panel.members if _is_free(member)]
    await resample(case, free)
    await resample(case, [member for member in panel.members if not _is_free(member)], most=1)


async def _attack(case: Case, keep: int) -> bool:
    """Criticise what stands, unless that is settled or nothing can move it; return whether it was done."""
    if case.settled() or not case.alive or not _can_be_moved(case):
        return False
    await criticise(case, keep_calls=keep)
    return True


async def _debate(case: Case, rounds: int) -> None:
    """All members, every round, until no position moves; no lane is cut off as a loser."""
    await _first_drafts(case, first_voices(case.deliberation.panel, Mode.DEBATE))
    await repair(case)
    for number in range(1, rounds + 1):
        if (case.settled() and len(case.entries) == 1) or not case.sitting.may_ask:
            return
        if not await debate_round(case, number):
            return


async def _first_drafts(case: Case, voices: tuple[Voice, ...]) -> None:
    """Take what was paid for already, and ask the others."""
    case.enter(Phase.DRAFT)
    prior = await take_prior_drafts(case)
    heard = {voice.member.id for voice in prior}
    await draft(case, [voice for voice in voices if voice.member.id not in heard])


def conclude(case: Case) -> JobResult:
    """Turn what is known into a proposal, or into an abstention that says what would settle it."""
    deliberation = case.deliberation
    case.enter(Phase.DECIDE, case.round)
    decision = case.decision()
    cut_short = case.sitting.cut_short()
    for dissent in _dissent(case, decision):
        case.sitting.keep_dissent(dissent)
    proposal = _proposal(case, decision)
    if proposal is not None:
        deliberation.emit(ProposalMade(proposal=proposal))
        status = Status.DONE
        reason = decision.reason
    elif not case.answers:
        status, reason = case.sitting.silent_end()
        cut_short = ""
    else:
        status = Status.OVER_BUDGET if case.sitting.over_budget is not None else Status.ABSTAINED
        reason = decision.reason
        if decision.would_settle:
            reason += f"; what would settle it: {decision.would_settle}"
    if cut_short:
        reason += f" ({cut_short})"
    return JobResult(
        status=status,
        reason=reason,
        proposal=proposal,
        dissent=tuple(case.sitting.dissent),
        drafts=tuple(case.sitting.drafts),
        verdicts=_verdicts(case),
        spend=case.sitting.spend,
        notes=tuple(case.sitting.notes),
    )


def _verdicts(case: Case) -> tuple[CheckVerdict, ...]:
    """Return how the target check ended for every candidate that had one executed."""
    return tuple(
        CheckVerdict(
            candidate=entry.id,
            members=tuple(sorted({voice.member.id for voice in entry.voices.values()})),
            passed=entry.assessment.target is TargetState.GREEN,
        )
        for entry in case.entries.values()
        if entry.voices and entry.assessment.target in {TargetState.GREEN, TargetState.RED}
    )


def _proposal(case: Case, decision: Decision) -> Proposal | None:
    chosen = decision.chosen
    if chosen is None:
        return None
    deliberation = case.deliberation
    return Proposal(
        id=f"{deliberation.job}-{chosen.id}" if deliberation.job else chosen.id,
        job=deliberation.job,
        title=_title(case, decision),
        standing=decision.standing,
        weak=decision.weak,
        strength=case.strength if decision.standing is Standing.VERIFIED else None,
        chosen=chosen,
        alternatives=decision.alternatives,
        dissent=tuple(case.sitting.dissent),
        single_family=len(deliberation.panel.families) == 1,
        would_settle=decision.would_settle,
        spend=case.sitting.spend,
        finding=deliberation.task.finding.id if deliberation.task.finding is not None else None,
    )


def _title(case: Case, decision: Decision) -> str:
    name = case.region.name or case.region.path
    families = len(decision.chosen.families) if decision.chosen is not None else 0
    who = f"{families} families" if families > 1 else "1 family"
    return f"Fix {name} — {who}, {_STANDING_WORDS[decision.standing, decision.weak]}"


_STANDING_WORDS = {
    (Standing.VERIFIED, False): "the check passes",
    (Standing.VERIFIED, True): "the check passes, but it is weak",
    (Standing.AGREED, False): "agreed, not executed",
    (Standing.UNVERIFIED, False): "not verified",
}


def _dissent(case: Case, decision: Decision) -> list[Dissent]:
    """Return what was argued and not adopted, word for word."""
    chosen = decision.chosen.id if decision.chosen is not None else None
    kept: list[Dissent] = []
    for voice_id, position in case.positions.items():
        voice = case.voices[voice_id]
        words = case.answers.get(voice_id, "")
        if position is None or position == chosen or not words:
            continue
        entry = case.entries[position]
        against = case.rejection_of(entry)
        heading = f"{judged_diff(entry.changes)}\n" if not words.strip() else ""
        text = f"[{against}]\n{heading}{words}" if against else f"{heading}{words}"
        kept.append(
            Dissent(
                member=voice.member.id,
                family=voice.member.family,
                about=entry.id,
                text=case.sitting.quoting.redact(text),
            )
        )
    kept += [
        Dissent(member=critic.member.id, family=critic.member.family, about=about, text=words)
        for critic, about, words in case.objections
        if chosen is None or about == chosen
    ]
    return kept


def _is_contested(case: Case) -> bool:
    """Whether `quick` spends its critique: members disagree, or nothing was executed."""
    executed = any(entry.assessment.executed for entry in case.alive)
    return len(case.alive) > 1 or not executed


def _can_be_moved(case: Case) -> bool:
    """Whether a critique can change anything: one family has nobody to ask about the one change that passes."""
    green = all(entry.assessment.target is TargetState.GREEN for entry in case.alive)
    return len(case.alive) > 1 or not green or len(case.deliberation.panel.families) > 1


def _is_open(case: Case) -> bool:
    """Whether there is still something that a strong member could settle."""
    decision = case.decision()
    if decision.chosen is None or decision.standing is Standing.UNVERIFIED:
        return True
    return decision.standing is Standing.VERIFIED and any(
        item.rejected == "" for item in decision.alternatives
    )


def _is_free(member: Member) -> bool:
    return member.local or (member.price_in == 0 and member.price_out == 0)
