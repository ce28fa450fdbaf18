"""The action "secure": findings limited to security, an exploit attempted, and a patch that closes the holes."""

import dataclasses

from ensemble_lsp.core.events import Action, FindingMade, Mode, Status
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Rank, Severity
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.actions import review
from ensemble_lsp.ensemble.blind import Voice, is_reading
from ensemble_lsp.ensemble.casefile import Case, Probe
from ensemble_lsp.ensemble.changing import change
from ensemble_lsp.ensemble.concluding import conclude
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.exploiting import attempt_exploit
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.securing import EXPLOIT, PANEL, SECURE
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.speaking import must_stop

MOST_PATCHED = 8
"""Findings that one patch is asked for; the others are shown without one."""


async def run(deliberation: Deliberation) -> JobResult:
    """Review for security, then patch what was admitted; findings are in the result whether there is a patch or not.

    Raises `UsageError` where there is no file to look at.
    """
    found = await review.run(deliberation)
    holes = [
        finding
        for finding in found.findings
        if finding.admitted and finding.severity in {Severity.CRITICAL, Severity.WARNING}
    ][:MOST_PATCHED]
    if not holes or found.status is Status.OVER_BUDGET or must_stop(deliberation):
        return found
    attack = Sitting.open(deliberation, 0 if deliberation.task.mode is Mode.QUICK else 1)
    shown = await _exploit(attack, holes[0])
    found = found.model_copy(
        update={"spend": found.spend + attack.spend, "notes": (*found.notes, *attack.notes)}
    )
    patched = await _patch(deliberation, holes, shown)
    return _together(found, patched, shown)


@dataclasses.dataclass(frozen=True, slots=True)
class _Exploit:
    """An attack that worked on the code as it is."""

    finding: str
    voice: Voice
    test: str
    evidence: Evidence


async def _exploit(sitting: Sitting, finding: Finding) -> _Exploit | None:
    attempt = await attempt_exploit(sitting, finding)
    if attempt is None:
        return None
    voice, test, ran = attempt
    sitting.deliberation.emit(FindingMade(finding=_shown_by(finding, ran)))
    return _Exploit(finding.id, voice, test, ran)


async def _patch(
    deliberation: Deliberation, holes: list[Finding], shown: _Exploit | None
) -> JobResult | None:
    task = deliberation.task
    told = tuple(item for finding in holes for item in _as_diagnostics(finding))
    patching = dataclasses.replace(
        deliberation,
        task=task.model_copy(update={"diagnostics": told}),
        prior_drafts=tuple(record for record in deliberation.prior_drafts if not is_reading(record)),
    )
    calls = bound_on_calls(Action.FIX, task.mode, len(deliberation.panel.members), task.rounds)

    def lay_out(case: Case) -> None:
        if shown is not None:
            case.probes[EXPLOIT] = Probe(EXPLOIT, shown.test, "the attack still works", shown.voice, "")

    case = await change(patching, SECURE, calls=calls, lay_out=lay_out)
    return conclude(case) if case is not None else None


def _as_diagnostics(finding: Finding) -> list[Diagnostic]:
    """Return the tools' messages behind a finding, and the members' words as one of their own."""
    told = [
        item for evidence in finding.evidence if evidence.rank is Rank.STATIC for item in evidence.diagnostics
    ]
    if finding.members:
        words = Diagnostic(
            path=finding.path,
            line=finding.line,
            end_line=finding.end_line,
            severity=finding.severity,
            source=PANEL,
            code=finding.category,
            message=f"{finding.title}: {finding.detail}",
        )
        told.append(words)
    return told


def _shown_by(finding: Finding, ran: Evidence) -> Finding:
    evidence = ran.model_copy(update={"target": EXPLOIT, "summary": f"an exploit works: {ran.summary}"})
    reason = f"{finding.reason}; an exploit that was run works"
    return finding.model_copy(update={"evidence": (*finding.evidence, evidence), "reason": reason})


def _together(found: JobResult, patched: JobResult | None, shown: _Exploit | None) -> JobResult:
    findings = tuple(
        _shown_by(finding, shown.evidence) if shown is not None and finding.id == shown.finding else finding
        for finding in found.findings
    )
    if patched is None:
        return found.model_copy(update={"findings": findings})
    patch = f"patch: {patched.reason}" if patched.proposal is not None else f"no patch: {patched.reason}"
    first, newline, hint = found.reason.partition("\n")
    status = found.status if patched.status is not Status.OVER_BUDGET else Status.OVER_BUDGET
    return found.model_copy(
        update={
            "status": Status.DONE if patched.proposal is not None else status,
            "reason": f"{first}; {patch}{newline}{hint}",
            "findings": findings,
            "proposal": patched.proposal,
            "dissent": (*found.dissent, *patched.dissent),
            "drafts": (*found.drafts, *patched.drafts),
            "verdicts": patched.verdicts,
            "spend": found.spend + patched.spend,
            "notes": tuple(dict.fromkeys((*found.notes, *patched.notes))),
        }
    )
