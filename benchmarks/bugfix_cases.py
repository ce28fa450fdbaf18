"""Small programs with one known bug: reading the set, laying a case out as a workspace, judging a fix.

The set is a JSONL file given by path, one object a line: `id, source, language, path, symbol, buggy, fixed,
bug_type, tests` (file name → text, run with pytest beside the program) and `visible_tests`, the part of the
tests that a person who reports the bug would have (the text of a test module without its imports, or empty).
"""

import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ensemble_lsp.checks.environment import allowed_environment, own_interpreter_paths
from ensemble_lsp.checks.sandbox import Limits, Sandbox, Shown

TEST_SECONDS = 10.0
"""A test run that takes longer is a failure: several of the bugs are endless loops."""


class Seen(StrEnum):
    """Which tests lie in the workspace."""

    TESTS = "tests"
    """All of them, the ones that judge as well."""
    VISIBLE = "visible"
    """Only the visible part; a fix that passes it and fails the rest is a false accept."""


class Case(BaseModel):
    """One buggy program with its tests."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    path: str
    symbol: str
    buggy: str
    fixed: str
    tests: dict[str, str]
    visible_tests: str = ""

    def seen_tests(self, seen: Seen) -> Mapping[str, str]:
        """Return the test files that lie in the workspace; empty when the case has no visible part."""
        if seen is Seen.TESTS:
            return self.tests
        module = Path(self.path).stem
        if self.visible_tests.strip():
            text = f"from {module} import *\nfrom {module} import {self.symbol}\n\n\n{self.visible_tests}"
            return {f"test_{module}.py": f"{text}\n\ndef test_visible():\n    check({self.symbol})\n"}
        data = self.tests.get("cases.json")
        if data is None:
            return {}
        listed: list[object] = json.loads(data)
        third = max(1, len(listed) // 3)
        return {**self.tests, "cases.json": json.dumps(listed[:third])}


def read_cases(path: Path) -> tuple[Case, ...]:
    """Read the set; raises `SystemExit` with the line that is wrong."""
    cases: list[Case] = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                cases.append(Case.model_validate_json(line))
            except ValueError as problem:
                raise SystemExit(f"{path}:{number}: {problem}") from problem
    return tuple(cases)


def choose(cases: Sequence[Case], count: int | None, seed: int, seen: Seen) -> tuple[Case, ...]:
    """Draw `count` cases that have the tests asked for (all when None), in an order that `seed` fixes."""
    usable = [case for case in cases if case.seen_tests(seen)]
    random.Random(seed).shuffle(usable)  # noqa: S311  (a drawing of lots)
    return tuple(usable[:count])


def lay_out(case: Case, directory: Path, seen: Seen) -> None:
    """Write the buggy program and the tests that are seen into an empty folder."""
    (directory / case.path).write_text(case.buggy, encoding="utf-8")
    for name, text in case.seen_tests(seen).items():
        (directory / name).write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Judge:
    """Runs tests against a program text in the product's own sandbox, each time in a new folder."""

    sandbox: Sandbox

    async def passes(self, case: Case, program: str, seen: Seen = Seen.TESTS) -> bool:
        """Say whether `program` passes the tests (by default all of them) within their time."""
        with tempfile.TemporaryDirectory(prefix="judge-") as name:
            place = Path(name)
            work = place / "work"
            for folder in (work, place / "home", place / "staging"):
                folder.mkdir()
            (work / case.path).write_text(program, encoding="utf-8")
            for file, text in case.seen_tests(seen).items():
                (work / file).write_text(text, encoding="utf-8")
            done = await self.sandbox.run(
                [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "."],
                directory=work,
                environment=allowed_environment(home=str(place / "home"), temporary=str(place / "home"))
                # The cases need no plugins, and loading those that happen to be installed takes seconds.
                | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                shown=[
                    Shown.in_place(work, writable=True),
                    Shown.in_place(place / "home", writable=True),
                    *(Shown.in_place(path) for path in own_interpreter_paths()),
                ],
                staging=place / "staging",
                limits=Limits(seconds=TEST_SECONDS, memory_bytes=2 << 30, processes=64),
            )
            if done.failed:
                raise SystemExit(f"the tests cannot be run: {done.failed}")
            return done.code == 0
