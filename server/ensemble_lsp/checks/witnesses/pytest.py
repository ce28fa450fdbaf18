"""The project's tests that cover the code in question, by the project's own pytest."""

import re
from collections.abc import Iterable, Sequence

from ensemble_lsp.checks.interpreters import Interpreter
from ensemble_lsp.checks.run_outcomes import of_pytest, read_results
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Ran, Site, bounded
from ensemble_lsp.checks.witness import Project, Targets, evidence, not_run
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank

_ADDOPTS = re.compile(r"^\s*addopts\s*=(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
_PLUGINS = {"asyncio": "pytest_asyncio.plugin", "anyio": "anyio.pytest_plugin"}
_CONFIGURATIONS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


class PytestWitness:
    """Runs `targets.tests`, test files or ids, and reports each test by its id."""

    name = "pytest"
    executes = True
    rank = Rank.EXECUTED

    def __init__(self, project: Project, interpreter: Interpreter, tests: Iterable[str]) -> None:
        self._options = quiet_options(project)
        self._environment = plugin_environment(project, interpreter, tests)

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
        ran = await site.run_pytest(
            [
                *(str(site.interpreter.executable), "-m", "pytest", "-q", "--no-header", "--tb=short"),
                *("-p", "no:cacheprovider", "--color=no"),
                *self._options,
                *tests,
            ],
            limits,
            environment=self._environment,
            stop_at_first=targets.stop_at_first,
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


def plugin_environment(project: Project, interpreter: Interpreter, tests: Iterable[str]) -> dict[str, str]:
    """Return what keeps pytest from loading plugins that were not installed for this project.

    Only for a project without a Python and without settings of its own for pytest: then plugins are there by
    accident, and loading them takes longer than the tests. What the tests name is loaded all the same.
    """
    configured = any(name in project.files for name in ("pytest.ini", ".pytest.ini")) or any(
        "pytest" in project.settings_text(name) for name in ("pyproject.toml", "tox.ini", "setup.cfg")
    )
    if configured or not interpreter.is_ours:
        return {}
    conftests = [path for path in project.files if path.rpartition("/")[2] == "conftest.py"]
    texts = [project.read(path.partition("::")[0]) for path in (*conftests, *tests)]
    if any("pytest_plugins" in text or "mocker" in text for text in texts):
        return {}
    named = [plugin for word, plugin in _PLUGINS.items() if any(word in text for text in texts)]
    return {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": ",".join(["ensemble_results", *named])}


class ProbeWitness:
    """Runs one test that a model wrote. PASSED only when a test of it ran and none failed."""

    name = "probe"
    executes = True
    rank = Rank.EXECUTED

    def __init__(
        self,
        project: Project,
        interpreter: Interpreter,
        path: str,
        import_from: str,
        *,
        only: Sequence[str] = (),
    ) -> None:
        """With `only`, the tests of the file whose names hold one of these words."""
        self._options = [*quiet_options(project), *(["-k", " or ".join(only)] if only else [])]
        self._environment = plugin_environment(project, interpreter, ())
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
            environment=self._environment,
            import_from=(self._import_from,),
            merge_output=True,
        )
        return of_written(evidence(self, targets, of_pytest(ran), ran, site.label), ran)


class UnittestWitness:
    """Runs one file of unittest's cases by unittest itself, where no pytest is installed."""

    name = "probe"
    executes = True
    rank = Rank.EXECUTED

    def __init__(self, path: str, import_from: str, *, only: Sequence[str] = ()) -> None:
        """With `only`, these tests: `Class.method`."""
        self._path = path
        self._only = only
        self._import_from = import_from

    def applies(self, project: Project, targets: Targets) -> bool:  # noqa: ARG002
        """Whether project code may run."""
        return project.trusted

    def target(self, targets: Targets) -> str:  # noqa: ARG002
        """Return the test file's place."""
        return self._path

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Run the cases."""
        ran = await site.run(
            [str(site.interpreter.executable), "-m", "ensemble_unittest", self._path, *self._only],
            limits,
            import_from=(self._import_from,),
            merge_output=True,
        )
        return of_written(evidence(self, targets, of_pytest(ran), ran, site.label), ran)


def of_written(told: Evidence, ran: Ran) -> Evidence:
    """Tell a test file that does not load from one whose tests fail."""
    results = read_results(ran.results)
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
