"""Semgrep with a project's own rules, in the sandbox: when it is asked, and what is made of its answers."""

import json
import os
import shutil
from pathlib import Path

import pytest

from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.checks.sandbox import Completed
from ensemble_lsp.checks.site import Ran
from ensemble_lsp.checks.witnesses.semgrep import of_semgrep, rule_places
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import CheckReport, Evidence, Outcome, Severity
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import Task
from tests.checks.workspaces import change, repository
from tests.support.semgrep import CASES, CLEAN, DEBUGGER_LEFT, FOUND, RULES, recorded_semgrep


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", {"app.py": FOUND, ".semgrep.yml": RULES})


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the recorded program in front of all others."""
    folder = recorded_semgrep(tmp_path / "programs")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder / "semgrep"


async def said(
    project: Path, *changes: FileChange, trusted: bool = True, action: Action = Action.SECURE
) -> CheckReport:
    """Return what the tools say of app.py, with the changes in place if there are any."""
    checks = await Checks.open(project, Task(action=action, path="app.py"), overlays={}, trusted=trusted)
    try:
        return await checks.check(changes) if changes else await checks.baseline()
    finally:
        await checks.close()


def semgrep_in(report: CheckReport) -> Evidence | None:
    return next((item for item in report.evidence if item.witness == "semgrep"), None)


@pytest.mark.usefixtures("recorded")
async def test_rules_of_the_project_are_matched_in_the_sandbox(project: Path):
    told = semgrep_in(await said(project))

    assert told is not None
    assert told.outcome is Outcome.FAILED, told.summary
    assert told.sandbox in {"bubblewrap", "landlock", "sandbox-exec"}
    assert [
        (item.path, item.line, item.end_line, item.severity, item.code, item.message)
        for item in told.diagnostics
    ] == [
        ("app.py", 4, 4, Severity.WARNING, "debug-left", "A debugger is left in the code."),
        (
            "app.py", 5, 8, Severity.CRITICAL, "no-shell-true",
            "A shell reads this command line; pass a list. (CWE-78)",
        ),
    ]  # fmt: skip
    assert told.log == "", "it quotes the code"


@pytest.mark.usefixtures("recorded")
async def test_a_patched_version_is_looked_at_with_the_same_rules(project: Path):
    half = semgrep_in(await said(project, change("app.py", FOUND, DEBUGGER_LEFT)))
    whole = semgrep_in(await said(project, change("app.py", FOUND, CLEAN)))

    assert half is not None
    assert [item.code for item in half.diagnostics] == ["debug-left"]
    assert whole is not None
    assert whole.outcome is Outcome.PASSED


@pytest.mark.usefixtures("recorded")
async def test_a_rule_that_it_cannot_read_makes_its_silence_worth_nothing(project: Path):
    (project / ".semgrep.yml").write_text(RULES.replace("breakpoint()", "breakpoint(..."))
    told = semgrep_in(await said(project))

    assert told is not None
    assert told.outcome is Outcome.ERROR
    assert "Rule parse error in rule debug-left" in told.summary


@pytest.mark.usefixtures("recorded")
async def test_the_rules_of_a_folder_that_is_not_trusted_are_not_run(project: Path):
    assert semgrep_in(await said(project, trusted=False)) is None


@pytest.mark.usefixtures("recorded")
async def test_it_is_asked_in_reviews_and_not_in_fixes(project: Path):
    assert semgrep_in(await said(project, action=Action.REVIEW)) is not None
    assert semgrep_in(await said(project, action=Action.FIX)) is None


@pytest.mark.usefixtures("recorded")
async def test_without_rules_of_the_project_it_is_not_asked(project: Path):
    (project / ".semgrep.yml").unlink()

    assert semgrep_in(await said(project)) is None


async def test_a_program_in_the_workspace_is_not_taken_for_it(project: Path, monkeypatch: pytest.MonkeyPatch):
    folder = recorded_semgrep(project / "bin")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    if shutil.which("semgrep", path="/usr/bin:/bin") is not None:
        pytest.skip("this system has a semgrep of its own")

    assert semgrep_in(await said(project)) is None


def test_where_rules_are_looked_for():
    assert rule_places([".semgrep/a/rules.yaml", "semgrep.yml", "src/.semgrep.yml"]) == (
        "semgrep.yml",
        ".semgrep",
    )
    assert rule_places([".semgrep/README.md", "app.py"]) == ()


def answer(*results: dict[str, object], errors: tuple[dict[str, object], ...] = ()) -> Ran:
    stdout = json.dumps({"results": results, "errors": errors})
    return Ran(Completed(0, stdout.encode(), b"", 1.0), stdout, stdout, "")


def match(severity: str = "ERROR", **metadata: object) -> dict[str, object]:
    extra = {"message": "No.", "severity": severity, "metadata": metadata}
    return {"check_id": "r", "path": "./a.py", "start": {"line": 3}, "end": {"line": 2}, "extra": extra}


@pytest.mark.parametrize(
    ("cwe", "ending"),
    [
        ("CWE-89: SQL Injection", " (CWE-89)"),
        (["CWE-089: SQL Injection", "cwe-78", "CWE-89"], " (CWE-89, CWE-78)"),
        (["none"], ""),
        (None, ""),
        (7, ""),
    ],
)
def test_a_rule_names_its_weaknesses_in_several_forms(cwe: object, ending: str):
    (found,) = of_semgrep(answer(match(cwe=cwe))).diagnostics

    assert found.message == f"No.{ending}"
    assert (found.path, found.line, found.end_line) == ("a.py", 2, 2)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("ERROR", Severity.CRITICAL),
        ("CRITICAL", Severity.CRITICAL),
        ("HIGH", Severity.CRITICAL),
        ("WARNING", Severity.WARNING),
        ("MEDIUM", Severity.WARNING),
        ("INFO", Severity.INFO),
        ("LOW", Severity.INFO),
        ("INVENTORY", Severity.HINT),
    ],
)
def test_severities_of_both_scales(said: str, meant: Severity):
    (found,) = of_semgrep(answer(match(said))).diagnostics

    assert found.severity is meant


def test_one_rule_in_two_files_is_one_message():
    assert len(of_semgrep(answer(match(), match())).diagnostics) == 1


def test_a_file_on_which_a_rule_ran_out_of_time_was_not_looked_at_to_the_end():
    slow: dict[str, object] = {
        "code": 2,
        "level": "warn",
        "type": "Timeout",
        "path": "a.py",
        "message": "Timeout when running r on a.py",
    }
    verdict = of_semgrep(answer(match(), errors=(slow,)))

    assert (verdict.outcome, len(verdict.diagnostics)) == (Outcome.ERROR, 1)


def test_an_answer_in_another_form_says_nothing_of_the_code():
    verdict = of_semgrep(Ran(Completed(2, b"", b"", 1.0), "Traceback\nModuleNotFoundError: attr\n", "", ""))

    assert (verdict.outcome, verdict.summary) == (Outcome.ERROR, "ModuleNotFoundError: attr")


@pytest.mark.skipif(shutil.which("semgrep") is None, reason="semgrep is not installed")
async def test_the_real_one_still_answers_as_it_did_when_it_was_recorded(project: Path):
    for text, name in ((FOUND, "found"), (DEBUGGER_LEFT, "debugger_left"), (CLEAN, "clean")):
        (project / "app.py").write_text(text)
        told = semgrep_in(await said(project))
        stdout = (CASES / f"{name}.json").read_text()
        kept = of_semgrep(Ran(Completed(0, b"", b"", 1.0), stdout, stdout, ""))

        assert told is not None
        assert (told.outcome, told.diagnostics) == (kept.outcome, kept.diagnostics), told.summary
