"""From a fix to accepted hunks: what the review shows, what accepting changes, and what it leaves alone."""

import pytest

from tests.editors.plugin.stage import PluginEditor
from tests.lsp.stage import BUG, CART, REPAIR

TWO = (
    "def total(prices):\n    result = 0\n    for price in prices:\n        result = price\n    return result\n"
    "\n\n"
    "def mean(prices):\n    count = 0\n    for price in prices:\n        count = 1\n    return total(prices) / count\n"
)
COUNT, COUNTED = "        count = 1\n", "        count += 1\n"


def lines(text: str) -> list[str]:
    return text.splitlines()


def test_the_review_is_a_diff_of_two_scratch_buffers_beside_an_untouched_file(editor: PluginEditor) -> None:
    path = editor.open()
    editor.fix()
    assert editor.side("left") == lines(CART)
    assert editor.side("right") == lines(CART.replace(BUG, REPAIR))
    for window in editor.nvim.current.tabpage.windows:
        assert window.options["diff"]
        assert window.buffer.options["buftype"] == "nofile"
        assert not window.buffer.options["modifiable"]
    assert "accept" in editor.nvim.current.window.options["winbar"]
    assert not editor.lua("return vim.bo[vim.fn.bufnr(...)].modified", str(path))
    assert path.read_text(encoding="utf-8") == CART


def test_one_hunk_rejected_the_other_accepted_and_taken_back(editor: PluginEditor) -> None:
    editor.open(TWO)
    editor.members((BUG, REPAIR), (COUNT, COUNTED))
    editor.fix()
    editor.keys("x")
    editor.wait("#require('ensemble.review').here().places == 1")
    editor.keys("a")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == lines(TWO.replace(COUNT, COUNTED))
    editor.command("silent undo")
    assert editor.lines == lines(TWO)
    assert not editor.nvim.current.buffer.options["modified"]
    assert editor.proposals == 0


def test_each_accept_is_an_undo_step_of_its_own(editor: PluginEditor) -> None:
    editor.open(TWO)
    editor.members((BUG, REPAIR), (COUNT, COUNTED))
    editor.fix()
    editor.keys("a")
    editor.wait("#require('ensemble.review').here().places == 1")
    editor.keys("a")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == lines(TWO.replace(BUG, REPAIR).replace(COUNT, COUNTED))
    editor.command("silent undo")
    assert editor.lines == lines(TWO.replace(BUG, REPAIR))
    editor.command("silent undo")
    assert editor.lines == lines(TWO)
    editor.command("silent redo | silent redo")
    assert editor.lines == lines(TWO.replace(BUG, REPAIR).replace(COUNT, COUNTED))


def test_an_undo_during_the_review_brings_the_hunk_back(editor: PluginEditor) -> None:
    path = editor.open(TWO)
    editor.members((BUG, REPAIR), (COUNT, COUNTED))
    editor.fix()
    editor.keys("a")
    editor.wait("#require('ensemble.review').here().places == 1")
    editor.lua("vim.api.nvim_buf_call(vim.fn.bufnr(...), function() vim.cmd('silent undo') end)", str(path))
    editor.wait("#require('ensemble.review').here().places == 2")
    assert editor.side("left") == lines(TWO)


def test_everything_is_accepted_with_one_key_as_one_undo_step(editor: PluginEditor) -> None:
    editor.open(TWO)
    editor.members((BUG, REPAIR), (COUNT, COUNTED))
    editor.fix()
    editor.keys("A")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == lines(TWO.replace(BUG, REPAIR).replace(COUNT, COUNTED))
    editor.command("silent undo")
    assert editor.lines == lines(TWO)


def test_rejecting_everything_changes_nothing_and_closes_the_review(editor: PluginEditor) -> None:
    editor.open()
    editor.fix()
    editor.keys("X")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == lines(CART)
    assert editor.proposals == 0


def test_next_and_previous_go_round_and_name_the_hunk(editor: PluginEditor) -> None:
    editor.open(TWO)
    editor.members((BUG, REPAIR), (COUNT, COUNTED))
    editor.fix()
    seen: list[int] = []
    for key in ("<Tab>", "<Tab>", "<S-Tab>"):
        editor.keys(key)
        seen.append(editor.nvim.current.window.cursor[0])
    assert seen == [11, 4, 11]
    bars = [window.options["winbar"] for window in editor.nvim.current.tabpage.windows]
    assert any("hunk 2/2" in bar for bar in bars)


def test_the_why_float_says_who_wrote_the_hunk_and_what_was_run(editor: PluginEditor) -> None:
    editor.open()
    editor.fix()
    editor.keys("K")
    editor.wait("#vim.api.nvim_tabpage_list_wins(0) == 3")
    (text,) = [
        "\n".join(window.buffer[:])
        for window in editor.nvim.current.tabpage.windows
        if window.buffer.options["filetype"] == "markdown" or window.buffer.options["syntax"] == "markdown"
    ]
    assert "2 families wrote this" in text
    assert "syntax" in text


def test_hunks_are_in_the_quickfix_list(editor: PluginEditor) -> None:
    path = editor.open(TWO)
    editor.members((BUG, REPAIR), (COUNT, COUNTED))
    editor.fix()
    editor.keys("Q")
    listed = editor.lua("return vim.fn.getqflist()")
    assert [item["lnum"] for item in listed] == [4, 11]
    assert {editor.lua("return vim.fn.bufname(...)", item["bufnr"]) for item in listed} <= {
        str(path),
        path.name,
    }
    assert "result += price" in listed[0]["text"]


def test_the_file_itself_is_one_key_away(editor: PluginEditor) -> None:
    path = editor.open()
    editor.fix()
    editor.keys("<CR>")
    assert editor.nvim.current.buffer.name == str(path)
    assert editor.nvim.current.window.cursor[0] == 4
    editor.command("Ensemble show")
    editor.in_review()


def test_a_closed_review_waits_and_opens_again(editor: PluginEditor) -> None:
    editor.open()
    editor.fix()
    editor.keys("q")
    assert editor.lua("return vim.fn.tabpagenr('$')") == 1
    assert editor.proposals == 1
    editor.command("Ensemble show")
    editor.in_review()
    editor.command("tabclose")
    editor.command("Ensemble apply")
    editor.wait("#require('ensemble').proposals() == 0")
    assert editor.lines == lines(CART.replace(BUG, REPAIR))


@pytest.mark.parametrize("mode", ["i", "v"])
def test_nothing_opens_before_the_eyes_of_a_person_who_went_on(editor: PluginEditor, mode: str) -> None:
    editor.open()
    editor.models.hold()
    editor.fix(wait=False)
    editor.nvim.input("o" if mode == "i" else "v")
    editor.in_mode(mode)
    editor.models.release()
    editor.wait("#require('ensemble').proposals() == 1")
    assert editor.lua("return vim.fn.tabpagenr('$')") == 1
    assert editor.lua("return vim.api.nvim_get_mode().mode") == mode
    assert any(":Ensemble show" in text for text in editor.said)


def test_the_review_closes_when_the_proposal_is_applied_elsewhere(editor: PluginEditor) -> None:
    editor.open()
    editor.fix()
    editor.command("tabprevious")
    editor.command("Ensemble apply")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == lines(CART.replace(BUG, REPAIR))
