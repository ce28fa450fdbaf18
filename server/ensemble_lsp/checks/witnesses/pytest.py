"""The project's tests that cover the code in question, by the project's own pytest."""

import re

from ensemble_lsp.checks.run_outcomes import of_pytest, read_results
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Site, bounded
from ensemble_lsp.checks.witness import Project, Targets, evidence, not_run
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank

_ADDOPTS = re.compile(r"^\s*addopts\s*=(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
_CONFIGURATIONS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


class PytestWitness:
    """Runs `targets.tests`, test files or ids, and reports each test by its id."""

    name = "pytest"
    executes = True
    rank = Rank.EXECUTED

    def __init__(self, project: Project) -> None:
        self._options = quiet_options(project)

    def applies(self, project: Project, targets: Targets) -> bool:
        """Whether tests were chosen."""
        return bool(targets.tests) and project.trusted

    def target(self, targets: Targets) -> str:
        """Return the chosen test files."""
        return " ".join(targets.tests)

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Run the tests; those whose file a change deleted are left out."""
        tests = [test for test in targets.tests if site.has(test.partition("::")[0])]
        if not tests:
            return not_run(self, targets, "the test files are gone")
        ran = await site.run(
            [
                *(str(site.interpreter.executable), "-m", "pytest", "-q", "--no-header", "--tb=short"),
                *("-p", "no:cacheprovider", "--color=no"),
                *self._options,
                *(["-x"] if targets.stop_at_first else []),
                *tests,
            ],
            limits,
            merge_output=True,
        )
        return evidence(self, targets, of_pytest(ran), ran, site.label)


def quiet_options(project: Project) -> list[str]:
    """Return what takes the cost out of the project's own options: coverage and worker processes."""
    options: list[str] = []
    text = " ".join(
        match.group(1)
        for name in _CONFIGURATIONS
        if name in project.files
        for match in _ADDOPTS.finditer(project.read(name))
    )
    if "--cov" in text:
        options.append("--no-cov")
    if re.search(r"(?:^|[\s'\"\[])(-n|--numprocesses)\b", text):
        options += ["-n", "0"]
    return options


class ProbeWitness:
    """Runs one test that a model wrote. PASSED only when a test of it ran and none failed."""

    name = "probe"
    executes = True
    rank = Rank.EXECUTED

    def __init__(self, project: Project, path: str, import_from: str) -> None:
        self._options = quiet_options(project)
        self._path = path
        self._import_from = import_from

    def applies(self, project: Project, targets: Targets) -> bool:  # noqa: ARG002
        """Whether project code may run."""
        return project.trusted

    def target(self, targets: Targets) -> str:  # noqa: ARG002
        """Return the test file's place."""
        return self._path

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Run the test file; one that cannot even be collected says nothing about the code."""
        ran = await site.run(
            [
                *(str(site.interpreter.executable), "-m", "pytest", "-q", "--no-header", "--tb=short"),
                *("-p", "no:cacheprovider", "--color=no"),
                *self._options,
                self._path,
            ],
            limits,
            import_from=(self._import_from,),
            merge_output=True,
        )
        verdict = of_pytest(ran)
        results = read_results(ran.results)
        told = evidence(self, targets, verdict, ran, site.label)
        if results.broken:
            reason = next(iter(results.broken.values()))
            return told.model_copy(
                update={"outcome": Outcome.ERROR, "summary": f"the test does not load: {reason}"}
            )
        if results.unfit and len(results.unfit) == len(results.tests):
            return told.model_copy(
                update={
                    "outcome": Outcome.ERROR,
                    "summary": "the test's fixtures fail",
                    "log": bounded(ran.output),
                }
            )
        return told
