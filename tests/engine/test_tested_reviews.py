"""A review of code whose tests fail: real pytest in the sandbox, beside members that see nothing."""

import json
from collections.abc import Mapping
from pathlib import Path

from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.evidence import SEARCH, Outcome
from ensemble_lsp.core.results import JobResult
from tests.engine.action_jobs import job, written

SHIPPING = """\
def cost(total, weight):
    if total > 50:
        return 0
    return 5 + weight


def label(name):
    return name.strip().upper()
"""
TEST = """\
from shipping import cost, label


def test_a_large_order_ships_free():
    assert cost(50, 2) == 0


def test_a_small_order_does_not():
    assert cost(49, 2) == 7


def test_labels_are_in_capitals():
    assert label(" ada ") == "ADA"
"""
NOTHING: Mapping[str, object] = {}
SILENT = json.dumps({"findings": []})


async def reviewed(
    root: Path,
    *,
    trusted: bool = True,
    search: Mapping[str, object] = NOTHING,
    review: Mapping[str, object] = NOTHING,
) -> JobResult:
    """Review shipping.py with members that see nothing; `search` and `review` are tables of the settings."""
    return await job(
        root,
        Action.REVIEW,
        {"a": SILENT, "b": SILENT},
        path="shipping.py",
        mode=Mode.QUICK,
        trusted=trusted,
        search=dict(search),
        review=dict(review),
    )


async def test_the_line_that_a_small_change_mends_is_reported(tmp_path: Path):
    root = written(tmp_path, {"shipping.py": SHIPPING, "test_shipping.py": TEST})
    (finding,) = (await reviewed(root)).findings
    assert (finding.line, finding.quote) == (1, "if total > 50:")
    assert finding.title == "test_a_large_order_ships_free fails: a small change here makes it pass"
    assert "> became >=" in finding.detail
    assert [item.witness for item in finding.evidence] == ["pytest", "coverage", SEARCH]
    assert finding.evidence[0].tests == {"test_shipping.py::test_a_large_order_ships_free": Outcome.FAILED}
    assert (root / "shipping.py").read_text(encoding="utf-8") == SHIPPING


async def test_without_the_search_the_lines_that_the_failing_test_runs_are_reported(tmp_path: Path):
    root = written(tmp_path, {"shipping.py": SHIPPING, "test_shipping.py": TEST})
    (finding,) = (await reviewed(root, search={"repair": False})).findings
    assert finding.title == "test_a_large_order_ships_free fails: the likeliest place"
    assert (finding.line, finding.end_line) == (1, 3)
    assert [item.witness for item in finding.evidence] == ["pytest", "coverage"]


async def test_code_whose_tests_pass_is_left_alone(tmp_path: Path):
    right = SHIPPING.replace("> 50", ">= 50")
    root = written(tmp_path, {"shipping.py": right, "test_shipping.py": TEST})
    result = await reviewed(root)
    assert (result.findings, result.reason) == ((), "no findings")


async def test_who_does_not_want_tests_in_reviews_turns_them_off(tmp_path: Path):
    root = written(tmp_path, {"shipping.py": SHIPPING, "test_shipping.py": TEST})
    result = await reviewed(root, review={"tests": False})
    assert result.findings == ()
    assert not any("pytest" in note for note in result.notes)


async def test_tests_that_take_too_long_hold_up_no_review(tmp_path: Path):
    slow = TEST + "\n\ndef test_sleeps():\n    import time\n    time.sleep(600)\n"
    root = written(tmp_path, {"shipping.py": SHIPPING, "test_shipping.py": slow})
    result = await reviewed(root)
    assert result.findings == ()
    assert result.reason == "no findings"


async def test_no_test_of_an_untrusted_folder_runs(tmp_path: Path):
    root = written(tmp_path, {"shipping.py": SHIPPING, "test_shipping.py": TEST})
    result = await reviewed(root, trusted=False)
    assert result.findings == ()
    assert result.reason == "no findings"
