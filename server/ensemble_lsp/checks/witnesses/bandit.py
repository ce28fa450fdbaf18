"""Bandit, the security scanner for Python that comes with this package."""

import sys
from pathlib import PurePosixPath
from typing import cast

from ensemble_lsp.checks.own_tools import run_own_tool
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Ran, Site
from ensemble_lsp.checks.witness import (
    Project,
    Targets,
    Verdict,
    evidence,
    not_run,
    of_diagnostics,
    without_report,
)
from ensemble_lsp.checks.witnesses.json_report import report_of
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Rank, Severity

_SEVERITIES = {"HIGH": Severity.CRITICAL, "MEDIUM": Severity.WARNING, "LOW": Severity.INFO}


class BanditWitness:
    """Scans the Python files among the targets; the project's own `[tool.bandit]` counts where it is trusted."""

    name = "bandit"
    executes = False
    rank = Rank.STATIC

    def __init__(self, project: Project) -> None:
        text = project.settings_text("pyproject.toml") if project.trusted else ""
        self._configuration = ["-c", "pyproject.toml"] if "[tool.bandit" in text else []

    def applies(self, project: Project, targets: Targets) -> bool:  # noqa: ARG002
        """Whether there is a Python file."""
        return bool(targets.of("python"))

    def target(self, targets: Targets) -> str:
        """Return the Python paths."""
        return " ".join(targets.of("python"))

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Scan what the shadow holds."""
        paths = [f"./{path}" for path in targets.of("python") if site.has(path)]
        if not paths:
            return not_run(self, targets, "no such file")
        argv = [
            sys.executable,
            "-P",
            "-m",
            "bandit",
            "-q",
            "-f",
            "json",
            "--exit-zero",
            *self._configuration,
            *paths,
        ]
        completed = await run_own_tool(argv, site.root, limits)
        ran = Ran(completed, site.relative(completed.output), completed.stdout.decode("utf-8", "replace"), "")
        return without_report(evidence(self, targets, _verdict(ran), ran, ""))


def _verdict(ran: Ran) -> Verdict:
    report = report_of(ran)
    if isinstance(report, Verdict):
        return report
    return of_diagnostics([_diagnostic(entry) for entry in report.entries])


def _diagnostic(entry: dict[str, object]) -> Diagnostic:
    lines = cast("list[int]", entry.get("line_range") or [entry["line_number"]])
    line = cast("int", entry["line_number"])
    return Diagnostic(
        # Bandit puts `./` in front of what it is given, `./` and all.
        path=PurePosixPath(str(entry["filename"])).as_posix(),
        line=line - 1,
        end_line=max(line, *lines) - 1,
        severity=_SEVERITIES.get(str(entry["issue_severity"]), Severity.INFO),
        source="bandit",
        code=str(entry["test_id"]),
        message=f"{entry['issue_text']}{_cwe(entry)}",
    )


def _cwe(entry: dict[str, object]) -> str:
    """Return the CWE id as it ends the message, where bandit gives one."""
    cwe = entry.get("issue_cwe")
    number = cast("dict[str, object]", cwe).get("id") if isinstance(cwe, dict) else None
    return f" (CWE-{number})" if isinstance(number, int) and number else ""
