"""How files of tests are run, and what is read of what the frameworks leave behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ensemble_lsp.checks.run_outcomes import read_results
from ensemble_lsp.checks.sandbox import Completed
from ensemble_lsp.checks.site import PLUGIN_FOLDER, Ran
from ensemble_lsp.checks.test_runners.go import Heard
from ensemble_lsp.checks.test_runners.script import read_report
from ensemble_lsp.core.evidence import Outcome

CASES = """\
import time
import unittest


class TestPrices(unittest.TestCase):
    def test_right(self):
        self.assertEqual(1, 1)

    def test_wrong(self):
        self.assertEqual(1, 2)

    def test_parts(self):
        for number in (1, 2, 3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 2)

    def test_endless(self):
        time.sleep(600)

    @unittest.skip("not here")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_known(self):
        self.fail("known")


class TestSetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no disk")

    def test_never(self):
        pass
"""


def unittest_run(folder: Path, path: str, *only: str) -> tuple[str, str, int]:
    """Return what our runner of unittest wrote, what it printed, and its exit code."""
    results = folder / "results"
    results.unlink(missing_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(PLUGIN_FOLDER),
        "ENSEMBLE_RESULTS": str(results),
        "ENSEMBLE_TEST_SECONDS": "0.5",
    }
    ran = subprocess.run(
        [sys.executable, "-m", "ensemble_unittest", path, *only],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return results.read_text(encoding="utf-8"), ran.stderr, ran.returncode


def test_cases_of_unittest_are_told_like_those_of_pytest(tmp_path: Path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/__init__.py").touch()
    (tmp_path / "tests/test_prices.py").write_text(CASES, encoding="utf-8")
    text, printed, code = unittest_run(tmp_path, "tests/test_prices.py")
    told = read_results(text)

    prefix = "tests/test_prices.py::TestPrices::test_"
    assert told.tests == {
        f"{prefix}right": Outcome.PASSED,
        f"{prefix}wrong": Outcome.FAILED,
        f"{prefix}parts": Outcome.FAILED,
        f"{prefix}endless": Outcome.TIMED_OUT,
        f"{prefix}known": Outcome.PASSED,
    }
    assert (told.skipped, told.exit, code) == (1, 1, 1)
    assert "FAIL: test_wrong (tests.test_prices.TestPrices" in printed
    assert "AssertionError: 1 != 2" in printed
    assert "OSError: no disk" in printed


def test_cases_are_chosen_by_class_and_name(tmp_path: Path):
    (tmp_path / "test_prices.py").write_text(CASES, encoding="utf-8")
    text, _, code = unittest_run(tmp_path, "test_prices.py", "TestPrices.test_right")

    assert read_results(text).tests == {"test_prices.py::TestPrices::test_right": Outcome.PASSED}
    assert code == 0


def test_a_file_that_does_not_load_is_broken(tmp_path: Path):
    (tmp_path / "test_prices.py").write_text("import prices\n", encoding="utf-8")
    text, _, code = unittest_run(tmp_path, "test_prices.py")

    broken = {"test_prices.py": "ModuleNotFoundError: No module named 'prices'"}
    assert (read_results(text).broken, code) == (broken, 2)


def ran(output: str = "", code: int | None = 1) -> Ran:
    return Ran(Completed(code, output.encode(), b"", 1.0), output, output, "")


def case(status: str, title: str, *around: str, messages: list[str] | None = None) -> dict[str, object]:
    """Return one test as the report of jest and vitest has it."""
    return {
        "ancestorTitles": list(around),
        "title": title,
        "status": status,
        "failureMessages": messages or [],
    }


def test_jests_report_becomes_outcomes_and_a_section_for_each_failure():
    message = (
        "Error: expect(received).toBe(expected)\n\nExpected: \x1b[32m4\x1b[39m\nReceived: \x1b[31m3\x1b[39m\n"
        "    at Object.toBe (lib/cart.test.js:6:29)\n"
        "    at Promise.finally.completed (node_modules/jest-circus/build/jestAdapterInit.js:1834:28)\n"
        "    at new Promise (<anonymous>)\n"
    )
    failing = case("failed", "adds", "total", "of many", messages=[message])
    passing = case("passed", "it stands alone")
    pending = case("pending", "later")
    suites: list[dict[str, object]] = [
        {"name": "lib/cart.test.js", "assertionResults": [failing, passing, pending], "message": ""},
        {"name": "lib/other.test.js", "assertionResults": [passing], "message": ""},
    ]
    told = read_report("lib/cart.test.js", ran(), json.dumps({"testResults": suites}))

    assert told.tests == {
        "lib/cart.test.js::total > of many::adds": Outcome.FAILED,
        "lib/cart.test.js::it stands alone": Outcome.PASSED,
    }
    assert (told.outcome, told.summary) == (Outcome.FAILED, "1 passed, 1 failed")
    assert told.log == (
        "● total > of many > adds\n\nError: expect(received).toBe(expected)\n\nExpected: 4\nReceived: 3\n"
        "    at Object.toBe (lib/cart.test.js:6:29)"
    )


@pytest.mark.parametrize(
    ("report", "output", "outcome", "summary"),
    [
        ({"name": "a.test.js", "message": "\n  Cannot find './b'\n"}, "", Outcome.ERROR, "Cannot find './b'"),
        (None, "Error: no config\n", Outcome.ERROR, "Error: no config"),
        ({"name": "a.test.js", "message": ""}, "", Outcome.ERROR, "no test was found"),
    ],
)  # fmt: skip
def test_a_script_that_does_not_load_says_why(
    report: dict[str, object] | None, output: str, outcome: Outcome, summary: str
):
    text = json.dumps({"testResults": [{**report, "assertionResults": []}]}) if report else ""
    told = read_report("a.test.js", ran(output), text)

    assert (told.outcome, told.tests) == (outcome, {})
    assert summary in told.summary


def heard(*runs: str) -> Heard:
    found = Heard()
    for output in runs:
        found.take(output.replace("^", "\x16"))
    return found


PANICS = """\
^=== RUN   TestA
^--- PASS: TestA (0.00s)
^=== NAME
^=== RUN   TestB
panic: runtime error: index out of range [0] [recovered]

goroutine 7 [running]:
testing.tRunner.func1.2({0x5111e0, 0xc00001a0d8})
\t/usr/lib/go/src/testing/testing.go:1545 +0x238
example.org/shop/cart.Total({0x0?, 0x0?})
\tcart/cart.go:9 +0x9
example.org/shop/cart.TestB(0xc000007a00)
\tcart/cart_test.go:21 +0x18
"""


def test_a_test_of_go_that_panics_has_the_projects_part_of_the_stack():
    told = heard(PANICS, "^=== RUN   TestC\n^--- SKIP: TestC (0.00s)\n").told("cart/cart_test.go", ran())

    assert told.tests == {
        "cart/cart_test.go::TestA": Outcome.PASSED,
        "cart/cart_test.go::TestB": Outcome.FAILED,
    }
    assert told.log == (
        "--- FAIL: TestB\npanic: runtime error: index out of range [0] [recovered]\n\n"
        "example.org/shop/cart.Total\n\tcart/cart.go:9\nexample.org/shop/cart.TestB\n\tcart/cart_test.go:21"
    )


def test_a_test_of_go_without_end_is_the_one_that_ran():
    late = "^=== RUN   TestA\n^=== RUN   TestA/x\npanic: test timed out after 10s\n"
    told = heard(late).told("a_test.go", ran())

    assert told.tests == {"a_test.go::TestA": Outcome.TIMED_OUT}


def test_what_tests_of_go_print_does_not_make_an_outcome():
    told = heard("^=== RUN   TestA\n--- PASS: TestB (0.00s)\n^--- FAIL: TestA (0.00s)\n").told(
        "a_test.go", ran()
    )

    assert told.tests == {"a_test.go::TestA": Outcome.FAILED}
    assert told.log == "--- FAIL: TestA\n--- PASS: TestB (0.00s)"
