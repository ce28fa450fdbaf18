"""Reviews: the product's modes, and members alone with the product's own prompts and its merging of findings."""

from collections.abc import Sequence

from ensemble_lsp.bench.examination import Attempt, Examination
from ensemble_lsp.bench.outcomes import Claim, Outcome
from ensemble_lsp.core.events import Mode, Status
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.actions import review
from ensemble_lsp.ensemble.admission import Ruling
from ensemble_lsp.ensemble.blind import Voice, voices_of
from ensemble_lsp.ensemble.calibration import band_of
from ensemble_lsp.ensemble.failing_tests import failing_places
from ensemble_lsp.ensemble.finding import baseline, find, grounded
from ensemble_lsp.ensemble.issues import Issue
from ensemble_lsp.ensemble.refuting import cases_of
from ensemble_lsp.ensemble.same_issue import merged
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.tested_findings import findings_of_tests

NO_FILE = "there is no file in front of the members"
_SAYING_SAME = 1
"""The one call that asks whether findings that may be the same are."""
_SHARE = 0.5
"""Of the samples that answered: what at least so many of them reported counts."""
_REPORTED = Ruling(admitted=True, reason="reported")


async def product(examination: Examination, attempt: Attempt) -> Outcome:
    """Run the product's own review in the attempt's mode; what it admits is reported."""
    result = await review.run(attempt.deliberation)
    if result.status is Status.FAILED or not result.drafts:
        return attempt.outcome(failed=result.reason[:300])
    shown = tuple(finding for finding in result.findings if finding.admitted)
    told = judged(examination, attempt, shown, result.findings)
    return told.model_copy(update={"note": result.reason[:300]})


async def alone(
    examination: Examination,
    attempt: Attempt,
    member: Member,
    samples: int,
    *,
    plurality: bool = False,
    checked: bool = False,
) -> Outcome:
    """Let one member review `samples` times, in other wordings; report all that it said, or what most said.

    With one sample no call is spent on merging. The probability of a claim is the member's own. `checked`: what the
    product's tools and tests report is reported as well, as sure as the product is of it.
    """
    focus = attempt.deliberation.dossier.focus
    if focus is None:
        return attempt.outcome(failed=NO_FILE)
    sitting = Sitting.open(attempt.deliberation, samples + (_SAYING_SAME if samples > 1 else 0))
    first = voice_of(examination, member)
    said = await find(
        sitting, [Voice(member, first.style + number, sample=number) for number in range(samples)]
    )
    if not said:
        return attempt.outcome(failed=sitting.silent_end()[1][:300])
    issues = await merged(sitting, grounded(sitting, said, focus.path))
    kept = [issue for issue in issues if not plurality or _votes(issue) >= _SHARE * len(said)]
    shown = reported(sitting, kept, focus.path)
    if checked:
        shown += await _of_checks(sitting, issues, focus.path)
    return judged(examination, attempt, shown, reported(sitting, issues, focus.path))


async def _of_checks(sitting: Sitting, issues: Sequence[Issue], path: str) -> tuple[Finding, ...]:
    """Return what a panel's review reports of tools and tests beside these issues."""
    report = await baseline(sitting)
    places = await failing_places(sitting, report, path)
    diagnostics = review.diagnostics_of(sitting, report, path)
    of_tools = review.findings_of_tools(sitting, diagnostics, review.back(issues, diagnostics))
    found = (*findings_of_tests(sitting, path, places), *of_tools)
    return tuple(finding for finding in found if finding.admitted)


async def searched(examination: Examination, attempt: Attempt) -> Outcome:
    """Ask no member at all: what failing tests point to, and nothing of the static tools."""
    focus = attempt.deliberation.dossier.focus
    if focus is None:
        return attempt.outcome(failed=NO_FILE)
    sitting = Sitting.open(attempt.deliberation, 0)
    places = await failing_places(sitting, await baseline(sitting), focus.path)
    shown = findings_of_tests(sitting, focus.path, places)
    return judged(examination, attempt, shown, shown)


def voice_of(examination: Examination, member: Member) -> Voice:
    """Return the member as it speaks first on a panel: the same question, and so the same answer."""
    panel = examination.panel
    # A panel shows its first four only; a debate has everybody.
    voices = (*voices_of(panel, Mode.PANEL), *voices_of(panel, Mode.DEBATE))
    return next((voice for voice in voices if voice.member.id == member.id), Voice(member, member.style))


def reported(sitting: Sitting, issues: Sequence[Issue], focus_path: str) -> tuple[Finding, ...]:
    """Return issues in the scope of the task as findings, as sure as the surest of their authors said to be."""
    deliberation = sitting.deliberation
    cases = cases_of(sitting, issues, focus_path)
    findings: list[Finding] = []
    for issue in issues:
        case = cases[issue.id]
        if not (case.in_scope and case.changed_lines):
            continue
        found = issue.finding(case, _REPORTED, deliberation.calibration, deliberation.task.action)
        sure = max(raised.draft.confidence for raised in issue.raised)
        findings.append(found.model_copy(update={"confidence": sure, "band": band_of(sure)}))
    return tuple(findings)


def judged(
    examination: Examination, attempt: Attempt, shown: Sequence[Finding], seen: Sequence[Finding]
) -> Outcome:
    """Return the outcome of a review that reported `shown`, and on the way there saw `seen`."""
    judge, case = examination.judge, attempt.case
    ruled = judge.judged(case, shown)
    told = f"{len(shown)} reported, {len(ruled.about)} about the bug"
    return attempt.outcome(
        solved=bool(ruled.about),
        accepted=bool(shown),
        right_among=any(judge.about_the_bug(case, item) for item in (*shown, *seen)),
        false_alarms=len(ruled.false_alarms),
        claims=tuple(
            Claim(probability=item.confidence, true=judge.about_the_bug(case, item)) for item in shown
        ),
        note=f"{len(shown)} reported on clean code" if case.clean else told,
    )


def _votes(issue: Issue) -> int:
    return len({raised.voice.id for raised in issue.raised})
