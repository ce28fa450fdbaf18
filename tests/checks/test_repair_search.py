"""Looking for a small change that turns failing tests green, by running them: real tests in the real sandbox."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ensemble_lsp.checks.repair_search import FURTHER, MOST_VERSIONS, ROUNDS, Trials, read_trials
from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import RepairsFound
from ensemble_lsp.settings import SearchTable, Settings
from tests.checks.workspaces import repository, tree

BUG = """\
def count(items, least):
    found = 0
    for item in items:
        if item > least:
            found += 1
    return found
"""
WHILE = """\
def count(items, least):
    found = 0
    i = 0
    while i < len(items):
        if items[i] > least:
            found += 1
        i += 1
    return found
"""
ENDLESS = """\
def count(items, least):
    found = i = 0
    while i < len(items):
        found += items[i] >= least
        i += 0
    return found
"""
TESTS = """from shop import count


def test_more():
    assert count([1, 5, 9], 3) == 2


def test_equal():
    assert count([3, 3, 1], 3) == 2
"""
MORE, EQUAL = "tests/test_shop.py::test_more", "tests/test_shop.py::test_equal"
LINES = dict.fromkeys(range(1, 6), 1.0)


def _workspace(folder: Path, code: str = BUG, tests: str = TESTS) -> Path:
    return repository(folder / "workspace", {"shop.py": code, "tests/test_shop.py": tests, "conftest.py": ""})


@asynccontextmanager
async def _opened(
    workspace: Path, *, trusted: bool = True, settings: Settings | None = None
) -> AsyncGenerator[Checks]:
    task = Task(action=Action.FIX, path="shop.py")
    checks = await Checks.open(workspace, task, overlays={}, trusted=trusted, settings=settings)
    try:
        yield checks
    finally:
        await checks.close()


async def test_the_change_with_which_all_tests_pass_is_found(tmp_path: Path) -> None:
    async with _opened(_workspace(tmp_path)) as checks:
        found = await checks.repairs("shop.py", LINES, {EQUAL})
        assert [item.what for item in found.repairs][:1] == ["line 4: > became >="]
        report = await checks.check([found.repairs[0].change])
    assert all(outcome.value == "passed" for outcome in report.tests.values())
    assert set(report.tests) == {MORE, EQUAL}


async def test_a_change_that_breaks_another_test_is_not_found(tmp_path: Path) -> None:
    async with _opened(_workspace(tmp_path)) as checks:
        found = await checks.repairs("shop.py", LINES, {EQUAL})
    # `item == least` makes the failing test pass and the other one fail.
    assert "line 4: > became ==" not in [item.what for item in found.repairs]


async def test_of_several_changes_that_pass_the_smallest_comes_first(tmp_path: Path) -> None:
    """`list(set(sorted(items)))` passes by chance, since small numbers hash to themselves; it is the longer one."""
    code = "def unique(items):\n    return sorted(items)\n"
    tests = (
        "from shop import unique\n\n\n"
        "def test_unique():\n    assert unique([3, 1, 3]) + unique([4, 4, 4]) == [1, 3, 4]\n"
    )
    async with _opened(_workspace(tmp_path, code, tests)) as checks:
        found = await checks.repairs("shop.py", {1: 1.0}, {"tests/test_shop.py::test_unique"})
    changed = [item.change.after.text.splitlines()[1].strip() for item in found.repairs if item.change.after]
    assert changed[0] == "return sorted(set(items))"
    assert "return list(set(sorted(items)))" in changed


async def test_nothing_is_left_behind_in_the_copy_or_the_workspace(tmp_path: Path) -> None:
    workspace = _workspace(tmp_path)
    before = tree(workspace)
    async with _opened(workspace) as checks:
        was = (await checks.baseline()).tests
        await checks.repairs("shop.py", LINES, {EQUAL})
        again = (await checks.check([])).tests
    assert again == was
    assert tree(workspace) == before


async def test_a_loop_that_a_change_makes_endless_is_ended(tmp_path: Path) -> None:
    async with _opened(_workspace(tmp_path, WHILE)) as checks:
        found = await checks.repairs("shop.py", {3: 1.0, 4: 1.0, 6: 1.0}, {EQUAL})
    assert "line 5: > became >=" in [item.what for item in found.repairs]


async def test_code_that_never_ends_as_it_stands_is_repaired(tmp_path: Path) -> None:
    async with _opened(_workspace(tmp_path, ENDLESS)) as checks:
        found = await checks.repairs("shop.py", {4: 1.0}, set())
    assert "line 5: 0 became 1" in [item.what for item in found.repairs]


async def test_a_version_that_says_it_passed_is_only_a_proposal(tmp_path: Path) -> None:
    """It ends the test run with success before any test ran; the ordinary check is not taken in."""
    code = "import os\n\n\ndef leave(code):\n    os._exit(code)\n\n\ndef count(items, least):\n    leave(1)\n"
    async with _opened(_workspace(tmp_path, code)) as checks:
        baseline = await checks.baseline()
        assert all(outcome.value != "passed" for outcome in baseline.tests.values())
        found = await checks.repairs("shop.py", {8: 1.0}, set())
        assert "line 9: 1 became 0" in [item.what for item in found.repairs]
        lying = next(item for item in found.repairs if item.what == "line 9: 1 became 0")
        report = await checks.check([lying.change])
    assert all(item.outcome.value != "passed" for item in report.executed)


@pytest.mark.parametrize("why", ["untrusted", "turned off", "not Python"])
async def test_nothing_is_run_where_that_is_not_wanted(tmp_path: Path, why: str) -> None:
    workspace = _workspace(tmp_path)
    (workspace / "shop.js").write_text("function count() {}\n", encoding="utf-8")
    off = Settings(search=SearchTable(repair=False)) if why == "turned off" else None
    async with _opened(workspace, trusted=why != "untrusted", settings=off) as checks:
        found = await checks.repairs("shop.js" if why == "not Python" else "shop.py", LINES, {EQUAL})
    assert found == RepairsFound()


def test_lines_that_are_no_outcome_are_passed_over() -> None:
    lines = [
        {"version": 0, "passed": True},
        {"version": 7, "passed": True},
        {"version": 1, "passed": "yes"},
        [1],
    ]
    text = "\n".join(json.dumps(line) for line in lines) + "\nhalf a li"
    assert read_trials(text, versions=2) == Trials({0: True})


def test_the_seconds_used_are_those_of_the_last_version() -> None:
    lines = [{"version": 0, "passed": False, "used": 0.25}, {"version": 1, "passed": False, "used": 0.5}]
    assert read_trials("\n".join(map(json.dumps, lines)), versions=2) == Trials({0: False, 1: False}, 0.5)


async def test_few_versions_are_tried_once_one_passes(tmp_path: Path) -> None:
    async with _opened(_workspace(tmp_path)) as checks:
        found = await checks.repairs("shop.py", LINES, {EQUAL})
    assert found.repairs
    assert 0 < found.tried <= ROUNDS[0]


async def test_a_search_that_finds_nothing_is_bounded(tmp_path: Path) -> None:
    tests = TESTS.replace("== 2", '== "two"')
    async with _opened(_workspace(tmp_path, tests=tests)) as checks:
        found = await checks.repairs("shop.py", LINES, {EQUAL})
    assert found.repairs == ()
    assert FURTHER < found.tried <= MOST_VERSIONS
