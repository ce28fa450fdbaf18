"""What writing tests needs to know of a test framework, and the pieces that a file of tests consists of."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from ensemble_lsp.core.evidence import Outcome

_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})([^\n]*)\n(.*?)(?:^[ \t]*\2[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)

MOST_TESTS = 20
"""Tests read of one answer; what comes after them is left out."""

_LONGEST_MODULE = 40_000
"""Characters; a longer answer is not one of tests."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One test. `text` is its source as it stands in its group; `group` the class or suites around it, "" for none."""

    name: str
    text: str
    group: str = ""

    @property
    def id_in(self) -> str:
        """What names it within its file: `Group::name`."""
        return f"{self.group}::{self.name}" if self.group else self.name


@dataclass(frozen=True, slots=True)
class Group:
    """A class or suite of tests without its tests: its first lines, what its tests share, its last lines."""

    name: str
    head: str
    shared: str
    foot: str = ""
    inside: str = ""
    """The group around it, "" for none."""


@dataclass(frozen=True, slots=True)
class TestModule:
    """One answer: its imports, what its tests share (fixtures, constants, helpers), groups and tests."""

    __test__ = False

    imports: tuple[str, ...]
    shared: tuple[tuple[str, str], ...]
    """(name it defines or "", source) of everything else at the top level."""
    groups: tuple[Group, ...]
    units: tuple[Unit, ...]


Chosen = Sequence[tuple[TestModule, Sequence[Unit]]]
"""Which tests of which answers go into a file."""


class Framework(Protocol):
    """How tests of one file of code are written in one project: where they stand, in which form, how they are read."""

    @property
    def name(self) -> str:
        """ "pytest", "unittest", "vitest", "jest", "go test"."""
        ...

    @property
    def home(self) -> str:
        """The test file by the project's own layout; it may not exist yet."""
        ...

    @property
    def examples(self) -> tuple[str, ...]:
        """Test files near it, the nearest first: how tests look here."""
        ...

    @property
    def fence(self) -> str:
        """The language as a fence of Markdown names it."""
        ...

    @property
    def file_kind(self) -> str:
        """What a member is asked for: "Python module"."""
        ...

    @property
    def style(self) -> str:
        """How tests are to be written here, in words for a member."""
        ...

    @property
    def importing(self) -> str:
        """How a test reaches the code, in words for a member."""
        ...

    def count(self, text: str) -> int:
        """Return about how many tests a text holds, without parsing it."""
        ...

    def read(self, code: str) -> TestModule | str:
        """Take a file of tests apart; a string says why that cannot be done."""
        ...

    def names_in(self, code: str) -> frozenset[str]:
        """Return the names that a new test or group of the file must not have, with `code` in it."""
        ...

    def names_of(self, module: TestModule) -> frozenset[str]:
        """Return the names that an answer's tests and groups take up."""
        ...

    def renamed(self, module: TestModule, taken: Set[str]) -> TestModule:
        """Give tests and groups names that are not in `taken`, by a number at the end."""
        ...

    def composed(self, existing: str, chosen: Chosen) -> str:
        """Return the test file: `existing` as it is, with missing imports and the chosen tests. Lines end in LF."""
        ...

    def same_test(self, unit: Unit) -> str:
        """Return what is equal for tests that differ in their names, comments and layout only."""
        ...

    def by_unit(self, outcomes: Mapping[str, Outcome], units: Iterable[Unit]) -> dict[str, Outcome]:
        """Return the outcome of each test that ran, by `id_in`; of several cases, one that did not pass."""
        ...

    def failure_of(self, log: str, unit: Unit) -> str:
        """Return the part of a run's log that speaks of one test, else the end of it all; bounded."""
        ...

    def essence(self, failure: str) -> str:
        """Return the line of a failure that says what was expected and what came."""
        ...

    def is_broken(self, failure: str) -> bool:
        """Whether a failure looks as if the test could not pass with any code."""
        ...


@dataclass(frozen=True, slots=True)
class NoFramework:
    """Why no tests can be written for a file, and what to do about it."""

    reason: str
    hint: str


def module_in(reply: str, framework: Framework) -> str:
    """Return the code of an answer: the fence with the most tests, else the whole if it is code."""
    spoken = _THINKING.sub("", reply)
    fences = [_dedented(match) for match in _FENCE.finditer(spoken)]
    best = max(fences, key=framework.count, default="")
    if framework.count(best):
        return best[:_LONGEST_MODULE]
    return spoken[:_LONGEST_MODULE] if framework.count(spoken) and not fences else ""


def free_name(name: str, used: Set[str], form: str = "{name}_{number}") -> str:
    """Return the name, or the first one by `form` that is not used."""
    number = 2
    free = name
    # At most one turn per used name.
    while free in used:
        free = form.format(name=name, number=number)
        number += 1
    return free


def worst_of(found: Iterable[tuple[str, Outcome]]) -> dict[str, Outcome]:
    """Return one outcome for each name: of several, one that did not pass."""
    worst: dict[str, Outcome] = {}
    for name, outcome in found:
        if worst.get(name, Outcome.PASSED) is Outcome.PASSED:
            worst[name] = outcome
    return worst


def _dedented(match: re.Match[str]) -> str:
    indent = match.group(1)
    return "".join(line.removeprefix(indent) for line in match.group(4).splitlines(keepends=True))
