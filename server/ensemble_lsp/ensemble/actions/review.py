"""Review: blind finders, tools beside them, and admission of what holds (docs/review.md)."""

import asyncio
from collections.abc import Iterable, Sequence

from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action, FindingMade, Mode, Phase, PhaseEntered, Status
from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Rank
from ensemble_lsp.core.findings import Dissent, Finding, Grounds
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.admission import Ruling, rule
from ensemble_lsp.ensemble.blind import Said, voices_of
from ensemble_lsp.ensemble.calibration import Support, band_of
from ensemble_lsp.ensemble.credentials import credentials_in
from ensemble_lsp.ensemble.diagnosing import (
    as_evidence,
    backing,
    diagnostics_in,
    same_weakness,
    standing_alone,
)
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.failing_tests import FailingPlace, failing_places
from ensemble_lsp.ensemble.finding import Drafts, baseline, find, grounded
from ensemble_lsp.ensemble.fingerprints import fingerprint_at
from ensemble_lsp.ensemble.grounding import Place, lines_of
from ensemble_lsp.ensemble.issues import SEVERITIES, Issue, finding_id, place_draft, touches
from ensemble_lsp.ensemble.merged_results import merge_results
from ensemble_lsp.ensemble.merging import NEAR_LINES
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.probing import Prober
from ensemble_lsp.ensemble.refuting import cases_of, escalate, refute_once
from ensemble_lsp.ensemble.rounds import debate_rounds
from ensemble_lsp.ensemble.same_issue import merged
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.tested_findings import findings_of_tests, joined
from ensemble_lsp.ensemble.weaknesses import cwe_of, is_security

__all__ = ["merge_results", "run"]

CALLS_AFTER_FINDERS = 3
"""Same issue?, refutation, strong: the bound of `panel` (docs/deliberation.md)."""


async def run(deliberation: Deliberation) -> JobResult:
    """Review the file of `dossier.focus`; raises `UsageError` when there is none.

    Cancelling it cancels all calls and checks in flight; answers already there were saved.
    """
    task, panel, focus = deliberation.task, deliberation.panel, deliberation.dossier.focus
    if focus is None:
        raise UsageError("a review needs a file to look at", field="path")
    voices = voices_of(panel, task.mode)
    bound = bound_on_calls(Action.REVIEW, task.mode, len(panel.members), task.rounds)
    if task.mode is Mode.PANEL:
        bound = min(bound, len(voices) + CALLS_AFTER_FINDERS)
    sitting = Sitting.open(deliberation, bound)
    deliberation.emit(PhaseEntered(phase=Phase.DRAFT))
    async with asyncio.TaskGroup() as tasks:
        finding = tasks.create_task(find(sitting, voices))
        witnesses = tasks.create_task(_witnesses(sitting, focus.path, finding))
    said = finding.result()
    report, pointed_to = witnesses.result()
    diagnostics = diagnostics_of(sitting, report, focus.path)
    raised = await merged(sitting, grounded(sitting, said, focus.path))
    # What the person dismissed before costs no call of a challenger any more.
    issues, set_aside = _without_dismissed(sitting, raised)
    used = back(issues, (*diagnostics, *_redacted(sitting, task.diagnostics)))
    if task.action is Action.SECURE:
        _number(issues)
    prober = Prober(sitting)
    if task.mode is Mode.DEBATE and len(panel.members) > 1:
        cases = cases_of(sitting, issues, focus.path)
        shown = [issue for issue in issues if cases[issue.id].in_scope and cases[issue.id].changed_lines]
        await debate_rounds(sitting, prober, shown, focus.path)
    else:
        await refute_once(sitting, prober, issues, focus.path)
    await escalate(sitting, prober, issues, focus.path)

    deliberation.emit(PhaseEntered(phase=Phase.DECIDE))
    alone = findings_of_tools(sitting, diagnostics, used)
    tested = [_unless_dismissed(sitting, item) for item in findings_of_tests(sitting, focus.path, pointed_to)]
    ruled = joined(sitting, _ruled(sitting, issues, focus.path), tested)
    findings = _in_order([*ruled, *alone, *set_aside])
    for finding_made in findings:
        if finding_made.admitted:
            deliberation.emit(FindingMade(finding=finding_made))
    return _result(sitting, findings, answered=len(said), asked=len(voices))


def diagnostics_of(sitting: Sitting, report: CheckReport | None, path: str) -> list[Diagnostic]:
    """Return what the tools say of the file, secrets taken out; in a security review what is about security."""
    diagnostics = _redacted(sitting, diagnostics_in(report, path))
    # A security review has them from a witness as well, which looks at patched code with the same eyes.
    credentials = credentials_in(sitting.deliberation.dossier, path)
    diagnostics += [item for item in credentials if item not in diagnostics]
    if sitting.deliberation.task.action is Action.SECURE:
        return [item for item in diagnostics if is_security(item)]
    return diagnostics


async def _witnesses(
    sitting: Sitting, path: str, finding: asyncio.Task[list[Said[Drafts]]]
) -> tuple[CheckReport | None, Sequence[FailingPlace]]:
    """Run the tools on the code as it is; where tests fail, look for what they point to, while the members read."""
    report = await baseline(sitting)
    if sitting.deliberation.task.action is Action.SECURE:
        return report, ()

    async def agreement(places: Sequence[FailingPlace]) -> bool:
        # Not awaited itself: whoever gives this up must not end the members' reading.
        if not finding.done():
            await asyncio.wait({finding})
        if finding.cancelled() or finding.exception() is not None:
            return False
        return bool(places) and all(
            _families_at(sitting, finding.result(), path, place) > 1 for place in places
        )

    return report, await failing_places(sitting, report, path, agreement=agreement)


def _families_at(sitting: Sitting, said: Sequence[Said[Drafts]], path: str, place: FailingPlace) -> int:
    """Return how many families named lines of the place."""
    families: set[str] = set()
    for answer in said:
        for draft in answer.value.findings:
            at = place_draft(draft, sitting.deliberation.dossier, path)
            if not isinstance(at, str) and at[0] == path:
                there = at[1]
                if there.line <= place.end_line and place.line <= there.end_line:
                    families.add(answer.voice.member.family)
    return len(families)


def _without_dismissed(sitting: Sitting, issues: Sequence[Issue]) -> tuple[list[Issue], list[Finding]]:
    """Return the issues that are new to the person, and as findings the others."""
    kept: list[Issue] = []
    set_aside: list[Finding] = []
    for issue in issues:
        path, place = issue.first.path, issue.first.place
        print_ = fingerprint_at(sitting.deliberation, path, place.line, issue.quote, issue.category)
        issue.fingerprint = print_
        reason = sitting.deliberation.dismissal(path, print_)
        if reason is None:
            kept.append(issue)
            continue
        case = issue.case(sitting.deliberation.panel.anchor, None, None)
        ruling = Ruling(admitted=False, reason="")
        finding = issue.finding(
            case, ruling, sitting.deliberation.calibration, sitting.deliberation.task.action
        )
        set_aside.append(_dismissed(finding, reason))
    return kept, set_aside


def _unless_dismissed(sitting: Sitting, finding: Finding) -> Finding:
    reason = sitting.deliberation.dismissal(finding.path, finding.fingerprint)
    return finding if reason is None else _dismissed(finding, reason)


def _dismissed(finding: Finding, reason: str) -> Finding:
    shown = f"dismissed: {reason}" if reason else "dismissed"
    return finding.model_copy(update={"admitted": False, "dismissed": reason, "reason": shown})


def _redacted(sitting: Sitting, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Take secrets out of the tools' messages: some quote the string they warn of."""
    redact = sitting.quoting.redact
    return [item.model_copy(update={"message": redact(item.message)}) for item in diagnostics]


def back(issues: Sequence[Issue], diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Give every issue the tools' messages that say the same; returns the messages used."""
    used: list[Diagnostic] = []
    for issue in issues:
        agreeing = backing(issue.first.statement, issue.category, diagnostics)
        issue.evidence.extend(as_evidence(item) for item in agreeing)
        used.extend(agreeing)
    return used


def _number(issues: Sequence[Issue]) -> None:
    """Give every issue its CWE id as the category: a member's, where it gave none a tool's."""
    for issue in issues:
        texts = [issue.category, *(item.summary for item in issue.evidence)]
        issue.category = next((cwe for text in texts if (cwe := cwe_of(text))), issue.category)


def _ruled(sitting: Sitting, issues: Sequence[Issue], focus_path: str) -> list[Finding]:
    """Rule on every issue; what is not kept becomes dissent in its authors' words."""
    cases = cases_of(sitting, issues, focus_path)
    findings: list[Finding] = []
    for issue in issues:
        ruling = rule(cases[issue.id])
        finding = issue.finding(
            cases[issue.id], ruling, sitting.deliberation.calibration, sitting.deliberation.task.action
        )
        findings.append(finding)
        if not ruling.admitted:
            for raised in issue.raised:
                member = raised.voice.member
                text = f"{raised.draft.title}: {raised.draft.detail} (not kept: {ruling.reason})"
                sitting.keep_dissent(
                    Dissent(member=member.id, family=member.family, about=issue.id, text=text)
                )
        for objection in finding.dissent:
            sitting.keep_dissent(objection)
    return findings


def findings_of_tools(
    sitting: Sitting, diagnostics: Sequence[Diagnostic], used: Sequence[Diagnostic]
) -> list[Finding]:
    """Return findings of tools that back no issue of a member (`used` do), on the lines under review."""
    return _alone(sitting, same_weakness(standing_alone(diagnostics, used), _left(diagnostics, used)))


def _alone(sitting: Sitting, groups: Sequence[Sequence[Diagnostic]]) -> list[Finding]:
    """Return findings of tools that no member mentioned, on the lines under review; a group is one finding."""
    task = sitting.deliberation.task
    findings: dict[str, Finding] = {}
    grounds = Grounds(families=0, witness=Rank.STATIC)
    for group in groups:
        item = group[0]
        source = sitting.deliberation.dossier.files.get(item.path)
        lines = lines_of(source.text) if source else []
        quote = sitting.quoting.redact(lines[item.line].strip()) if item.line < len(lines) else ""
        place = Place(item.line, max(item.line, *(each.end_line for each in group)), quote)
        if task.range is not None and not touches(place, (task.range,), NEAR_LINES):
            continue
        # Of a tool the rule stands for the category: several may speak of one line.
        print_ = fingerprint_at(
            sitting.deliberation,
            item.path,
            place.line,
            quote,
            f"{item.source} {item.code}",
        )
        changed = not task.changed_lines or touches(place, task.changed_lines.get(item.path, ()))
        # A project's semgrep rules may be about anything; its CWE says which ones are about security.
        secures = is_security(item) and (item.source != "semgrep" or bool(cwe_of(item.message)))
        category = "security" if secures else "bug"
        if sitting.deliberation.task.action is Action.SECURE:
            category = cwe_of(item.message) or "security"
        ident = finding_id(item.path, quote, category, f"{item.source} {item.code} {item.message}")
        sure = sitting.deliberation.calibration.confidence(
            Support(grounds, category=category, action=task.action.value)
        )
        finding = Finding(
            id=ident,
            path=item.path,
            line=place.line,
            end_line=place.end_line,
            quote=quote,
            severity=min((each.severity for each in group), key=SEVERITIES.index),
            category=category,
            title=item.message.split("\n", maxsplit=1)[0],
            detail=f"{item.source} {item.code}: {item.message}",
            confidence=sure,
            band=band_of(sure),
            members=(),
            families=(),
            evidence=tuple(as_evidence(each) for each in group),
            changed_lines=changed,
            admitted=changed,
            reason=_reported_by(group) if changed else "on lines that the change did not touch",
            fingerprint=print_,
            grounds=grounds,
        )
        findings[ident] = _unless_dismissed(sitting, finding)
    return list(findings.values())


def _left(diagnostics: Sequence[Diagnostic], used: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return what no issue of a member has taken."""
    return [item for item in diagnostics if item not in used]


def _reported_by(group: Sequence[Diagnostic]) -> str:
    names = list(dict.fromkeys(item.source for item in group))
    return f"{names[0]} reports it" if len(names) == 1 else f"{' and '.join(names)} report it"


def _in_order(findings: Sequence[Finding]) -> list[Finding]:
    """Admitted first; within both, the worst first, then the surest, then by line."""
    return sorted(
        findings,
        key=lambda finding: (
            not finding.admitted,
            SEVERITIES.index(finding.severity),
            -finding.confidence,
            finding.line,
        ),
    )


def _result(sitting: Sitting, findings: Sequence[Finding], *, answered: int, asked: int) -> JobResult:
    panel = sitting.deliberation.panel
    if len(panel.families) == 1 and answered:
        sitting.note("one family only: its members share their mistakes, so confidence is marked down")
    admitted = sum(finding.admitted for finding in findings)
    dismissed = sum(finding.dismissed is not None for finding in findings)
    kept_back = len(findings) - admitted - dismissed
    short = sitting.cut_short()
    if not answered:
        status, reason = sitting.silent_end()
        if admitted:
            reason = f"{reason}; {counted(admitted, 'finding')} from tools alone"
    else:
        reason = counted(admitted, "finding") if admitted else "no findings"
        if kept_back:
            reason += f", {kept_back} more raised and not kept"
        if dismissed:
            reason += f", {dismissed} left out because you dismissed {'it' if dismissed == 1 else 'them'}"
        if sitting.over_budget is not None:
            status = Status.OVER_BUDGET
        elif admitted:
            status = Status.DONE
        else:
            # "Nothing" is a statement about the code; it takes a review that was not cut short.
            status = Status.ABSTAINED if short and answered < asked else Status.NOTHING
        if short:
            reason += f"; {short}"
    return JobResult(
        status=status,
        reason=reason,
        findings=tuple(findings),
        dissent=tuple(sitting.dissent),
        drafts=tuple(sitting.drafts),
        spend=sitting.spend,
        notes=tuple(sitting.notes),
    )
