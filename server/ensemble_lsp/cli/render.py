"""Results as text: a coloured diff with its evidence, findings, explanations."""

import json

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.text import Text

from ensemble_lsp.cli.live import MARKS
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.core.results import JobResult
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


def printable(text: str) -> str:
    """Return text without control characters: a model or a file must not drive the terminal."""
    return "".join(
        character
        if character in "\n\t" or (character.isprintable() and not _is_surrogate(character))
        else "�"
        for character in text
    )


def _is_surrogate(character: str) -> bool:
    return "\ud800" <= character <= "\udfff"


def print_proposal(proposal: Proposal, out: Console, err: Console) -> None:
    """Print the diff to `out` (plain unless a terminal) and what stands behind it to `err`."""
    diff = unified_diff(proposal.chosen.changes)
    if out.is_terminal:
        out.print(Syntax(printable(diff), "diff", background_color="default", word_wrap=False))
    else:
        out.file.write(diff.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    words, style = _STANDINGS[proposal.standing]
    families = ", ".join(proposal.chosen.families)
    err.print(Text.assemble((words, style), f": {printable(proposal.title)} (by {families})"))
    for item in proposal.chosen.evidence:
        mark, mark_style = MARKS[item.outcome]
        confined = f" [{item.sandbox}]" if item.sandbox else ""
        err.print(
            Text.assemble("  ", (mark, mark_style), f" {item.witness}: {printable(item.summary)}{confined}")
        )
    if proposal.weak:
        share = proposal.strength.share if proposal.strength else None
        caught = (
            f"{share:.0%} of the changes tried here" if share is not None else "an unknown share of changes"
        )
        err.print(Text(f"  weak evidence: the check catches {caught}", style="yellow"))
    if proposal.single_family:
        err.print(Text("  one family only: its members may share a mistake", style="yellow"))
    if proposal.would_settle:
        err.print(Text(f"  what would settle it: {printable(proposal.would_settle)}"))
    if proposal.alternatives:
        err.print(
            Text(f"  {len(proposal.alternatives)} other candidate(s) kept in the transcript", style="dim")
        )
    for dissent in proposal.dissent:
        err.print(Text(f"  dissent of {dissent.member}: {printable(dissent.text)}", style="dim"))


def print_findings(findings: tuple[Finding, ...], out: Console) -> None:
    """Print the admitted findings, worst first as the panel ordered them."""
    for finding in findings:
        if not finding.admitted:
            continue
        head = Text.assemble(
            (f"{finding.path}:{finding.line + 1}", "bold"),
            ": ",
            (finding.severity.value, _STYLES[finding.severity]),
            f" [{finding.category}] {printable(finding.title)}",
        )
        out.print(head, soft_wrap=True)
        out.print(Text(f"    {printable(finding.quote.strip())}", style="dim"), soft_wrap=True)
        out.print(Text(f"    {printable(finding.detail)}"), soft_wrap=True)
        out.print(
            Text(
                f"    {finding.reason}; confidence {finding.band.value} ({finding.confidence:.2f}); id {finding.id}",
                style="dim",
            ),
            soft_wrap=True,
        )


def print_document(document: str, out: Console) -> None:
    """Print a Markdown document: rendered on a terminal, as it is elsewhere."""
    if out.is_terminal:
        out.print(Markdown(printable(document), hyperlinks=False))
    else:
        out.file.write(printable(document).rstrip("\n") + "\n")


def json_document(job: str, result: JobResult) -> str:
    """Return the one document of `--json`: the result, and the diff a person would see."""
    data: dict[str, object] = {"job": job, **result.to_wire()}
    if result.proposal is not None:
        data["diff"] = unified_diff(result.proposal.chosen.changes)
    return json.dumps(data, indent=2)
