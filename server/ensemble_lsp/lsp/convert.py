"""Between our values and LSP's types. Lines are 0-based on both sides; characters are in the client's encoding."""

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

from lsprotocol import types

from ensemble_lsp.core.diff import Hunk
from ensemble_lsp.core.evidence import COVERAGE, SEARCH, Diagnostic, Rank, Severity
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.markdown import visible
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.core.text import LineIndex, PositionEncoding
from ensemble_lsp.lsp.arguments import DiagnosticArgument, RangeArgument, checked_range
from ensemble_lsp.lsp.client_view import ClientView
from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.findings import TrackedFinding

SOURCE = "ensemble"

_SEVERITIES = {
    Severity.CRITICAL: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
_TAGS = {
    "unused": types.DiagnosticTag.Unnecessary,
    "dead-code": types.DiagnosticTag.Unnecessary,
    "deprecated": types.DiagnosticTag.Deprecated,
}
_FROM_LSP = {int(lsp): ours for ours, lsp in _SEVERITIES.items()}


def range_of(tracked: TrackedFinding, document: Document) -> types.Range:
    """Return where a finding is shown: its whole lines without the first one's indentation."""
    index, last = document.index, document.index.line_count - 1
    begin, stop = index.line_span(min(tracked.start, last))
    first = document.text[begin:stop]
    begin += len(first) - len(first.lstrip())
    _, end = index.line_span(min(tracked.end, last))
    return types.Range(
        types.Position(*index.position_at(begin, document.encoding)),
        types.Position(*index.position_at(max(begin, end), document.encoding)),
    )


def diagnostic_of(tracked: TrackedFinding, document: Document, view: ClientView) -> types.Diagnostic:
    """Return the diagnostic that shows a finding, with what the client can show of it."""
    finding, span = tracked.finding, range_of(tracked, document)
    page = review_page() if view.code_description else None
    tag = _TAGS.get(finding.category)
    return types.Diagnostic(
        range=span,
        message=f"{one_line(finding.title)} ({support_of(tracked)})",
        severity=_SEVERITIES[finding.severity],
        source=SOURCE,
        code=finding.category,
        code_description=types.CodeDescription(page) if page else None,
        tags=[tag] if tag is not None and int(tag) in view.diagnostic_tags else None,
        related_information=_objections(finding, types.Location(document.uri, span))
        if view.related_information
        else None,
        data=finding.id,
    )


def support_of(tracked: TrackedFinding) -> str:
    """Return who stands behind a finding, in a few words: "3 of 4 families; ruff agrees"."""
    finding, asked = tracked.finding, tracked.review.families
    parts: list[str] = []
    count = len(finding.families)
    if count:
        families = "family" if max(asked, count) == 1 else "families"
        parts.append(f"{count} of {asked} {families}" if asked >= count else f"{count} {families}")
    static = sorted({item.witness for item in finding.evidence if item.rank is Rank.STATIC})
    ran = {item.witness for item in finding.evidence if item.rank is Rank.EXECUTED}
    # Where tests fail, these say which line: no further witness of the fault.
    executed = sorted(ran - {COVERAGE, SEARCH} or ran)
    if static:
        one, several = ("agrees", "agree") if count else ("reports it", "report it")
        verb = one if len(static) == 1 else several
        parts.append(f"{', '.join(static)} {verb}")
    if executed:
        one, several = ("confirms", "confirm") if count else ("shows it", "show it")
        parts.append(f"{', '.join(executed)} {one if len(executed) == 1 else several}")
    if finding.dissent:
        parts.append("1 objection" if len(finding.dissent) == 1 else f"{len(finding.dissent)} objections")
    return "; ".join(one_line(part) for part in parts)


def one_line(text: str) -> str:
    """Return a model's words as one line of plain text: no control characters, no directional overrides."""
    return " ".join(visible(text).split())


@cache
def review_page() -> str | None:
    """Return the address of the page that explains findings, from the package's own metadata; None without one."""
    try:
        urls = metadata("ensemble-lsp").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    documentation = dict(url.split(", ", maxsplit=1) for url in urls if ", " in url).get("Documentation")
    return f"{documentation.rstrip('/')}/review.md#reading-a-finding" if documentation else None


def _objections(finding: Finding, where: types.Location) -> list[types.DiagnosticRelatedInformation] | None:
    said = [
        types.DiagnosticRelatedInformation(
            where, f"{one_line(item.member)} ({one_line(item.family)}) objects: {one_line(item.text)}"
        )
        for item in finding.dissent
    ]
    return said or None


def line_range(argument: RangeArgument | None) -> LineRange | None:
    """Return the whole lines that a range touches, or None for an absent or empty range at the file's start."""
    if argument is None:
        return None
    (first, _), (last, character) = checked_range(argument)
    return LineRange(start=first, end=last if character == 0 and last > first else last + 1)


def diagnostic_in(argument: DiagnosticArgument, path: str) -> Diagnostic:
    """Return an editor's diagnostic as our own."""
    return Diagnostic(
        path=path,
        line=argument.range.start.line,
        end_line=argument.range.end.line,
        severity=_FROM_LSP.get(argument.severity or 1, Severity.CRITICAL),
        source=argument.source or "editor",
        code="" if argument.code is None else str(argument.code),
        message=argument.message,
    )


def text_edit(hunk: Hunk, index: LineIndex, encoding: PositionEncoding) -> types.TextEdit:
    """Return the smallest edit of whole lines that makes a hunk real, in positions of the live text."""

    def position(line: int) -> types.Position:
        # Behind the last line there is only the text's end, which need not be a line's start.
        behind = line >= index.line_count
        begin, end = index.line_span(index.line_count - 1 if behind else line)
        return types.Position(*index.position_at(end if behind else begin, encoding))

    stop = hunk.old_start + len(hunk.old_lines)
    return types.TextEdit(
        range=types.Range(position(hunk.old_start), position(stop)), new_text="".join(hunk.new_lines)
    )
