"""Asking for changes and putting them on the table: drafts, fresh samples, the one repair."""

import re
from collections.abc import Callable, Sequence

from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.core.reasons import reasons_of, without_path
from ensemble_lsp.core.results import DraftRecord
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case, Entry, Unapplied, entry_id
from ensemble_lsp.ensemble.fix_requests import draft_request, form_for, request_for
from ensemble_lsp.ensemble.keeping import kept_even_if_cancelled
from ensemble_lsp.ensemble.ports import ModelReply
from ensemble_lsp.ensemble.prompts.fixing import repair_task
from ensemble_lsp.ensemble.sitting import unless_stopped
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask, ask_together
from ensemble_lsp.ensemble.trials import check_entry, measure_strength
from ensemble_lsp.ensemble.undertaking import Written

_REPAIRABLE = frozenset(
    {
        "not-found",
        "ambiguous",
        "overlap",
        "placeholder",
        "syntax",
        "line-numbers",
        "outside-workspace",
        "not-shown",
    }
)
"""Problems that the matcher's message helps to mend. An answer without a change is asked for anew instead."""

_BLOCK_START = re.compile(r"^[ \t]*(?:`{3,}|~{3,}|<{5,}|\*\*\* Begin Patch|--- |diff --git)", re.MULTILINE)
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


async def draft(
    case: Case,
    voices: Sequence[Voice],
    *,
    purpose: str = "draft",
    stop_when_settled: bool = False,
    keep_calls: int = 0,
) -> None:
    """Ask the voices blind and in parallel; each answer is kept, applied and checked as soon as it is there.

    With `stop_when_settled`, calls that can no longer change the outcome are cancelled.
    """
    granted = voices[: case.allow(len(voices), keep=keep_calls)]

    async def one(voice: Voice) -> Answer[str] | Silence:
        outcome = await ask(case.deliberation, draft_request(case, voice, purpose))
        if isinstance(outcome, Answer):
            await kept_even_if_cancelled(keep_draft(case, voice, outcome.reply))
            await consider(case, voice, outcome.value, outcome.reply)
        return outcome

    for voice in granted:
        case.voices[voice.id] = voice
        case.positions.setdefault(voice.id, None)
    enough = _settled(case) if stop_when_settled else None
    questions = [(voice.member, one(voice)) for voice in granted]
    case.sitting.hear(await ask_together(case.deliberation, questions, enough=enough))


async def take_prior_drafts(case: Case) -> tuple[Voice, ...]:
    """Put the answers of an earlier job on the table; return whose they are. No call is made."""
    voices: list[Voice] = []
    for record in case.deliberation.prior_drafts:
        member = _member_of(case.deliberation.panel, record)
        sample = sum(1 for voice in voices if voice.member.id == member.id)
        voice = Voice(member, record.style, sample)
        voices.append(voice)
        case.voices[voice.id] = voice
        case.positions[voice.id] = None
        case.sitting.drafts.append(record)
        await unless_stopped(case.deliberation, consider(case, voice, record.text, None))
    return tuple(voices)


async def repair(case: Case, *, keep_calls: int = 0) -> None:
    """Ask once, for one answer that could not be applied, with the matcher's message."""
    broken = next((item for item in case.unapplied if item.kinds & _REPAIRABLE), None)
    if broken is None or case.repaired or not case.sitting.may_ask or not case.allow(1, keep=keep_calls):
        return
    case.repaired = True
    voice = broken.voice
    task = repair_task(broken.text, broken.message, case.sitting.quoting, form_for(case, voice))
    request = request_for(case, voice, task, "repair")

    async def one() -> Answer[str] | Silence:
        outcome = await ask(case.deliberation, request)
        if isinstance(outcome, Answer):
            await consider(case, voice, outcome.value, outcome.reply)
        return outcome

    case.sitting.hear(await ask_together(case.deliberation, [(voice.member, one())]))


async def consider(
    case: Case,
    voice: Voice,
    text: str,
    reply: ModelReply | None,
    *,
    supports: bool = True,
    revised_from: Entry | None = None,
) -> Entry | None:
    """Read a change out of an answer, put it on the table and check it; None when there is none in it.

    `supports` False puts it there without its author behind it: it was changed without evidence.
    """
    case.answers[voice.id] = text
    known = len(case.entries)
    entry = _placed(case, voice, text, reply)
    if entry is None:
        return None
    if revised_from is not None and len(case.entries) > known:
        entry.revised_from = revised_from.id
    if supports:
        entry.voices[voice.id] = voice
        entry.successor = None
    case.positions[voice.id] = entry.id
    case.unapplied = [item for item in case.unapplied if item.voice.id != voice.id]
    if not entry.check_started:
        await check_entry(case, entry)
    case.rejudge()
    await measure_strength(case)
    return entry


async def keep_draft(case: Case, voice: Voice, reply: ModelReply) -> None:
    """Keep a paid answer at once, whatever becomes of it."""
    record = DraftRecord(
        member=voice.member.id,
        family=voice.member.family,
        text=reply.text,
        spend=reply.spend,
        style=voice.style,
    )
    case.sitting.drafts.append(record)
    if case.deliberation.save_draft is not None:
        await case.deliberation.save_draft(record)


def rationale_of(text: str) -> str:
    """Return what an answer says before its first block: the author's reasons."""
    spoken = _THINKING.sub("", text).strip()
    start = _BLOCK_START.search(spoken)
    if start is None:
        return spoken[:1_200]
    return without_path(spoken[: start.start()]).strip()[:1_200]


def _placed(case: Case, voice: Voice, text: str, reply: ModelReply | None) -> Entry | None:
    deliberation = case.deliberation
    written = Written(
        text=deliberation.dossier.restore(text),
        cut_off=reply is not None and reply.finish == "length",
        region=case.region,
        sentinel=case.sentinel,
        dossier=deliberation.dossier,
        checks=deliberation.checks,
    )
    outcome = case.undertaking.read(written)
    if not outcome.ok:
        kinds = frozenset(problem.kind.value for problem in outcome.problems)
        message = "\n".join(_told(problem.message, problem.nearest) for problem in outcome.problems)
        case.unapplied = [item for item in case.unapplied if item.voice.id != voice.id]
        case.unapplied.append(Unapplied(voice, text, kinds, message))
        return None
    form = tuple(
        (
            change.path,
            case.undertaking.form(deliberation.checks, change.path, change.after.text)
            if change.after is not None
            else "\0",
        )
        for change in sorted(outcome.changes, key=lambda change: change.path)
    )
    known = case.by_form.get(form)
    if known is not None:
        return case.entries[known]
    entry = Entry(
        id=entry_id(outcome.changes),
        changes=tuple(outcome.changes),
        rationale=rationale_of(text),
        reasons=reasons_of(_THINKING.sub("", text), outcome.changes),
    )
    if reply is not None:
        entry.spend = reply.spend
    case.by_form[form] = entry.id
    case.entries[entry.id] = entry
    return entry


def _told(message: str, nearest: Sequence[str]) -> str:
    return message if not nearest else message + "\nNearest lines:\n" + "\n".join(nearest)


def _settled(case: Case) -> Callable[[Sequence[Answer[str]]], bool]:
    return lambda _answers: case.settled()


def _member_of(panel: Panel, record: DraftRecord) -> Member:
    for member in panel.members:
        if member.id == record.member:
            return member
    # The member has left the panel; its answer stays on the table under its name.
    return Member(id=record.member, model="", family=record.family)
