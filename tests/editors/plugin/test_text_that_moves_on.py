"""What happens to the text while a job runs or a proposal waits: hunks move, conflicts are shown, nothing is lost."""

from tests.editors.plugin.stage import PluginEditor
from tests.editors.plugin.test_reviewing_a_proposal import COUNT, COUNTED, TWO
from tests.lsp.stage import BUG, CART, REPAIR

FIXED = CART.replace(BUG, REPAIR)


def test_lines_typed_above_during_the_job_move_the_hunk(editor: PluginEditor) -> None:
    editor.open()
    editor.models.hold()
    editor.fix(wait=False)
    editor.keys("ggO# typed meanwhile<Esc>")
    editor.models.release()
    editor.wait("#require('ensemble').proposals() == 1")
    editor.command("Ensemble show")
    editor.in_review()
    assert editor.side("left") == ["# typed meanwhile", *CART.splitlines()]
    editor.keys("a")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == ["# typed meanwhile", *FIXED.splitlines()]


def test_a_line_typed_over_during_the_review_is_a_conflict_and_stays(editor: PluginEditor) -> None:
    path = editor.open(TWO)
    editor.members((BUG, REPAIR), (COUNT, COUNTED))
    editor.fix()
    bufnr = editor.lua("return vim.fn.bufnr(...)", str(path))
    editor.lua(
        "vim.api.nvim_buf_set_lines(..., 3, 4, false, { '        result = price + 0  # mine' })", bufnr
    )
    editor.wait("require('ensemble.review').here().places[1].hunk.conflict")
    editor.command("normal! gg")
    editor.command("3")
    editor.keys("a")
    assert any("you changed these lines" in text for text in editor.said)
    editor.keys("A")
    editor.wait("#require('ensemble.review').here().places == 1")
    now = editor.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, false)", bufnr)
    assert now[3] == "        result = price + 0  # mine"
    assert now[10] == COUNTED.rstrip("\n")
    assert any("left out" in text for text in editor.said)


def test_reload_during_the_job_with_another_text_on_the_disk(editor: PluginEditor) -> None:
    path = editor.open()
    editor.models.hold()
    editor.fix(wait=False)
    path.write_text(f"# from elsewhere\n{CART}", encoding="utf-8")
    editor.command("edit!")
    editor.models.release()
    editor.wait("#require('ensemble').proposals() == 1")
    editor.command("Ensemble show")
    editor.in_review()
    editor.keys("a")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == ["# from elsewhere", *FIXED.splitlines()]


def test_autoread_takes_over_a_change_on_the_disk_while_the_proposal_waits(editor: PluginEditor) -> None:
    path = editor.open()
    editor.command("setlocal autoread")
    editor.fix()
    editor.keys("q")
    path.write_text(f"# from elsewhere\n{CART}", encoding="utf-8")
    editor.command("checktime")
    editor.wait("vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == '# from elsewhere'")
    editor.command("Ensemble show")
    editor.in_review()
    editor.wait("require('ensemble.review').here().places[1].start == 4")
    editor.keys("a")
    editor.wait("vim.fn.tabpagenr('$') == 1")
    assert editor.lines == ["# from elsewhere", *FIXED.splitlines()]


def test_a_line_that_was_repaired_by_hand_needs_no_proposal(editor: PluginEditor) -> None:
    editor.open()
    editor.models.hold()
    editor.fix(wait=False)
    editor.keys(":4s/= price/+= price/<CR>")
    editor.models.release()
    editor.wait("#require('ensemble.jobs').running() == 0")
    editor.command("Ensemble apply")
    assert editor.lines == FIXED.splitlines()


def test_inline_hunks_leave_the_text_alone_and_move_with_it(editor: PluginEditor) -> None:
    editor.open(TWO)
    editor.members((BUG, REPAIR), (COUNT, COUNTED))
    editor.fix(bang=True)
    assert editor.lines == TWO.splitlines()
    assert editor.lua("return vim.fn.tabpagenr('$')") == 1
    editor.wait(f"#{VIRTUAL} == 2")
    assert virtual(editor) == [(3, REPAIR.rstrip("\n")), (10, COUNTED.rstrip("\n"))]
    editor.keys("ggO# above<Esc>")
    editor.wait("require('ensemble').proposals()[1].files[1].hunks[1].oldStart == 4")
    assert virtual(editor) == [(4, REPAIR.rstrip("\n")), (11, COUNTED.rstrip("\n"))]
    editor.command("1")
    editor.command("Ensemble next")
    assert editor.nvim.current.window.cursor[0] == 5
    editor.command(".Ensemble apply")
    editor.wait("#require('ensemble').proposals()[1].files[1].hunks == 1")
    assert editor.lines[4] == REPAIR.rstrip("\n")
    editor.wait(f"{VIRTUAL}[1][1] == 11")
    editor.command("12Ensemble reject")
    editor.wait("#require('ensemble').proposals() == 0")
    assert virtual(editor) == []
    assert editor.lines[11] == COUNT.rstrip("\n")


VIRTUAL = """(function()
  local found = {}
  local namespace = vim.api.nvim_create_namespace("ensemble.inline")
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
    if mark[4].virt_lines then
      table.insert(found, { mark[2], mark[4].virt_lines[1][1][1] })
    end
  end
  return found
end)()"""


def virtual(editor: PluginEditor) -> list[tuple[int, str]]:
    """The first virtual line of each inline hunk, with the row (from 0) that it stands under."""
    return [(row, text) for row, text in editor.lua(f"return {VIRTUAL}")]
