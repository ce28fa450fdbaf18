"""How `test` and `locate` are judged: which lines count, what a lot decides, what is a test, and the tables."""

import ast
from pathlib import Path

import pytest

from benchmarks.actions_eval_asserts import one_test_each
from benchmarks.actions_eval_locate import OCHIAI, Located, buggy_lines, chance_within, lines_told
from benchmarks.actions_eval_record import PANEL, Head, Record
from benchmarks.actions_eval_tables import tables_of_locating, tables_of_writing
from benchmarks.actions_eval_tests import Written, code_of, names_of_tests, passing
from ensemble_lsp.bench.suite import SuiteRun
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.suspiciousness import Suspect

RIGHT = '''\
def total(prices):
    """Add up."""
    result = 0
    for price in prices:
        result += price  # all of them

    return result
'''


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        (RIGHT.replace("+=", "="), {4}),
        (RIGHT.replace("    result = 0\n", "    result = 1\n    result -= 2\n"), {2, 3}),
        (RIGHT.replace("        result += price  # all of them\n", "        pass\n"), {4}),
        # Something is missing: the lines of code around the gap.
        (RIGHT.replace("    result = 0\n", ""), {0, 2}),
        (RIGHT.replace("    return result\n", ""), {4}),
        # What no computer reads is no bug.
        (RIGHT.replace("Add up.", "Add.").replace("# all of them", "").replace("\n\n", "\n"), set[int]()),
    ],
)
def test_the_buggy_lines_are_the_lines_of_code_that_differ(program: str, lines: set[int]):
    assert buggy_lines(program, RIGHT) == lines


def suspects(*scores: float) -> list[Suspect]:
    return [Suspect("m.py", line, score, 1, 1) for line, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("scores", "bug", "most", "chance"),
    [
        ((1.0, 0.5, 0.5), {0}, 1, 1.0),
        ((1.0, 0.5, 0.5), {1}, 1, 0.0),
        ((0.5, 0.5, 0.5, 0.5), {1}, 1, 0.25),
        ((1.0, 0.5, 0.5, 0.5), {1, 2}, 2, 2 / 3),
        ((1.0, 0.5, 0.5, 0.5), {1, 2}, 3, 1.0),
        ((0.5, 0.5), {9}, 5, 0.0),
        ((), {0}, 5, 0.0),
    ],
)
def test_equal_scores_stand_in_an_order_drawn_by_lot(
    scores: tuple[float, ...], bug: set[int], most: int, chance: float
):
    assert chance_within(suspects(*scores), bug, most) == pytest.approx(chance)


def test_the_panel_tells_its_places_and_then_the_lines_of_its_document():
    further = "Other lines there that the failing tests run, by Ochiai's coefficient: 7 (0.71), 9 (0.50)."
    document = f"| | place |\n\n{further}\n"

    assert lines_told(JobResult(status=Status.DONE, reason="", document=document), "m.py") == (6, 8)


SUITE = """\
from total import *
from total import total

def check(candidate):
    assert True, "a note"
    some = [1]
    assert candidate(some) == 1
    for one in (1, 2):
        assert candidate([one]) == one

check(total)

def test_all():
    check(total)
"""


def test_a_suite_of_assertions_becomes_one_test_an_assertion():
    apart = one_test_each({"test_total.py": SUITE, "cases.json": "[]"})
    tree = ast.parse(apart["test_total.py"])
    tests = {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef)}

    assert tests == {
        "test_01": "def test_01():\n    candidate = total\n    some = [1]\n    assert candidate(some) == 1",
        "test_02": (
            "def test_02():\n    candidate = total\n    some = [1]\n"
            "    for one in (1, 2):\n        assert candidate([one]) == one"
        ),
    }
    assert not [node for node in tree.body if isinstance(node, ast.Expr)]
    assert apart["cases.json"] == "[]"


@pytest.mark.parametrize(
    "text",
    [
        "def test_it():\n    assert True\n",
        "def check(f):\n    pass\n",
        "def check(",
        "def check(f, g):\n  assert f\n",
    ],
)
def test_other_tests_stay_as_they_are(text: str):
    assert one_test_each({"test_it.py": text}) == {"test_it.py": text}


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("```python\ndef helper():\n    pass\n```\n\n```python\ndef test_a():\n    pass\n```", ["test_a"]),
        (
            "```\nclass TestIt:\n    def test_a(self):\n        pass\n    async def test_b(self):\n        pass",
            ["test_a", "test_b"],
        ),
        ("def test_a():\n    pass\n", ["test_a"]),
        ("def test_a(:\n    pass\ndef test_b():\n", ["test_a", "test_b"]),
        ("def test_a():\n    pass\ndef test_a():\n    pass\n", ["test_a", "test_a"]),
        ("There is nothing to test.", []),
    ],
)
def test_what_a_person_would_copy_out_of_an_answer_is_counted(reply: str, names: list[str]):
    assert names_of_tests(code_of(reply)) == names


def test_a_test_passes_with_all_its_parameters_or_not_at_all():
    outcomes = {"t.py::a[1]": Outcome.PASSED, "t.py::a[2]": Outcome.FAILED, "t.py::b[1]": Outcome.PASSED}
    run = SuiteRun(outcomes, {}, (), Outcome.FAILED, "", 0.1)

    assert passing(run) == {"t.py::b[1]"}


def test_shares_have_intervals_and_differences_a_probability():
    cases = [f"c{number}" for number in range(6)]
    panel = {case: Located(case=case, way=PANEL, lines=(1, 2), bug=(1,), calls=2) for case in cases}
    other = {
        case: Located(case=case, way=OCHIAI, lines=(2, 1), bug=(1,), chance=(0.5, 1.0)) for case in cases
    }
    told = tables_of_locating({PANEL: panel, OCHIAI: other})

    assert "| panel | 6 of 6, 100% (61–100%) | 6 of 6, 100% (61–100%) | 2.0 | 2.0 | 0 | 0 |" in told
    assert "| Ochiai alone | 0 of 6, 0% (0–39%) | 6 of 6, 100% (61–100%) |" in told
    assert "in the first place in 50%, among the first five in 100%" in told
    assert "| Ochiai alone | top-1 | 6 | 6 | 0 | 0.031 |" in told


def test_the_shares_of_tests_are_over_all_programs_and_ways_are_compared_program_by_program():
    def one(way: str, case: str, shown: int, passed: int, killed: int) -> Written:
        return Written(case=case, way=way, generated=9, shown=shown, passed=passed, mutants=4, killed=killed)

    way = "first answer:a"
    told = tables_of_writing(
        {
            PANEL: {case: one(PANEL, case, 2, 2, 3) for case in ("c1", "c2")},
            way: {"c1": one(way, "c1", 4, 1, 1), "c2": one(way, "c2", 4, 0, 3)},
        }
    )

    assert "| panel | 18 | 4 | 4 of 4, 100% (" in told
    assert "| first answer:a | 18 | 8 | 1 of 8, 12% (" in told
    assert "| first answer:a | mutants killed | 2 | 1 | 0 | 1.000 |" in told


def test_a_record_that_was_cut_off_goes_on_and_drops_only_its_last_line(tmp_path: Path):
    head = Head(subject="test", digest="d", seed=1, members=("a",))
    file = tmp_path / "record.jsonl"
    record = Record[Written].open(file, head, Written)
    record.add(Written(case="c1", way=PANEL, killed=1))
    with file.open("a", encoding="utf-8") as cut:
        cut.write('{"case": "c2", "wa')

    again = Record[Written].open(file, head, Written)
    assert again.has("c1", (PANEL,))
    assert not again.has("c2", (PANEL,))
    with pytest.raises(UsageError, match="of other inputs"):
        Record[Written].open(file, head.model_copy(update={"seed": 2}), Written)
