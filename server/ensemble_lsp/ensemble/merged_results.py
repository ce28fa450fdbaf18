"""One result out of several: a review of many files runs once per file."""

from collections.abc import Sequence

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.results import JobResult

_DECISIVE = (Status.CANCELLED, Status.OVER_BUDGET)
_THEN = (Status.DONE, Status.FAILED, Status.ABSTAINED, Status.NOTHING)


def merge_results(results: Sequence[JobResult]) -> JobResult:
    """Return one result with all findings (admitted first, each id once), spend and notes.

    A finding that was raised beside one file, as something outside of it, and admitted in the review of its own is
    admitted.

    The status is the one that matters most: cancelled or over budget if any was; else done if any found
    something; else failed, abstained, nothing. A single result is returned as it is.
    """
    if len(results) == 1:
        return results[0]
    if not results:
        return JobResult(status=Status.NOTHING, reason="no file to review")
    statuses = {result.status for result in results}
    status = next(each for each in (*_DECISIVE, *_THEN) if each in statuses)
    findings: dict[str, Finding] = {}
    for result in results:
        for finding in result.findings:
            if finding.id not in findings or (finding.admitted and not findings[finding.id].admitted):
                findings[finding.id] = finding
    admitted = [finding for finding in findings.values() if finding.admitted]
    kept = [finding for finding in findings.values() if not finding.admitted]
    reasons = [result.reason for result in results if result.status is status]
    reason = reasons[0]
    if status in {Status.DONE, Status.NOTHING}:
        reason = f"{counted(len(admitted), 'finding')} in {counted(len(results), 'file')}"
        dismissed = sum(finding.dismissed is not None for finding in kept)
        if dismissed:
            reason += f", {dismissed} left out because you dismissed {'it' if dismissed == 1 else 'them'}"
    return JobResult(
        status=status,
        reason=reason,
        findings=(*admitted, *kept),
        dissent=tuple(dict.fromkeys(dissent for result in results for dissent in result.dissent)),
        drafts=tuple(draft for result in results for draft in result.drafts),
        spend=sum((result.spend for result in results), Spend()),
        notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
        warnings=tuple(dict.fromkeys(warning for result in results for warning in result.warnings)),
    )
