"""The blind first answers: who gives them, and asking all at once without telling them of each other."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import Mode
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.core.results import DraftRecord
from ensemble_lsp.ensemble.ports import ModelRequest
from ensemble_lsp.ensemble.prompts.numbered import reading
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask_as, ask_together

T = TypeVar("T", bound=Frozen)

QUICK_VOICES = 2
PANEL_VOICES = 4
DEBATE_VOICES = 15
SECOND_SAMPLE_TEMPERATURE = 0.8
"""For a member that speaks twice: with another wording alone, greedy answers repeat themselves."""


@dataclass(frozen=True, slots=True)
class Voice:
    """One blind answer to come: a member, and the wording it gets. `sample` counts from 0 per member."""

    member: Member
    style: int
    sample: int = 0

    @property
    def id(self) -> str:
        """The member's id, with the sample where a member speaks more than once."""
        return self.member.id if self.sample == 0 else f"{self.member.id}/{self.sample + 1}"


@dataclass(frozen=True, slots=True)
class Said(Generic[T]):
    """What one voice answered."""

    voice: Voice
    value: T


def voices_of(panel: Panel, mode: Mode) -> tuple[Voice, ...]:
    """Return who answers blind.

    `quick`: the two cheapest, of two families where there are two. `panel`: up to four, the anchor first and
    each family before any comes twice. `debate`: everybody, up to fifteen. A panel of one member speaks
    twice, in two wordings.
    """
    if mode is Mode.QUICK:
        ranked = sorted(panel.members, key=_price)
        limit = QUICK_VOICES
    else:
        ranked = sorted(panel.members, key=lambda member: member.id != panel.anchor)
        limit = PANEL_VOICES if mode is Mode.PANEL else DEBATE_VOICES
    firsts: list[Member] = []
    others: list[Member] = []
    for member in ranked:
        seen = {first.family for first in firsts}
        (others if member.family in seen else firsts).append(member)
    chosen = [*firsts, *others][:limit]
    if len(chosen) == 1:
        member = chosen[0]
        return (Voice(member, member.style), Voice(member, member.style + 1, sample=1))
    return tuple(Voice(member, member.style or number) for number, member in enumerate(chosen))


@dataclass(frozen=True, slots=True)
class Forms(Generic[T]):
    """The form an answer takes: `full`, or `brief` for small local members, whose time is short.

    Every brief answer is a full one too, the same fields, shorter, unless `widened` makes one of it. The limits are
    output tokens.
    """

    full: type[T]
    brief: type[Frozen]
    full_tokens: int
    brief_tokens: int
    widened: Callable[[Frozen], object] = lambda answer: answer.model_dump()
    """From a brief answer to what `full` reads."""


async def ask_blind(
    sitting: Sitting, voices: Sequence[Voice], forms: Forms[T], task: Callable[[Voice], str], *, purpose: str
) -> list[Said[T]]:
    """Ask all voices at once; those whose earlier answer was handed in are not asked again.

    Every answer is saved as soon as it is there. Members that stay silent are noted in the sitting.
    """
    deliberation = sitting.deliberation
    said: dict[str, Said[T]] = {}
    for voice in voices:
        earlier = _earlier(sitting, voice, forms.full)
        if earlier is not None:
            said[voice.id] = Said(voice, earlier)

    async def one(voice: Voice) -> Answer[T] | Silence:
        member = voice.member
        limit = forms.brief_tokens if member.local else forms.full_tokens
        request = ModelRequest(
            member=member,
            messages=reading(deliberation.dossier, sitting.quoting, member, task(voice)),
            purpose=purpose,
            max_tokens=min(limit, member.max_output_tokens),
            temperature=SECOND_SAMPLE_TEMPERATURE if voice.sample and member.local else None,
            timeout=sitting.timeout(0.6),
            nonce=voice.sample,
        )
        outcome = await ask_in(sitting, request, forms.full, forms.brief, forms.widened)
        if isinstance(outcome, Answer):
            said[voice.id] = Said(voice, outcome.value)
            await _keep(sitting, voice, outcome.value, outcome.reply.spend)
        return outcome

    asked = [voice for voice in voices if voice.id not in said]
    if asked and sitting.may_ask:
        sitting.hear(await ask_together(deliberation, [(voice.member, one(voice)) for voice in asked]))
    return [said[voice.id] for voice in voices if voice.id in said]


async def ask_in(
    sitting: Sitting,
    request: ModelRequest,
    full: type[T],
    brief: type[Frozen],
    widened: Callable[[Frozen], object] = lambda answer: answer.model_dump(),
) -> Answer[T] | Silence:
    """Ask one member for `full`, or for `brief`, read as `full` after `widened`, if it is a local one."""
    if not request.member.local:
        return await ask_as(sitting.deliberation, request, full)
    outcome = await ask_as(sitting.deliberation, request, brief)
    if isinstance(outcome, Silence):
        return outcome
    return Answer(outcome.member, full.model_validate(widened(outcome.value)), outcome.reply)


async def _keep(sitting: Sitting, voice: Voice, value: Frozen, spend: Spend) -> None:
    deliberation = sitting.deliberation
    kept = {"path": deliberation.task.path, "sample": voice.sample, "answer": value.to_wire()}
    record = DraftRecord(
        member=voice.member.id,
        family=voice.member.family,
        text=json.dumps(kept),
        spend=spend,
        style=voice.style,
    )
    sitting.drafts.append(record)
    if deliberation.save_draft is not None:
        await deliberation.save_draft(record)


def _earlier(sitting: Sitting, voice: Voice, form: type[T]) -> T | None:
    """Return the voice's answer from an earlier job about the same file, if there is one of this form."""
    for record in sitting.deliberation.prior_drafts:
        if record.member != voice.member.id:
            continue
        try:
            kept = json.loads(record.text)
            if not isinstance(kept, dict):
                continue
            if kept.get("path") != sitting.deliberation.task.path or kept.get("sample") != voice.sample:
                continue
            value = form.model_validate(kept.get("answer"))
        except (json.JSONDecodeError, ValidationError):
            continue
        sitting.drafts.append(record)
        return value
    return None


def is_reading(record: DraftRecord) -> bool:
    """Whether an answer was one of `ask_blind`, not one that writes a change."""
    try:
        kept = json.loads(record.text)
    except json.JSONDecodeError:
        return False
    return isinstance(kept, dict) and "answer" in kept


def cheapest(members: Sequence[Member]) -> Member:
    """Return the member that costs least; the first of equals."""
    return min(members, key=_price)


def _price(member: Member) -> float:
    """Order by price; a member whose price nobody knows comes last."""
    if member.local:
        return 0.0
    if member.price_in is None or member.price_out is None:
        return float("inf")
    return member.price_in + member.price_out
