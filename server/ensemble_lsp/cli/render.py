"""Results as text: a coloured diff with its evidence, findings, explanations; and as one JSON document."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from ensemble_lsp.cli.branching.landing import Landed
from ensemble_lsp.cli.failures import NotApplied, error_document, exit_status, job_error
from ensemble_lsp.cli.running import Ended
from ensemble_lsp.cli.steps import MARKS
from ensemble_lsp.cli.terminal import one_line, printable, write_bytes, write_text
from ensemble_lsp.cli.word_marks import changed_words
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.evidence import Outcome, Severity
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.core.text import utf8_of
from ensemble_lsp.core.unified import unified_diff

_STYLES = {
    Severity.CRITICAL: "bold red",
    Severity.WARNING: "yellow",
    Severity.INFO: "cyan",
    Severity.HINT: "dim",
}

_STANDINGS = {
    Standing.VERIFIED: ("verified", "bold green"),
    Standing.AGREED: ("agreed, nothing was executed", "yellow"),
    Standing.UNVERIFIED: ("unverified", "yellow"),
}


def print_proposal(proposal: Proposal, out: Console, err: Console) -> None:
    """Print the diff to `out` and what stands behind it to `err`."""
    print_diff(unified_diff(proposal.chosen.changes), out)
    words, style = _STANDINGS[proposal.standing]
    by = one_line(proposal.chosen.authors)
    err.print(Text.assemble((words, style), f": {one_line(proposal.title)} (by {by})"), soft_wrap=True)
    for item in proposal.chosen.evidence:
        mark, mark_style = MARKS[item.outcome]
        confined = f" [{one_line(item.sandbox)}]" if item.sandbox else ""
        said = f" {one_line(item.witness)}: {one_line(item.summary)}{confined}"
        err.print(Text.assemble("  ", (mark, mark_style), said), soft_wrap=True)
    for line, line_style in _reservations(proposal):
        err.print(Text(f"  {line}", style=line_style), soft_wrap=True)


def print_diff(diff: str, out: Console) -> None:
    """Print a patch: safe on a terminal, coloured, changed words marked; elsewhere byte for byte, for git to apply."""
    if out.is_terminal:
        shown = printable(diff).expandtabs(4)  # as `Syntax` does: marks count columns
        syntax = Syntax(shown, "diff", background_color="default", word_wrap=True)
        lines = shown.split("\n")
        for mark in changed_words(shown):
            colour = "red" if lines[mark.line - 1].startswith("-") else "green"
            syntax.stylize_range(f"bold underline {colour}", (mark.line, mark.start), (mark.line, mark.end))
        out.print(syntax)
    else:
        write_bytes(out, utf8_of(diff))


def print_findings(findings: Sequence[Finding], out: Console, *, dismissed: bool = False) -> None:
    """Print the admitted findings, worst first as the panel ordered them; on demand those dismissed before."""
    for finding in findings:
        if not finding.admitted and not (dismissed and finding.dismissed is not None):
            continue
        head = Text.assemble(
            (f"{one_line(finding.path)}:{finding.line + 1}", "bold"),
            ": ",
            (finding.severity.value, _STYLES[finding.severity]),
            f" [{one_line(finding.category)}] {one_line(finding.title)}",
        )
        confidence = f"confidence {finding.band.value} ({finding.confidence:.2f})"
        for line in (
            head,
            Text(f"    {one_line(finding.quote)}", style="dim"),
            Text(f"    {one_line(finding.detail)}"),
            Text(f"    {one_line(finding.reason)}; {confidence}; id {one_line(finding.id)}", style="dim"),
        ):
            out.print(line, soft_wrap=True)


def print_fixes(findings: Sequence[Finding], fixes: Mapping[str, Proposal], out: Console) -> None:
    """Print the patches made for findings, each under what it is for and what stands behind it."""
    for finding in findings:
        proposal = fixes.get(finding.id)
        if proposal is None:
            continue
        words, style = _STANDINGS[proposal.standing]
        place = f"fix for {one_line(finding.path)}:{finding.line + 1}"
        out.print(Text.assemble((place, "bold"), ": ", (words, style)), soft_wrap=True)
        print_diff(unified_diff(proposal.chosen.changes), out)


def print_document(document: str, out: Console) -> None:
    """Print a Markdown document: rendered on a terminal, as it is elsewhere."""
    if not document.strip():
        return
    if out.is_terminal:
        from rich.markdown import Markdown  # noqa: PLC0415 - a parser, which a diff or a document in JSON needs none of

        out.print(Markdown(printable(document), hyperlinks=False))
    else:
        write_text(out, printable(document).rstrip("\n") + "\n")


def print_end(ended: Ended, err: Console) -> None:
    """Say how the job ended, why, and how to go on from there."""
    result = ended.result
    message, _, hint = result.reason.partition("\n")
    style = "" if result.status in {Status.DONE, Status.NOTHING} else "yellow"
    words = one_line(message)
    head = words if words.startswith(result.status.value) else f"{result.status.value}: {words}"
    err.print(Text(f"{head} (job {ended.job})", style=style), soft_wrap=True)
    for warning in result.warnings:
        err.print(Text(f"  {one_line(warning)}", style="yellow"), soft_wrap=True)
    if hint:
        err.print(Text(f"  {one_line(hint)}"), soft_wrap=True)
    if result.status is Status.CANCELLED:
        count = len(result.drafts)
        kept = counted(count, "answer") if count else "everything that was said"
        err.print(Text(f"  ensemble-lsp show {ended.job} --answers shows {kept}"), soft_wrap=True)


def json_document(
    ended: Ended,
    *,
    code: int | None = None,
    written: Sequence[Path] = (),
    problem: NotApplied | None = None,
    landed: Landed | None = None,
) -> str:
    """Return the one document of `--json`: the result, the diff a person would see, and the error if any."""
    result = ended.result
    data: dict[str, object] = {
        "job": ended.job,
        "exitCode": exit_status(result) if code is None else code,
        **result.to_wire(),
    }
    # "error" is an object in every document; the wire form has the bare kind.
    data.pop("error", None)
    error = error_document(problem) if problem is not None else job_error(result)
    if error is not None:
        data["error"] = error
    if result.proposal is not None:
        data["diff"] = unified_diff(result.proposal.chosen.changes)
    if ended.fixes:
        data["fixes"] = {
            finding: {"proposal": proposal.to_wire(), "diff": unified_diff(proposal.chosen.changes)}
            for finding, proposal in ended.fixes.items()
        }
    if written:
        data["written"] = [str(path) for path in written]
    if landed is not None:
        data["branch"] = landed.to_wire()
    return json.dumps(data, indent=2) + "\n"


def print_dissent(result: JobResult, err: Console, *, whole: bool) -> None:
    """Print what was argued and not adopted, word for word or as its number."""
    if not whole:
        return
    for dissent in result.dissent:
        head = f"dissent of {one_line(dissent.member)} on {one_line(dissent.about)}:"
        err.print(Text(head, style="bold"), soft_wrap=True)
        err.print(Text(printable(dissent.text).rstrip("\n"), style="dim"), soft_wrap=True)


def _reservations(proposal: Proposal) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    broken = [item for item in proposal.chosen.evidence if item.outcome is Outcome.ERROR]
    for item in broken:
        what = f"{one_line(item.witness)} could not run: {one_line(item.summary)}"
        lines.append((f"{what}; it says nothing about this patch", "yellow"))
    if proposal.weak:
        share = proposal.strength.share if proposal.strength else None
        seen = (
            f"{share:.0%} of the changes tried here" if share is not None else "an unknown share of changes"
        )
        lines.append((f"weak evidence: the check catches {seen}", "yellow"))
    if proposal.single_family:
        lines.append(("one family only: its members may share a mistake", "yellow"))
    if proposal.would_settle:
        lines.append((f"what would settle it: {one_line(proposal.would_settle)}", ""))
    kept = [
        counted(len(items), name)
        for name, items in (("other candidate", proposal.alternatives), ("dissent", proposal.dissent))
        if items
    ]
    if kept:
        how = f"ensemble-lsp show {one_line(proposal.job)} --answers"
        lines.append((f"kept as well: {', '.join(kept)} ({how})", "dim"))
    return lines
