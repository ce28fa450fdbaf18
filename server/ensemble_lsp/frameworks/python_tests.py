"""pytest and unittest: one way to take a module of tests apart, two to write one."""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Literal

from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.ensemble.framework import Chosen, TestModule, Unit, worst_of
from ensemble_lsp.ensemble.prompts.attacking import importing
from ensemble_lsp.frameworks import python_units
from ensemble_lsp.frameworks.failures import bounded_end, section_of
from ensemble_lsp.frameworks.missing_imports import with_missing_imports
from ensemble_lsp.frameworks.project import ProjectFiles
from ensemble_lsp.frameworks.python_home import is_module_of_tests, python_home

_PYTEST_SECTION = re.compile(r"^_{3,} (?P<name>.+?) _{3,}$", re.MULTILINE)
_UNITTEST_SECTION = re.compile(r"^={20,}\n(?:FAIL|ERROR): (?P<name>.+)\n(?:.*\n)?-{20,}$", re.MULTILINE)
_BROKEN = re.compile(r"\b(NameError|ImportError|ModuleNotFoundError|SyntaxError)\b|fixture '\w+' not found")
_TEST = re.compile(r"^[ \t]*(?:async[ \t]+)?def test", re.MULTILINE)
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit)\b.*$", re.MULTILINE)
_CUT_OFF_LINES = 3
"""Of an answer that met the limit of its length; small models write until they meet it."""
_STYLES: dict[str, str] = {
    "pytest": "Write pytest functions with plain asserts.",
    "unittest": "Write one unittest.TestCase class with test methods, as the existing tests do.",
}


@dataclass(frozen=True, slots=True)
class PythonTests:
    """Tests of one Python file."""

    name: Literal["pytest", "unittest"]
    home: str
    path: str
    examples: tuple[str, ...] = ()
    fence: str = "python"
    file_kind: str = "Python module"
    defined: frozenset[str] = frozenset()
    """What the code defines at its top level."""

    @property
    def style(self) -> str:
        """Functions, or a class of methods."""
        return _STYLES[self.name]

    @property
    def importing(self) -> str:
        """The module's name, as its path below the root has it."""
        return importing(self.path)

    def count(self, text: str) -> int:
        """Count definitions of tests."""
        return len(_TEST.findall(text))

    def read(self, code: str) -> TestModule | str:
        """Take a module apart; one that was cut off in its last statement, without that."""
        read = python_units.read_tests(code)
        lines = code.rstrip().split("\n")
        for kept in range(len(lines) - 1, max(0, len(lines) - 1 - _CUT_OFF_LINES), -1):
            if not isinstance(read, str):
                break
            shorter = python_units.read_tests("\n".join(lines[:kept]) + "\n")
            read = read if isinstance(shorter, str) else shorter
        return read

    def names_in(self, code: str) -> frozenset[str]:
        """Return what the module defines."""
        return python_units.names_in(code)

    def names_of(self, module: TestModule) -> frozenset[str]:
        """Return functions and classes of tests."""
        groups = {group.name for group in module.groups}
        return frozenset({unit.name for unit in module.units if not unit.group} | groups)

    def renamed(self, module: TestModule, taken: Set[str]) -> TestModule:
        """Give functions and classes other names."""
        return python_units.renamed(module, taken)

    def composed(self, existing: str, chosen: Chosen) -> str:
        """Put imports below the ones there, those that were forgotten among them, and the tests at the end."""
        completed = [
            (with_missing_imports(module, units, existing, path=self.path, defined=self.defined), units)
            for module, units in chosen
        ]
        return python_units.composed(existing, completed)

    def same_test(self, unit: Unit) -> str:
        """Compare by the syntax tree."""
        return python_units.same_test(unit)

    def by_unit(self, outcomes: Mapping[str, Outcome], units: Iterable[Unit]) -> dict[str, Outcome]:
        """Take the file and the parameters off pytest's ids."""
        known = {unit.id_in for unit in units}
        ends = ((name.partition("::")[2].partition("[")[0], outcome) for name, outcome in outcomes.items())
        return worst_of((name, outcome) for name, outcome in ends if name in known)

    def failure_of(self, log: str, unit: Unit) -> str:
        """Find the section of a test, of pytest's or of unittest's."""

        def speaks_of(name: str) -> bool:
            own = name.partition(" (")[0].partition("[")[0].rpartition(".")[2]
            return own == unit.name and (not unit.group or unit.group in name)

        for sections in (_PYTEST_SECTION, _UNITTEST_SECTION):
            found = section_of(log, sections, speaks_of)
            if found:
                return found.partition("\n====")[0].strip()
        return bounded_end(log)

    def essence(self, failure: str) -> str:
        """Return what pytest marks with an E, or the exception's own line."""
        marked = next((line[1:].strip() for line in failure.splitlines() if line.startswith("E ")), "")
        raised = _RAISED.findall(failure)
        return (marked or (raised[-1] if raised else "") or failure.strip().rpartition("\n")[2])[:300]

    def is_broken(self, failure: str) -> bool:
        """Whether a name or a module is missing."""
        return bool(_BROKEN.search(failure))


def find_python(project: ProjectFiles) -> PythonTests:
    """Return the framework that the file which is added to is written in, else that of most tests around it."""
    home = python_home(project.path, project.files)
    others = [name for name in project.files if is_module_of_tests(name) and name != home]
    near = tuple(project.nearest(others, to=home))
    defined = python_units.names_in(project.read(project.path))
    for names in ((home,), near):
        texts = [project.read(name) for name in names if name in project.files]
        cases = sum("TestCase" in text for text in texts)
        functions = sum("TestCase" not in text and "def test" in text for text in texts)
        if cases or functions:
            name = "unittest" if cases > functions else "pytest"
            return PythonTests(name, home, project.path, near, defined=defined)
    return PythonTests("pytest", home, project.path, near, defined=defined)
