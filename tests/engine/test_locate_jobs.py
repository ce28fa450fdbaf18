"""Locating a fault: real pytest with its lines recorded in the sandbox, and members' votes beside it."""

import json
from pathlib import Path

from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.evidence import Rank
from tests.engine.action_jobs import asked, job, written

CART = """\
from shop.tax import with_tax


def total(prices):
    result = 0
    for price in prices:
        result += price
    return result


def discounted(prices, percent):
    rest = 100 - percent
    return total(prices) * rest // 10


def taxed(prices):
    return with_tax(total(prices))
"""
TAX = "def with_tax(amount):\n    return amount + amount * 2 // 10\n"
TEST = """\
from shop.cart import discounted, taxed, total


def test_total():
    assert total([1, 2]) == 3


def test_taxed():
    assert taxed([10]) == 12


def test_discount():
    assert discounted([100], 10) == 90
"""
BAD_LINE = 12


def shop(root: Path) -> Path:
    files = {"shop/__init__.py": "", "shop/cart.py": CART, "shop/tax.py": TAX, "tests/test_cart.py": TEST}
    return written(root, files)


def places(*lines: tuple[str, str]) -> str:
    found = [
        {
            "path": path,
            "line": 1,
            "end_line": 1,
            "quote": quote,
            "severity": "warning",
            "category": "fault",
            "title": f"{quote[:20]} is wrong",
            "detail": "for [100] and 10",
            "confidence": 0.8,
        }
        for path, quote in lines
    ]
    return json.dumps({"findings": found})


RIGHT = places(("shop/cart.py", "return total(prices) * rest // 10"))
WRONG = places(
    ("shop/cart.py", "result += price"), ("tests/test_cart.py", "assert discounted([100], 10) == 90")
)
NOTHING = places()


async def test_coverage_and_votes_put_the_faulty_line_first(tmp_path: Path):
    prompts: list[str] = []
    result = await job(
        shop(tmp_path),
        Action.LOCATE,
        {"a": RIGHT, "b": WRONG},
        path="tests/test_cart.py",
        lines=(11, 12),
        prompts=prompts,
    )

    assert result.status is Status.DONE
    first = result.findings[0]
    assert (first.path, first.line, first.category) == ("shop/cart.py", BAD_LINE, "fault-location")
    assert first.members == ("a",)
    (witness,) = first.evidence
    assert (witness.witness, witness.rank) == ("coverage", Rank.EXECUTED)
    assert witness.summary == "Ochiai 1.00: run by 1 failing test and no passing one"
    assert "1 member first, coverage first" in first.reason
    assert all(not finding.path.startswith("tests/") for finding in result.findings)
    assert any("it is a line of a test" in item.text for item in result.dissent)
    assert "tests/test_cart.py::test_discount" in result.document
    assert asked(prompts, "assert 900 == 90") == 2
    assert asked(prompts, "Ochiai") == 0


async def test_coverage_alone_names_the_place_where_members_see_nothing(tmp_path: Path):
    result = await job(
        shop(tmp_path),
        Action.LOCATE,
        {"a": NOTHING, "b": NOTHING},
        path="tests/test_cart.py",
        lines=(11, 12),
        mode=Mode.QUICK,
    )

    assert [(item.path, item.line) for item in result.findings[:1]] == [("shop/cart.py", BAD_LINE - 1)]
    assert result.findings[0].members == ()


async def test_a_traceback_that_was_pasted_names_frames_of_the_workspace_only(tmp_path: Path):
    root = shop(tmp_path)
    traceback = (
        "Traceback (most recent call last):\n"
        f'  File "{root}/shop/cart.py", line 17, in taxed\n    return with_tax(total(prices))\n'
        '  File "/srv/app/shop/tax.py", line 2, in with_tax\n    return amount\n'
        '  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode\nTypeError: no\n'
    )
    prompts: list[str] = []
    result = await job(
        root,
        Action.LOCATE,
        {"a": places(("shop/tax.py", "return amount + amount * 2 // 10")), "b": NOTHING},
        path="shop/cart.py",
        instruction=traceback,
        prompts=prompts,
        mode=Mode.QUICK,
    )

    assert (result.findings[0].path, result.findings[0].line) == ("shop/tax.py", 1)
    assert "frame 1 of the traceback" in result.findings[0].evidence[0].summary
    assert asked(prompts, 'what="the traceback"') == 2
    assert not any("json" in finding.path for finding in result.findings)


async def test_a_command_that_runs_pytest_tells_its_lines_as_well(tmp_path: Path):
    result = await job(
        shop(tmp_path),
        Action.LOCATE,
        {"a": RIGHT, "b": NOTHING},
        path="shop/cart.py",
        check="python -m pytest -q tests",
        mode=Mode.QUICK,
    )

    assert (result.findings[0].path, result.findings[0].line) == ("shop/cart.py", BAD_LINE)
    assert {item.witness for item in result.findings[0].evidence} == {"coverage"}
