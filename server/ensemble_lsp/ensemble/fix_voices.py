"""Who writes a change, in which wording and at which temperature: the cascade's order."""

from collections.abc import Sequence

from ensemble_lsp.core.events import Mode
from ensemble_lsp.core.panel import EditFormat, Member, Panel
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.prompts.forms import STYLES

FIRST_VOICES = 2
"""The cascade: two cheap blind calls before anything else."""

PANEL_VOICES = 4
DEBATE_VOICES = 15

TEMPERATURES = (0.2, 0.6, 1.0, 0.8)
"""For members on this machine, by wording, as measured with them. Majority votes of such samples gain nothing,
running them does (docs/deliberation.md)."""

FRUITFUL = (2, 1, 0)
"""The wordings in which members that write whole functions are asked anew, the best first. Of 242 drafts of a 0.5B in
a benchmark, a change that no answer before had made came from 30 of 58 in wording 2, 26 of 69 in wording 1, 15 of 70 in
wording 0, and 3 of 45 in wording 3; nearly all others were copies of the code as it stood."""

WARMER = 0.4
"""Added each time that a wording comes round again: near-greedy answers would repeat themselves."""


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


def fresh_voices(case: Case, members: Sequence[Member]) -> tuple[Voice, ...]:
    """Return another sample of each member, in the wording that is likeliest to bring a change that is new."""
    voices: list[Voice] = []
    for member in members:
        asked = [*case.voices.values(), *voices]
        samples = [voice.sample for voice in asked if voice.member.id == member.id]
        voices.append(Voice(member, _fresh_style(case, member, asked), max(samples, default=-1) + 1))
    return tuple(voices)


def next_style(member: Member, style: int) -> int:
    """Return the wording in which a member is asked again about its own change."""
    following = style + 1
    whole = member.edit_format is EditFormat.WHOLE
    return following + 1 if whole and following % STYLES not in FRUITFUL else following


def _fresh_style(case: Case, member: Member, asked: Sequence[Voice]) -> int:
    """Return the wording after the last that the family was asked in; for small models one that bears fruit.

    That is one in which fewest answers of this job brought no change, then the one asked in least often.
    """
    family = [voice for voice in asked if voice.member.family == member.family]
    if member.edit_format is not EditFormat.WHOLE:
        return max((voice.style for voice in family), default=member.style - 1) + 1
    turns = dict.fromkeys(FRUITFUL, 0)
    barren = dict(turns)
    for voice in family:
        wording = voice.style % STYLES
        if wording in turns:
            turns[wording] = max(turns[wording], voice.style // STYLES + 1)
            # A voice that is yet to answer has no position at all.
            barren[wording] += voice.id in case.answers and case.positions.get(voice.id) is None
    best = min(FRUITFUL, key=lambda wording: (barren[wording], turns[wording], FRUITFUL.index(wording)))
    return turns[best] * STYLES + best


def temperature_of(voice: Voice) -> float | None:
    """Let the samples of local members differ; others keep what is set, since some refuse any other value."""
    member = voice.member
    if not member.local or (member.temperature is not None and voice.sample == 0):
        return None
    turn, wording = divmod(voice.style, STYLES)
    return min(1.0, TEMPERATURES[wording] + WARMER * turn)


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
