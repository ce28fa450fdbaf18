"""What a JavaScript or TypeScript project uses: tsc, ESLint, Vitest or Jest, from its own node_modules."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import cast

from ensemble_lsp.checks.run_outcomes import javascript_tests, of_exit_code
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Ran, Site
from ensemble_lsp.checks.toolchains import Toolchain
from ensemble_lsp.checks.witness import Project, Targets, Verdict, cut_short, evidence, of_diagnostics
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Outcome, Rank, Severity

LANGUAGES = ("javascript", "typescript", "tsx", "vue", "svelte")
_TSC_LINE = re.compile(r"^(.+?)\((\d+),\d+\): (error|warning) (TS\d+): (.*)$", re.MULTILINE)
_ESLINT_CONFIGURATIONS = re.compile(r"^(eslint\.config\.[cm]?[jt]s|\.eslintrc(\.\w+)?)$")


def package_folder(project: Project, path: str) -> str | None:
    """Return the nearest folder above `path` that has a package.json ("" for the root), or None."""
    for folder in PurePosixPath(path).parents:
        name = "" if str(folder) == "." else f"{folder}/"
        if f"{name}package.json" in project.files:
            return name
    return None


def installed(project: Project, folder: str, program: str) -> str | None:
    """Return the path, from `folder`, of a program in the nearest node_modules above, or None."""
    places = [PurePosixPath(folder or "."), *PurePosixPath(folder or ".").parents]
    for place in places:
        modules = str(place / "node_modules")
        if modules in project.dependencies and (project.workspace / modules / ".bin" / program).exists():
            up = "../" * (len(PurePosixPath(folder).parts) - len(place.parts))
            return f"{up}node_modules/.bin/{program}"
    return None


class _NodeWitness:
    """Runs one program of node_modules in the package that the targets belong to."""

    executes = True

    def __init__(self, project: Project, toolchain: Toolchain, folder: str, program: str) -> None:
        self._toolchain = toolchain
        self._folder = folder
        self._program = installed(project, folder, program)

    def target(self, targets: Targets) -> str:
        """Return the paths."""
        return " ".join(targets.of(*LANGUAGES))

    def applies(self, project: Project, targets: Targets) -> bool:
        """Whether the program is installed and there is a file for it."""
        return project.trusted and self._program is not None and bool(targets.of(*LANGUAGES))

    def _inside(self, targets: Targets) -> list[str]:
        return [
            path.removeprefix(self._folder)
            for path in targets.of(*LANGUAGES)
            if path.startswith(self._folder)
        ]

    async def _node(self, site: Site, arguments: list[str], limits: Limits) -> Ran:
        return await site.run(
            ["node", self._program or "", *arguments], limits, folder=self._folder, toolchain=self._toolchain
        )


class TscWitness(_NodeWitness):
    """Type checks the package by its tsconfig.json; reports what concerns the targets."""

    name = "tsc"
    rank = Rank.STATIC

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Check what the shadow holds."""
        ran = await self._node(
            site, ["--noEmit", "--pretty", "false", "--incremental", "false", "-p", "."], limits
        )
        early = cut_short(ran.completed)
        verdict = early or of_diagnostics(list(tsc_diagnostics(ran.stdout, self._folder)))
        if early is None and ran.completed.code and not verdict.diagnostics:
            verdict = Verdict(Outcome.ERROR, ran.output.strip()[-300:])
        return evidence(self, targets, verdict, ran, site.label)


def tsc_diagnostics(output: str, folder: str) -> Iterator[Diagnostic]:
    """Read the lines of tsc; paths become relative to the workspace."""
    for path, line, _, code, message in _TSC_LINE.findall(output):
        yield Diagnostic(
            path=f"{folder}{path}",
            line=int(line) - 1,
            end_line=int(line) - 1,
            severity=Severity.WARNING,
            source="tsc",
            code=code,
            message=message,
        )


class EslintWitness(_NodeWitness):
    """Lints the targets by the project's own rules."""

    name = "eslint"
    rank = Rank.STATIC

    def applies(self, project: Project, targets: Targets) -> bool:
        """Whether ESLint is installed and configured."""
        configured = any(
            _ESLINT_CONFIGURATIONS.match(path.rsplit("/", 1)[-1])
            for path in project.files
            if path.count("/") < 4
        )
        return configured and super().applies(project, targets)

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Lint what the shadow holds."""
        paths = [path for path in self._inside(targets) if site.has(f"{self._folder}{path}")]
        ran = await self._node(
            site, ["--format", "json", "--no-error-on-unmatched-pattern", "--", *paths], limits
        )
        verdict = cut_short(ran.completed)
        if verdict is None:
            try:
                verdict = of_diagnostics(list(eslint_diagnostics(ran.stdout, self._folder)))
            except (ValueError, KeyError, TypeError):
                verdict = Verdict(Outcome.ERROR, ran.output.strip()[-300:] or "no answer")
        return evidence(self, targets, verdict, ran, site.label)


def eslint_diagnostics(report: str, folder: str) -> Iterator[Diagnostic]:
    """Read ESLint's JSON; raises `ValueError` or `KeyError` when it is none."""
    for file in cast("list[dict[str, object]]", json.loads(report)):
        path = str(file["filePath"])
        for entry in cast("list[dict[str, object]]", file["messages"]):
            line = cast("int", entry.get("line") or 1)
            fatal = bool(entry.get("fatal"))
            error = Severity.CRITICAL if fatal else Severity.WARNING
            yield Diagnostic(
                path=path if path.startswith(folder) else f"{folder}{path}",
                line=line - 1,
                end_line=cast("int", entry.get("endLine") or line) - 1,
                severity=error if entry.get("severity") == 2 else Severity.INFO,
                source="eslint",
                code=str(entry.get("ruleId") or "syntax"),
                message=str(entry["message"]),
            )


class JavascriptTestsWitness(_NodeWitness):
    """Runs the tests that have to do with the targets, by Vitest or Jest."""

    rank = Rank.EXECUTED

    def __init__(self, project: Project, toolchain: Toolchain, folder: str, program: str) -> None:
        super().__init__(project, toolchain, folder, program)
        self.name = program

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Run the tests related to the targets."""
        paths = self._inside(targets)
        if self.name == "vitest":
            arguments = ["related", "--run", "--reporter=json", "--passWithNoTests", *paths]
            arguments += ["--bail=1"] if targets.stop_at_first else []
        else:
            arguments = ["--json", "--passWithNoTests", "--no-cache", "--findRelatedTests", *paths]
            arguments += ["--bail"] if targets.stop_at_first else []
        ran = await self._node(site, arguments, limits)
        report = ran.stdout[ran.stdout.find("{") :] if "{" in ran.stdout else ""
        tests = javascript_tests(report)
        verdict = of_exit_code(ran, tests)
        if verdict.outcome is Outcome.PASSED and not tests:
            verdict = Verdict(Outcome.NOT_RUN, "no test has to do with these files")
        return evidence(self, targets, verdict, ran, site.label)
