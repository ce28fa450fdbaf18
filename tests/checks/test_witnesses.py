"""What other tools say, read into the same evidence. Real ones where the machine has them."""

import asyncio
import json
import shutil
import sys
from pathlib import Path

import pytest

from ensemble_lsp.checks.detection import detect
from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.checks.sandbox import Completed
from ensemble_lsp.checks.site import Ran
from ensemble_lsp.checks.witnesses.cargo import compiler_diagnostics
from ensemble_lsp.checks.witnesses.command import split_command
from ensemble_lsp.checks.witnesses.go import vet_diagnostics
from ensemble_lsp.checks.witnesses.javascript import eslint_diagnostics, tsc_diagnostics
from ensemble_lsp.checks.witnesses.types import of_mypy, of_pyright
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import CheckReport, Evidence, Outcome, Severity
from ensemble_lsp.core.results import Task
from tests.checks.workspaces import repository


def _ran(stdout: str, code: int = 1) -> Ran:
    return Ran(Completed(code, stdout.encode(), b"", 1.0), stdout, stdout, "")


async def _baseline(workspace: Path, path: str) -> CheckReport:
    checks = await Checks.open(workspace, Task(action=Action.FIX, path=path), overlays={}, trusted=True)
    try:
        return await checks.baseline()
    finally:
        await checks.close()


def _said(report: CheckReport, witness: str) -> Evidence:
    return next(item for item in report.evidence if item.witness == witness)


def test_pyrights_report() -> None:
    report = {
        "generalDiagnostics": [
            {
                "file": "a.py",
                "severity": "error",
                "message": "no",
                "rule": "reportCallIssue",
                "range": {"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 1}},
            }
        ]
    }
    (found,) = of_pyright(_ran(json.dumps(report)), "pyright").diagnostics
    assert (found.path, found.line, found.end_line, found.code) == ("a.py", 3, 4, "reportCallIssue")
    assert found.severity is Severity.WARNING


def test_mypys_lines() -> None:
    output = "a.py:3: error: Bad thing  [arg-type]\na.py:3: note: See docs\nb.py:1: error: Other  [x]\n"
    (found,) = of_mypy(_ran(output), ["a.py"]).diagnostics
    assert (found.path, found.line, found.code, found.message) == ("a.py", 2, "arg-type", "Bad thing")


def test_a_type_checker_that_crashes_says_nothing_of_the_code() -> None:
    assert of_mypy(_ran("Traceback\nboom\n", code=2), ["a.py"]).outcome is Outcome.ERROR
    assert of_pyright(_ran("boom"), "pyright").outcome is Outcome.ERROR


def test_tscs_lines() -> None:
    (found,) = tsc_diagnostics("src/a.ts(4,7): error TS2322: Type 'x'.\nnoise\n", "web/")
    assert (found.path, found.line, found.code) == ("web/src/a.ts", 3, "TS2322")


def test_eslints_report() -> None:
    report = [
        {
            "filePath": "src/a.js",
            "messages": [
                {"ruleId": "no-undef", "severity": 2, "message": "x", "line": 2, "endLine": 3},
                {"ruleId": None, "fatal": True, "severity": 2, "message": "Parsing error", "line": 1},
                {"ruleId": "semi", "severity": 1, "message": "y", "line": 1},
            ],
        }
    ]
    found = list(eslint_diagnostics(json.dumps(report), ""))
    assert [(item.code, item.line, item.severity) for item in found] == [
        ("no-undef", 1, Severity.WARNING),
        ("syntax", 0, Severity.CRITICAL),
        ("semi", 0, Severity.INFO),
    ]


def test_go_vets_lines() -> None:
    output = "# m/p\n./p/a.go:3:2: x declared and not used\nvet: p/b.go:9:1: expected ';'\n"
    found = [(item.path, item.line) for item in vet_diagnostics(output, "srv/")]
    assert found == [("srv/p/a.go", 2), ("srv/p/b.go", 8)]


def test_cargos_messages() -> None:
    span = {"file_name": "src/lib.rs", "line_start": 2, "line_end": 2, "is_primary": True}
    message = {"message": "mismatched types", "level": "error", "code": {"code": "E0308"}, "spans": [span]}
    line = json.dumps({"reason": "compiler-message", "message": message})
    (found,) = compiler_diagnostics(f"{line}\nnot json\n", "crate/")
    assert (found.path, found.line, found.code, found.severity) == (
        "crate/src/lib.rs",
        1,
        "E0308",
        Severity.CRITICAL,
    )


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("pytest -q tests/test_a.py", ["pytest", "-q", "tests/test_a.py"]),
        ("python -c 'print(1)'", ["/bin/sh", "-c", "python -c 'print(1)'"]),
        ("make test", ["make", "test"]),
        ("a && b", ["/bin/sh", "-c", "a && b"]),
        ("X=1 make", ["/bin/sh", "-c", "X=1 make"]),
    ],
)
def test_a_shell_only_where_one_is_needed(command: str, words: list[str]) -> None:
    assert split_command(command) == words


_TSC = """
const fs = require("fs");
if (fs.readFileSync("src/a.ts", "utf8").includes("bad"))
  { console.log("src/a.ts(1,7): error TS2322: Type 'string' is not assignable."); process.exit(2); }
"""
_VITEST = """
const path = require("path"), fs = require("fs");
fs.writeFileSync("report-of-this-run", process.argv.slice(2).join(" "));
console.log(JSON.stringify({testResults: [{name: path.resolve("src/a.test.ts"), assertionResults: [
  {fullName: "adds", status: "passed"}, {fullName: "carries", status: "failed"}]}]}));
process.exit(1);
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
async def test_a_typescript_package_is_checked_by_what_it_has_installed(tmp_path: Path) -> None:
    """Stand-ins for tsc and vitest, run by the real node from an ignored node_modules."""
    workspace = repository(
        tmp_path / "w",
        {
            ".gitignore": "node_modules/\n",
            "web/package.json": "{}",
            "web/tsconfig.json": "{}",
            "web/src/a.ts": "const bad: number = 'x';\n",
            "web/node_modules/.bin/tsc": _TSC,
            "web/node_modules/.bin/vitest": _VITEST,
        },
    )
    report = await _baseline(workspace, "web/src/a.ts")
    tsc, vitest = _said(report, "tsc"), _said(report, "vitest")
    assert [(item.path, item.line, item.code) for item in tsc.diagnostics] == [("web/src/a.ts", 0, "TS2322")]
    assert vitest.outcome is Outcome.FAILED
    assert vitest.tests == {
        "web/src/a.test.ts::adds": Outcome.PASSED,
        "web/src/a.test.ts::carries": Outcome.FAILED,
    }
    assert not (workspace / "web/report-of-this-run").exists()


@pytest.mark.skipif(shutil.which("cargo") is None, reason="Cargo is not installed")
async def test_a_crate_is_checked_by_cargo(tmp_path: Path) -> None:
    code = """pub fn add(a: u8, b: u8) -> u8 { a - b }
#[test] fn adds() { assert_eq!(add(2, 1), 3); }
#[test] fn is_small() { assert!(add(0, 0) < 9); }
"""
    manifest = '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n'
    workspace = repository(tmp_path / "w", {"Cargo.toml": manifest, "src/lib.rs": code})
    report = await _baseline(workspace, "src/lib.rs")
    assert _said(report, "cargo check").outcome is Outcome.PASSED
    assert _said(report, "cargo test").tests == {"adds": Outcome.FAILED, "is_small": Outcome.PASSED}


@pytest.mark.skipif(
    not (Path(sys.executable).parent / "basedpyright").exists(), reason="basedpyright is not installed"
)
async def test_the_projects_type_checker_is_asked(tmp_path: Path) -> None:
    if not (await detect()).enforced:
        pytest.skip("no sandbox can be enforced here")
    files = {"pyproject.toml": '[tool.basedpyright]\ntypeCheckingMode = "basic"\n', "a.py": "x: int = 'a'\n"}
    workspace = repository(tmp_path / "w", files)
    async with asyncio.timeout(60):
        said = _said(await _baseline(workspace, "a.py"), "basedpyright")
    assert [(item.path, item.line, item.code) for item in said.diagnostics] == [
        ("a.py", 0, "reportAssignmentType")
    ]
