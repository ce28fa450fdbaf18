"""Refactorings over many files: what uses the code follows, tests end as before, the plan is beside the diff."""

from pathlib import Path

from ensemble_lsp.core.events import Action, CheckFinished, JobEvent, RevisionMade, Status
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.proposals import Standing
from tests.engine.action_jobs import after, block, job, replies, written

PRICES = "def total(prices):\n    result = 0\n    for price in prices:\n        result += price\n    return result\n"
RENAMED = PRICES.replace("def total", "def sum_of_prices")
TEST = (
    "from shop.prices import total\n\n\ndef test_several():\n    assert total([1, 2, 3]) == 6\n\n\n"
    "def test_one():\n    assert total([5]) == 5\n"
)
USERS = 41
PLAN = "1. Rename the function in shop/prices.py.\n2. Follow it in every file that uses it.\n\n"


def user(number: int, name: str = "total") -> str:
    return f"from shop.prices import {name}\n\n\ndef order_{number}(prices):\n    return {name}(prices) + {number}\n"


def shop(root: Path, users: int = USERS) -> Path:
    files = {"shop/__init__.py": "", "shop/prices.py": PRICES, "tests/test_prices.py": TEST}
    files |= {f"shop/orders/order_{number:02}.py": user(number) for number in range(users)}
    files["shop/orders/__init__.py"] = ""
    files["tests/test_orders.py"] = (
        "from shop.orders.order_07 import order_7\n\n\ndef test_order():\n    assert order_7([1, 2]) == 10\n"
    )
    return written(root, files)


def rename(users: int = USERS, test: str = TEST.replace("total", "sum_of_prices")) -> str:
    blocks = [block("shop/prices.py", PRICES, RENAMED), block("tests/test_prices.py", TEST, test)]
    for number in range(users):
        path = f"shop/orders/order_{number:02}.py"
        old, new = user(number), user(number, "sum_of_prices")
        blocks.append(block(path, old, new))
    return PLAN + "".join(blocks)


async def test_a_symbol_is_renamed_over_more_than_forty_files_with_its_tests(tmp_path: Path):
    root = shop(tmp_path)
    prompts: list[str] = []
    result = await job(
        root,
        Action.REFACTOR,
        {"a": rename(), "b": rename()},
        path="shop/prices.py",
        lines=(0, 1),
        instruction="rename total to sum_of_prices everywhere",
        prompts=prompts,
    )

    assert result.status is Status.DONE
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert len(result.proposal.chosen.changes) == USERS + 2
    assert all(text is not None and "total" not in text for text in after(result).values())
    assert "from shop.prices import total" in prompts[0]
    assert "order_40.py" in prompts[0]
    assert "1. Rename the function in shop/prices.py." in result.document
    assert f"{USERS + 2} files" in result.document
    assert "3 tests pass before and after" in result.reason


async def test_one_place_that_was_forgotten_breaks_its_tests_and_is_repaired_in_the_next_turn(tmp_path: Path):
    root = shop(tmp_path, users=8)
    forgetful = rename(users=7)
    events: list[JobEvent] = []
    result = await job(
        root,
        Action.REFACTOR,
        {"a": replies(forgetful, rename(users=8)), "b": replies(forgetful, rename(users=8))},
        path="shop/prices.py",
        lines=(0, 1),
        instruction="rename total to sum_of_prices",
        events=events,
    )

    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert len(result.proposal.chosen.changes) == 10
    ran = [event.body for event in events if isinstance(event.body, CheckFinished) and event.body.about]
    assert [body.outcome for body in ran if body.witness == "pytest"] == [Outcome.FAILED, Outcome.PASSED]
    assert "revised" in {event.body.outcome for event in events if isinstance(event.body, RevisionMade)}


async def test_a_refactoring_may_not_change_what_a_test_asserts(tmp_path: Path):
    root = shop(tmp_path, users=1)
    cheat = rename(users=1, test=TEST.replace("total", "sum_of_prices").replace("== 6", "== 3"))
    result = await job(
        root,
        Action.REFACTOR,
        {"a": cheat, "b": cheat},
        path="shop/prices.py",
        instruction="rename total to sum_of_prices",
    )

    assert result.status is Status.ABSTAINED
    assert result.proposal is None
    assert any("changes what tests/test_prices.py asserts" in item.text for item in result.dissent)


async def test_code_can_move_into_a_file_that_did_not_exist(tmp_path: Path):
    root = shop(tmp_path, users=8)
    move = (
        PLAN
        + block("shop/sums.py", "", PRICES)
        + block("shop/prices.py", PRICES, "from shop.sums import total\n\n__all__ = ['total']\n")
    )
    result = await job(
        root,
        Action.REFACTOR,
        {"a": move, "b": move},
        path="shop/prices.py",
        instruction="move total into shop/sums.py",
    )

    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert after(result)["shop/sums.py"] == PRICES
    assert "| created |" in result.document


async def test_a_new_file_may_not_land_where_a_file_is_or_outside(tmp_path: Path):
    root = shop(tmp_path, users=1)
    (root / "elsewhere").symlink_to("/")
    for path in ("README.md", "../evil.py", "elsewhere/tmp/evil.py"):
        (root / "README.md").write_text("# Shop\n", encoding="utf-8")
        answer = block(path, "", "x = 1\n")
        result = await job(
            root, Action.REFACTOR, {"a": answer, "b": answer}, path="shop/prices.py", instruction="split it"
        )
        assert result.proposal is None


async def test_a_symbol_of_a_file_of_three_thousand_lines_is_changed_with_what_uses_it_elsewhere(
    tmp_path: Path,
):
    functions = [f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(750)]
    functions[600] = "def step_600(value):\n    return step_599(value) + 600\n\n\n"
    long = "".join(functions)
    assert long.count("\n") >= 3_000
    files = {
        "steps.py": long,
        "uses.py": "import steps\n\n\ndef run(value):\n    return steps.step_599(value)\n",
        "test_uses.py": (
            "import uses\nimport steps\n\n\ndef test_run():\n    assert uses.run(1) == 600\n"
            "    assert steps.step_600(1) == 1200\n"
        ),
    }
    change = (
        block(
            "steps.py",
            "def step_599(value):\n    return value + 599\n",
            "def add_599(value):\n    return value + 599\n",
        )
        + block("steps.py", "    return step_599(value) + 600\n", "    return add_599(value) + 600\n")
        + block("uses.py", "    return steps.step_599(value)\n", "    return steps.add_599(value)\n")
    )
    root = written(tmp_path, files)
    prompts: list[str] = []
    result = await job(
        root,
        Action.REFACTOR,
        {"a": change, "b": change},
        path="steps.py",
        lines=(599 * 4, 599 * 4 + 1),
        instruction="rename step_599 to add_599",
        prompts=prompts,
    )

    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert "return step_599(value) + 600" in prompts[0]
    assert "return steps.step_599(value)" in prompts[0]
