"""The parts of a SARIF log that stand in several places: messages, places, replacements."""

import os
import re
from urllib.parse import quote

from ensemble_lsp.cli.formats.report import Report, is_plain, utf16_length
from ensemble_lsp.core.diff import Hunk, hunks_of
from ensemble_lsp.core.markdown import visible
from ensemble_lsp.core.proposals import Proposal
from ensemble_lsp.core.text import content_of, split_lines

_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def plain(text: str) -> str:
    """Return text without what is invisible or no Unicode."""
    return visible(text)


def message(text: str) -> dict[str, object]:
    """Return a message that says exactly this: in SARIF `[x](y)` would be a link and `{0}` a placeholder."""
    shown = plain(text).replace("](", "] (")
    return {"text": _PLACEHOLDER.sub(r"{{\1}}", shown) or "(no text)"}


def artifact(report: Report, path: str) -> dict[str, object]:
    """Return where a file of the workspace is, from the root of the repository, as a URI reference."""
    return {"uri": quote(os.fsencode(report.path(path)), safe="/"), "uriBaseId": "%SRCROOT%"}


def region(first: int, last: int, columns: tuple[int, int] | None) -> dict[str, object]:
    """Return whole lines (0-based, inclusive) as a region, narrowed to columns where they are known."""
    if columns is None:
        return {"startLine": first + 1, "endLine": last + 1}
    return {
        "startLine": first + 1,
        "startColumn": columns[0],
        "endLine": last + 1,
        "endColumn": columns[1],
    }


def fix_of(report: Report, proposal: Proposal) -> dict[str, object] | None:
    """Return a patch as a fix, or None when SARIF cannot say it: new or deleted files, code that nobody can see."""
    changes: list[dict[str, object]] = []
    for change in proposal.chosen.changes:
        if change.before is None or change.after is None:
            return None
        lines = split_lines(change.before.text)
        hunks = hunks_of(change)
        if not all(is_plain("".join(hunk.new_lines)) for hunk in hunks):
            return None
        changes.append(
            {
                "artifactLocation": artifact(report, change.path),
                "replacements": [_replacement(hunk, lines) for hunk in hunks],
            }
        )
    said = "; ".join(f"{item.witness}: {item.summary}" for item in proposal.chosen.evidence)
    strength = " (weak evidence)" if proposal.weak else ""
    return {
        "description": message(f"{proposal.title}: verified{strength}. {said}"),
        "artifactChanges": changes,
    }


def _replacement(hunk: Hunk, lines: list[str]) -> dict[str, object]:
    """Return the hunk with a region from the first character replaced to the one behind the last, line end included."""
    start = (hunk.old_start + 1, 1)
    end = (hunk.old_end + 1, 1)
    if hunk.old_end == len(lines) and lines and content_of(lines[-1]) == lines[-1]:
        # The file ends without a line end, so that there is no line behind the last one.
        end = (len(lines), utf16_length(lines[-1]) + 1)
        if not hunk.old_lines:
            start = end
    return {
        "deletedRegion": {
            "startLine": start[0],
            "startColumn": start[1],
            "endLine": end[0],
            "endColumn": end[1],
        },
        "insertedContent": {"text": "".join(hunk.new_lines)},
    }
