"""Go's own tests: how those of one file are written, read and put together, in the package that tests stand in."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import PurePosixPath

from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.ensemble.framework import Chosen, NoFramework, TestModule, Unit, worst_of
from ensemble_lsp.frameworks import go_units
from ensemble_lsp.frameworks.failures import bounded_end, section_of
from ensemble_lsp.frameworks.project import ProjectFiles

_TEST = re.compile(r"^func Test(?![a-z])\w*\s*\(", re.MULTILINE)
_SECTION = re.compile(r"^--- (?:FAIL|TIMED OUT): (?P<name>\S+)$", re.MULTILINE)
_SAID = re.compile(r"^\s*\S+_test\.go:\d+: *(.+)$", re.MULTILINE)
_PANIC = re.compile(r"^\s*(panic: .+)$", re.MULTILINE)
_DIFFERENCE = re.compile(r"^\s*(Error|expected|actual) *: *(.+)$", re.MULTILINE)
_FRAME = re.compile(r"^\s+([^\s/]\S*\.go):\d+", re.MULTILINE)
"""The places of a panic's stack that lie in the project."""
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_TESTIFY = "github.com/stretchr/testify"


@dataclass(frozen=True, slots=True)
class GoTests:
    """Tests of one Go file; `package` is the one they stand in, `imports` the path of the code's if that is another."""

    home: str
    path: str
    package: str
    imports: str = ""
    tables: bool = False
    testify: bool = False
    taken: frozenset[str] = frozenset()
    """What other files of the package define."""
    examples: tuple[str, ...] = ()
    name: str = "go test"
    fence: str = "go"
    file_kind: str = "Go test file"

    @property
    def style(self) -> str:
        """Functions, tables, testify."""
        compares = (
            "Use testify's assert and require, as the other tests do."
            if self.testify
            else ('Compare by hand and say both values: t.Errorf("Total(%v) = %d, want %d", in, got, want).')
        )
        tables = " Cases that differ in their values only go into a table with t.Run." if self.tables else ""
        return f"Write functions `func TestXxx(t *testing.T)`. {compares}{tables}"

    @property
    def importing(self) -> str:
        """The package clause, and what it means for names."""
        clause = f"The file is {self.home} and begins with `package {self.package}`"
        if self.imports:
            return f'{clause}; it imports "{self.imports}" and reaches exported names only.'
        return f"{clause}, the package of the code, which is not imported."

    def count(self, text: str) -> int:
        """Count functions of tests."""
        return len(_TEST.findall(text))

    def read(self, code: str) -> TestModule | str:
        """Take a file apart."""
        return go_units.read_go(code, self.package)

    def names_in(self, code: str) -> frozenset[str]:
        """Return what the file and the rest of its package define."""
        return go_units.names_in(code) | self.taken

    def names_of(self, module: TestModule) -> frozenset[str]:
        """Return the functions."""
        return frozenset(unit.name for unit in module.units)

    def renamed(self, module: TestModule, taken: Set[str]) -> TestModule:
        """Give functions other names."""
        return go_units.renamed(module, taken)

    def composed(self, existing: str, chosen: Chosen) -> str:
        """Put imports among those there that are used, and the tests at the end."""
        return go_units.composed(existing, self.package, self.names_in(existing), chosen)

    def same_test(self, unit: Unit) -> str:
        """Compare by the tokens."""
        return go_units.same_test(unit)

    def by_unit(self, outcomes: Mapping[str, Outcome], units: Iterable[Unit]) -> dict[str, Outcome]:
        """Take the file off; what is run by t.Run counts with its test."""
        known = {unit.name for unit in units}
        ends = ((name.rpartition("::")[2].partition("/")[0], outcome) for name, outcome in outcomes.items())
        return worst_of((name, outcome) for name, outcome in ends if name in known)

    def failure_of(self, log: str, unit: Unit) -> str:
        """Find the section of a test."""
        return section_of(log, _SECTION, lambda name: name == unit.name) or bounded_end(log)

    def essence(self, failure: str) -> str:
        """Return a panic, what testify compared, or what the test itself said first."""
        panic = _PANIC.search(failure)
        if panic is not None:
            return panic.group(1)[:300]
        compared = {key: value.strip() for key, value in _DIFFERENCE.findall(failure)}
        if {"expected", "actual"} <= compared.keys():
            return f"expected {compared['expected']}, actual {compared['actual']}"[:300]
        said = _SAID.search(failure)
        return (said.group(1) if said is not None else failure.strip().partition("\n")[0])[:300]

    def is_broken(self, failure: str) -> bool:
        """Whether it panics in the test itself: what names something missing did not compile."""
        places = _FRAME.findall(failure)
        return _PANIC.search(failure) is not None and bool(places) and all(map(_is_test, places))


def _is_test(path: str) -> bool:
    return path.endswith("_test.go")


def find_go(project: ProjectFiles) -> GoTests | NoFramework:
    """Return how the package's tests are written: in its own package or in the one beside it."""
    module = next((folder for folder in project.folders_above() if f"{folder}go.mod" in project.files), None)
    if module is None:
        return NoFramework(
            f"no go.mod stands above {project.path}, so its tests cannot be run",
            "Make one with `go mod init`, in the folder that the module begins in.",
        )
    code = PurePosixPath(project.path)
    home = str(code.with_name(f"{code.stem}_test.go"))
    package = go_units.package_in(project.read(project.path)) or "main"
    beside = [
        name for name in project.files if name.endswith(".go") and PurePosixPath(name).parent == code.parent
    ]
    tests = sorted(name for name in beside if name.endswith("_test.go"))
    shown = [home] if home in tests else tests
    votes = Counter(go_units.package_in(project.read(name)) for name in shown)
    chosen = votes.most_common(1)[0][0] if votes else package
    others = [name for name in project.files if name.endswith("_test.go") and name != home]
    examples = tuple(project.nearest(others, to=home))
    texts = [project.read(name) for name in dict.fromkeys((*shown, *examples)) if name in project.files]
    named = _MODULE.search(project.read(f"{module}go.mod"))
    inner = str(code.parent.relative_to(module or "."))
    path = "/".join(part for part in (named.group(1) if named else "", inner) if part not in {"", "."})
    return GoTests(
        home,
        project.path,
        chosen,
        imports=path if chosen != package else "",
        tables=any("t.Run(" in text for text in texts),
        testify=any(_TESTIFY in text for text in texts),
        taken=frozenset[str]().union(
            *(
                go_units.names_in(project.read(name))
                for name in beside
                if name != home and go_units.package_in(project.read(name)) == chosen
            )
        ),
        examples=examples,
    )
