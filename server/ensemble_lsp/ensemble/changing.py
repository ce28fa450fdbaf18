"""The loop of every action that changes something: draft, check, critique, revise, decide (docs/deliberation.md)."""

from collections.abc import Callable

from ensemble_lsp.core.events import Mode, Phase, Status
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.checking import TargetState
from ensemble_lsp.ensemble.drafting import draft, repair, take_prior_drafts
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.fix_critics import criticise
from ensemble_lsp.ensemble.fix_debate import debate_round
from ensemble_lsp.ensemble.fix_escalation import escalate
from ensemble_lsp.ensemble.fix_requests import sentinel_for
from ensemble_lsp.ensemble.fix_revisions import resample, revise
from ensemble_lsp.ensemble.fix_voices import first_voices, more_voices
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.region import Region, region_of
from ensemble_lsp.ensemble.searching import search
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.trials import gather_baseline
from ensemble_lsp.ensemble.undertaking import Undertaking

MOST_ROUNDS = 5
"""Rounds of a debate at most (docs/deliberation.md)."""

NO_FILE = "there is no file in front of the panel that may be changed"


async def change(
    deliberation: Deliberation,
    undertaking: Undertaking,
    *,
    region: Region | None = None,
    calls: int | None = None,
    lay_out: Callable[[Case], None] = lambda _case: None,
) -> Case | None:
    """Deliberate about one change, at most `calls` calls (default: what the mode allows), up to the decision.

    `lay_out` puts on the table, after the checks of the code as it is, what was known before.

    `region` is what it is about; by default the symbol that the task points at. None: there is no file that
    may be changed. `concluding.conclude` turns the case into the result.
    """
    region = region or region_of(deliberation.task, deliberation.dossier, deliberation.checks)
    if region is None:
        return None
    task = deliberation.task
    rounds = max(1, min(task.rounds, MOST_ROUNDS))
    bound = bound_on_calls(task.action, task.mode, len(deliberation.panel.members), rounds)
    bound = bound if calls is None else min(bound, calls)
    sitting = Sitting.open(deliberation, bound)
    sentinel = sentinel_for(deliberation, sitting.quoting)
    case = Case(sitting, bound, region, sentinel, undertaking)
    await gather_baseline(case)
    lay_out(case)
    if task.mode is Mode.DEBATE:
        await _debate(case, rounds)
    else:
        await _cascade(case)
    return case


def without_file() -> JobResult:
    """Return the result of a job that found no file to change."""
    return JobResult(status=Status.FAILED, reason=NO_FILE)


async def _cascade(case: Case) -> None:
    """Few calls first, more only while the question is open (`quick`, `panel`)."""
    panel = case.deliberation.panel
    thorough = case.deliberation.task.mode is Mode.PANEL
    keep = 1 if thorough and panel.strong is not None else 0
    await _first_drafts(case, first_voices(panel, case.deliberation.task.mode))
    if not case.settled():
        await search(case)
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
    await search(case)
    for number in range(1, rounds + 1):
        if (case.settled() and len(case.entries) == 1) or not case.sitting.may_ask:
            return
        if not await _round(case, number):
            return


async def _round(case: Case, number: int) -> bool:
    """Hold one round; return whether it brought anything.

    A member's turn is an attack and a stance in one call: where one of the two is left out, the other has the
    round to itself, as in the cascade.
    """
    leaves_out = case.deliberation.leaves_out & {Phase.CRITIQUE, Phase.REVISE}
    if not leaves_out:
        return await debate_round(case, number)
    before = _on_the_table(case)
    if Phase.REVISE in leaves_out:
        await criticise(case)
    else:
        await revise(case)
    return _on_the_table(case) != before


def _on_the_table(case: Case) -> tuple[object, ...]:
    return (len(case.entries), len(case.probes), tuple(case.positions.items()))


async def _first_drafts(case: Case, voices: tuple[Voice, ...]) -> None:
    """Take what was paid for already, and ask the others."""
    case.enter(Phase.DRAFT)
    prior = await take_prior_drafts(case)
    heard = {voice.member.id for voice in prior}
    await draft(case, [voice for voice in voices if voice.member.id not in heard])


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
