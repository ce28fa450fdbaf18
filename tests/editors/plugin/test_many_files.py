"""A refactoring over more than forty files: listed, gone through file by file, accepted as one edit, or not at all."""

from collections.abc import Sequence
from pathlib import Path

from tests.editors.plugin.stage import PluginEditor
from tests.support.fake_model_server import Answer

PRICES = "def total(prices):\n    result = 0\n    for price in prices:\n        result += price\n    return result\n"
RENAMED = PRICES.replace("def total", "def sum_of_prices")
USERS = 40

FOURTH = "vim.api.nvim_buf_get_lines(require('ensemble.review').here().bufs.right, 3, 4, false)[1]"


def user(number: int, name: str = "total") -> str:
    return f"from shop.prices import {name}\n\n\ndef order_{number}(prices):\n    return {name}(prices) + {number}\n"


def block(path: str, old: str, new: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def shop(editor: PluginEditor) -> list[Path]:
    """Write the files, open the first, and let both members rename the function in all of them."""
    root = editor.workspace
    texts = {root / "shop" / f"order_{number:02}.py": user(number) for number in range(USERS)}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    say(
        editor,
        [
            block("shop/prices.py", PRICES, RENAMED),
            *(
                block(f"shop/order_{number:02}.py", user(number), user(number, "sum_of_prices"))
                for number in range(USERS)
            ),
        ],
    )
    prices = editor.open(PRICES, path=root / "shop" / "prices.py")
    return [prices, *texts]


def say(editor: PluginEditor, blocks: Sequence[str]) -> None:
    answer = Answer(text="1. Rename it where it is defined and used.\n\n" + "".join(blocks))
    editor.models.voices.script = lambda request: (
        None if "Try to break each candidate" in request.prompt else answer
    )


def refactor(editor: PluginEditor) -> None:
    editor.command("1 | Ensemble refactor rename total to sum_of_prices")
    editor.in_review()


def content(editor: PluginEditor, path: Path) -> list[str]:
    return list(editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)", str(path)))


def test_forty_one_files_are_accepted_as_one_edit(editor: PluginEditor) -> None:
    paths = shop(editor)
    refactor(editor)
    listed = editor.side("files")
    assert len(listed) == USERS + 1
    assert any("shop/order_07.py" in line for line in listed)
    editor.keys("A")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    for path in paths:
        assert not any("total" in line for line in content(editor, path)), path
        assert "total" in path.read_text(encoding="utf-8"), "the person writes the files"
    assert editor.lua("return #vim.fn.getbufinfo({ bufmodified = 1 })") == USERS + 1
    editor.command("silent wall")
    assert "sum_of_prices" in paths[9].read_text(encoding="utf-8")
    editor.command(f"buffer {paths[9]}")
    editor.command("silent undo")
    assert editor.lines == user(8).splitlines()


def test_a_file_from_the_list_and_its_hunks_are_shown(editor: PluginEditor) -> None:
    shop(editor)
    refactor(editor)
    editor.keys("f")
    row = 1 + ["shop/order_07.py" in line for line in editor.side("files")].index(True)
    editor.nvim.current.window.cursor = (row, 0)
    editor.keys("<CR>")
    editor.wait(f"{FOURTH}:find('order_7', 1, true) ~= nil")
    assert editor.side("left") == user(7).splitlines()
    assert editor.side("right") == user(7, "sum_of_prices").splitlines()
    editor.keys("<Tab><Tab>")
    editor.wait(f"{FOURTH}:find('order_8', 1, true) ~= nil")


def test_one_file_that_may_not_change_keeps_all_the_others_as_they_are(editor: PluginEditor) -> None:
    paths = shop(editor)
    editor.command(f"edit {paths[20]}")
    editor.attached()
    editor.command("setlocal nomodifiable")
    editor.command(f"edit {paths[0]}")
    refactor(editor)
    editor.keys("A")
    editor.wait("#_G.said > 0 and _G.said[#_G.said].text:find('nomodifiable', 1, true) ~= nil")
    assert editor.proposals == 1
    assert content(editor, paths[0]) == PRICES.splitlines()
    assert editor.lua("return #vim.fn.getbufinfo({ bufmodified = 1 })") == 0
    assert editor.lua("return #vim.fn.getbufinfo({ buflisted = 1 })") <= 4, "what was loaded is gone again"


def test_a_new_file_is_created_and_the_old_one_loses_its_lines(editor: PluginEditor) -> None:
    path = editor.open(PRICES + "\n\n" + user(1).split("\n\n\n")[1], name="moving.py")
    moved = editor.workspace / "sums.py"
    say(
        editor,
        [block("sums.py", "", PRICES), block("moving.py", PRICES + "\n\n", "from sums import total\n\n\n")],
    )
    editor.command("1 | Ensemble refactor move total into a file of its own, sums.py")
    editor.in_review()
    assert any(line.lstrip("▸ ").startswith("+") for line in editor.side("files"))
    editor.keys("A")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert content(editor, path)[0] == "from sums import total"
    assert content(editor, moved) == PRICES.splitlines()
    editor.command("silent wall")
    assert moved.read_text(encoding="utf-8") == PRICES
