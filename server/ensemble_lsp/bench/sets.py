"""Sets of small programs with one known bug each, read from a JSONL file that is named by path.

One object a line; docs/bench-cases.md describes the form.
"""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.differing import differing_lines
from ensemble_lsp.core.errors import UsageError

MOST_BYTES = 256 << 20
"""A larger file is no set of small programs."""
_DATA = "cases.json"
"""A list of inputs and results that the tests read: its first third is the visible part."""
_JSON_LIST: TypeAdapter[list[object]] = TypeAdapter(list[object])


class Seen(StrEnum):
    """Which tests lie in the workspace that the panel gets."""

    TESTS = "tests"
    """All of them: the check is what judges."""
    VISIBLE = "visible"
    """A part; the judge runs all, so that a fix that passes the check can be wrong."""


class _Line(BaseModel):
    """One line of a set. Other fields are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    id: str
    path: str
    symbol: str = ""
    buggy: str
    fixed: str
    bug_type: str = ""
    tests: dict[str, str]
    visible_tests: str = ""

    def visible(self) -> Mapping[str, str]:
        """Return the test files of the visible part; empty when there is none."""
        module = PurePosixPath(self.path).stem
        if self.visible_tests.strip() and self.symbol:
            text = f"from {module} import *\nfrom {module} import {self.symbol}\n\n\n{self.visible_tests}"
            return {f"test_{module}.py": f"{text}\n\ndef test_visible():\n    check({self.symbol})\n"}
        data = self.tests.get(_DATA)
        if data is None:
            return {}
        listed = _JSON_LIST.validate_json(data)
        return {**self.tests, _DATA: json.dumps(listed[: max(1, len(listed) // 3)])}


def read_set(path: Path, seen: Seen = Seen.TESTS) -> tuple[BenchCase, ...]:
    """Return the cases of a set in its order; cases without a visible part are left out where that is asked for.

    Raises `UsageError` that names the line, what is wrong with it, and what is expected there.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path} has more than {MOST_BYTES >> 20} MB: no set of small programs")
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise UsageError(f"{path} is not UTF-8 (byte {problem.start})") from problem
    cases: list[BenchCase] = []
    lines_of: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        entry = _parsed(f"{path}:{number}", line)
        if entry.id in lines_of:
            raise UsageError(
                f"{path}:{number}: the id {entry.id!r} is that of line {lines_of[entry.id]}, too"
            )
        lines_of[entry.id] = number
        try:
            shown = entry.tests if seen is Seen.TESTS else entry.visible()
        except ValidationError as problem:
            raise UsageError(f"{path}:{number}: {_DATA} is no JSON list", hint=_EXPECTED) from problem
        if shown:
            cases.append(_case(entry, path.name, shown))
    if not lines_of:
        raise UsageError(f"{path} holds no case", hint="One JSON object a line: see docs/bench-cases.md.")
    return tuple(cases)


def clean_controls(cases: Iterable[BenchCase]) -> tuple[BenchCase, ...]:
    """Return the right program of each case as a case of its own, in which there is nothing to find."""
    return tuple(
        case.model_copy(
            update={
                "id": f"{case.id}/fixed",
                "files": {**case.files, case.path: case.original},
                "clean": True,
                "lines": (0, 0),
                "targets": (),
                "about": "the fixed program",
            }
        )
        for case in cases
        if not case.clean
    )


def _case(entry: _Line, source: str, shown: Mapping[str, str]) -> BenchCase:
    return BenchCase(
        id=entry.id,
        group=entry.id,
        source=source,
        files={**shown, entry.path: entry.buggy},
        path=entry.path,
        symbol=entry.symbol,
        original=entry.fixed,
        lines=differing_lines(entry.buggy, entry.fixed),
        judged_by=entry.tests,
        about=entry.bug_type,
    )


def _parsed(where: str, line: str) -> _Line:
    try:
        entry = _Line.model_validate_json(line)
    except ValidationError as problem:
        raise UsageError(f"{where}: {_first_problem(problem)}", hint=_EXPECTED) from problem
    for name in (entry.path, *entry.tests):
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
            raise UsageError(f"{where}: {name!r} is no relative path with forward slashes", hint=_EXPECTED)
    if entry.path in entry.tests:
        raise UsageError(f"{where}: {entry.path} is both the program and a test", hint=_EXPECTED)
    if not entry.tests:
        raise UsageError(f"{where}: tests is empty, so that no fix could be judged", hint=_EXPECTED)
    if entry.buggy == entry.fixed:
        raise UsageError(f"{where}: buggy and fixed are the same text", hint=_EXPECTED)
    return entry


_EXPECTED = (
    "A line is a JSON object with id, path, buggy, fixed and tests (file name → text); "
    "symbol, bug_type and visible_tests may be there, too."
)


def _first_problem(problem: ValidationError) -> str:
    first = problem.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"{field}: {first['msg']}" if field else first["msg"]
