"""What a Go project is checked by: go vet and go test, of the packages that the targets belong to."""

import re
from pathlib import PurePosixPath

from ensemble_lsp.checks.run_outcomes import go_tests, of_exit_code
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.toolchains import Toolchain
from ensemble_lsp.checks.witness import Project, Targets, Verdict, cut_short, evidence, of_diagnostics
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Outcome, Rank, Severity

_VET_LINE = re.compile(r"^(?:vet: )?(?:\./)?([^\s:]+\.go):(\d+)(?::\d+)?: (.*)$", re.MULTILINE)


def module_folder(project: Project, path: str) -> str | None:
    """Return the nearest folder above `path` that has a go.mod, ending in a slash or empty; None without one."""
    for folder in PurePosixPath(path).parents:
        name = "" if str(folder) == "." else f"{folder}/"
        if f"{name}go.mod" in project.files:
            return name
    return None


class _GoWitness:
    executes = True

    def __init__(self, toolchain: Toolchain, folder: str) -> None:
        self._toolchain = toolchain
        self._folder = folder

    def applies(self, project: Project, targets: Targets) -> bool:
        """Whether there is a Go file."""
        return project.trusted and bool(targets.of("go"))

    def target(self, targets: Targets) -> str:
        """Return the packages."""
        return " ".join(self._packages(targets))

    def _packages(self, targets: Targets) -> list[str]:
        inside = [
            path.removeprefix(self._folder) for path in targets.of("go") if path.startswith(self._folder)
        ]
        return sorted({f"./{PurePosixPath(path).parent}".removesuffix("/.") for path in inside})


class GoVetWitness(_GoWitness):
    """Reports what does not compile and what vet finds suspicious."""

    name = "go vet"
    rank = Rank.STATIC

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Check what the shadow holds."""
        argv = ["go", "vet", *self._packages(targets)]
        ran = await site.run(argv, limits, folder=self._folder, toolchain=self._toolchain)
        verdict = cut_short(ran.completed)
        if verdict is None:
            verdict = of_diagnostics(vet_diagnostics(ran.output, self._folder))
            if ran.completed.code and not verdict.diagnostics:
                verdict = Verdict(Outcome.ERROR, ran.output.strip()[-300:])
        return evidence(self, targets, verdict, ran, site.label)


def vet_diagnostics(output: str, folder: str) -> list[Diagnostic]:
    """Read the lines of go vet and of the compiler."""
    return [
        Diagnostic(
            path=f"{folder}{path}",
            line=int(line) - 1,
            end_line=int(line) - 1,
            severity=Severity.WARNING,
            source="go vet",
            code="vet",
            message=message,
        )
        for path, line, message in _VET_LINE.findall(output)
    ]


class GoTestWitness(_GoWitness):
    """Runs the packages' tests."""

    name = "go test"
    rank = Rank.EXECUTED

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Run the tests of the packages."""
        first = ["-failfast"] if targets.stop_at_first else []
        argv = ["go", "test", "-json", "-count=1", *first, *self._packages(targets)]
        ran = await site.run(argv, limits, folder=self._folder, toolchain=self._toolchain)
        tests = go_tests(ran.stdout)
        verdict = of_exit_code(ran, tests)
        if verdict.outcome is Outcome.PASSED and not tests:
            verdict = Verdict(Outcome.NOT_RUN, "the packages have no tests")
        return evidence(self, targets, verdict, ran, site.label)
