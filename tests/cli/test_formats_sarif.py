"""SARIF 2.1.0: valid by the official schema, and what code scanning reads from it."""

import json
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest

from ensemble_lsp.cli.formats.report import fixes_in
from ensemble_lsp.cli.formats.sarif import rule_id, sarif
from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.text import split_lines
from tests.cli.conftest import CommandLine, panel
from tests.cli.reports import OBJECTION, PASSED, PRINT, RUFF, finding, proposal, report
from tests.support.shop import BUGGY, FIXED, make_shop

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parent / "sarif" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8")
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def run_of(text: str) -> dict[str, Any]:
    """Return the log's one run; the log is valid."""
    document = json.loads(text)
    jsonschema.Draft4Validator(SCHEMA).validate(document)
    (run,) = document["runs"]
    return cast("dict[str, Any]", run)


def only(text: str) -> dict[str, Any]:
    (result,) = run_of(text)["results"]
    return cast("dict[str, Any]", result)


def applied(lines: str, replacements: list[dict[str, Any]]) -> str:
    """Apply replacements as SARIF defines them: regions in UTF-16 code units, the end exclusive."""
    units = lines.encode("utf-16-le")
    starts = [0]
    for line in split_lines(lines):
        starts.append(starts[-1] + len(line.encode("utf-16-le")))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + 2 * (column - 1)

    for item in sorted(replacements, key=lambda item: -item["deletedRegion"]["startLine"]):
        gone = item["deletedRegion"]
        start, end = at(gone["startLine"], gone["startColumn"]), at(gone["endLine"], gone["endColumn"])
        units = units[:start] + item["insertedContent"]["text"].encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")


def test_finding_with_its_rule_level_place_and_rank(root: Path):
    run = run_of(sarif(report(root, finding())))
    (result,) = run["results"]
    assert (result["ruleId"], result["level"], result["rank"]) == ("bug", "error", 71.0)
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "bug"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "cart.py", "uriBaseId": "%SRCROOT%"}
    region = {"startLine": 8, "startColumn": 9, "endLine": 8, "endColumn": 23}
    assert {key: place["region"][key] for key in region} == region
    assert run["columnKind"] == "utf16CodeUnits"
    assert run["automationDetails"]["id"] == "ensemble-lsp/review/j1", (
        "what is before the last slash is the category"
    )


def test_columns_count_utf16_code_units(root: Path):
    (root / "cart.py").write_text('\tname = "😀"\n', encoding="utf-8")
    region = only(sarif(report(root, finding(line=0, end_line=0))))["locations"][0]["physicalLocation"][
        "region"
    ]
    assert (region["startColumn"], region["endColumn"]) == (2, 13)


def test_fingerprint_stays_when_lines_move(root: Path):
    here = only(sarif(report(root, finding())))
    (root / "cart.py").write_text("# moved\n" * 5 + BUGGY, encoding="utf-8")
    there = only(sarif(report(root, finding(line=12, end_line=12))))
    assert here["partialFingerprints"] == there["partialFingerprints"]
    assert here["partialFingerprints"]["ensembleFinding/v1"] == PRINT
    assert there["locations"][0]["physicalLocation"]["region"]["startLine"] == 13


def test_dismissed_finding_is_there_with_a_suppression(root: Path):
    dismissed = finding(id="f2", admitted=False, dismissed="wontfix")
    kept_back = finding(id="f3", admitted=False, reason="refuted by a cited line")
    first, second = run_of(sarif(report(root, finding(), dismissed, kept_back)))["results"]
    assert "suppressions" not in first
    assert second["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "wontfix"}]


def test_dismissed_finding_that_was_asked_for_is_not_suppressed(root: Path):
    shown = report(root, finding(admitted=False, dismissed=""), with_dismissed=True)
    assert "suppressions" not in only(sarif(shown))


def test_evidence_and_dissent_are_told(root: Path):
    result = only(sarif(report(root, finding(evidence=(RUFF, PASSED), dissent=(OBJECTION,)))))
    assert "2 families; confidence high (0.71)" in result["message"]["text"]
    assert "Evidence, pytest: 3 passed" in result["message"]["text"]
    assert [item["message"]["text"] for item in result["relatedLocations"]] == [
        "ruff PLW2901: result is overwritten",
        "glm objects: The caller may want the last price.",
    ]


def test_checked_fix_becomes_replacements_that_give_its_text(root: Path):
    (fix,) = only(sarif(report(root, finding(), fixes={"f1": proposal()})))["fixes"]
    assert "pytest: 3 passed" in fix["description"]["text"]
    (change,) = fix["artifactChanges"]
    assert applied(BUGGY, change["replacements"]) == FIXED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nX\nY\nc\n"),
        ("a\nb\n", "a\nb\nnew\n"),
        ("a\nb", "a\nc"),
        ("a\nb", "a\nb\nc"),
        ("a\n😀\nc", "first\na\n😀\n"),
        ("a\r\nb\r\n", "b\r\n"),
    ],
)
def test_replacements_at_the_edges_of_a_file(root: Path, before: str, after: str):
    (fix,) = only(sarif(report(root, finding(), fixes={"f1": proposal(before, after)})))["fixes"]
    assert applied(before, fix["artifactChanges"][0]["replacements"]) == after


@pytest.mark.parametrize("standing", [Standing.AGREED, Standing.UNVERIFIED])
def test_patch_that_nobody_ran_is_no_fix(root: Path, standing: Standing):
    assert "fixes" not in only(sarif(report(root, finding(), fixes={"f1": proposal(standing=standing)})))


def test_patch_with_text_that_nobody_can_see_is_no_fix(root: Path):
    hidden = proposal(BUGGY, FIXED.replace("+= price", "+= price  # \u202eecirp"))
    assert "fixes" not in only(sarif(report(root, finding(), fixes={"f1": hidden})))


def test_job_that_finds_and_patches_at_once_has_fixes_for_what_it_changed(root: Path):
    other = finding(id="f9", line=0, end_line=0)
    found = report(root, finding(id="f4"), other, proposal=proposal(finding=None))
    assert list(fixes_in(found.result)) == ["f4"]


def test_rules_refer_to_the_weaknesses_of_mitre_by_number(root: Path):
    log = sarif(report(root, finding(category="CWE-89"), finding(id="f2"), action=Action.SECURE))
    run = run_of(log)
    (taxonomy,) = run["taxonomies"]
    page = "https://cwe.mitre.org/data/definitions/89.html"
    assert (taxonomy["name"], taxonomy["taxa"]) == ("CWE", [{"id": "89", "helpUri": page}])
    assert run["tool"]["driver"]["supportedTaxonomies"] == [{"name": "CWE", "index": 0}]
    rules = {rule["id"]: rule.get("relationships", []) for rule in run["tool"]["driver"]["rules"]}
    assert [item["target"]["id"] for item in rules["CWE-89"]] == ["89"]
    assert rules["bug"] == []


def test_security_rules_carry_cwe_and_a_score(root: Path):
    run = run_of(sarif(report(root, finding(category="CWE-89"), action=Action.SECURE)))
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == "CWE-89"
    assert "external/cwe/cwe-089" in rule["properties"]["tags"]
    assert rule["properties"]["security-severity"] == "9.0"
    assert rule["helpUri"].endswith("/89.html")


def test_job_that_failed_says_so_in_its_invocation(root: Path):
    failed = report(
        root,
        status=Status.FAILED,
        reason="no model answered",
        code=3,
        warnings=(".ensemble/dismissed.json cannot be used",),
        notes=("one family only",),
    )
    (invocation,) = run_of(sarif(failed))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 3
    assert [
        (item["level"], item["message"]["text"]) for item in invocation["toolExecutionNotifications"]
    ] == [
        ("error", "failed: no model answered"),
        ("warning", ".ensemble/dismissed.json cannot be used"),
        ("note", "one family only"),
    ]


def test_review_without_findings_is_valid_too(root: Path):
    assert run_of(sarif(report(root)))["results"] == []


def test_hostile_words_are_no_link_and_no_placeholder(root: Path):
    hostile = finding(title="[click](javascript:alert(1)) {0}", detail="a\x00b\u202ec\ud800", quote="\ud800")
    text = sarif(report(root, hostile))
    words = only(text)["message"]["text"]
    assert "](" not in words
    assert "{{0}}" in words
    assert "\\ud800" not in text.lower()


def test_odd_paths_become_addresses(root: Path):
    odd = 'ä "b"\n#?%.py'
    (root / odd).write_text(BUGGY, encoding="utf-8")
    found = only(sarif(report(root, finding(path=odd), prefix="app/")))
    uri = found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "app/%C3%A4%20%22b%22%0A%23%3F%25.py"


@pytest.mark.parametrize(
    ("category", "ident"),
    [("bug", "bug"), ("Error handling!", "error-handling"), ("cwe-0079: XSS", "CWE-79"), ("…", "finding")],
)
def test_rule_ids(category: str, ident: str):
    assert rule_id(category) == ident


def test_rule_takes_the_worst_level_of_its_findings(root: Path):
    mild = finding(id="f2", severity=Severity.HINT)
    (rule,) = run_of(sarif(report(root, mild, finding())))["tool"]["driver"]["rules"]
    assert rule["defaultConfiguration"]["level"] == "error"


@pytest.mark.usefixtures("models")
def test_review_writes_it_to_standard_output_and_files(ensemble: CommandLine, shop: Path, tmp_path: Path):
    files = {form: tmp_path / f"out.{form}" for form in ("sarif", "json", "markdown", "github")}
    reports = [word for form, file in files.items() for word in ("--report", f"{form}={file}")]
    ran = ensemble("review", "cart.py", "--format", "sarif", *reports, *panel("a", "b"))
    assert ran.code == 0
    assert [item["level"] for item in run_of(ran.out)["results"]] == ["error"]
    assert files["sarif"].read_text() == ran.out
    assert json.loads(files["json"].read_text())["status"] == "done"
    assert files["github"].read_text().startswith("::error file=cart.py,line=8,")
    assert files["markdown"].read_text().startswith("<!-- ensemble-lsp:review -->\n")


@pytest.mark.parametrize("value", ["sarif", "yaml=x", "sarif=", "text=x", "sarif=nowhere/x.sarif", "sarif=."])
def test_report_that_could_not_be_written_is_refused_before_anything_is_spent(
    ensemble: CommandLine, shop: Path, value: str
):
    ran = ensemble("review", "cart.py", "--report", value)
    assert ran.code == 2
    assert "--report" in ran.err
