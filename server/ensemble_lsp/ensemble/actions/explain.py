"""Explain: blind lists of claims, one critique of what is contested, one document (docs/deliberation.md)."""

from collections.abc import Sequence

from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Mode, Phase, PhaseEntered, Status
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.markdown import sanitise_inline
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.blind import Forms, Said, Voice, ask_blind, voices_of
from ensemble_lsp.ensemble.challenging import assign, challenge
from ensemble_lsp.ensemble.claims import (
    BRIEF_CLAIMS_AT_MOST,
    CLAIMS_AT_MOST,
    BriefClaims,
    Claims,
    Made,
    Topic,
    Version,
    looked_up,
    topics_of,
)
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.explanation import explanation, panel_line
from ensemble_lsp.ensemble.grounding import lines_of
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.probing import Prober
from ensemble_lsp.ensemble.prompts.challenging import refute_task
from ensemble_lsp.ensemble.prompts.explaining import explain_task
from ensemble_lsp.ensemble.rounds import debate_rounds, record
from ensemble_lsp.ensemble.settling import Settled, Standing, settle
from ensemble_lsp.ensemble.sitting import Sitting

EXPLAIN_TOKENS = 3_000
BRIEF_EXPLAIN_TOKENS = 800
"""Output tokens of a small local member: at 11 tokens a second this is 70 seconds."""
CHALLENGERS_AT_MOST = 2
"""One critique; two where two families refute each other."""


async def run(deliberation: Deliberation) -> JobResult:
    """Explain `dossier.focus`; raises `UsageError` when there is none. The document is in the result.

    Cancelling it cancels all calls and checks in flight; answers already there were saved.
    """
    task, panel, focus = deliberation.task, deliberation.panel, deliberation.dossier.focus
    if focus is None:
        raise UsageError("an explanation needs a file to look at", field="path")
    bound = bound_on_calls(task.action, task.mode, len(panel.members), task.rounds)
    sitting = Sitting.open(deliberation, bound)
    voices = voices_of(panel, task.mode)
    deliberation.emit(PhaseEntered(phase=Phase.DRAFT))
    said = await _explained(sitting, voices)
    if not said:
        status, reason = sitting.silent_end()
        return JobResult(
            status=status,
            reason=reason,
            spend=sitting.spend,
            notes=tuple(sitting.notes),
            drafts=tuple(sitting.drafts),
        )

    made = _looked_up(sitting, said, focus.path)
    topics = topics_of(made, focus.path)
    prober = Prober(sitting)
    versions = [version for topic in topics for version in topic.versions]
    if task.mode is Mode.DEBATE and len(panel.members) > 1:
        await debate_rounds(sitting, prober, versions, focus.path)
    else:
        await _critique(sitting, prober, topics, focus.path)

    deliberation.emit(PhaseEntered(phase=Phase.DECIDE))
    settled = [(topic, settle(topic)) for topic in topics]
    for _, items in settled:
        for item in items:
            if item.standing in {Standing.REFUTED, Standing.CONTESTED}:
                _keep(sitting, item)
    return _result(sitting, said, made, settled, voices=len(said))


async def _explained(sitting: Sitting, voices: Sequence[Voice]) -> list[Said[Claims]]:
    deliberation = sitting.deliberation

    def task(voice: Voice) -> str:
        at_most = BRIEF_CLAIMS_AT_MOST if voice.member.local else CLAIMS_AT_MOST
        return explain_task(deliberation.task, deliberation.dossier, sitting.quoting, voice.style, at_most)

    forms = Forms(Claims, BriefClaims, EXPLAIN_TOKENS, BRIEF_EXPLAIN_TOKENS)
    return await ask_blind(sitting, voices, forms, task, purpose="draft")


def _looked_up(sitting: Sitting, said: Sequence[Said[Claims]], path: str) -> list[Made]:
    dossier = sitting.deliberation.dossier
    source = dossier.files.get(path)
    lines = lines_of(source.text) if source else []
    shown = [*lines, *(line for excerpt in dossier.related for line in excerpt.text.split("\n"))]
    return [
        looked_up(claim, answer.voice, number, lines, shown)
        for answer in said
        for number, claim in enumerate(answer.value.claims)
        if claim.text.strip()
    ]


async def _critique(sitting: Sitting, prober: Prober, topics: Sequence[Topic], path: str) -> None:
    """Put what is contested, and in `panel` what only one member said, to a challenger of another family."""
    quick = sitting.deliberation.task.mode is Mode.QUICK
    versions = [
        version
        for topic in topics
        for version in topic.versions
        if topic.contested or (version.voices < 2 and not quick)
    ]
    if not versions or not sitting.may_ask:
        return
    sitting.deliberation.emit(PhaseEntered(phase=Phase.CRITIQUE, round=1, note=f"{len(versions)} claims"))
    assignments = assign(
        [version.point() for version in versions],
        sitting.deliberation.panel.members,
        min(CHALLENGERS_AT_MOST, sitting.purse.left),
    )
    challenges = await challenge(
        sitting,
        prober,
        assignments,
        lambda item: refute_task([point.text for point in item.points], sitting.quoting, path),
        purpose="critique",
    )
    record(versions, challenges)


def _keep(sitting: Sitting, item: Settled) -> None:
    """Keep what is not stated, in its authors' words, and what was said against it."""
    version: Version = item.version
    for made in version.made:
        member = made.voice.member
        sitting.keep_dissent(
            Dissent(
                member=member.id,
                family=member.family,
                about=version.id,
                text=f"{made.text} ({item.standing})",
            )
        )
    for against in version.challenges:
        if against.refutes and not against.own:
            text = against.reason + (
                f" [{against.evidence.summary}]" if against.evidence else " [no evidence]"
            )
            sitting.keep_dissent(
                Dissent(member=against.by.id, family=against.by.family, about=version.id, text=text)
            )


def _result(
    sitting: Sitting,
    said: Sequence[Said[Claims]],
    made: Sequence[Made],
    settled: Sequence[tuple[Topic, Sequence[Settled]]],
    *,
    voices: int,
) -> JobResult:
    panel, task, dossier = sitting.deliberation.panel, sitting.deliberation.task, sitting.deliberation.dossier
    members = list({answer.voice.member.id: answer.voice.member for answer in said}.values())
    if len(members) == 1:
        sitting.note("one member only: where two answers agree, it agrees with itself")
    elif len(panel.families) == 1:
        sitting.note("one family only: its members share their mistakes, agreement proves less")
    dropped = sum(item.dropped for item in made)
    if dropped:
        plural = "citation" if dropped == 1 else "citations"
        sitting.note(f"{dropped} {plural} of lines or names that do not exist were dropped")
    short = sitting.cut_short()
    if short:
        sitting.note(short)
    name = dossier.symbol or task.path or ""
    document = explanation(
        title=f"What {name} does" if name else "What this code does",
        settled=settled,
        voices=voices,
        footer=(panel_line(members, sitting.spend), *(sanitise_inline(note) for note in sitting.notes)),
    )
    stated = sum(item.standing.stated for _, items in settled for item in items)
    contested = sum(item.standing is Standing.CONTESTED for _, items in settled for item in items)
    reason = counted(stated, "statement")
    if contested:
        reason += f", {contested} contested"
    status = Status.DONE if made else Status.NOTHING
    if sitting.over_budget is not None:
        status = Status.OVER_BUDGET
    return JobResult(
        status=status,
        reason=f"{reason}; {short}" if short else reason,
        document=document,
        dissent=tuple(sitting.dissent),
        drafts=tuple(sitting.drafts),
        spend=sitting.spend,
        notes=tuple(sitting.notes),
    )
