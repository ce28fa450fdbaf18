"""Asking for changes and putting them on the table: drafts, fresh samples, the one repair."""

import random
import re
from collections.abc import Callable, Sequence

from ensemble_lsp.core.edits import apply_reply
from ensemble_lsp.core.events import Mode
from ensemble_lsp.core.panel import EditFormat, Member, Panel
from ensemble_lsp.core.replies import new_sentinel
from ensemble_lsp.core.results import DraftRecord
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case, Entry, Unapplied, entry_id
from ensemble_lsp.ensemble.keeping import kept_even_if_cancelled
from ensemble_lsp.ensemble.ports import Deliberation, ModelReply, ModelRequest
from ensemble_lsp.ensemble.prompts.fixing import draft_task, repair_task
from ensemble_lsp.ensemble.prompts.forms import STYLES, change_form
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.shared import conversation
from ensemble_lsp.ensemble.sitting import unless_stopped
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask, ask_together, seconds_left
from ensemble_lsp.ensemble.trials import check_entry, measure_strength

FIRST_VOICES = 2
"""The cascade: two cheap blind calls before anything else."""

PANEL_VOICES = 4
DEBATE_VOICES = 15

TEMPERATURES = (0.2, 0.8, 0.6, 1.0)
"""For members on this machine, by sample: near-greedy first, then samples that differ. Majority votes of such
samples gain nothing, running them does (docs/deliberation.md)."""

LOCAL_CALL_SECONDS = 600.0
REMOTE_CALL_SECONDS = 120.0
"""How long one call may take where the job has no deadline; a CPU writes some ten tokens a second."""

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


def first_voices(panel: Panel, mode: Mode) -> tuple[Voice, ...]:
    """Return who is asked first: two cheap members of different families, or in `debate` everybody.

    A panel of one member speaks twice, in two wordings.
    """
    ranked = _cheapest_first(panel)
    if mode is Mode.DEBATE:
        chosen = ranked[:DEBATE_VOICES]
    else:
        chosen = ranked[:1]
        other_family = [member for member in ranked[1:] if member.family != ranked[0].family]
        chosen += (other_family or ranked[1:])[: FIRST_VOICES - 1]
    if len(chosen) == 1:
        return (Voice(chosen[0], chosen[0].style), Voice(chosen[0], chosen[0].style + 1, sample=1))
    return _differently_worded(chosen)


def more_voices(panel: Panel, asked: Sequence[Voice]) -> tuple[Voice, ...]:
    """Return who joins when the first two did not settle it: new families first, four voices in all."""
    heard = {voice.member.id for voice in asked}
    families = {voice.member.family for voice in asked}
    rest = [member for member in _cheapest_first(panel) if member.id not in heard]
    rest.sort(key=lambda member: (member.id != panel.anchor, member.family in families))
    chosen = rest[: max(0, PANEL_VOICES - len(asked))]
    return _differently_worded(chosen, taken=asked)


def fresh_voice(case: Case, member: Member) -> Voice:
    """Return another sample of a member, in a wording that it was not asked in last."""
    mine = [voice for voice in case.voices.values() if voice.member.id == member.id]
    sample = max((voice.sample for voice in mine), default=-1) + 1
    style = max((voice.style for voice in mine), default=member.style - 1) + 1
    return Voice(member, style, sample)


def sentinel_for(deliberation: Deliberation, quoting: Quoting) -> str:
    """Return the sentinel that fences this job's blocks: it occurs in nothing that is shown or edited.

    Drawn from a hash of what is shown: not to be foreseen by who writes into the repository, and the same
    when the same question is asked again, so that an earlier job's answers can be read and the cache hits.
    """
    source = random.Random(quoting.salt)  # noqa: S311 - nothing secret: it has to be absent from the text
    dossier = deliberation.dossier
    shown = [*(file.text for file in dossier.files.values()), *(item.text for item in dossier.related)]
    sentinel = new_sentinel(source)
    # 32 draws of six characters: that all occur in a text of any size is beyond chance.
    for _ in range(32):
        if not any(sentinel in text for text in shown):
            break
        sentinel = new_sentinel(source)
    return sentinel


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
    case: Case, voice: Voice, text: str, reply: ModelReply | None, *, supports: bool = True
) -> Entry | None:
    """Read a change out of an answer, put it on the table and check it; None when there is none in it.

    `supports` False puts it there without its author behind it: it was changed without evidence.
    """
    case.answers[voice.id] = text
    entry = _placed(case, voice, text, reply)
    if entry is None:
        return None
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


def draft_request(case: Case, voice: Voice, purpose: str) -> ModelRequest:
    """Return the blind question to a voice."""
    deliberation = case.deliberation
    failing = [item for item in case.baseline.executed if item.outcome.value in {"failed", "timedOut"}]
    task = draft_task(
        deliberation.task,
        deliberation.dossier,
        case.sitting.quoting,
        failing,
        form_for(case, voice),
        compact=voice.member.edit_format is EditFormat.WHOLE,
    )
    return request_for(case, voice, task, purpose)


def request_for(case: Case, voice: Voice, task: str, purpose: str) -> ModelRequest:
    """Return a call to a voice: shared prefix, task last, bounded in tokens and time."""
    member = voice.member
    deliberation = case.deliberation
    return ModelRequest(
        member=member,
        messages=conversation(deliberation.dossier, case.sitting.quoting, member, task),
        purpose=purpose,
        max_tokens=_max_tokens(case, member),
        temperature=_temperature(deliberation.panel, voice),
        timeout=call_seconds(deliberation, member),
        nonce=voice.sample,
    )


def form_for(case: Case, voice: Voice) -> str:
    """Return how this voice is to write its change."""
    return change_form(
        voice.member.edit_format,
        style=voice.style,
        sentinel=case.sentinel,
        region=case.region,
        path=case.region.path,
    )


def call_seconds(deliberation: Deliberation, member: Member) -> float:
    """Return how long one call may take."""
    longest = LOCAL_CALL_SECONDS if member.local else REMOTE_CALL_SECONDS
    left = seconds_left(deliberation)
    return longest if left is None else max(1.0, min(longest, left))


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
    return spoken[: start.start() if start else None].strip()[:1_200]


def _placed(case: Case, voice: Voice, text: str, reply: ModelReply | None) -> Entry | None:
    deliberation = case.deliberation
    restored = deliberation.dossier.restore(text)
    outcome = apply_reply(
        restored,
        case.files,
        default_path=case.region.path,
        sentinel=case.sentinel,
        cut_off=reply is not None and reply.finish == "length",
        target=case.region.target,
        parse_errors=deliberation.checks.parse_errors,
        enclosing=deliberation.checks.enclosing,
        judge_path=deliberation.dossier.judge_path,
    )
    if not outcome.ok:
        kinds = frozenset(problem.kind.value for problem in outcome.problems)
        message = "\n".join(_told(problem.message, problem.nearest) for problem in outcome.problems)
        case.unapplied = [item for item in case.unapplied if item.voice.id != voice.id]
        case.unapplied.append(Unapplied(voice, text, kinds, message))
        return None
    form = tuple(
        (
            change.path,
            deliberation.checks.normal_form(change.path, change.after.text)
            if change.after is not None
            else "\0",
        )
        for change in sorted(outcome.changes, key=lambda change: change.path)
    )
    known = case.by_form.get(form)
    if known is not None:
        return case.entries[known]
    entry = Entry(id=entry_id(outcome.changes), changes=tuple(outcome.changes), rationale=rationale_of(text))
    if reply is not None:
        entry.spend = reply.spend
    case.by_form[form] = entry.id
    case.entries[entry.id] = entry
    return entry


def _told(message: str, nearest: Sequence[str]) -> str:
    return message if not nearest else message + "\nNearest lines:\n" + "\n".join(nearest)


def _settled(case: Case) -> Callable[[Sequence[Answer[str]]], bool]:
    return lambda _answers: case.settled()


def _max_tokens(case: Case, member: Member) -> int:
    if not member.local or member.edit_format is not EditFormat.WHOLE:
        return member.max_output_tokens
    # A small model that has lost the thread repeats itself to the limit: the code, and room for a sentence.
    region = split_lines(case.files[case.region.path].text)[case.region.first : case.region.last + 1]
    size = case.deliberation.models.count_tokens(member, "".join(region))
    return min(member.max_output_tokens, size * 14 // 10 + 200)


def _temperature(panel: Panel, voice: Voice) -> float | None:
    """Let the samples of local members differ; others keep what is set, since some refuse any other value."""
    member = voice.member
    if not member.local or (member.temperature is not None and voice.sample == 0):
        return None
    seats = [item.id for item in panel.members]
    seat = seats.index(member.id) if member.id in seats else 0
    return TEMPERATURES[(seat + voice.sample * len(seats)) % len(TEMPERATURES)]


def _cheapest_first(panel: Panel) -> list[Member]:
    return sorted(panel.members, key=_price)


def _price(member: Member) -> float:
    if member.local:
        return 0.0
    if member.price_in is None or member.price_out is None:
        return float("inf")
    return member.price_in + member.price_out


def _differently_worded(members: Sequence[Member], taken: Sequence[Voice] = ()) -> tuple[Voice, ...]:
    """Give members of one family different wordings; others keep their own."""
    used = {(voice.member.family, voice.style % STYLES) for voice in taken}
    voices: list[Voice] = []
    for member in members:
        style = member.style
        for _ in range(STYLES):
            if (member.family, style % STYLES) not in used:
                break
            style += 1
        used.add((member.family, style % STYLES))
        voices.append(Voice(member, style))
    return tuple(voices)


def _member_of(panel: Panel, record: DraftRecord) -> Member:
    for member in panel.members:
        if member.id == record.member:
            return member
    # The member has left the panel; its answer stays on the table under its name.
    return Member(id=record.member, model="", family=record.family)
