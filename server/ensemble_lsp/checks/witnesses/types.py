"""The type checker that the project uses: basedpyright, pyright or mypy."""

import json
import re
from typing import cast

from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Ran, Site
from ensemble_lsp.checks.toolchains import Toolchain
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

_MYPY_LINE = re.compile(r"^(.+?):(\d+): (error|note|warning): (.*?)(?:  \[([\w-]+)\])?$", re.MULTILINE)
_SEVERITIES = {"error": Severity.WARNING, "warning": Severity.INFO, "information": Severity.HINT}


def used_type_checker(project: Project) -> str | None:
    """Return "basedpyright", "pyright" or "mypy" when the project's settings name it, else None."""
    text = project.settings_text("pyproject.toml")
    if "[tool.basedpyright" in text:
        return "basedpyright"
    if "[tool.pyright" in text or "pyrightconfig.json" in project.files:
        return "pyright"
    mypy_files = {"mypy.ini", ".mypy.ini"} & project.files
    if "[tool.mypy" in text or mypy_files or "[mypy" in project.settings_text("setup.cfg"):
        return "mypy"
    return None


class TypesWitness:
    """Checks the types of the Python files among the targets, by the project's own settings and plugins."""

    executes = True
    rank = Rank.STATIC

    def __init__(self, project: Project, program: str, toolchain: Toolchain | None) -> None:
        self.name = used_type_checker(project) or "types"
        self._program = program
        self._toolchain = toolchain

    def applies(self, project: Project, targets: Targets) -> bool:
        """Whether the project uses a type checker and there is a Python file."""
        return project.trusted and used_type_checker(project) is not None and bool(targets.of("python"))

    def target(self, targets: Targets) -> str:
        """Return the Python paths."""
        return " ".join(targets.of("python"))

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Check what the shadow holds."""
        paths = [path for path in targets.of("python") if site.has(path)]
        if not paths:
            return not_run(self, targets, "no such file")
        python = str(site.interpreter.executable)
        if self.name == "mypy":
            options = [
                "--no-color-output",
                "--no-error-summary",
                "--show-error-codes",
                "--cache-dir=/dev/null",
            ]
            ran = await site.run([self._program, *options, "--", *paths], limits)
            verdict = of_mypy(ran, paths)
        else:
            argv = [self._program, "--outputjson", "--pythonpath", python, *paths]
            ran = await site.run(argv, limits, toolchain=self._toolchain)
            verdict = of_pyright(ran, self.name)
        return evidence(self, targets, verdict, ran, site.label)


def of_pyright(ran: Ran, source: str) -> Verdict:
    """Read pyright's JSON: errors weigh as warnings do, since most code has some."""
    early = cut_short(ran.completed)
    if early is not None:
        return early
    try:
        report = cast("dict[str, object]", json.loads(ran.stdout))
    except ValueError:
        return Verdict(Outcome.ERROR, _last(ran.output))
    found: list[Diagnostic] = []
    for entry in cast("list[dict[str, object]]", report.get("generalDiagnostics", [])):
        place = cast(
            "dict[str, dict[str, int]]", entry.get("range") or {"start": {"line": 0}, "end": {"line": 0}}
        )
        found.append(
            Diagnostic(
                path=str(entry.get("file", "")),
                line=place["start"]["line"],
                end_line=place["end"]["line"],
                severity=_SEVERITIES.get(str(entry.get("severity")), Severity.INFO),
                source=source,
                code=str(entry.get("rule") or "error"),
                message=str(entry.get("message", "")),
            )
        )
    return of_diagnostics(found)


def of_mypy(ran: Ran, paths: list[str]) -> Verdict:
    """Read mypy's lines; those about other files than `paths`, and notes, are left out."""
    early = cut_short(ran.completed)
    if early is not None:
        return early
    if ran.completed.code not in {0, 1}:
        return Verdict(Outcome.ERROR, _last(ran.output))
    found = [
        Diagnostic(
            path=path,
            line=int(line) - 1,
            end_line=int(line) - 1,
            severity=_SEVERITIES.get(kind, Severity.INFO),
            source="mypy",
            code=code or "error",
            message=message,
        )
        for path, line, kind, message, code in _MYPY_LINE.findall(ran.stdout)
        if kind != "note" and path in paths
    ]
    return of_diagnostics(found)


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else "no answer"
