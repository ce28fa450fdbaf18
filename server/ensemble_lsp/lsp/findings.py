"""Findings on open documents: they move with the text, and go when the lines they speak of are gone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.lsp.documents import Document, TextChange


@dataclass(frozen=True, slots=True)
class TrackedFinding:
    """A finding where it is now. Lines are 0-based, `end` inclusive."""

    finding: Finding
    job: str
    uri: str
    start: int
    end: int


class FindingsBoard:
    """All findings that are shown, by document."""

    def __init__(self) -> None:
        self._by_uri: dict[str, list[TrackedFinding]] = {}

    def replace(self, uri: str, job: str, findings: Iterable[Finding]) -> None:
        """Show the admitted ones among `findings` for a document instead of what was shown before."""
        self._by_uri[uri] = [
            TrackedFinding(finding, job, uri, finding.line, finding.end_line)
            for finding in findings
            if finding.admitted
        ]

    def of(self, uri: str) -> Sequence[TrackedFinding]:
        """Return what is shown for a document."""
        return tuple(self._by_uri.get(uri, ()))

    def find(self, finding: str) -> TrackedFinding:
        """Return one finding by its id; raises `UnknownItem`."""
        for shown in self._by_uri.values():
            for tracked in shown:
                if tracked.finding.id == finding:
                    return tracked
        raise UnknownItem(f"no finding {finding!r} is shown", field="finding")

    def remove(self, finding: str) -> TrackedFinding:
        """Stop showing one finding and return it; raises `UnknownItem`."""
        tracked = self.find(finding)
        self._by_uri[tracked.uri].remove(tracked)
        return tracked

    def moved(self, document: Document, changes: Sequence[TextChange]) -> bool:
        """Follow the changes of a document; True when anything shown is different now."""
        before = self._by_uri.get(document.uri)
        if not before:
            return False
        after = before
        for change in changes:
            after = [moved for tracked in after if (moved := _moved(tracked, change)) is not None]
        after = [tracked for tracked in after if tracked in before or _still_there(tracked, document)]
        self._by_uri[document.uri] = after
        return after != before


def _moved(tracked: TrackedFinding, change: TextChange) -> TrackedFinding | None:
    if change.start > tracked.end:
        return tracked
    shift = change.new_lines - (change.end - change.start + 1)
    if change.end < tracked.start:
        return replace(tracked, start=tracked.start + shift, end=tracked.end + shift) if shift else tracked
    # The change touches the finding's lines: it keeps what is left of them, checked against the text later.
    start = min(tracked.start, change.start)
    end = max(start, tracked.end + shift)
    return replace(tracked, start=start, end=end) if (start, end) != (tracked.start, tracked.end) else tracked


def _still_there(tracked: TrackedFinding, document: Document) -> bool:
    quote = tracked.finding.quote.strip()
    if not quote:
        return True
    index = document.index
    if tracked.start >= index.line_count:
        return False
    begin, _ = index.line_span(tracked.start)
    _, end = index.line_span(min(tracked.end, index.line_count - 1))
    return any(line.strip() == quote for line in split_lines(document.text[begin:end]))
