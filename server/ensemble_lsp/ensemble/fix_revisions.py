"""What follows from evidence in a fix: authors revise, keep or withdraw; blind samples where nothing works."""

import dataclasses
import re
from collections.abc import Sequence
from typing import Literal

from ensemble_lsp.core.events import Phase, RevisionMade
from ensemble_lsp.core.panel import EditFormat, Member
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Against, Case, Entry
from ensemble_lsp.ensemble.checking import TargetState
from ensemble_lsp.ensemble.drafting import consider, draft
from ensemble_lsp.ensemble.fix_critics import assigned
from ensemble_lsp.ensemble.fix_requests import form_for, request_for
from ensemble_lsp.ensemble.fix_voices import fresh_voices, next_style
from ensemble_lsp.ensemble.prompts.fixing import revision_task
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask, ask_together

NOTE_CHARACTERS = 600
"""How much of an author's reasons goes into an event; all of it is kept in the dissent."""

_STANCE = re.compile(r"^[\W_]*(KEEP|WITHDRAW)\b[\W_]*(.*)", re.IGNORECASE | re.DOTALL)
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


async def revise(case: Case, *, keep_calls: int = 0) -> None:
    """Let each author whose change was hit by evidence see it, once, and revise, keep or withdraw.

    An author that has no change on the table is asked afresh, in another wording.
    """
    if Phase.REVISE in case.deliberation.leaves_out:
        return
    hit = [voice for voice in case.voices.values() if is_hit(case, voice)]
    if not hit or not case.sitting.may_ask:
        return
    case.enter(Phase.REVISE, 1)
    again = [voice for voice in hit if case.positions[voice.id] is not None]
    again = again[: case.allow(len(again), keep=keep_calls)]
    anew = fresh_voices(case, [voice.member for voice in hit if case.positions[voice.id] is None])

    async def one(voice: Voice) -> Answer[str] | Silence:
        entry = case.entries[case.positions[voice.id] or ""]
        task = _revision(case, voice, entry)
        outcome = await ask(case.deliberation, request_for(case, voice, task, "revise"))
        if isinstance(outcome, Answer):
            await take_revision(case, voice, entry, outcome)
        return outcome

    case.sitting.hear(
        await ask_together(
            case.deliberation,
            [(voice.member, one(voice)) for voice in again],
            enough=lambda _answers: case.settled(),
        )
    )
    if anew and not case.settled() and case.sitting.may_ask:
        await draft(case, anew, stop_when_settled=True, keep_calls=keep_calls)


async def take_revision(case: Case, voice: Voice, entry: Entry, answer: Answer[str]) -> None:
    """Put on the table what an author answered to the evidence."""
    against = case.evidence_against(voice)
    case.seen_hits[voice.id, entry.id] = len(entry.hits)
    stance = _STANCE.match(_THINKING.sub("", answer.value).strip())
    if stance is not None:
        case.answers[voice.id] = answer.value
        note = stance.group(2).strip()
        if stance.group(1).upper() == "KEEP":
            tell_revision(case, voice, entry, "kept", note)
        else:
            withdraw(case, voice, entry, note, against)
        return
    made = await consider(case, voice, answer.value, answer.reply, revised_from=entry)
    if made is None:
        case.positions[voice.id] = entry.id
        tell_revision(case, voice, entry, "kept", "wrote nothing that could be applied")
    elif made.id == entry.id:
        tell_revision(case, voice, entry, "kept", "wrote the same again")
    else:
        move(case, voice, entry, made, against)
        tell_revision(case, voice, entry, "revised", made.rationale)


def move(case: Case, voice: Voice, entry: Entry, made: Entry, against: Against) -> None:
    """Move an author from one entry to another, as far as what it was shown carries.

    Where only a test was claimed that no change passes, its first answer goes on counting beside the new one:
    one wrong test cannot then outweigh several authors, unless as many of them concede.
    """
    if against is Against.SHOWN:
        entry.voices.pop(voice.id, None)
        entry.successor = made.id
    made.successor = None
    case.rejudge()


def withdraw(case: Case, voice: Voice, entry: Entry, note: str, against: Against) -> None:
    """Take an author from its entry, if something was shown against it.

    What turned the real check green stays on the table without its author.
    """
    case.positions[voice.id] = None
    if against is Against.SHOWN:
        entry.voices.pop(voice.id, None)
        entry.successor = None
    if not entry.voices and entry.assessment.target is not TargetState.GREEN and not entry.rejected:
        entry.rejected = f"withdrawn by its author: {note[:NOTE_CHARACTERS]}"
    case.rejudge()
    tell_revision(case, voice, entry, "withdrawn", note)


async def resample(case: Case, members: Sequence[Member], *, most: int | None = None) -> None:
    """Ask members for further blind samples in other wordings, in parallel, until something stands.

    Bounded by the mode's calls, and by `most` turns.
    """
    for _ in range(case.bound if most is None else most):
        before = case.planned_calls
        judged = case.targets or case.undertaking.keeps_behaviour
        if not members or case.alive or not judged or not case.sitting.may_ask:
            return
        await draft(case, fresh_voices(case, members), stop_when_settled=True)
        if case.planned_calls == before:
            return


def is_hit(case: Case, voice: Voice) -> bool:
    """Whether there is evidence against where the voice stands that it has not answered, or it stands nowhere."""
    return case.positions.get(voice.id) is None or case.evidence_against(voice) is not Against.NOTHING


def tell_revision(
    case: Case,
    voice: Voice,
    entry: Entry,
    outcome: Literal["revised", "kept", "withdrawn"],
    note: str,
    *,
    conformity: bool = False,
) -> None:
    """Emit what an author did."""
    case.deliberation.emit(
        RevisionMade(
            member=voice.member.id,
            about=entry.id,
            outcome=outcome,
            conformity=conformity,
            note=note[:NOTE_CHARACTERS],
        )
    )


def _revision(case: Case, voice: Voice, entry: Entry) -> str:
    seen = case.seen_hits.get((voice.id, entry.id), 0)
    critiques = [hit.text for hit in entry.hits[seen:]]
    added = [
        f"{item.path}:{item.line + 1}: {item.source} {item.code}: {item.message}"
        for item in entry.assessment.added[:10]
    ]
    if added:
        critiques.append("New messages of the tools:\n" + "\n".join(added))
    if entry.assessment.regressed:
        critiques.append("Passed before, fails now: " + ", ".join(entry.assessment.regressed[:10]))
    compact = voice.member.edit_format is EditFormat.WHOLE
    # A small model that is asked in the same words writes the same again.
    worded = dataclasses.replace(voice, style=next_style(voice.member, voice.style)) if compact else voice
    return revision_task(
        case.undertaking.wording,
        assigned(case),
        case.diff(entry),
        entry.assessment.failing,
        critiques,
        quoting=case.sitting.quoting,
        form=form_for(case, worded),
        compact=compact,
    )
