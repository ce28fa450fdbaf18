"""Accepting changes the lines that were agreed on: not the cursor, marks, folds, line endings or other windows."""

from pathlib import Path

import pytest

from tests.editors.plugin.stage import PluginEditor
from tests.lsp.stage import BUG, CART, REPAIR

FIXED = CART.replace(BUG, REPAIR)
LONGER = "        # Sum them all up.\n        result += price\n"


def accept(editor: PluginEditor, path: Path) -> None:
    """Ask for a fix of the open file and accept all of it, from the file's own window."""
    editor.fix()
    editor.keys("q")
    assert editor.nvim.current.buffer.name == str(path)
    editor.command("Ensemble apply")
    editor.wait("#require('ensemble').proposals() == 0")


def bytes_after_writing(editor: PluginEditor, path: Path) -> bytes:
    editor.lua("vim.api.nvim_buf_call(vim.fn.bufnr(...), function() vim.cmd('silent write') end)", str(path))
    return path.read_bytes()


def test_cursor_marks_folds_and_other_windows_stay(editor: PluginEditor) -> None:
    head = "".join(f"# line {number}\n" for number in range(1, 61))
    editor.open(head + CART + "\n\n" + "x = 1\n" * 60)
    editor.members((BUG, LONGER))
    editor.command("setlocal foldmethod=manual")
    editor.command("70,80fold")
    editor.command("64mark a | 66mark b | 5mark c")
    editor.command("belowright split")
    editor.command("wincmd k")
    editor.fix(64)
    editor.keys("q")
    editor.command("wincmd j")
    editor.nvim.current.window.cursor = (90, 2)
    editor.command("normal! zt")
    lower = editor.nvim.current.window
    before = lower.cursor, lower.buffer[lower.cursor[0] - 1], editor.lua("return vim.fn.line('w0')")
    editor.command("wincmd k")
    editor.nvim.current.window.cursor = (65, 4)
    editor.command("normal! zz")
    editor.command("Ensemble apply")
    editor.wait("#require('ensemble').proposals() == 0")
    assert editor.nvim.current.window.cursor == (66, 4), "still on the line that it was on"
    assert editor.nvim.current.line == "    return result"
    assert editor.lua("return vim.api.nvim_buf_get_mark(0, 'a')[1]") == 64
    assert editor.lua("return vim.api.nvim_buf_get_mark(0, 'b')[1]") == 67
    assert editor.lua("return vim.api.nvim_buf_get_mark(0, 'c')[1]") == 5
    assert editor.lua("return { vim.fn.foldclosed(71), vim.fn.foldclosedend(71) }") == [71, 81]
    editor.command("wincmd j")
    (row, column), line, top = before
    assert editor.nvim.current.window.cursor == (row + 1, column)
    assert editor.nvim.current.line == line
    assert editor.lua("return vim.fn.line('w0')") == top + 1


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CART.replace("\n", "\r\n").encode(), FIXED.replace("\n", "\r\n").encode()),
        (CART.removesuffix("\n").encode(), FIXED.encode()),
        (f"# 🎈🎈 naïve\n{CART}".encode(), f"# 🎈🎈 naïve\n{FIXED}".encode()),
        (f"\ufeff{CART}".encode(), f"\ufeff{FIXED}".encode()),
        (
            CART.replace("    return", "\x0c    return").encode(),
            FIXED.replace("    return", "\x0c    return").encode(),
        ),
    ],
    ids=["dos", "no-end-of-line", "emoji-before", "byte-order-mark", "form-feed"],
)
def test_every_other_byte_of_the_file_stays(editor: PluginEditor, content: bytes, expected: bytes) -> None:
    path = editor.open(content)
    row = 1 + [BUG.strip() in line for line in editor.lines].index(True)
    editor.fix(row)
    editor.keys("A")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert bytes_after_writing(editor, path) == expected
    editor.command("silent undo")
    assert not any("+=" in line for line in editor.lines)


def test_a_last_line_without_an_end_is_changed_and_kept_so(editor: PluginEditor) -> None:
    path = editor.open(CART.removesuffix("\n"))
    editor.command("setlocal nofixendofline")
    editor.members(("    return result\n", "    return result or 0\n"))
    editor.fix(5)
    editor.keys("A")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert bytes_after_writing(editor, path) == CART.removesuffix("\n").encode() + b" or 0"


def test_a_file_of_ten_thousand_lines(editor: PluginEditor) -> None:
    filler = "".join(f"value_{number} = {number}\n" for number in range(5000))
    editor.open(f"{filler}\n\n{CART}\n\n{filler}")
    editor.fix(5006)
    editor.keys("a")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines[5005] == REPAIR.rstrip("\n")
    editor.command("silent undo")
    assert editor.lines[5005] == BUG.rstrip("\n")
    assert not editor.nvim.current.buffer.options["modified"]


def test_a_buffer_that_may_not_be_changed_is_not(editor: PluginEditor) -> None:
    editor.open()
    editor.command("setlocal nomodifiable")
    editor.fix()
    editor.keys("a")
    editor.wait("#_G.said > 0 and _G.said[#_G.said].text:find('nomodifiable', 1, true) ~= nil")
    assert editor.proposals == 1
    editor.command("tabprevious")
    assert editor.lines == CART.splitlines()


def test_a_hidden_and_unlisted_buffer_is_changed_and_stays_so(editor: PluginEditor) -> None:
    path = editor.open()
    bufnr = editor.nvim.current.buffer.number
    editor.models.hold()
    editor.fix(wait=False)
    editor.command("setlocal nobuflisted bufhidden=hide | hide enew")
    editor.models.release()
    editor.wait("#require('ensemble').proposals() == 1")
    assert editor.lua("return vim.fn.tabpagenr('$')") == 1, "the person is elsewhere by now"
    editor.command("Ensemble apply")
    editor.wait("#require('ensemble').proposals() == 0")
    assert editor.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, false)", bufnr) == FIXED.splitlines()
    assert not editor.lua("return vim.bo[...].buflisted", bufnr)
    assert editor.lua("return vim.fn.win_findbuf(...)", bufnr) == []
    assert path.read_text(encoding="utf-8") == CART


def test_two_tabs_and_a_split_on_the_buffer_see_one_change(editor: PluginEditor) -> None:
    path = editor.open()
    editor.command("split | tab split")
    editor.command("tabfirst")
    accept(editor, path)
    for window in editor.nvim.windows:
        if window.buffer.name == str(path):
            assert window.buffer[:] == FIXED.splitlines()


def test_another_folder_is_current_when_it_is_accepted(editor: PluginEditor, tmp_path: Path) -> None:
    editor.open()
    editor.fix()
    editor.command(f"cd {tmp_path}")
    editor.keys("a")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == FIXED.splitlines()


def test_a_stale_version_changes_no_file_at_all(editor: PluginEditor) -> None:
    first, second = editor.open(name="stale_one.py"), editor.open(name="stale_two.py")
    answer = editor.lua(
        """
        local first, second = ...
        local function edit(path, version)
          local range = { start = { line = 0, character = 0 }, ["end"] = { line = 1, character = 0 } }
          return {
            textDocument = { uri = vim.uri_from_fname(path), version = version },
            edits = { { range = range, newText = "changed\\n" } },
          }
        end
        local versions = vim.lsp.util.buf_versions
        return require("ensemble.apply").edit({
          documentChanges = {
            edit(first, versions[vim.fn.bufnr(first)]),
            edit(second, versions[vim.fn.bufnr(second)] - 1),
          },
        }, "utf-8")
        """,
        str(first),
        str(second),
    )
    assert answer["applied"] is False
    assert "stale_two.py was changed meanwhile" in answer["failureReason"]
    for path in (first, second):
        bufnr = editor.lua("return vim.fn.bufnr(...)", str(path))
        assert editor.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, false)", bufnr) == CART.splitlines()


def test_a_file_cannot_be_created_over_another_one(editor: PluginEditor) -> None:
    path = editor.open()
    answer = editor.lua(
        """
        return require("ensemble.apply").edit({
          documentChanges = { { kind = "create", uri = vim.uri_from_fname(...) } },
        }, "utf-8")
        """,
        str(path),
    )
    assert answer["applied"] is False
    assert path.read_text(encoding="utf-8") == CART


def test_a_failure_half_way_takes_everything_back(editor: PluginEditor) -> None:
    """The second step fails only when it is performed: its folder's parent is a file."""
    path = editor.open()
    answer = editor.lua(
        """
        local path = ...
        local range = { start = { line = 0, character = 0 }, ["end"] = { line = 1, character = 0 } }
        local uri = vim.uri_from_fname(path)
        return require("ensemble.apply").edit({
          documentChanges = {
            { textDocument = { uri = uri, version = vim.lsp.util.buf_versions[vim.fn.bufnr(path)] },
              edits = { { range = range, newText = "changed\\n" } } },
            { kind = "create", uri = uri .. "/below/new.py" },
          },
        }, "utf-8")
        """,
        str(path),
    )
    assert answer["applied"] is False
    assert editor.lines == CART.splitlines()
