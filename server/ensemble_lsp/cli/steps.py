"""One event of a job as one line: what stands in the log above the lanes, and all there is without a terminal."""

import math

from rich.text import Text

from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.events import (
    CheckFinished,
    CritiqueMade,
    DissentKept,
    EventBody,
    MemberFinished,
    PhaseEntered,
    PositionTaken,
    RevisionMade,
    Started,
)
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.engine.messages import WAITS

LONGEST = 160
"""Characters of what a member said that are shown in one line; `show --answers` has the rest."""

MARKS = {
    Outcome.PASSED: ("✓", "green"),
    Outcome.FAILED: ("✗", "red"),
    Outcome.TIMED_OUT: ("⧖", "red"),
    Outcome.ERROR: ("!", "yellow"),
    Outcome.NOT_RUN: ("–", "dim"),
}


def step_line(body: EventBody) -> Text | None:
    """Return the line of one event, or None for what is no step of its own."""
    match body:
        case Started():
            return Text(started(body))
        case PhaseEntered() if body.note.endswith(WAITS):
            return None  # the question itself stands in the terminal
        case PhaseEntered():
            round_ = f" {body.round}" if body.round else ""
            note = f": {one_line(body.note)}" if body.note else ""
            return Text(f"{body.phase.value}{round_}{note}", style="bold")
        case MemberFinished():
            return _finished(body)
        case CheckFinished():
            mark, style = MARKS[body.outcome]
            about = f"{one_line(body.about)}: " if body.about else "as it is: "
            summary = one_line(body.summary, LONGEST)
            return Text.assemble("  ", (mark, style), f" {about}{one_line(body.witness)} {summary}")
        case CritiqueMade():
            verdict = "broke it" if body.broke else "did not break it"
            claim = one_line(body.claim, LONGEST)
            return Text(f"  {one_line(body.from_member)} attacks {one_line(body.about)} ({verdict}): {claim}")
        case RevisionMade():
            bent = " without new evidence" if body.conformity else ""
            return Text(f"  {one_line(body.member)} {body.outcome} {one_line(body.about)}{bent}")
        case PositionTaken():
            moved = f" (moved by {one_line(body.because, LONGEST) or 'nothing new'})" if body.moved else ""
            return Text(f"  {one_line(body.member)}: {one_line(body.stance, LONGEST)}{moved}")
        case DissentKept():
            return dissent_line(body.dissent.member, body.dissent.text)
        case _:
            return None


def started(body: Started) -> str:
    """Return who sits and what it may cost."""
    estimate = body.estimate
    bound = min(estimate.usd_bound, math.inf if estimate.usd_cap is None else estimate.usd_cap)
    members = counted(len(body.panel), "member")
    tokens = "" if estimate.tokens_expected is None else f", {estimate.tokens_expected / 1000:,.0f}k tokens"
    time = "" if estimate.seconds_expected is None else f" in {minutes(estimate.seconds_expected)}"
    return (
        f"{body.action.value} ({body.mode.value}): {members}, "
        f"about {counted(estimate.calls_expected, 'call')}{tokens} and ${estimate.usd_expected:.3f}{time}, "
        f"never more than {counted(estimate.calls_bound, 'call')} and ${bound:.2f}"
    )


def finding_line(finding: Finding) -> Text:
    """Return one finding as it comes: where it is, and its title."""
    place = f"{one_line(finding.path)}:{finding.line + 1}"
    return Text(f"  {place}: {finding.severity.value}: {one_line(finding.title, LONGEST)}")


def dissent_line(member: str, text: str) -> Text:
    """Return the first words of a dissent: all of it may be a whole file."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    words = one_line(first, LONGEST)
    more = " …" if words != one_line(text) and not words.endswith("…") else ""
    return Text(f"  dissent of {one_line(member)}: {words}{more}", style="dim")


def minutes(seconds: float) -> str:
    """Return a length of time as a person says it."""
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5_400 else f"{seconds / 3600:.1f} h"


def _finished(body: MemberFinished) -> Text:
    how = "cancelled" if body.cancelled else "failed" if body.error else "answered"
    cost = f", ${body.spend.usd:.4f}" if body.spend.usd else ""
    kept = " (kept answer)" if body.cached else ""
    text = Text(
        f"  {one_line(body.member)}: {one_line(body.purpose)} {how} after {body.seconds:.1f} s{cost}{kept}"
    )
    if body.error:
        # Errors of members begin with the member's id, which stands here already.
        text.append(f": {one_line(body.error.removeprefix(f'{body.member}: '))}", style="red")
    return text
