"""Between our values and LSP's types. Lines are 0-based on both sides; characters are in the client's encoding."""

from lsprotocol import types

from ensemble_lsp.core.diff import Hunk
from ensemble_lsp.core.evidence import Diagnostic, Severity
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.core.text import LineIndex, PositionEncoding
from ensemble_lsp.lsp.arguments import DiagnosticArgument, RangeArgument, checked_range
from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.findings import TrackedFinding

SOURCE = "ensemble"

_SEVERITIES = {
    Severity.CRITICAL: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
_FROM_LSP = {int(lsp): ours for ours, lsp in _SEVERITIES.items()}


def diagnostic_of(tracked: TrackedFinding, document: Document) -> types.Diagnostic:
    """Return the diagnostic that shows a finding, over its whole lines without their indentation."""
    index, last = document.index, document.index.line_count - 1
    begin, stop = index.line_span(min(tracked.start, last))
    first = document.text[begin:stop]
    begin += len(first) - len(first.lstrip())
    _, end = index.line_span(min(tracked.end, last))
    finding = tracked.finding
    return types.Diagnostic(
        range=types.Range(
            types.Position(*index.position_at(begin, document.encoding)),
            types.Position(*index.position_at(max(begin, end), document.encoding)),
        ),
        message=f"{finding.title} ({support_of(finding)})",
        severity=_SEVERITIES[finding.severity],
        source=SOURCE,
        code=finding.category,
        data=finding.id,
    )


def support_of(finding: Finding) -> str:
    """Return who stands behind a finding, in a few words: "2 families; ruff agrees"."""
    count = len(finding.families)
    voices = f"{count} families" if count != 1 else f"{finding.families[0]} alone"
    witnesses = sorted({item.witness for item in finding.evidence})
    agree = f"; {', '.join(witnesses)} agree{'s' if len(witnesses) == 1 else ''}" if witnesses else ""
    return f"{voices}{agree}, confidence {finding.band.value}"


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
