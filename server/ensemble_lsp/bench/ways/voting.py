"""Voting: everybody answers, votes for one of the answers, and the winner rewrites its own (as MassGen decides).

Nothing is run: what comes out is offered on the strength of the vote alone. The first answers are those of the
panel. Each voter sees all answers without names, in an order of its own. Most votes win; among equals, and where
nobody votes, the answer that stands first in the order of the panel. What cannot be applied is no candidate; a
rewriting that cannot be applied leaves the answer as it was.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import Field

from ensemble_lsp.bench.examination import Attempt, Examination
from ensemble_lsp.bench.outcomes import Outcome
from ensemble_lsp.bench.ways import fixing, reviewing, voting_prompts
from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.ensemble.answer_form import AnswerForm
from ensemble_lsp.ensemble.blind import Said, Voice, ask_in
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.finding import (
    BRIEF_FINDER_TOKENS,
    FINDER_TOKENS,
    BriefDrafts,
    Drafts,
    find,
    grounded,
)
from ensemble_lsp.ensemble.fix_critics import assigned
from ensemble_lsp.ensemble.fix_requests import draft_request, form_for, request_for
from ensemble_lsp.ensemble.issues import issues_from
from ensemble_lsp.ensemble.merging import group
from ensemble_lsp.ensemble.ports import Message, ModelReply, ModelRequest
from ensemble_lsp.ensemble.prompts.numbered import reading
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask, ask_as, ask_together
from ensemble_lsp.ensemble.undertaking import FIX, Written

VOTE_TOKENS = 400

A = TypeVar("A")


class Vote(AnswerForm):
    """One member's vote."""

    choice: str = Field(max_length=1)
    """The letter of an answer."""
    reason: str = Field(max_length=300)


@dataclass(frozen=True, slots=True)
class Standing(Generic[A]):
    """One answer that is voted on."""

    voice: Voice
    text: str
    """As the voters see it."""
    value: A


def bound_of(members: int) -> int:
    """Return the calls at most: an answer and a vote a member, one rewriting; each vote may be repaired once."""
    return 3 * members + 1


async def fix(examination: Examination, attempt: Attempt) -> Outcome:
    """Vote on fixes."""
    members = examination.panel.members
    case = await fixing.opened(attempt, bound_of(len(members)))
    if case is None:
        return attempt.outcome(failed=fixing.NO_FILE)
    voices = [fixing.voice_of(examination, member) for member in members]
    deliberation = case.deliberation

    async def first(voice: Voice) -> Answer[str] | Silence:
        return await ask(deliberation, draft_request(case, voice, "draft"))

    said = await ask_together(deliberation, [(voice.member, first(voice)) for voice in voices])
    case.sitting.hear(said)
    answers = [
        Standing(voice, item.value, changes)
        for voice, item in zip(voices, said, strict=True)
        if isinstance(item, Answer) and (changes := _changes(case, item.value, item.reply))
    ]
    if not any(isinstance(item, Answer) for item in said):
        return attempt.outcome(failed=case.sitting.silent_end()[1][: fixing.NOTE_CHARACTERS])

    def prompt(voice: Voice, task: str) -> ModelRequest:
        return request_for(case, voice, task, "vote")

    winner, told = await _elected(case.sitting, voices, answers, assigned(case), prompt)
    if winner is None:
        return attempt.outcome(note="no answer could be applied")
    final = winner.value
    if len(answers) > 1 and case.sitting.may_ask:
        others = [item.text for item in answers if item is not winner]
        task = voting_prompts.rewrite_task(
            assigned(case), winner.text, others, case.sitting.quoting, form_for(case, winner.voice)
        )
        outcome = await ask(deliberation, request_for(case, winner.voice, task, "rewrite"))
        case.sitting.hear([outcome])
        if isinstance(outcome, Answer):
            final = _changes(case, outcome.value, outcome.reply) or final
    outcome = attempt.outcome(accepted=True, note=told)
    try:
        right = await examination.passes(attempt.case, final)
        among = right or await fixing.right_among(examination, attempt, [item.value for item in answers])
    except CheckError as problem:
        return outcome.model_copy(update={"failed": problem.message})
    return outcome.model_copy(update={"solved": right, "right_among": among})


async def review(examination: Examination, attempt: Attempt) -> Outcome:
    """Vote on reviews."""
    focus = attempt.deliberation.dossier.focus
    if focus is None:
        return attempt.outcome(failed=reviewing.NO_FILE)
    members = examination.panel.members
    sitting = Sitting.open(attempt.deliberation, bound_of(len(members)))
    voices = [reviewing.voice_of(examination, member) for member in members]
    said = await find(sitting, voices)
    if not said:
        return attempt.outcome(failed=sitting.silent_end()[1][: fixing.NOTE_CHARACTERS])
    answers = [Standing(item.voice, voting_prompts.as_list(item.value.findings), item.value) for item in said]

    def prompt(voice: Voice, task: str) -> ModelRequest:
        messages = reading(sitting.deliberation.dossier, sitting.quoting, voice.member, task)
        return _request(sitting, voice, messages, "vote", FINDER_TOKENS)

    winner, told = await _elected(sitting, voices, answers, voting_prompts.REVIEWING, prompt)
    if winner is None:
        return attempt.outcome(failed="nobody answered")
    final = winner.value
    if len(answers) > 1 and sitting.may_ask:
        others = [item.text for item in answers if item is not winner]
        task = voting_prompts.rewrite_task(
            voting_prompts.REVIEWING, winner.text, others, sitting.quoting, voting_prompts.FINDINGS_FORM
        )
        limit = BRIEF_FINDER_TOKENS if winner.voice.member.local else FINDER_TOKENS
        request = _request(
            sitting,
            winner.voice,
            reading(sitting.deliberation.dossier, sitting.quoting, winner.voice.member, task),
            "rewrite",
            limit,
        )
        outcome = await ask_in(sitting, request, Drafts, BriefDrafts)
        sitting.hear([outcome])
        if isinstance(outcome, Answer):
            final = outcome.value
    seen = [finding for item in answers for finding in _findings(sitting, item.voice, item.value, focus.path)]
    shown = _findings(sitting, winner.voice, final, focus.path)
    return reviewing.judged(examination, attempt, shown, seen).model_copy(update={"note": told})


async def _elected(
    sitting: Sitting,
    voices: Sequence[Voice],
    answers: Sequence[Standing[A]],
    about: str,
    prompt: Callable[[Voice, str], ModelRequest],
) -> tuple[Standing[A] | None, str]:
    """Return the answer that wins, and how the vote went in words."""
    if len(answers) < 2 or not sitting.may_ask:
        return (answers[0] if answers else None), f"{len(answers)} answer, no vote"
    deliberation = sitting.deliberation
    votes: Counter[int] = Counter()

    async def one(voice: Voice) -> Answer[Vote] | Silence:
        order = list(range(len(answers)))
        deliberation.randomness.shuffle(order)
        labelled = {chr(ord("A") + place): number for place, number in enumerate(order)}
        task = voting_prompts.vote_task(
            about, {label: answers[number].text for label, number in labelled.items()}, sitting.quoting
        )
        limit = min(VOTE_TOKENS, voice.member.max_output_tokens)
        request = prompt(voice, task).model_copy(update={"max_tokens": limit})
        outcome = await ask_as(deliberation, request, Vote)
        if isinstance(outcome, Answer):
            chosen = labelled.get(outcome.value.choice.strip().upper())
            if chosen is not None:
                votes[chosen] += 1
        return outcome

    sitting.hear(await ask_together(deliberation, [(voice.member, one(voice)) for voice in voices]))
    won = max(range(len(answers)), key=lambda number: (votes[number], -number))
    told = ", ".join(f"{item.voice.id} {votes[number]}" for number, item in enumerate(answers))
    return answers[won], f"votes: {told}"


def _changes(case: Case, text: str, reply: ModelReply) -> tuple[FileChange, ...]:
    """Return the changes that an answer makes; none where it cannot be applied."""
    deliberation = case.deliberation
    outcome = FIX.read(
        Written(
            text=deliberation.dossier.restore(text),
            cut_off=reply.finish == "length",
            region=case.region,
            sentinel=case.sentinel,
            dossier=deliberation.dossier,
            checks=deliberation.checks,
        )
    )
    return tuple(outcome.changes) if outcome.ok else ()


def _findings(sitting: Sitting, voice: Voice, drafts: Drafts, focus_path: str) -> tuple[Finding, ...]:
    """Return the findings of one answer, what it says twice once."""
    raised = grounded(sitting, [Said(voice, drafts)], focus_path)
    by_id = {item.id: item for item in raised}
    groups = group([item.statement for item in raised]).groups
    issues = issues_from(
        [[by_id[ident] for ident in ids] for ids in groups],
        sitting.deliberation.panel.anchor,
        sitting.quoting.redact,
    )
    return reviewing.reported(sitting, issues, focus_path)


def _request(
    sitting: Sitting, voice: Voice, messages: tuple[Message, ...], purpose: str, tokens: int
) -> ModelRequest:
    return ModelRequest(
        member=voice.member,
        messages=messages,
        purpose=purpose,
        max_tokens=min(tokens, voice.member.max_output_tokens),
        timeout=sitting.timeout(0.6),
    )
