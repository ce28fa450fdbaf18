"""Findings on open documents: they move with the text, and go when the lines they speak of are gone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.line_diff import line_changes
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.lsp.documents import Document, TextChange


@dataclass(frozen=True, slots=True)
class Review:
    """The review, or other job, that a finding comes from. `ended` in seconds since the epoch."""

    job: str
    families: int = 0
    """How many families were on its panel; 0 when that was never said."""
    spend: Spend = field(default_factory=Spend)
    ended: float = 0.0
    root: Path | None = None
    """The workspace that was reviewed."""
    action: Action = Action.REVIEW
    """What the job was: a later one of its kind has the last word, others leave its findings alone."""


@dataclass(frozen=True, slots=True)
class TrackedFinding:
    """A finding where it is now. Lines are 0-based, `end` inclusive."""

    finding: Finding
    review: Review
    uri: str
    start: int
    end: int

    @property
    def job(self) -> str:
        """The job that found it."""
        return self.review.job

    @property
    def here(self) -> Finding:
        """The finding with the lines where it is now."""
        return self.finding.model_copy(update={"line": self.start, "end_line": self.end})

    def touches(self, first: int, last: int) -> bool:
        """Whether it shares a line with `first`..`last`, both inclusive."""
        return self.start <= last and first <= self.end


class FindingsBoard:
    """All findings that are shown, by document."""

    def __init__(self) -> None:
        self._by_uri: dict[str, list[TrackedFinding]] = {}

    def replace(
        self,
        document: Document,
        review: Review,
        findings: Iterable[Finding],
        *,
        reviewed: str | None = None,
        lines: Sequence[LineRange] | None = None,
    ) -> None:
        """Show the admitted ones among `findings` for a document instead of what was shown before.

        `reviewed` is the text that they speak of, where it may differ from the live one: they are moved along.
        With `lines` (of the reviewed text) only those were reviewed, and what is shown elsewhere stays. What jobs
        of another kind found stays as well, but for what is found again.
        """
        shown = [
            TrackedFinding(finding, review, document.uri, finding.line, finding.end_line)
            for finding in findings
            if finding.admitted
        ]
        changes = _changes(reviewed, document)
        reviewed_now = None if lines is None else [_moved_lines(each, changes) for each in lines]
        again = {item.finding.id for item in shown}
        kept = [
            item
            for item in self.of(document.uri)
            if item.finding.id not in again
            and (
                item.review.action is not review.action
                or (
                    reviewed_now is not None
                    and not any(item.touches(first, last) for first, last in reviewed_now)
                )
            )
        ]
        self._by_uri[document.uri] = sorted(
            [*kept, *_followed(shown, changes, document)], key=lambda item: (item.start, item.end)
        )

    def of(self, uri: str) -> Sequence[TrackedFinding]:
        """Return what is shown for a document, in the order of its lines."""
        return tuple(self._by_uri.get(uri, ()))

    def uris(self) -> frozenset[str]:
        """Return the documents of which anything is shown."""
        return frozenset(uri for uri, shown in self._by_uri.items() if shown)

    def from_action(self, action: Action) -> frozenset[str]:
        """Return the documents of which a job of this kind found something that is shown."""
        return frozenset(
            uri for uri, shown in self._by_uri.items() if any(item.review.action is action for item in shown)
        )

    def find(self, finding: str) -> TrackedFinding:
        """Return one finding by its id; raises `UnknownItem`."""
        for shown in self._by_uri.values():
            for tracked in shown:
                if tracked.finding.id == finding:
                    return tracked
        raise UnknownItem(f"no finding {finding!r} is shown", field="finding")

    def remove(self, finding: str) -> tuple[TrackedFinding, ...]:
        """Stop showing one finding, and what is the same by its fingerprint; raises `UnknownItem`.

        Returns what was shown and is not any more, the finding itself first.
        """
        tracked = self.find(finding)
        fingerprint = tracked.finding.fingerprint
        shown = self._by_uri[tracked.uri]
        same = [
            item
            for item in shown
            if item is not tracked and fingerprint and item.finding.fingerprint == fingerprint
        ]
        self._by_uri[tracked.uri] = [item for item in shown if item is not tracked and item not in same]
        return (tracked, *same)

    def put_back(self, tracked: TrackedFinding, document: Document) -> bool:
        """Show a removed finding again, where its line is now; False when that is gone, or it is shown already."""
        shown = self._by_uri.setdefault(document.uri, [])
        place = _place_of(tracked, 0, document.index.line_count - 1, document)
        if place is None or any(item.finding.id == tracked.finding.id for item in shown):
            return False
        shown.append(replace(tracked, start=place[0], end=place[1]))
        shown.sort(key=lambda item: (item.start, item.end))
        return True

    def renamed(self, old: str, new: str) -> bool:
        """Follow a document to its new URI; True when anything is shown of it."""
        shown = self._by_uri.pop(old, None)
        if not shown:
            return False
        self._by_uri[new] = [replace(item, uri=new) for item in shown]
        return True

    def forget(self, uri: str) -> bool:
        """Drop what is shown of a document, such as one that was deleted; True when that was anything."""
        return bool(self._by_uri.pop(uri, None))

    def moved(self, document: Document, changes: Sequence[TextChange]) -> bool:
        """Follow the changes of a document; True when anything shown is different now."""
        before = self._by_uri.get(document.uri)
        if not before:
            return False
        after = _followed(before, changes, document)
        self._by_uri[document.uri] = after
        return len(after) != len(before) or any(
            new is not old for new, old in zip(after, before, strict=True)
        )

    def reopened(self, document: Document) -> None:
        """Look again at the findings of a document whose text may have changed while it was closed."""
        whole = TextChange(0, document.index.line_count - 1, document.index.line_count)
        self.moved(document, [whole])


def _changes(reviewed: str | None, document: Document) -> list[TextChange]:
    """Return what happened to the reviewed text since, last place first, so that each can be followed alone."""
    if reviewed is None or reviewed == document.text:
        return []
    return [
        TextChange(change.old_start, change.old_end - 1, change.new_end - change.new_start)
        for change in reversed(line_changes(split_lines(reviewed), split_lines(document.text)))
    ]


def _moved_lines(lines: LineRange, changes: Sequence[TextChange]) -> tuple[int, int]:
    first, last = lines.start, lines.end - 1
    for change in changes:
        shift = change.new_lines - (change.end - change.start + 1)
        if change.end < first:
            first += shift
        if change.start <= last:
            last += shift
    return first, last


def _followed(
    shown: Iterable[TrackedFinding], changes: Sequence[TextChange], document: Document
) -> list[TrackedFinding]:
    """Return the findings where the changes left them; those that no change touched are the same objects."""
    after: list[TrackedFinding] = []
    for tracked in shown:
        start, end, touched = tracked.start, tracked.end, False
        for change in changes:
            shift = change.new_lines - (change.end - change.start + 1)
            if change.start > end:
                continue
            if change.end < start:
                start, end = start + shift, end + shift
            else:
                # What is left of its lines is looked for below, in everything that the change wrote or kept.
                start, end = min(start, change.start), max(end, change.end) + shift
                touched = True
        if touched:
            place = _place_of(tracked, start, end, document)
            if place is None:
                continue
            start, end = place
        same = (start, end) == (tracked.start, tracked.end)
        after.append(tracked if same else replace(tracked, start=start, end=end))
    return after


def _place_of(tracked: TrackedFinding, start: int, end: int, document: Document) -> tuple[int, int] | None:
    """Return where a finding stands among the lines `start`..`end`, or None when its line is gone."""
    end = min(end, document.index.line_count - 1)
    quote = tracked.finding.quote.strip()
    if start > end:
        return None
    if not quote:
        return (start, end) if end - start <= tracked.end - tracked.start else None
    places = [
        line
        for line in range(start, end + 1)
        if document.text[slice(*document.index.line_span(line))].strip() == quote
    ]
    if not places:
        return None
    here = min(places, key=lambda line: abs(line - tracked.start))
    if tracked.start == tracked.end:
        return here, here
    # Of several lines the quoted one is known: it stays inside, and the stretch grows no more than was typed.
    first = max(start, min(here, tracked.start))
    return first, max(here, min(end, first + max(tracked.end - tracked.start, end - start)))
