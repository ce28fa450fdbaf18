"""Fixes: the product's modes, and members alone with the product's own prompts, checks and decision."""

from ensemble_lsp.bench.examination import Attempt, Examination
from ensemble_lsp.bench.outcomes import Outcome
from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.events import Mode, Status
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.proposals import FileChange, Standing
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.changing import change
from ensemble_lsp.ensemble.concluding import conclude
from ensemble_lsp.ensemble.drafting import draft
from ensemble_lsp.ensemble.fix_requests import sentinel_for
from ensemble_lsp.ensemble.fix_voices import first_voices, fresh_voices
from ensemble_lsp.ensemble.region import region_of
from ensemble_lsp.ensemble.searching import search
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.trials import gather_baseline
from ensemble_lsp.ensemble.undertaking import FIX

NO_FILE = "there is no file in front of the members that may be changed"

NOTE_CHARACTERS = 300


async def product(examination: Examination, attempt: Attempt) -> Outcome:
    """Run the product's own fix in the attempt's mode."""
    case = await change(attempt.deliberation, FIX)
    if case is None:
        return attempt.outcome(failed=NO_FILE)
    return await _concluded(examination, attempt, case)


async def alone(examination: Examination, attempt: Attempt, member: Member, most: int) -> Outcome:
    """Ask one member for up to `most` answers, one after the other, until the product's checks pass one.

    The first is the member's blind answer of a panel; each further one is the sample that the product itself
    would ask it for next: another wording, another draw.
    """
    case = await opened(attempt, most)
    if case is None:
        return attempt.outcome(failed=NO_FILE)
    voice = voice_of(examination, member)
    for number in range(most):
        voices = (voice,) if number == 0 else fresh_voices(case, (member,))
        await draft(case, voices)
        if case.decision().standing is Standing.VERIFIED or not case.sitting.may_ask:
            break
    return await _concluded(examination, attempt, case)


async def searched(examination: Examination, attempt: Attempt) -> Outcome:
    """Ask no member at all: what the search for small changes finds alone."""
    case = await opened(attempt, 0)
    if case is None:
        return attempt.outcome(failed=NO_FILE)
    await search(case)
    return await _concluded(examination, attempt, case)


async def opened(attempt: Attempt, bound: int) -> Case | None:
    """Put the case on the table up to the checks of the code as it is; None where there is no file to change."""
    deliberation = attempt.deliberation
    region = region_of(deliberation.task, deliberation.dossier, deliberation.checks)
    if region is None:
        return None
    sitting = Sitting.open(deliberation, bound)
    case = Case(sitting, bound, region, sentinel_for(deliberation, sitting.quoting))
    await gather_baseline(case)
    return case


def voice_of(examination: Examination, member: Member) -> Voice:
    """Return the member as it speaks first on a panel: the same question, and so the same answer."""
    panel = examination.panel
    voices = first_voices(panel, Mode.DEBATE) if len(panel.members) > 1 else ()
    return next((voice for voice in voices if voice.member.id == member.id), Voice(member, member.style))


async def right_among(
    examination: Examination, attempt: Attempt, answers: list[tuple[FileChange, ...]]
) -> bool:
    """Say whether any of the answers is right."""
    for changes in answers:
        if await examination.passes(attempt.case, changes):
            return True
    return False


async def _concluded(examination: Examination, attempt: Attempt, case: Case) -> Outcome:
    """Judge what the product offers: what it calls verified is accepted, and nothing else."""
    result = conclude(case)
    # What judging takes is no part of the answer.
    told = attempt.outcome()
    if told.failed:
        return told
    if result.status is Status.FAILED or not (case.answers or case.searched):
        return told.model_copy(update={"failed": result.reason[:NOTE_CHARACTERS]})
    proposal = result.proposal
    accepted = proposal is not None and proposal.standing is Standing.VERIFIED
    try:
        right = proposal is not None and await examination.passes(attempt.case, proposal.chosen.changes)
        among = right or await right_among(
            examination, attempt, [entry.changes for entry in case.entries.values()]
        )
    except CheckError as problem:
        return told.model_copy(update={"failed": problem.message})
    standing = proposal.standing.value if proposal is not None else result.status.value
    return told.model_copy(
        update={
            "accepted": accepted,
            "solved": accepted and right,
            "weak": accepted and proposal is not None and proposal.weak,
            "right_among": among,
            "note": f"{standing}: {result.reason}"[:NOTE_CHARACTERS],
        }
    )
