"""Findings of what failing tests point to, and findings of members that these tests stand behind."""

from collections.abc import Sequence

from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.evidence import SEARCH, Evidence, Outcome, Rank, Severity
from ensemble_lsp.core.findings import Finding, Grounds
from ensemble_lsp.ensemble.calibration import Support, band_of
from ensemble_lsp.ensemble.failing_tests import FailingPlace
from ensemble_lsp.ensemble.fingerprints import fingerprint_at
from ensemble_lsp.ensemble.grounding import lines_of
from ensemble_lsp.ensemble.issues import finding_id
from ensemble_lsp.ensemble.sitting import Sitting

_NAMED = 3
"""Failing tests that a finding names."""
_CATEGORY = "bug"
_NO_BEHAVIOUR = frozenset(
    {"documentation", "docs", "formatting", "naming", "readability", "style", "typing", "maintainability"}
)
"""Categories of remarks that no failing test can be about."""


def joined(sitting: Sitting, findings: Sequence[Finding], tested: Sequence[Finding]) -> list[Finding]:
    """Return the findings, and those of `tested` that none of them speaks of already; where one does, it has the tests
    behind it as well.

    It does when it is kept for reasons of its own, is about behaviour, and lies on the very lines.
    """
    kept = list(findings)
    for item in tested:
        place = next((number for number, each in enumerate(kept) if _speaks_of(each, item)), None)
        if place is None:
            kept.append(item)
        else:
            kept[place] = _with_tests(sitting, kept[place], item)
    return kept


def _speaks_of(finding: Finding, tested: Finding) -> bool:
    there = (
        finding.path == tested.path and finding.line <= tested.end_line and tested.line <= finding.end_line
    )
    about = (
        finding.severity in {Severity.CRITICAL, Severity.WARNING} and finding.category not in _NO_BEHAVIOUR
    )
    return there and about and finding.admitted and tested.admitted and bool(finding.members)


def _with_tests(sitting: Sitting, finding: Finding, tested: Finding) -> Finding:
    deliberation = sitting.deliberation
    witness = max(
        item.witness or Rank.OPINION for item in (finding.grounds, tested.grounds) if item is not None
    )
    grounds = (finding.grounds or Grounds(families=len(finding.families))).model_copy(
        update={"witness": witness}
    )
    sure = deliberation.calibration.confidence(
        Support(grounds, finding.members, finding.category, deliberation.task.action.value)
    )
    return finding.model_copy(
        update={
            "severity": Severity.CRITICAL,
            "evidence": (*finding.evidence, *tested.evidence),
            "reason": f"{finding.reason}; {tested.reason}",
            "grounds": grounds,
            "confidence": sure,
            "band": band_of(sure),
        }
    )


def findings_of_tests(sitting: Sitting, path: str, places: Sequence[FailingPlace]) -> list[Finding]:
    """Return a finding for each place. With a change that mends it, it counts as shown by execution; the lines that
    failing tests run are a tool's word: the fault may be on others.
    """
    return [_finding(sitting, path, place) for place in places]


def _finding(sitting: Sitting, path: str, place: FailingPlace) -> Finding:
    deliberation, redact = sitting.deliberation, sitting.quoting.redact
    source = deliberation.dossier.files.get(path)
    lines = lines_of(source.text) if source is not None else []
    quote = redact(lines[place.line].strip()) if place.line < len(lines) else ""
    print_ = fingerprint_at(deliberation, path, place.line, quote, "failing tests")
    grounds = Grounds(families=0, witness=Rank.EXECUTED if place.repair else Rank.STATIC)
    sure = deliberation.calibration.confidence(
        Support(grounds, category=_CATEGORY, action=deliberation.task.action.value)
    )
    one = len(place.failing) == 1
    who = place.failing[0].rpartition("::")[2] if one else counted(len(place.failing), "test")
    fails = "fails" if one else "fail"
    tail = (
        f"a small change here makes {'it' if one else 'them'} pass" if place.repair else "the likeliest place"
    )
    return Finding(
        id=finding_id(path, quote, _CATEGORY, "failing tests"),
        path=path,
        line=place.line,
        end_line=place.end_line,
        quote=quote,
        severity=Severity.CRITICAL,
        category=_CATEGORY,
        title=redact(f"{who} {fails}: {tail}"),
        detail=redact(_detail(place)),
        confidence=sure,
        band=band_of(sure),
        members=(),
        families=(),
        evidence=tuple(
            item.model_copy(update={"summary": redact(item.summary)}) for item in _evidence(path, place)
        ),
        reason=_reason(place),
        fingerprint=print_,
        grounds=grounds,
    )


def _reason(place: FailingPlace) -> str:
    if place.repair:
        return f"{place.run.witness} fails, and passes with a small change"
    return (
        f"{place.run.witness} fails, {place.suspect.who_runs}"
        if place.suspect
        else f"{place.run.witness} fails"
    )


def _detail(place: FailingPlace) -> str:
    named = ", ".join(place.failing[:_NAMED])
    more = len(place.failing) - _NAMED
    parts = [f"Failing: {named}{f' and {more} more' if more > 0 else ''}."]
    if place.repair:
        parts.append(
            f"Of {counted(place.tried, 'small change')} that were tried this makes all tests pass: {place.repair}. "
            "It may do so by chance: read it before you take it."
        )
    elif place.suspect is not None:
        parts.append(
            f"These lines are {place.suspect.who_runs}: no line is more suspicious. "
            "The fault may be on others that run."
        )
    return " ".join(parts)


def _evidence(path: str, place: FailingPlace) -> list[Evidence]:
    tests = {name: place.run.tests.get(name, Outcome.FAILED) for name in place.failing}
    found = [place.run.model_copy(update={"tests": tests, "diagnostics": ()})]
    if place.suspect is not None:
        found.append(place.suspect.evidence)
    if place.repair:
        found.append(
            Evidence(
                witness=SEARCH,
                rank=Rank.EXECUTED,
                target=f"{path}:{place.line + 1}",
                outcome=Outcome.PASSED,
                summary=f"{place.repair} (one of {counted(place.tried, 'small change')} that were tried)",
            )
        )
    return found
