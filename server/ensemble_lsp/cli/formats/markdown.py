"""One Markdown summary of a review, for a comment that is written anew each time, and for a job's summary page.

Words of models and repositories are text in it: no HTML, no images, no links, no mentions, no references to issues.
"""

import re
from collections.abc import Callable, Sequence

from ensemble_lsp.cli.formats.report import Report
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.evidence import Evidence, Outcome, Severity
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.markdown import code_block, code_span, sanitise_inline
from ensemble_lsp.core.proposals import Proposal
from ensemble_lsp.core.unified import unified_diff

LENGTH_AT_MOST = 65_000
"""Bytes; GitHub takes 65,536 characters in a comment."""

_FIX_AT_MOST = 6_000
_WORDS_AT_MOST = 700
_REASON_AT_MOST = 300
_NOTES_AT_MOST = 10
_ROOM_FOR_THE_END = 400
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_MENTION = re.compile(r"@(?=[A-Za-z0-9])")
_REFERENCE = re.compile(r"(#|\bGH-)(?=\d)", re.IGNORECASE)
_COMMIT = re.compile(r"\b([0-9a-f]{6})(?=[0-9a-f]{1,58}\b)")
_INVISIBLE = "\N{ZERO WIDTH SPACE}"

Link = Callable[[str, int, int], str]
"""From a path (from the root of the repository) and lines (1-based, inclusive) to an address, or ""."""


def no_link(path: str, first: int, last: int) -> str:
    """Return no address: for places where the code cannot be linked to."""
    del path, first, last
    return ""


def marker(key: str = "") -> str:
    """Return the hidden line that a summary is found again by; `key` tells several of one pull request apart."""
    name = f":{key}" if _KEY.fullmatch(key) else ""
    return f"<!-- ensemble-lsp:review{name} -->"


def markdown(report: Report, *, key: str = "", link: Link = no_link) -> str:
    """Return the summary, `LENGTH_AT_MOST` bytes long at most: what does not fit is counted at its end."""
    result = report.result
    shown = report.shown
    head = "\n".join((marker(key), f"### {_title(report)}", "", _about(report)))
    tail = _end(report)
    room = LENGTH_AT_MOST - _size(head) - _size(tail) - _ROOM_FOR_THE_END
    blocks: list[str] = []
    for finding in shown:
        block = _finding(report, finding, link)
        if _size(block) > room:
            break
        room -= _size(block) + 2
        blocks.append(block)
    left = len(shown) - len(blocks)
    if left:
        blocks.append(f"*{left} more: `ensemble-lsp show {result_job(report)}` or the log has them.*")
    if not shown and result.status is Status.NOTHING:
        blocks.append("Nothing was found that a tool or a second family stands behind.")
    return "\n\n".join(part for part in (head, *blocks, tail) if part) + "\n"


def result_job(report: Report) -> str:
    """Return the job's id as it may stand in a code span."""
    return re.sub(r"[^A-Za-z0-9_-]", "", report.job)


def words(text: str, longest: int = _WORDS_AT_MOST) -> str:
    """Return foreign text as one line of Markdown that mentions nobody and links to nothing."""
    cut = text if len(text) <= longest else f"{text[: longest - 1]}…"
    safe = sanitise_inline(cut)
    pieces: list[str] = []
    at = 0
    # In code nothing is mentioned or linked; there the characters stay as they are.
    for code in _CODE.finditer(safe):
        pieces += [_quiet(safe[at : code.start()]), code.group()]
        at = code.end()
    return "".join([*pieces, _quiet(safe[at:])])


def stands_behind(proposal: Proposal) -> str:
    """Return what was executed for a patch, as one line of Markdown."""
    said = "; ".join(
        f"{item.witness}: {item.summary}"
        for item in proposal.chosen.evidence
        if item.outcome in {Outcome.PASSED, Outcome.FAILED}
    )
    weak = ", weak evidence" if proposal.weak else ""
    return f"{proposal.standing.value}{weak}" + (f" — {words(said, _REASON_AT_MOST)}" if said else "")


def _title(report: Report) -> str:
    result = report.result
    what = f"Ensemble {report.action.value}"
    count = len(report.shown)
    found = counted(count, "finding") if count else "no findings"
    if result.status in {Status.DONE, Status.NOTHING}:
        critical = sum(finding.severity is Severity.CRITICAL for finding in report.shown)
        return f"{what}: {found}" + (f", {critical} critical" if critical else "")
    ends = {
        Status.OVER_BUDGET: "ended at a cap",
        Status.CANCELLED: "was cancelled",
        Status.ABSTAINED: "came to no result",
        Status.FAILED: "could not run",
    }
    return f"{what}: {ends[result.status]}" + (f", {found} so far" if count else "")


def _about(report: Report) -> str:
    result = report.result
    files = len(result.reviewed)
    parts = [f"{counted(files, 'file')} looked at"]
    parts.append(f"{counted(result.spend.calls, 'call')}, ${result.spend.usd:.4f}")
    if report.suppressed:
        parts.append(f"{len(report.suppressed)} dismissed before")
    if result.status not in {Status.DONE, Status.NOTHING}:
        parts.append(words(result.reason, _REASON_AT_MOST))
    return " · ".join(parts)


def _finding(report: Report, finding: Finding, link: Link) -> str:
    path = report.path(finding.path)
    first, last = finding.line + 1, finding.end_line + 1
    where = code_span(f"{path}:{first}" + (f"-{last}" if last > first else ""))
    address = link(path, first, last)
    place = f"[{where}]({address})" if address else where
    dismissed = " · dismissed" if finding.dismissed is not None else ""
    lines = [
        f"**{finding.severity.value}** {place} · {words(finding.category)}{dismissed}  ",
        f"**{words(finding.title)}**",
        "",
        code_span(finding.quote[:_REASON_AT_MOST]) or "(blank line)",
        "",
        words(finding.detail, 900),
        "",
        f"- {words(finding.reason, _REASON_AT_MOST)}; confidence {finding.band.value} ({finding.confidence:.2f})",
    ]
    lines += [f"- {_evidence(item)}" for item in finding.evidence]
    lines += [f"- against it: {_evidence(item)}" for item in finding.against]
    lines += [f"- {words(dissent.family, 60)} objects: {words(dissent.text)}" for dissent in finding.dissent]
    proposal = report.checked_fix(finding)
    if proposal is not None:
        lines += ["", *_fix(proposal)]
    return "\n".join(lines)


def _evidence(item: Evidence) -> str:
    return f"{words(item.witness, 60)}: {words(item.summary, _REASON_AT_MOST)}"


def _fix(proposal: Proposal) -> list[str]:
    diff = unified_diff(proposal.chosen.changes)
    if len(diff) > _FIX_AT_MOST:
        return [f"There is a fix ({stands_behind(proposal)}), too long to be shown here."]
    return [
        f"<details><summary>A fix: {stands_behind(proposal)}</summary>",
        "",
        code_block(diff.rstrip("\n"), "diff"),
        "",
        "</details>",
    ]


def _end(report: Report) -> str:
    told: Sequence[str] = (*report.result.warnings, *report.result.notes)
    lines = [f"- {words(text, _REASON_AT_MOST)}" for text in dict.fromkeys(told)]
    if len(lines) > _NOTES_AT_MOST:
        lines = [*lines[:_NOTES_AT_MOST], f"- and {len(lines) - _NOTES_AT_MOST} more notes"]
    foot = f"<sub>Job {result_job(report)}. Written by models, checked by tools: read the reason before the text.</sub>"
    return "\n".join([*lines, "", foot] if lines else [foot])


def _quiet(text: str) -> str:
    text = _MENTION.sub(f"@{_INVISIBLE}", text)
    text = _REFERENCE.sub(rf"\1{_INVISIBLE}", text)
    return _COMMIT.sub(rf"\1{_INVISIBLE}", text)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
