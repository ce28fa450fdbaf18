"""What stands behind each hunk of a candidate: who else wrote it, what it answers, what was run on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ensemble_lsp.core.diff import Hunk, hunks_of
from ensemble_lsp.core.evidence import Outcome, Rank
from ensemble_lsp.core.markdown import visible
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal
from ensemble_lsp.core.results import Task
from ensemble_lsp.lsp.messages import HunkEvidence

MOST_CHECKS = 8
"""Checks named with one hunk; all of a candidate's are in the list of candidates."""


@dataclass(frozen=True, slots=True)
class HunkSupport:
    """Why a hunk is there, in its author's words, and what backs it. Independent of the live text."""

    why: str
    evidence: tuple[HunkEvidence, ...]


def support_of(
    proposal: Proposal, candidate: Candidate, change: FileChange, task: Task
) -> dict[str, HunkSupport]:
    """Return the support of every hunk of one file, by the hunk's id."""
    others = [
        (
            other.families,
            {hunk.id for file in other.changes if file.path == change.path for hunk in hunks_of(file)},
        )
        for other in (proposal.chosen, *proposal.alternatives)
        if other.id != candidate.id
    ]
    checks = tuple(_checks(candidate, change.path))
    found: dict[str, HunkSupport] = {}
    for hunk in hunks_of(change):
        same = [families for families, ids in others if hunk.id in ids]
        families = sorted({*candidate.families, *(family for group in same for family in group)})
        found[hunk.id] = HunkSupport(
            why=visible(candidate.reasons.get(hunk.id, "") or candidate.rationale),
            evidence=(*_families(families), *_answers(task, change.path, hunk), *checks),
        )
    return found


def _families(families: Sequence[str]) -> Iterable[HunkEvidence]:
    if families:
        text = "one family wrote this" if len(families) == 1 else f"{len(families)} families wrote this"
        yield HunkEvidence(kind="families", source=", ".join(families), text=text)


def _answers(task: Task, path: str, hunk: Hunk) -> Iterable[HunkEvidence]:
    """Yield the finding and the diagnostics whose lines the hunk changes."""
    finding = task.finding
    if finding is not None and finding.path == path and _touches(hunk, finding.line, finding.end_line):
        source = ", ".join(finding.families) or ", ".join(item.witness for item in finding.evidence)
        yield HunkEvidence(kind="finding", source=source, text=visible(finding.title))
    for item in task.diagnostics:
        if item.path == path and _touches(hunk, item.line, item.end_line):
            source = f"{item.source} {item.code}".strip()
            yield HunkEvidence(kind="diagnostic", source=source, text=visible(item.message).split("\n", 1)[0])


def _touches(hunk: Hunk, first: int, last: int) -> bool:
    """Whether a hunk changes one of the lines, or inserts beside one of them."""
    if hunk.old_lines:
        return hunk.old_start <= last and first < hunk.old_end
    return first <= hunk.old_start <= last + 1


def _checks(candidate: Candidate, path: str) -> Iterable[HunkEvidence]:
    ran = [item for item in candidate.evidence if item.outcome is not Outcome.NOT_RUN]
    # A tool that looked at another file says nothing about this one; what was executed speaks of all.
    about = [item for item in ran if item.rank is Rank.EXECUTED or item.target in {path, "", "."}]
    for item in about[:MOST_CHECKS]:
        yield HunkEvidence(kind="check", source=item.witness, text=item.summary, outcome=item.outcome)
