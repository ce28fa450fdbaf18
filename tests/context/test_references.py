"""Gathering for a change of many files: the uses of the symbol, wherever they are, within the budget."""

from pathlib import Path

import pytest

from ensemble_lsp.context.gather import gather
from ensemble_lsp.core.blocks import ProblemKind
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.settings import ContextTable

FILES = {
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n\n\ndef half(prices):\n    return total(prices) / 2\n",
    "shop/order.py": "from shop.cart import total\n\n\ndef order(prices):\n    return total(prices)\n",
    "far/away.py": "import shop.cart\n\nX = shop.cart.total([1])\n",
    "far/other.py": "totals = 1\nsubtotal = 2\n",
    "web/app.js": "function total() {}\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
    "docs/notes.txt": "total\n",
    ".gitignore": "secret.py\n",
    "secret.py": "from shop.cart import total\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


async def gathered(workspace: Path, *, tokens: int = 6_000, instruction: str = "rename it") -> Dossier:
    task = Task(
        action=Action.REFACTOR,
        path="shop/cart.py",
        range=LineRange(start=0, end=1),
        instruction=instruction,
    )
    return await gather(
        task,
        workspace,
        settings=ContextTable(max_tokens=tokens),
        trusted=True,
        count_tokens=lambda text: len(text) // 4 + 1,
    )


async def test_every_use_in_the_language_is_shown_and_may_be_changed(workspace: Path):
    dossier = await gathered(workspace)

    assert set(dossier.files) == {"shop/cart.py", "shop/order.py", "far/away.py", "tests/test_cart.py"}
    assert {item.path for item in dossier.related if item.why == "use"} == set(dossier.files) - {
        "shop/cart.py"
    }


async def test_files_beside_the_definition_come_first_where_the_budget_ends(workspace: Path):
    dossier = await gathered(workspace, tokens=500)
    uses = [item.path for item in dossier.related if item.why == "use"]

    assert uses[0] == "shop/order.py"
    for number in range(60):
        (workspace / f"far/use_{number:02}.py").write_text(FILES["shop/order.py"], encoding="utf-8")
    small = await gathered(workspace, tokens=700)
    shown = [item.path for item in small.related if item.why == "use"]
    assert shown[0] == "shop/order.py"
    assert 1 < len(shown) < 60


async def test_a_name_in_the_instruction_is_looked_up_when_the_code_defines_it(workspace: Path):
    dossier = await gathered(workspace, instruction="make `order` and the weather better")

    assert "shop/order.py" in dossier.files
    assert any("def order(prices)" in item.text for item in dossier.related)


async def test_where_files_may_be_created(workspace: Path):
    (workspace / "link").symlink_to("/tmp")
    judge = (await gathered(workspace)).judge_path

    assert judge("shop/new.py") is None
    assert judge("deep/er/new.py") is None
    assert judge("shop/order.py") is ProblemKind.NOT_SHOWN
    assert judge("secret.py") is ProblemKind.NOT_SHOWN
    assert judge("../new.py") is ProblemKind.OUTSIDE_WORKSPACE
    assert judge("link/new.py") is ProblemKind.OUTSIDE_WORKSPACE
    assert judge(".env") is ProblemKind.NOT_SHOWN


async def test_other_actions_may_create_nothing(workspace: Path):
    task = Task(action=Action.FIX, path="shop/cart.py")
    dossier = await gather(
        task, workspace, settings=ContextTable(), trusted=True, count_tokens=lambda text: len(text) // 4 + 1
    )

    assert dossier.judge_path("shop/new.py") is ProblemKind.NOT_SHOWN
    assert "tests/test_cart.py" not in dossier.files
