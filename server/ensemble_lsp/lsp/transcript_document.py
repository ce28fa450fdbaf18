"""A job's transcript as one Markdown document: who said what, what was checked, who moved, and what came of it.

All that a model, a tool or a repository wrote is quoted as code or made harmless (`core.markdown`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from ensemble_lsp.core.events import (
    CheckFinished,
    CritiqueMade,
    EventBody,
    FindingMade,
    MemberDelta,
    MemberFinished,
    MemberStarted,
    PhaseEntered,
    PositionTaken,
    RevisionMade,
    Started,
)
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.findings import Dissent, Finding
from ensemble_lsp.core.kept_events import read_event
from ensemble_lsp.core.markdown import code_block, code_span, sanitise_inline
from ensemble_lsp.core.proposals import Proposal
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.core.unified import unified_diff
from ensemble_lsp.engine.messages import JobSummary, Transcript
from ensemble_lsp.lsp.document_uris import DocumentUri

MARKS = {
    Outcome.PASSED: "✓ passed",
    Outcome.FAILED: "✗ failed",
    Outcome.TIMED_OUT: "✗ timed out",
    Outcome.ERROR: "! could not run",
    Outcome.NOT_RUN: "– not run",
}

_PHASES = {
    "gather": "Gather",
    "draft": "Blind answers",
    "check": "Checks",
    "critique": "Critique",
    "revise": "Revision",
    "escalate": "Escalation",
    "decide": "Decision",
}


def transcript_document(transcript: Transcript) -> str:
    """Return the whole document; of a running job as far as it got."""
    summary, result = transcript.summary, transcript.result
    bodies = [event.body for data in transcript.events if (event := read_event(data)) is not None]
    started = next((body for body in bodies if isinstance(body, Started)), None)
    parts = [
        f"# {summary.action.value.capitalize()}: {sanitise_inline(summary.title) or 'the panel'}",
        _line(summary, result),
        _asked(transcript),
        *(_panel(started) if started else ()),
        *(_outcome(transcript, result) if result else ()),
    ]
    drafts = {draft.member: draft.text for draft in result.drafts} if result else {}
    titles = {item.id: item.title for item in result.findings} if result else {}
    told = list(_told(bodies, drafts, titles))
    if told:
        parts.append("## What was said and done")
        parts += told
    elif summary.status != "running":
        parts.append("Of this job only this much was kept: transcripts are off, or it ended before it began.")
    dissent = result.dissent if result else ()
    if dissent:
        parts.append("## Dissent, word for word")
        parts += [_dissent(item, titles) for item in dissent]
    notes = [*(started.notes if started else ()), *(result.notes if result else ())]
    if notes:
        parts.append(
            "## Notes\n\n" + "\n".join(f"- {sanitise_inline(note)}" for note in dict.fromkeys(notes))
        )
    return "\n\n".join(part for part in parts if part) + "\n"


def _line(summary: JobSummary, result: JobResult | None) -> str:
    when = f"{datetime.fromtimestamp(summary.started, UTC).astimezone():%Y-%m-%d %H:%M}"
    reason = f": {sanitise_inline(result.reason)}" if result and result.reason else ""
    calls = "1 call" if summary.calls == 1 else f"{summary.calls} calls"
    tokens = f" · {result.spend.tokens_in + result.spend.tokens_out:,} tokens" if result else ""
    return (
        f"**{summary.status}**{reason}  \n"
        f"{when} · {summary.seconds:.0f} s · {calls}{tokens} · ${summary.usd:.4f} · job {code_span(summary.job)}"
    )


def _asked(transcript: Transcript) -> str:
    task = transcript.task
    where = f"{task.path}:{task.range.start + 1}-{task.range.end}" if task.path and task.range else task.path
    lines = [
        f"- About: {code_span(where)}" if where else "",
        f"- Instruction: {sanitise_inline(task.instruction)}" if task.instruction.strip() else "",
        f"- Finding: {sanitise_inline(task.finding.title)}" if task.finding else "",
        f"- Check: {code_span(task.check)}" if task.check else "",
        f"- Mode: {task.mode.value}",
    ]
    return "\n".join(line for line in lines if line)


def _panel(started: Started) -> Iterator[str]:
    yield "## Panel"
    yield "\n".join(
        f"- {code_span(seat.member)}, family {sanitise_inline(seat.family)}: {code_span(seat.model)}"
        f"{' (on this machine)' if seat.local else ''}"
        for seat in started.panel
    )


def _outcome(transcript: Transcript, result: JobResult) -> Iterator[str]:
    shown = [item for item in result.findings if item.admitted]
    if result.proposal is None and not shown and not result.document:
        return
    yield "## What came of it"
    if result.document:
        task = transcript.task
        uri = DocumentUri.of_document(
            transcript.summary.job, transcript.summary.action, task.path or task.instruction
        )
        yield f"It wrote {code_span(str(uri))}."
    if result.proposal is not None:
        yield from _proposal(result.proposal)
    if shown:
        yield "\n".join(_finding(item) for item in shown)


def _proposal(proposal: Proposal) -> Iterator[str]:
    weak = ", by a check that would miss most changes here" if proposal.weak else ""
    by = sanitise_inline(proposal.chosen.authors)
    yield f"**{sanitise_inline(proposal.title)}** ({proposal.standing.value}{weak}; by {by})"
    yield code_block(unified_diff(proposal.chosen.changes).rstrip("\n"), "diff")
    if proposal.would_settle:
        yield f"What would settle it: {sanitise_inline(proposal.would_settle)}"


def _finding(item: Finding) -> str:
    return (
        f"- {code_span(f'{item.path}:{item.line + 1}')} **{item.severity.value}** {sanitise_inline(item.title)}"
        f" ({sanitise_inline(item.reason)}; {item.band.value} confidence)"
    )


def _told(bodies: Sequence[EventBody], drafts: Mapping[str, str], titles: Mapping[str, str]) -> Iterator[str]:
    """Yield what happened, in its order; an answer stands where it was complete, a phase where it held anything."""
    texts: dict[str, str] = {}
    families: dict[str, str] = {}
    listed: list[str] = []
    heading = ""
    for body in bodies:
        line = _list_item(body, titles)
        if heading and (line or isinstance(body, MemberStarted | MemberFinished)):
            yield heading
            heading = ""
        if line:
            listed.append(line)
            continue
        if listed and not isinstance(body, MemberStarted | MemberDelta):
            yield "\n".join(listed)
            listed = []
        match body:
            case PhaseEntered():
                round_ = f" {body.round}" if body.round else ""
                note = f": {sanitise_inline(body.note)}" if body.note else ""
                heading = f"### {_PHASES[body.phase.value]}{round_}{note}"
            case MemberStarted():
                texts[body.member], families[body.member] = "", body.family
            case MemberDelta() if body.member in texts:
                texts[body.member] += body.text
            case MemberFinished():
                text = texts.pop(body.member, "")
                if not text.strip() and body.purpose == "draft":
                    text = drafts.get(body.member, "")
                yield _answer(body, families.get(body.member, ""), text)
            case _:
                pass
    if listed:
        yield "\n".join(listed)
    yield from (_unfinished(member, families[member], text) for member, text in texts.items() if text.strip())


def _unfinished(member: str, family: str, text: str) -> str:
    return f"{code_span(member)} ({sanitise_inline(family)}), not finished:\n\n{_quoted(text)}"


def _answer(body: MemberFinished, family: str, text: str) -> str:
    spend = body.spend
    kept = " · kept answer" if body.cached else ""
    ended = " · cancelled" if body.cancelled else f" · {sanitise_inline(body.error)}" if body.error else ""
    of_family = f" ({sanitise_inline(family)})" if family else ""
    head = (
        f"{code_span(body.member)}{of_family}, {sanitise_inline(body.purpose)}: {body.seconds:.1f} s · "
        f"{spend.tokens_in + spend.tokens_out:,} tokens · ${spend.usd:.4f}{kept}{ended}"
    )
    return f"{head}\n\n{_quoted(text)}" if text.strip() else head


def _quoted(text: str) -> str:
    """Return an answer as code; one that is JSON is laid out to be read."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return code_block(text.rstrip())
    return code_block(json.dumps(value, indent=2, ensure_ascii=False), "json")


def _list_item(body: EventBody, titles: Mapping[str, str]) -> str:
    match body:
        case CheckFinished():
            about = f" {_named(body.about, titles)}" if body.about else " the code as it is"
            return (
                f"- {code_span(body.witness)}{about} {MARKS[body.outcome]}: {sanitise_inline(body.summary)}"
            )
        case CritiqueMade():
            verdict = "broke it" if body.broke else "did not break it"
            shown = f" Evidence: {sanitise_inline(body.evidence)}" if body.evidence else ""
            return (
                f"- {code_span(body.from_member)} attacks {_named(body.about, titles)} ({verdict}): "
                f"{sanitise_inline(body.claim)}{shown}"
            )
        case RevisionMade():
            bent = " without new evidence (conformity, not counted)" if body.conformity else ""
            note = f": {sanitise_inline(body.note)}" if body.note else ""
            return f"- {code_span(body.member)} {body.outcome} {_named(body.about, titles)}{bent}{note}"
        case PositionTaken():
            why = sanitise_inline(body.because) or "nothing new (conformity, not counted)"
            moved = f", moved by {why}" if body.moved else ""
            return f"- {code_span(body.member)} holds: {sanitise_inline(body.stance)}{moved}"
        case FindingMade():
            return _finding(body.finding)
        case _:
            return ""


def _named(ident: str, titles: Mapping[str, str]) -> str:
    """Return what a finding says instead of its id, and any other id as it is."""
    return f'"{sanitise_inline(titles[ident])}"' if ident in titles else code_span(ident)


def _dissent(item: Dissent, titles: Mapping[str, str]) -> str:
    about = f" on {_named(item.about, titles)}" if item.about else ""
    return f"{code_span(item.member)} ({sanitise_inline(item.family)}){about}:\n\n{code_block(item.text)}"
