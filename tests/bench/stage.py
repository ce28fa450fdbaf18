"""A benchmark on a small stage: three programs with one bug each, and members on a fake server that know them."""

import contextlib
import io
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ensemble_lsp.bench.record import FILE_NAME
from ensemble_lsp.cli.app import invoke
from tests.cli.conftest import ServerThread
from tests.support.fake_model_server import Answer, Recorded
from tests.support.shop import members

GOOD = "good"
"""A member that mends whatever it is shown, and sees every bug."""
BAD = "bad"
"""A member whose changes are wrong, and which sees nothing."""

_PROGRAM = '"""A small program."""\n\n\ndef {name}(values):\n    """{doc}"""\n{body}\n    return result\n'


@dataclass(frozen=True, slots=True)
class Program:
    """One case of the set."""

    name: str
    buggy: str
    fixed: str
    line: str
    """The line with the bug."""
    tests: str

    @property
    def function(self) -> str:
        """The function without its bug."""
        return self.fixed[self.fixed.index("def ") :]

    @property
    def wrong(self) -> str:
        """The function with another bug."""
        return self.buggy[self.buggy.index("def ") :].replace("return result", "return [result]")


def _program(name: str, doc: str, lines: tuple[str, str], *, rest: str, tests: str) -> Program:
    before, after = lines
    return Program(
        name=name,
        buggy=_PROGRAM.format(name=name, doc=doc, body=rest.format(before)),
        fixed=_PROGRAM.format(name=name, doc=doc, body=rest.format(after)),
        line=before,
        tests=f"from {name} import {name}\n\n\ndef test_it():\n    assert {tests}\n",
    )


PROGRAMS = (
    _program(
        "total",
        "Return the sum.",
        ("result = value", "result += value"),
        rest="    result = 0\n    for value in values:\n        {}",
        tests="total([1, 2, 3]) == 6",
    ),
    _program(
        "largest",
        "Return the largest.",
        ("if value < result:", "if value > result:"),
        rest="    result = values[0]\n    for value in values:\n        {}\n            result = value",
        tests="largest([1, 3, 2]) == 3",
    ),
    _program(
        "count_even",
        "Count even numbers.",
        ("result += value % 2 == 1", "result += value % 2 == 0"),
        rest="    result = 0\n    for value in values:\n        {}",
        tests="count_even([2, 4, 5]) == 2",
    ),
)

HARD = _program(
    "middle",
    "Return the middle one of the sorted values.",
    ("result = 0", "result = sorted(values)[len(values) // 2]"),
    rest="    {}",
    tests="middle([9, 1, 5]) == 5 and middle([8, 3, 7, 6, 4]) == 6",
)
"""One that no small change of the code repairs."""


def program_in(request: Recorded) -> Program:
    """Return the program that a question is about."""
    return next(program for program in (*PROGRAMS, HARD) if f"def {program.name}(" in request.prompt)


def schema_of(request: Recorded) -> str:
    """Return the form that an answer is held to, "" where there is none."""
    return json.dumps(request.body.get("response_format", ""))


def knowing(request: Recorded) -> Answer:
    """Answer as the member's name says."""
    program, schema = program_in(request), schema_of(request)
    if '"choice"' in schema:
        return Answer(text=json.dumps({"choice": "A", "reason": "It reads well."}))
    if '"verdicts"' in schema:
        return Answer(text=json.dumps({"verdicts": []}))
    if '"findings"' in schema:
        seen = request.model == GOOD and program.line in request.prompt
        return Answer(text=json.dumps({"findings": [finding(program)] if seen else []}))
    function = program.function if request.model == GOOD else program.wrong
    return Answer(text=f"The loop is wrong.\n\n```python\n{function}```\n")


def finding(program: Program) -> dict[str, object]:
    """Return a finding about the bug of a program."""
    line = 1 + next(n for n, text in enumerate(program.buggy.split("\n")) if program.line in text)
    return {
        "path": f"{program.name}.py",
        "line": line,
        "end_line": line,
        "quote": program.line,
        "severity": "critical",
        "category": "bug",
        "title": f"{program.name} goes wrong here",
        "detail": "The result is not what the docstring says.",
        "confidence": 0.75,
    }


def write_set(folder: Path, programs: Sequence[Program] = PROGRAMS) -> Path:
    """Write the set, in a folder that is a project of its own; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    lines = [
        json.dumps(
            {
                "id": f"toy/{program.name}",
                "path": f"{program.name}.py",
                "symbol": program.name,
                "buggy": program.buggy,
                "fixed": program.fixed,
                "tests": {f"test_{program.name}.py": program.tests},
            }
        )
        for program in programs
    ]
    file = folder / "toy.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, object]:
        """The JSON document on standard output."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Stage:
    """The command line in this process, beside the set and the members."""

    thread: ServerThread
    set: Path
    home: Path

    def run(self, subject: str, *arguments: str) -> Ran:
        """Run `ensemble-lsp bench SUBJECT SET ARGUMENTS --json`."""
        return self.run_without_set(subject, str(self.set), *arguments)

    def run_without_set(self, subject: str, *arguments: str) -> Ran:
        """Run the same where you are, on mutants of the project."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = invoke(["bench", subject, *arguments, "--json"])
        return Ran(code, out.getvalue(), err.getvalue())

    def seat(self, *names: str, **fields: object) -> None:
        """Let these members sit, each of a family of its own; `fields` are settings of them all."""
        tables = members(self.thread.base, names, **fields)
        (self.home / "config").mkdir(exist_ok=True)
        text = "".join(f"[[panel]]\n{_toml(table)}\n" for table in tables)
        (self.home / "config" / "config.toml").write_text(text, encoding="utf-8")

    def seat_strong(self, name: str) -> None:
        """Let a strong member sit beside the others."""
        (table,) = members(self.thread.base, [name])
        file = self.home / "config" / "config.toml"
        file.write_text(f"{file.read_text(encoding='utf-8')}\n[strong]\n{_toml(table)}\n", encoding="utf-8")

    def says(self, script: Callable[[Recorded], Answer]) -> None:
        """Let the members answer what a function makes of the question."""
        self.thread.server._script = script  # pyright: ignore[reportPrivateUsage]

    @property
    def asked(self) -> list[Recorded]:
        """The questions that were asked so far."""
        return list(self.thread.server.calls)

    def forget(self) -> None:
        """Forget what was asked."""
        self.thread.server.requests.clear()

    def record(self, directory: Path) -> list[dict[str, object]]:
        """Return the outcomes in a record."""
        lines = [json.loads(line) for line in (directory / FILE_NAME).read_text("utf-8").splitlines()]
        return [line["outcome"] for line in lines if "outcome" in line]


def set_stage(thread: ServerThread, home: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Put the set, two members and directories of its own in place."""
    monkeypatch.setenv("ENSEMBLE_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("ENSEMBLE_CACHE_DIR", str(home / "cache"))
    monkeypatch.setenv("ENSEMBLE_CONFIG_DIR", str(home / "config"))
    monkeypatch.setenv("ENSEMBLE_LOCAL_SERVERS", "")
    stage = Stage(thread, write_set(home / "programs"), home)
    stage.seat(GOOD, BAD)
    stage.says(knowing)
    stage.forget()
    return stage


class Gate:
    """Lets a number of questions through, and holds the others until the process that asks them ends."""

    def __init__(self, script: Callable[[Recorded], Answer], count: int) -> None:
        self._script = script
        self._left = count
        self.shut = threading.Event()

    def __call__(self, request: Recorded) -> Answer:
        """Answer, or never."""
        answer = self._script(request)
        if self._left == 0:
            self.shut.set()
            return answer.model_copy(update={"hang": "before"})
        self._left -= 1
        return answer


def _toml(table: dict[str, object]) -> str:
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in table.items())
