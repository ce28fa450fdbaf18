"""The benchmark draws the same cases each time, judges by running, and counts fairly."""

import json
from pathlib import Path

import pytest

from benchmarks.bugfix_cases import Case, Judge, Seen, choose, lay_out, read_cases
from benchmarks.bugfix_figures import Outcome, compare, mcnemar, rows, table, wilson
from ensemble_lsp.checks.detection import detect

DOUBLE = Case(
    id="double",
    path="double.py",
    symbol="double",
    buggy="def double(n):\n    return n + 2\n",
    fixed="def double(n):\n    return n * 2\n",
    tests={"test_double.py": "from double import double\n\n\ndef test_all():\n    assert double(5) == 10\n"},
    visible_tests="def check(double):\n    assert double(2) == 4\n",
)
LISTED = DOUBLE.model_copy(
    update={
        "id": "listed",
        "visible_tests": "",
        "tests": {
            "test_double.py": (
                "import json, pathlib\nfrom double import double\n\n\ndef test_all():\n"
                "    for given, wanted in json.loads(pathlib.Path('cases.json').read_text()):\n"
                "        assert double(given) == wanted\n"
            ),
            "cases.json": "[[2, 4], [5, 10], [0, 0]]",
        },
    }
)


def outcome(case: str, way: str, *, solved: bool, accepted: bool = True) -> Outcome:
    return Outcome(case, way, accepted, solved, calls=2, prompt_tokens=100, output_tokens=50, seconds=3.0)


def test_a_set_is_read_and_drawn_from_in_a_fixed_order(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    cases = [DOUBLE.model_copy(update={"id": f"case-{number}"}) for number in range(10)]
    file.write_text("\n".join(json.dumps(case.model_dump()) for case in cases))
    drawn = choose(read_cases(file), 4, 1, Seen.TESTS)
    assert drawn == choose(read_cases(file), 4, 1, Seen.TESTS)
    assert len({case.id for case in drawn}) == 4
    assert choose(read_cases(file), None, 1, Seen.TESTS)[:4] == drawn


def test_a_broken_line_of_the_set_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(DOUBLE.model_dump()) + "\n{}\n")
    with pytest.raises(SystemExit, match=r"cases\.jsonl:2"):
        read_cases(file)


def test_a_case_without_visible_tests_is_left_out_when_only_those_are_seen() -> None:
    bare = DOUBLE.model_copy(update={"visible_tests": ""})
    assert choose([bare, DOUBLE], None, 1, Seen.VISIBLE) == (DOUBLE,)


def test_the_visible_part_of_listed_tests_is_their_first_third() -> None:
    assert json.loads(LISTED.seen_tests(Seen.VISIBLE)["cases.json"]) == [[2, 4]]


def test_a_workspace_holds_the_bug_and_the_seen_tests_only(tmp_path: Path) -> None:
    lay_out(DOUBLE, tmp_path, Seen.VISIBLE)
    assert {file.name for file in tmp_path.iterdir()} == {"double.py", "test_double.py"}
    assert "double(5)" not in (tmp_path / "test_double.py").read_text()


@pytest.mark.parametrize("case", [DOUBLE, LISTED], ids=lambda case: case.id)
async def test_the_judge_tells_the_bug_from_the_fix_and_the_visible_from_all(case: Case) -> None:
    judge = Judge(await detect())
    assert not await judge.passes(case, case.buggy)
    assert await judge.passes(case, case.fixed)
    assert await judge.passes(case, case.buggy, Seen.VISIBLE)


async def test_a_program_that_never_ends_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.bugfix_cases.TEST_SECONDS", 1.0)
    judge = Judge(await detect())
    assert not await judge.passes(DOUBLE, "def double(n):\n    while True:\n        pass\n")


def test_mcnemar_is_the_exact_binomial() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 0) == pytest.approx(2 / 32)
    assert mcnemar(3, 3) == 1.0
    assert mcnemar(8, 1) == pytest.approx(2 * (1 + 9) / 512)


def test_wilsons_interval_stays_within_the_possible() -> None:
    low, high = wilson(0, 10)
    assert low == 0.0
    assert high == pytest.approx(0.278, abs=0.001)


def test_only_cases_that_both_were_run_on_are_compared() -> None:
    pair = compare({"a": True, "b": False, "c": True}, {"a": False, "b": False})
    assert (pair.only_first, pair.only_second, pair.neither) == (1, 0, 1)


def test_a_false_accept_is_counted_and_not_as_solved() -> None:
    (row,) = rows([outcome("a", "panel", solved=False), outcome("b", "panel", solved=True)])
    assert (row.solved, row.false_accepts, row.calls) == (1, 1, 2.0)
    assert "| panel | 1 of 2 | 0.50" in table([row])
