"""From what is known of a change to the result: a proposal, or an abstention that says what would settle it."""

from collections.abc import Callable

from ensemble_lsp.core.events import Phase, ProposalMade, Status
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.core.results import CheckVerdict, JobResult
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.checking import TargetState
from ensemble_lsp.ensemble.deciding import Decision


def conclude(case: Case, document: Callable[[Case, Decision], str] | None = None) -> JobResult:
    """Turn what is known into a proposal, or into an abstention that says what would settle it.

    `document` writes what goes beside the diff, from the decision.
    """
    deliberation = case.deliberation
    case.enter(Phase.DECIDE, case.round)
    decision = case.decision()
    cut_short = case.sitting.cut_short()
    for dissent in _dissent(case, decision):
        case.sitting.keep_dissent(dissent)
    proposal = _proposal(case, decision)
    if proposal is not None:
        deliberation.emit(ProposalMade.of(proposal))
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
        document=document(case, decision) if document is not None else "",
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
    if decision.chosen is not None and case.entries[decision.chosen.id].found_only:
        who = "found by search"
    words = case.undertaking.standing_words[decision.standing, decision.weak]
    return f"{case.undertaking.verb} {name} — {who}, {words}"


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
        heading = f"{case.diff(entry)}\n" if not words.strip() else ""
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
