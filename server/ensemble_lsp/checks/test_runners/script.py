"""vitest and jest, from the project's own node_modules: one test file, read from their JSON report."""

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import cast

from ensemble_lsp.checks import toolchains
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Ran, Site
from ensemble_lsp.checks.test_runners.runner import Setting, Told, counted, not_possible, told
from ensemble_lsp.checks.witness import Project, cut_short
from ensemble_lsp.checks.witnesses.javascript import installed, package_folder
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.ensemble.framework import Unit
from ensemble_lsp.frameworks.script_tests import pattern_of
from ensemble_lsp.frameworks.script_units import BETWEEN

_WITH_REPORT = 'exec "$0" "$@" --outputFile="$ENSEMBLE_RESULTS"'
"""A shell fills in where this run's report goes: only the run itself knows."""

_TYPE_ERROR = re.compile(r"\bTS\d{3,5}: ")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_FOREIGN_FRAME = re.compile(
    r"^\s+at .*(?:node_modules/|node:|\(native\)|<anonymous>\)?$).*$\n?", re.MULTILINE
)
_CONFIGURATION = re.compile(r"(?:--config|-c)[ =]([^\s\"';&|]+)")
_OUTCOMES = {"passed": Outcome.PASSED, "failed": Outcome.FAILED}
_CONFIGURATIONS = ("ts", "mts", "cts", "js", "mjs", "cjs", "json")


class _ScriptRunner:
    """Runs the test file in the package that the framework belongs to."""

    name = ""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._folder = _home_of(setting.project, setting.path, self.name)
        self._program = installed(setting.project, self._folder, self.name)
        self._node = toolchains.node(setting.project.workspace)
        self._package = setting.project.read(f"{self._folder}package.json")

    def _arguments(self, path: str, chosen: Sequence[str]) -> list[str]:
        raise NotImplementedError

    def refused(self, said: Evidence) -> bool:
        """Whether TypeScript's types stopped it, as they do where jest compiles by ts-jest."""
        return not said.tests and bool(_TYPE_ERROR.search(said.log))

    async def run(self, site: Site, units: Sequence[Unit], limits: Limits) -> Evidence:
        """Choose tests by their full titles."""
        if self._node is None:
            return not_possible(self._setting, "not run: Node.js (`node`) is not on the PATH")
        if self._program is None:
            where = self._folder.rstrip("/") or "the root"
            return not_possible(
                self._setting, f"not run: {self.name} is not installed in {where}; run `npm install` there"
            )
        chosen = ["-t", f"^(?:{'|'.join(map(_full_title, units))})$"] if units else []
        path = self._setting.path.removeprefix(self._folder)
        argv = ["node", self._program, *self._arguments(path, chosen), *self._configured()]
        ran = await site.run(
            ["/bin/sh", "-c", _WITH_REPORT, *argv],
            limits,
            folder=self._folder,
            environment={"CI": "true", "NO_COLOR": "1", "FORCE_COLOR": "0", **self._options()},
            toolchain=self._node,
            merge_output=True,
        )
        return told(
            self._setting, read_report(self._setting.path, ran, site.relative(ran.results)), ran, site
        )

    def _configured(self) -> list[str]:
        """Return the configuration that the package's own test script names."""
        line = next((line for line in self._scripts() if self.name in line), "")
        named = _CONFIGURATION.search(line)
        return [f"--config={named.group(1)}"] if named else []

    def _options(self) -> dict[str, str]:
        """Let Node load ES modules in jest where the package's own scripts do."""
        wanted = "--experimental-vm-modules"
        return {"NODE_OPTIONS": wanted} if any(wanted in line for line in self._scripts()) else {}

    def _scripts(self) -> list[str]:
        try:
            data = cast("object", json.loads(self._package))
        except ValueError:
            return []
        scripts = cast("dict[str, object]", data).get("scripts") if isinstance(data, dict) else None
        lines = cast("dict[str, object]", scripts) if isinstance(scripts, dict) else {}
        return [line for line in lines.values() if isinstance(line, str)]


class VitestRunner(_ScriptRunner):
    """Runs tests by vitest."""

    name = "vitest"

    def _arguments(self, path: str, chosen: Sequence[str]) -> list[str]:
        return ["run", path, "--reporter=json", "--coverage.enabled=false", *chosen]


class JestRunner(_ScriptRunner):
    """Runs tests by jest."""

    name = "jest"

    def _arguments(self, path: str, chosen: Sequence[str]) -> list[str]:
        return ["--runTestsByPath", path, "--json", "--ci", "--coverage=false", "--watchman=false", *chosen]


def _full_title(unit: Unit) -> str:
    """Return a test's title with those of its suites as both match it: as a regular expression of JavaScript."""
    whole = f"{unit.group}{BETWEEN}{unit.name}" if unit.group else unit.name
    form = pattern_of(whole.replace(BETWEEN, " "))
    # Python escapes more than JavaScript's expressions allow without a flag that some versions set.
    return re.sub(r"\\([^\w.*+?^$()\[\]{}|\\/])", r"\1", form)


def _home_of(project: Project, path: str, name: str) -> str:
    """Return the folder that the framework is set up in: with its configuration, or a package.json that names it."""
    for place in PurePosixPath(path).parents:
        folder = "" if str(place) == "." else f"{place}/"
        if any(f"{folder}{name}.config.{end}" in project.files for end in _CONFIGURATIONS):
            return folder
        if f"{folder}package.json" in project.files and f'"{name}"' in project.read(f"{folder}package.json"):
            return folder
    return package_folder(project, path) or ""


def read_report(path: str, ran: Ran, report: str) -> Told:
    """Read the JSON that both write: titles, outcomes, and of each failing test its messages."""
    early = cut_short(ran.completed)
    if early is not None:
        return Told(early.outcome, early.summary, {}, ran.output)
    try:
        data = cast("object", json.loads(report))
    except ValueError:
        return Told(Outcome.ERROR, _last_line(ran.output) or "it did not start", {}, ran.output)
    suites = cast("dict[str, object]", data).get("testResults") if isinstance(data, dict) else None
    tests: dict[str, Outcome] = {}
    sections: list[str] = []
    broken = ""
    for suite in cast("list[dict[str, object]]", suites) if isinstance(suites, list) else []:
        if not str(suite.get("name", "")).endswith(path):
            continue
        cases = cast("list[dict[str, object]]", suite.get("assertionResults") or [])
        for case in cases:
            outcome = _OUTCOMES.get(str(case.get("status")))
            if outcome is None:
                continue
            around = [str(title) for title in cast("list[object]", case.get("ancestorTitles") or []) if title]
            title = str(case.get("title"))
            group = BETWEEN.join(around)
            tests[f"{path}::{group}::{title}" if group else f"{path}::{title}"] = outcome
            if outcome is Outcome.FAILED:
                messages = cast("list[object]", case.get("failureMessages") or [])
                said = "\n".join(map(_plain, map(str, messages))).strip()
                sections.append(f"● {BETWEEN.join((*around, title))}\n\n{said}")
        if not cases:
            broken = _plain(str(suite.get("message") or "")).strip()
    log = "\n\n".join(sections)
    if not tests:
        text = broken or _COLOUR.sub("", ran.output).strip()
        outcome = Outcome.ERROR if broken or ran.completed.code else Outcome.NOT_RUN
        return Told(outcome, f"the test does not load: {_first_line(text)}"[:300], {}, text)
    passed = all(outcome is Outcome.PASSED for outcome in tests.values())
    return Told(Outcome.PASSED if passed else Outcome.FAILED, counted(tests), tests, log)


def _plain(message: str) -> str:
    """Take out colours and the frames that are not the project's."""
    return _FOREIGN_FRAME.sub("", _COLOUR.sub("", message) + "\n").rstrip()


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no test was found")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in _COLOUR.sub("", text).splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
