"""SARIF 2.1.0 (OASIS), as GitHub's code scanning and other readers take it.

Columns count UTF-16 code units. What was dismissed is there with a suppression. A finding is known again by
`partialFingerprints`, which are made of the code that it speaks of, never of a line number or of a model's words.
"""

import json
import re
from collections.abc import Sequence

from ensemble_lsp import __version__
from ensemble_lsp.cli.formats.report import Report, columns_of
from ensemble_lsp.cli.formats.sarif_parts import artifact, fix_of, message, plain, region
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.evidence import Outcome, Severity
from ensemble_lsp.core.findings import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://github.com/ensemble-lsp/ensemble-lsp"

_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
    Severity.HINT: "note",
}
_SCORES = {Severity.CRITICAL: "9.0", Severity.WARNING: "5.5", Severity.INFO: "2.0", Severity.HINT: "1.0"}
"""What GitHub sorts security alerts by (0 to 10): the middle of its ranges critical, medium and low."""
_WORST_FIRST = (Severity.CRITICAL, Severity.WARNING, Severity.INFO, Severity.HINT)
_CWE = re.compile(r"CWE-(\d{1,5})")
_CWE_PAGE = "https://cwe.mitre.org/data/definitions/{}.html"
_TAXONOMY = {"name": "CWE", "index": 0}
_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")
_DISSENT_AT_MOST = 1_000
"""Characters of one objection; the transcript has all of it."""


def sarif(report: Report) -> str:
    """Return the log as one JSON document with a line feed at its end."""
    reported = [*report.shown, *report.suppressed]
    rules = _rules(reported)
    numbers = {str(rule["id"]): number for number, rule in enumerate(rules)}
    weaknesses = [cwe[1] for ident in numbers if (cwe := _CWE.fullmatch(ident))]
    for number, weakness in enumerate(weaknesses):
        rules[numbers[f"CWE-{weakness}"]]["relationships"] = [
            {"target": {"id": weakness, "index": number, "toolComponent": _TAXONOMY}, "kinds": ["equal"]}
        ]
    run: dict[str, object] = {
        "tool": {
            "driver": {
                "name": "Ensemble LSP",
                "semanticVersion": __version__,
                "informationUri": HOME,
                "rules": rules,
                **({"supportedTaxonomies": [_TAXONOMY]} if weaknesses else {}),
                "notifications": [
                    {"id": ident, "shortDescription": {"text": text}}
                    for ident, text in (
                        ("ended", "How a job ended that did not come to its own end."),
                        ("warning", "What a person has to put right."),
                        ("note", "What is good to know about this run."),
                    )
                ],
            }
        },
        "automationDetails": {
            "id": f"ensemble-lsp/{report.action.value}/{report.prefix}{report.job}",
            "description": {"text": f"Ensemble LSP, {report.action.value}, job {report.job}."},
        },
        "invocations": [_invocation(report)],
        **({"taxonomies": [_taxonomy(weaknesses)]} if weaknesses else {}),
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "results": [_result(report, finding, numbers) for finding in reported],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _taxonomy(weaknesses: Sequence[str]) -> dict[str, object]:
    """Return the part of the Common Weakness Enumeration that rules refer to, by number."""
    return {
        "name": _TAXONOMY["name"],
        "organization": "MITRE",
        "informationUri": "https://cwe.mitre.org/",
        "shortDescription": {"text": "The MITRE Common Weakness Enumeration"},
        "isComprehensive": False,
        "taxa": [{"id": number, "helpUri": _CWE_PAGE.format(number)} for number in weaknesses],
    }


def rule_id(category: str) -> str:
    """Return the id of the rule that a category becomes: a CWE's own, else lower case with hyphens."""
    cwe = _CWE.search(category.upper())
    return f"CWE-{int(cwe[1])}" if cwe else _NOT_IN_IDS.sub("-", category.lower()).strip("-") or "finding"


def _rules(findings: Sequence[Finding]) -> list[dict[str, object]]:
    worst: dict[str, Severity] = {}
    for finding in findings:
        ident = rule_id(finding.category)
        severity = min(finding.severity, worst.get(ident, Severity.HINT), key=_WORST_FIRST.index)
        worst[ident] = severity
    return [_rule(ident, severity) for ident, severity in sorted(worst.items())]


def _rule(ident: str, severity: Severity) -> dict[str, object]:
    cwe = _CWE.fullmatch(ident)
    security = cwe is not None or ident == "security"
    words = f"A weakness of the kind {ident}" if cwe else f"A finding of the category {ident}"
    tags = ["security"] if security else []
    if cwe is not None:
        tags.append(f"external/cwe/cwe-{int(cwe[1]):03}")
    properties: dict[str, object] = {"tags": [*tags, "model-panel"]}
    if security:
        properties["security-severity"] = _SCORES[severity]
    help_text = (
        "Found by a panel of models. It is reported because a tool, a test that was run, or members of several "
        "families stand behind it; the result says which, and who objected."
    )
    return {
        "id": ident,
        "name": "".join(part.capitalize() for part in ident.split("-")),
        "shortDescription": {"text": words},
        "fullDescription": {"text": f"{words}, as a panel of models and tools reported it."},
        "helpUri": _CWE_PAGE.format(cwe[1]) if cwe else f"{HOME}/blob/main/docs/review.md",
        "help": {"text": help_text},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": properties,
    }


def _result(report: Report, finding: Finding, numbers: dict[str, int]) -> dict[str, object]:
    ident = rule_id(finding.category)
    place = _place(report, finding)
    fingerprint = finding.fingerprint or finding.id
    result: dict[str, object] = {
        "ruleId": ident,
        "ruleIndex": numbers[ident],
        "level": _LEVELS[finding.severity],
        "kind": "fail",
        "rank": round(100 * finding.confidence, 1),
        "message": message(_words(finding)),
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {
            "ensembleFinding/v1": fingerprint,
            # The one that GitHub compares; without it a reader makes one from the lines around.
            "primaryLocationLineHash": f"{fingerprint}:1",
        },
        "properties": {
            "finding": plain(finding.id),
            "confidence": round(finding.confidence, 4),
            "band": finding.band.value,
            "families": [plain(family) for family in finding.families],
            "members": [plain(member) for member in finding.members],
            "reason": plain(finding.reason),
        },
    }
    if related := _related(report, finding, place):
        result["relatedLocations"] = related
    if finding.dismissed is not None and not report.with_dismissed:
        why = plain(finding.dismissed) or "dismissed without a reason"
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    proposal = report.checked_fix(finding)
    fix = None if proposal is None else fix_of(report, proposal)
    if fix is not None:
        result["fixes"] = [fix]
    return result


def _words(finding: Finding) -> str:
    parts = [
        finding.title,
        finding.detail,
        f"{finding.reason}; confidence {finding.band.value} ({finding.confidence:.2f}).",
    ]
    for item in finding.evidence:
        if item.outcome is Outcome.ERROR:
            parts.append(f"{item.witness} could not run: {item.summary}")
        elif not item.diagnostics:
            parts.append(f"Evidence, {item.witness}: {item.summary}")
    parts += [f"Against it, {item.witness}: {item.summary}" for item in finding.against]
    count = len(finding.dissent)
    if count:
        parts.append(f"{count} member{' objects' if count == 1 else 's object'}: see the related locations.")
    return "\n\n".join(parts)


def _place(report: Report, finding: Finding) -> dict[str, object]:
    lines = report.lines(finding.path)
    columns = None if lines is None else columns_of(lines, finding.line, finding.end_line)
    return {
        "artifactLocation": artifact(report, finding.path),
        "region": {
            **region(finding.line, finding.end_line, columns),
            **({"snippet": {"text": plain(finding.quote)}} if finding.quote.strip() else {}),
        },
    }


def _related(report: Report, finding: Finding, place: dict[str, object]) -> list[dict[str, object]]:
    found: list[tuple[dict[str, object], str]] = []
    for item in (*finding.evidence, *finding.against):
        side = "" if item in finding.evidence else "against it: "
        for diagnostic in item.diagnostics:
            where: dict[str, object] = {
                "artifactLocation": artifact(report, diagnostic.path),
                "region": region(diagnostic.line, max(diagnostic.line, diagnostic.end_line), None),
            }
            found.append((where, f"{side}{diagnostic.source} {diagnostic.code}: {diagnostic.message}"))
    found.extend(
        (place, f"{dissent.family} objects: {dissent.text[:_DISSENT_AT_MOST]}") for dissent in finding.dissent
    )
    return [
        {"id": number, "physicalLocation": where, "message": message(words)}
        for number, (where, words) in enumerate(found, 1)
    ]


def _invocation(report: Report) -> dict[str, object]:
    result = report.result
    whole = result.status in {Status.DONE, Status.NOTHING}
    told: list[tuple[str, str, str]] = []
    if not whole:
        told.append(("ended", "error", f"{result.status.value}: {result.reason}"))
    told += [("warning", "warning", text) for text in result.warnings]
    told += [("note", "note", text) for text in result.notes]
    return {
        "executionSuccessful": whole,
        "exitCode": report.code,
        "toolExecutionNotifications": [
            {"descriptor": {"id": ident}, "level": level, "message": message(text)}
            for ident, level, text in told
        ],
    }
