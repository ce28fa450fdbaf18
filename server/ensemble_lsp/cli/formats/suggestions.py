"""A checked fix as GitHub's `suggestion` block: the lines that it replaces, and what takes their place."""

import re
from dataclasses import dataclass

from ensemble_lsp.cli.formats.markdown import stands_behind, words
from ensemble_lsp.cli.formats.report import Report, is_plain
from ensemble_lsp.core.diff import hunks_of
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.core.text import content_of, split_lines

SUGGESTION_AT_MOST = 30_000
"""Characters of the code in one suggestion."""

_BACKTICKS = re.compile(r"`+")
_NOT_IN_MARKERS = re.compile(r"[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One comment on lines of a pull request. `path` is from the root of the repository; lines from 1, inclusive."""

    path: str
    first: int
    last: int
    marker: str
    """The hidden line that the comment is found again by: of the finding, and of what is suggested."""
    body: str


def suggestions(report: Report) -> tuple[Suggestion, ...]:
    """Return a suggestion for each finding whose checked fix lies within lines that the change touched."""
    found = (_suggestion(report, finding) for finding in report.shown)
    unique = {item.marker: item for item in found if item is not None}
    return tuple(unique.values())


def suggestion_block(code: str) -> str:
    """Return lines as a suggestion that nothing in them can end."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}suggestion\n{code}{'' if not code or code.endswith(chr(10)) else chr(10)}{fence}"


def _suggestion(report: Report, finding: Finding) -> Suggestion | None:
    proposal = report.checked_fix(finding)
    if proposal is None or len(proposal.chosen.changes) != 1:
        return None
    (change,) = proposal.chosen.changes
    if (
        change.before is None
        or change.after is None
        or report.lines(change.path) != split_lines(change.before.text)
    ):
        return None
    hunks = hunks_of(change)
    old, new = split_lines(change.before.text), split_lines(change.after.text)
    if not hunks:
        return None
    start, end = hunks[0].old_start, hunks[-1].old_end
    grown = sum(len(hunk.new_lines) - len(hunk.old_lines) for hunk in hunks)
    if start == end:
        # A suggestion replaces lines: what is put in between takes its neighbour along.
        start, end = (start - 1, end) if start else (start, end + 1)
    touched = report.result.changed_lines.get(change.path, ())
    if not any(_holds(lines, start, end) for lines in touched):
        return None
    code = "".join(f"{content_of(line)}\n" for line in new[start : end + grown])
    if not is_plain(code) or len(code) > SUGGESTION_AT_MOST or end > len(old):
        return None
    mark = f"<!-- ensemble-lsp:fix:{_NOT_IN_MARKERS.sub('', finding.fingerprint or finding.id)} -->"
    body = "\n".join(
        (
            mark,
            f"**{finding.severity.value}**: {words(finding.title)}",
            "",
            words(finding.detail),
            "",
            f"The fix below is {stands_behind(proposal)}.",
            "",
            suggestion_block(code),
        )
    )
    return Suggestion(report.path(change.path), start + 1, end, mark, body)


def _holds(lines: LineRange, start: int, end: int) -> bool:
    return lines.start <= start and end <= lines.end
