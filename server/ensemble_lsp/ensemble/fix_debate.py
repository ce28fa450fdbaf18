"""The rounds of a fix in `debate`: critique and revision in one call per member, after the last tests ran."""

import re
from dataclasses import dataclass

from ensemble_lsp.core.events import Phase, PositionTaken
from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Against, Case, Entry
from ensemble_lsp.ensemble.drafting import consider
from ensemble_lsp.ensemble.fix_critics import assigned, exhibit, labels, not_of, run_attacks
from ensemble_lsp.ensemble.fix_requests import form_for, request_for
from ensemble_lsp.ensemble.fix_revisions import move, tell_revision, withdraw
from ensemble_lsp.ensemble.prompts.attacking import debate_task
from ensemble_lsp.ensemble.prompts.quoting import tail
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask, ask_together

_POSITION = re.compile(
    r"^[\W_]*POSITION[\W_]*(KEEP|ADOPT|REVISE|WITHDRAW)\b[ \t*_`:]*(?:candidate\s+)?(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_LETTER = re.compile(r"^([A-Z])\b")
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Turn:
    """One member's answer in one round, with what it was shown."""

    voice: Voice
    labelled: dict[str, Entry]
    answer: Answer[str]
    against: Against
    """What stood against its own change when it was asked."""


async def debate_round(case: Case, number: int) -> bool:
    """Let every member take its turn; return whether a position moved or evidence was added."""
    voices = list(case.voices.values())
    granted = voices[: case.allow(len(voices))]
    if not granted or not case.sitting.may_ask:
        return False
    case.enter(Phase.CRITIQUE, number)
    asked = [(voice, _shown(case, voice), case.evidence_against(voice)) for voice in granted]
    probes_before, entries_before = len(case.probes), len(case.entries)

    async def one(voice: Voice, labelled: dict[str, Entry]) -> Answer[str] | Silence:
        return await ask(case.deliberation, request_for(case, voice, _task(case, voice, labelled), "revise"))

    outcomes = await ask_together(
        case.deliberation, [(voice.member, one(voice, labelled)) for voice, labelled, _ in asked]
    )
    case.sitting.hear(outcomes)
    turns = [
        Turn(voice, labelled, outcome, against)
        for (voice, labelled, against), outcome in zip(asked, outcomes, strict=True)
        if isinstance(outcome, Answer)
    ]
    for turn in turns:
        _mark_seen(case, turn.voice)
    case.enter(Phase.REVISE, number)
    moved = [await _take_stand(case, turn, number) for turn in turns]
    if case.phase is not Phase.CHECK:
        case.enter(Phase.CHECK, number)
    for turn in turns:
        await _run_attacks(case, turn)
    return any(moved) or len(case.probes) > probes_before or len(case.entries) > entries_before


async def _run_attacks(case: Case, turn: Turn) -> None:
    spoken = _THINKING.sub("", turn.answer.value)
    stance = _POSITION.search(spoken)
    attacking = spoken[: stance.start()] if stance is not None else spoken
    await run_attacks(case, turn.voice, turn.labelled, attacking)


async def _take_stand(case: Case, turn: Turn, number: int) -> bool:
    """Put a member's stance on the table; return whether it moved."""
    voice = turn.voice
    spoken = _THINKING.sub("", turn.answer.value)
    stance = _POSITION.search(spoken)
    word = stance.group(1).upper() if stance is not None else ""
    rest = spoken[stance.end() :] if stance is not None else spoken
    detail = stance.group(2).strip() if stance is not None else ""
    position = case.positions.get(voice.id)
    own = case.entries[position] if position is not None else None
    against = turn.against if own is not None else Against.SHOWN
    evidence = against is not Against.NOTHING
    moved = False
    stand = f"keeps {own.id}" if own is not None else "has no change"
    case.answers[voice.id] = turn.answer.value
    if word == "WITHDRAW" and own is not None and evidence:
        withdraw(case, voice, own, (detail + " " + rest.strip()).strip(), against)
        moved, stand = True, f"withdraws {own.id}"
    elif word == "WITHDRAW" and own is not None:
        # The blind answer goes on counting: nothing was shown against it.
        tell_revision(case, voice, own, "withdrawn", detail, conformity=True)
        moved, stand = True, f"withdraws {own.id}"
    elif word == "ADOPT":
        letter = _LETTER.match(detail)
        other = turn.labelled.get(letter.group(1).upper()) if letter is not None else None
        if other is not None and other is not own:
            _adopt(case, voice, own, other, detail, against=against)
            moved, stand = True, f"adopts {other.id}"
    elif word == "REVISE" or (not word and own is None):
        made = await _rewrite(case, turn, own, rest, against)
        if made is not None:
            moved, stand = True, f"proposes {made.id}"
    elif own is not None:
        tell_revision(case, voice, own, "kept", (detail + " " + rest.strip()).strip())
    case.deliberation.emit(
        PositionTaken(
            member=voice.member.id,
            stance=stand,
            round=number,
            moved=moved,
            because=_because(own) if moved and evidence else "",
        )
    )
    return moved


def _adopt(case: Case, voice: Voice, own: Entry | None, other: Entry, note: str, *, against: Against) -> None:
    evidence = against is not Against.NOTHING
    case.positions[voice.id] = other.id
    if evidence:
        other.voices[voice.id] = voice
        if own is not None:
            move(case, voice, own, other, against)
    about = own if own is not None else other
    tell_revision(case, voice, about, "revised", f"adopts {other.id}. {note}", conformity=not evidence)
    case.rejudge()


async def _rewrite(case: Case, turn: Turn, own: Entry | None, text: str, against: Against) -> Entry | None:
    evidence = against is not Against.NOTHING
    voice = turn.voice
    made = await consider(case, voice, text, turn.answer.reply, supports=evidence, revised_from=own)
    case.answers[voice.id] = turn.answer.value
    if made is None:
        case.positions[voice.id] = own.id if own is not None else None
        return None
    if own is None:
        return made
    if made.id == own.id:
        tell_revision(case, voice, own, "kept", "wrote the same again")
        return None
    if evidence:
        move(case, voice, own, made, against)
    tell_revision(case, voice, own, "revised", made.rationale, conformity=not evidence)
    return made


def _task(case: Case, voice: Voice, labelled: dict[str, Entry]) -> str:
    position = case.positions.get(voice.id)
    own = case.entries[position] if position is not None else None
    hits: list[str] = []
    if own is not None:
        hits += [hit.text for hit in own.hits[case.seen_hits.get((voice.id, own.id), 0) :]]
        hits += [tail(item.log or item.summary, 3_000) for item in own.assessment.failing[:2]]
        if case.rejection_of(own):
            hits.append(case.rejection_of(own))
    return debate_task(
        case.undertaking.wording,
        assigned(case),
        case.diff(own) if own is not None else "",
        hits,
        [exhibit(case, label, entry) for label, entry in labelled.items()],
        quoting=case.sitting.quoting,
        path=case.region.path,
        form=form_for(case, voice),
        compact=voice.member.edit_format is EditFormat.WHOLE,
    )


def _shown(case: Case, voice: Voice) -> dict[str, Entry]:
    """Return what a member is shown: up to four of the others' changes, the living first."""
    others = not_of(voice, list(case.entries.values()))
    others.sort(key=lambda entry: (bool(case.rejection_of(entry)), -len(entry.families), entry.id))
    return labels(case, others)


def _mark_seen(case: Case, voice: Voice) -> None:
    position = case.positions.get(voice.id)
    if position is not None:
        case.seen_hits[voice.id, position] = len(case.entries[position].hits)


def _because(own: Entry | None) -> str:
    if own is None:
        return "it had no change on the table"
    if own.hits:
        return own.hits[-1].text[:400]
    failing = [f"{item.witness}: {item.summary}" for item in own.assessment.failing]
    return own.rejected or "; ".join(failing)
