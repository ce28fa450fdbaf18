"""What a test run amounts to, from what it left behind."""

import json
from collections.abc import Mapping
from typing import Literal

import pytest

from ensemble_lsp.checks.run_outcomes import (
    cargo_tests,
    finished_files,
    go_tests,
    javascript_tests,
    of_exit_code,
    of_pytest,
)
from ensemble_lsp.checks.sandbox import Completed
from ensemble_lsp.checks.site import Ran
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank

A, B = "test_x.py::test_a", "test_x.py::test_b"


def _ran(
    *lines: Mapping[str, object],
    code: int | None = 0,
    ended: Literal["", "time", "memory"] = "",
    output: str = "",
    failed: str = "",
) -> Ran:
    completed = Completed(code, output.encode(), b"", 1.0, ended, failed)
    return Ran(completed, output, output, "\n".join(json.dumps(line) for line in lines))


def test_all_passed() -> None:
    verdict = of_pytest(_ran({"start": A}, {"id": A, "outcome": "passed"}, {"exit": 0}))
    assert (verdict.outcome, verdict.summary, verdict.tests) == (
        Outcome.PASSED,
        "1 passed",
        {A: Outcome.PASSED},
    )


def test_some_failed() -> None:
    lines = ({"id": A, "outcome": "passed"}, {"id": B, "outcome": "failed", "when": "call"}, {"exit": 1})
    verdict = of_pytest(_ran(*lines, code=1))
    assert (verdict.outcome, verdict.summary) == (Outcome.FAILED, "1 passed, 1 failed")


def test_skipped_tests_neither_pass_nor_fail() -> None:
    verdict = of_pytest(_ran({"id": A, "outcome": "skipped"}, {"exit": 0}))
    assert (verdict.outcome, verdict.tests) == (Outcome.NOT_RUN, {})


def test_code_that_leaves_the_process_has_not_passed() -> None:
    """`os._exit(0)` in a candidate must not look like success."""
    verdict = of_pytest(_ran({"id": A, "outcome": "passed"}, {"start": B}, code=0))
    assert verdict.outcome is Outcome.FAILED
    assert verdict.tests[B] is Outcome.FAILED


def test_a_run_that_hangs_names_the_test_it_hung_in() -> None:
    verdict = of_pytest(_ran({"id": A, "outcome": "passed"}, {"start": B}, code=None, ended="time"))
    assert verdict.outcome is Outcome.TIMED_OUT
    assert verdict.tests == {A: Outcome.PASSED, B: Outcome.TIMED_OUT}
    assert verdict.summary.endswith(B)


def test_a_file_that_cannot_be_collected_fails_without_being_a_test() -> None:
    verdict = of_pytest(_ran({"broken": "test_x.py", "text": "E   NameError: x"}, {"exit": 2}, code=2))
    assert (verdict.outcome, verdict.tests) == (Outcome.FAILED, {})
    assert "test_x.py cannot be collected: E   NameError: x" in verdict.summary


def test_without_pytest_it_is_the_tool_that_is_at_fault() -> None:
    verdict = of_pytest(_ran(code=1, output="/usr/bin/python3: No module named pytest\n"))
    assert (verdict.outcome, verdict.summary) == (Outcome.ERROR, "/usr/bin/python3: No module named pytest")


def test_no_tests_is_no_verdict() -> None:
    assert of_pytest(_ran({"exit": 5}, code=5)).outcome is Outcome.NOT_RUN


def test_a_last_line_cut_off_is_passed_over() -> None:
    ran = _ran({"id": A, "outcome": "passed"}, code=-9)
    ran = Ran(ran.completed, ran.output, ran.stdout, ran.results + '\n{"id": "test_x')
    assert of_pytest(ran).tests == {A: Outcome.PASSED}


@pytest.mark.parametrize(
    ("ran", "outcome", "summary"),
    [
        (_ran(output="ok\n"), Outcome.PASSED, "ok"),
        (_ran(code=2, output="a\nboom\n"), Outcome.FAILED, "exit code 2: boom"),
        (_ran(code=-11), Outcome.FAILED, "signal 11"),
        (_ran(code=None, ended="memory"), Outcome.FAILED, "stopped: it used too much memory"),
        (_ran(code=None, failed="not found: x"), Outcome.ERROR, "not found: x"),
    ],
)
def test_commands_are_judged_by_their_exit_code(ran: Ran, outcome: Outcome, summary: str) -> None:
    verdict = of_exit_code(ran)
    assert (verdict.outcome, verdict.summary) == (outcome, summary)


def _timed_out(*tests: str) -> Evidence:
    outcomes = dict.fromkeys(tests[:-1], Outcome.PASSED) | {tests[-1]: Outcome.TIMED_OUT}
    return Evidence(
        witness="pytest",
        rank=Rank.EXECUTED,
        target="test_a.py test_b.py test_c.py",
        outcome=Outcome.TIMED_OUT,
        summary="no end after 40 s",
        tests=outcomes,
    )


def test_a_suite_that_takes_too_long_is_narrowed_to_the_files_it_got_through() -> None:
    told = _timed_out("test_a.py::one", "test_a.py::two", "test_b.py::one")
    narrowed = finished_files(told, ["test_a.py", "test_b.py", "test_c.py"])
    assert narrowed is not None
    files, evidence = narrowed
    assert (files, evidence.target, evidence.outcome) == (("test_a.py",), "test_a.py", Outcome.PASSED)
    assert evidence.summary == "2 passed; 2 more test files take too long"
    assert set(evidence.tests) == {"test_a.py::one", "test_a.py::two"}


def test_a_suite_that_hangs_in_its_first_file_stays_as_it_is() -> None:
    assert finished_files(_timed_out("test_a.py::one", "test_a.py::two"), ["test_a.py", "test_b.py"]) is None


def test_rusts_test_lines() -> None:
    output = "running 3 tests\ntest tests::a ... ok\ntest tests::b ... FAILED\ntest tests::c ... ignored\n"
    assert cargo_tests(output) == {"tests::a": Outcome.PASSED, "tests::b": Outcome.FAILED}


def test_gos_events() -> None:
    events = [
        {"Action": "run", "Package": "m/p", "Test": "TestA"},
        {"Action": "pass", "Package": "m/p", "Test": "TestA"},
        {"Action": "fail", "Package": "m/p", "Test": "TestB"},
        {"Action": "skip", "Package": "m/p", "Test": "TestC"},
        {"Action": "fail", "Package": "m/p"},
    ]
    output = "\n".join(map(json.dumps, events)) + "\nnot json\n"
    assert go_tests(output) == {"m/p::TestA": Outcome.PASSED, "m/p::TestB": Outcome.FAILED}


def test_jests_and_vitests_report() -> None:
    report = {
        "testResults": [
            {
                "name": "a.test.ts",
                "assertionResults": [
                    {"fullName": "sum adds", "status": "passed"},
                    {"fullName": "sum carries", "status": "failed"},
                    {"fullName": "later", "status": "pending"},
                ],
            }
        ]
    }
    assert javascript_tests(json.dumps(report)) == {
        "a.test.ts::sum adds": Outcome.PASSED,
        "a.test.ts::sum carries": Outcome.FAILED,
    }
    assert javascript_tests("no report") == {}
