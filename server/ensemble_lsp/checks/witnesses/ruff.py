"""Ruff, the linter for Python that comes with this package."""

import json
from typing import cast

from ensemble_lsp.checks.own_tools import own_program, run_own_tool
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Ran, Site
from ensemble_lsp.checks.witness import (
    Project,
    Targets,
    Verdict,
    cut_short,
    evidence,
    not_run,
    of_diagnostics,
)
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Outcome, Rank, Severity

_ERRORS = ("F63", "F70", "F81", "F82", "E9", "B0", "PLE", "ASYNC2")
"""Codes that nearly always mean a mistake and not a taste."""


class RuffWitness:
    """Lints the Python files among the targets, by the project's own rules where it is trusted."""

    name = "ruff"
    executes = False
    rank = Rank.STATIC

    def __init__(self, *, obey_project: bool) -> None:
        self._obey_project = obey_project

    def applies(self, project: Project, targets: Targets) -> bool:  # noqa: ARG002
        """Whether there is a Python file."""
        return bool(targets.of("python"))

    def target(self, targets: Targets) -> str:
        """Return the Python paths."""
        return " ".join(targets.of("python"))

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Lint what the shadow holds."""
        paths = [path for path in targets.of("python") if site.has(path)]
        if not paths:
            return not_run(self, targets, "no such file")
        own = [] if self._obey_project else ["--isolated"]
        argv = [
            own_program("ruff"),
            "check",
            *own,
            "--output-format=json",
            "--no-cache",
            "--exit-zero",
            "--quiet",
        ]
        completed = await run_own_tool([*argv, "--", *paths], site.root, limits)
        ran = Ran(
            completed,
            site.relative(completed.output),
            site.relative(completed.stdout.decode("utf-8", "replace")),
            "",
        )
        return evidence(self, targets, _verdict(ran), ran, "")


def _verdict(ran: Ran) -> Verdict:
    early = cut_short(ran.completed)
    if early is not None:
        return early
    try:
        entries = cast("list[dict[str, object]]", json.loads(ran.stdout))
    except ValueError:
        return Verdict(
            Outcome.ERROR, ran.output.strip().splitlines()[-1][:300] if ran.output.strip() else "no answer"
        )
    return of_diagnostics([_diagnostic(entry) for entry in entries])


def _diagnostic(entry: dict[str, object]) -> Diagnostic:
    start = cast("dict[str, int]", entry["location"])
    end = cast("dict[str, int]", entry.get("end_location") or start)
    code = str(entry.get("code") or "invalid-syntax")
    severity = Severity.INFO
    if code == "invalid-syntax":
        severity = Severity.CRITICAL
    elif code.startswith(_ERRORS):
        severity = Severity.WARNING
    return Diagnostic(
        path=str(entry["filename"]),
        line=start["row"] - 1,
        end_line=max(start["row"], end["row"]) - 1,
        severity=severity,
        source="ruff",
        code=code,
        message=str(entry["message"]),
    )
