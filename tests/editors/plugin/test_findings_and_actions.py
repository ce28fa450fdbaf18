"""Findings as diagnostics, code actions with everybody's, documents, questions, what other servers know."""

import subprocess
from pathlib import Path

import pytest

from tests.editors.plugin.stage import PluginEditor
from tests.lsp.stage import BUG, CART, REPAIR, finding

OTHER_SERVER = """
-- A language server inside Neovim, as another client of the same buffer.
local bufnr = vim.api.nvim_get_current_buf()
_G.other_was_asked = {}
vim.lsp.start({
  name = "other",
  cmd = function(dispatchers)
    local function answer(method, params, callback)
      if method == "initialize" then
        local can = { definitionProvider = true, hoverProvider = true, referencesProvider = true }
        return callback(nil, { capabilities = can })
      elseif method == "shutdown" then
        return callback(nil, vim.NIL)
      end
      table.insert(_G.other_was_asked, method)
      local here = { start = { line = 0, character = 4 }, ["end"] = { line = 0, character = 9 } }
      if method == "textDocument/hover" then
        callback(nil, { contents = { kind = "markdown", value = "HOVERED total: prices to their sum" } })
      elseif method == "textDocument/definition" then
        callback(nil, { { targetUri = params.textDocument.uri, targetRange = here, targetSelectionRange = here } })
      else
        callback(nil, { { uri = params.textDocument.uri, range = here } })
      end
    end
    return {
      request = function(method, params, callback)
        vim.schedule(function() answer(method, params, callback) end)
        return true, 1
      end,
      notify = function() return true end,
      is_closing = function() return false end,
      terminate = function() dispatchers.on_exit(0, 0) end,
    }
  end,
}, { bufnr = bufnr })
"""


def review(editor: PluginEditor) -> None:
    editor.models.voices.findings = [finding(4, BUG.rstrip("\n"), path=editor.models.voices.path)]
    editor.command("Ensemble review")
    editor.wait("#vim.diagnostic.get(0) == 1")


def test_a_review_shows_diagnostics_with_a_sign(editor: PluginEditor) -> None:
    editor.open()
    review(editor)
    (shown,) = editor.lua("return vim.diagnostic.get(0)")
    assert (shown["lnum"], shown["col"], shown["source"]) == (3, 8, "ensemble")
    signs = editor.lua(
        "return vim.tbl_map(function(mark) return mark[4].sign_text end,"
        "  vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true, type = 'sign' }))"
    )
    assert [sign.strip() for sign in signs] == ["◆"]


def test_the_evidence_of_a_finding_is_in_a_float(editor: PluginEditor) -> None:
    editor.open()
    review(editor)
    editor.command("4")
    editor.command("Ensemble why")
    editor.wait("#vim.api.nvim_list_wins() == 2")
    text = "\n".join(editor.nvim.windows[1].buffer[:])
    assert "alpha" in text
    assert "beta" in text


def test_a_dismissed_finding_stays_away(editor: PluginEditor) -> None:
    editor.open()
    review(editor)
    editor.command("4")
    editor.command("Ensemble dismiss wrong")
    editor.wait("#vim.diagnostic.get(0) == 0")
    first = editor.lua("return require('ensemble').jobs()[1].id")
    editor.command("Ensemble review")
    editor.wait(
        f"require('ensemble').jobs()[1].id ~= '{first}' and require('ensemble').jobs()[1].status ~= nil"
    )
    assert editor.lua("return vim.diagnostic.get(0)") == []


def test_a_dismissed_finding_is_taken_back(editor: PluginEditor) -> None:
    editor.open()
    review(editor)
    editor.command("4")
    editor.command("Ensemble dismiss wontfix")
    editor.wait("#vim.diagnostic.get(0) == 0")
    first = editor.lua("return require('ensemble').jobs()[1].id")
    editor.command("Ensemble review")
    editor.wait(
        f"require('ensemble').jobs()[1].id ~= '{first}' and require('ensemble').jobs()[1].status ~= nil"
    )
    editor.answers(editor.models.voices.path)
    editor.command("Ensemble restore")
    editor.wait("#vim.diagnostic.get(0) == 1")
    assert "(wontfix)" in "".join(editor.asked[0]["titles"])


def test_staged_changes_are_reviewed(editor: PluginEditor) -> None:
    path = editor.open()
    git(editor.workspace, "init", "-q")
    git(editor.workspace, "add", path.name)
    editor.models.voices.findings = [finding(4, BUG.rstrip("\n"), path=path.name)]
    editor.command("Ensemble review staged")
    editor.wait("#vim.diagnostic.get(0) == 1")


def test_the_menu_of_code_actions_speaks_of_other_tools_diagnostics(editor: PluginEditor) -> None:
    editor.open()
    foreign(editor)
    editor.command("4")
    editor.answers('fix "only the last price')
    editor.lua("vim.lsp.buf.code_action()")
    editor.wait("#_G.asked > 0")
    assert any('fix "only the last price' in title for title in editor.asked[0]["titles"])
    editor.wait("#require('ensemble').proposals() == 1")


def test_a_fix_takes_along_what_other_tools_say_of_its_lines(editor: PluginEditor) -> None:
    editor.open()
    foreign(editor)
    editor.fix(bang=True)
    assert any("only the last price counts" in prompt for prompt in editor.models.voices.asked)


def test_an_explanation_is_a_document_beside_the_text(editor: PluginEditor) -> None:
    path = editor.open()
    editor.models.voices.claims = [
        {"kind": "purpose", "text": "Sums the prices.", "line": 1, "symbol": "total"}
    ]
    editor.command("Ensemble explain")
    editor.wait("vim.api.nvim_buf_get_name(0):find('ensemble:/explanation', 1, true) ~= nil")
    editor.wait("vim.api.nvim_buf_line_count(0) > 2")
    assert any("Sums the prices (`total`, line 1)." in line for line in editor.lines)
    assert not editor.nvim.current.buffer.options["modifiable"]
    assert editor.lua("return vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil")
    editor.keys("q")
    assert editor.nvim.current.buffer.name == str(path)


def test_an_explanation_does_not_take_the_cursor_of_a_person_who_types(editor: PluginEditor) -> None:
    path = editor.open()
    editor.models.voices.claims = [
        {"kind": "purpose", "text": "Sums the prices.", "line": 1, "symbol": "total"}
    ]
    editor.models.hold()
    editor.command("Ensemble explain")
    editor.nvim.input("o")
    editor.in_mode("i")
    editor.models.release()
    editor.wait("#vim.api.nvim_list_wins() == 2")
    assert editor.nvim.current.buffer.name == str(path)
    assert editor.nvim.api.get_mode()["mode"] == "i"


def test_a_question_waits_until_the_person_has_typed(editor: PluginEditor) -> None:
    editor.open()
    editor.answers("Send")
    editor.nvim.input("o")
    editor.in_mode("i")
    editor.lua(
        """
        local params = { type = 3, message = "May code leave?", actions = { { title = "Send" }, { title = "Do not" } } }
        coroutine.wrap(function()
          _G.answered = require("ensemble.handlers").question(nil, params, {})
        end)()
        """
    )
    assert editor.asked == []
    assert any("May code leave?" in text for text in editor.said)
    editor.nvim.input("<Esc>")
    editor.in_mode("n")
    editor.wait("#_G.asked == 1 and _G.answered ~= nil")
    assert editor.lua("return _G.answered") == {"title": "Send"}


def test_a_debate_from_the_menu_asks_for_its_question(editor: PluginEditor) -> None:
    editor.open()
    editor.command("4")
    editor.answers("ask the panel", "Is a loop right here?")
    editor.lua(
        "vim.lsp.buf.code_action({ context = { only = { 'refactor.ensemble.debate' }, diagnostics = {} } })"
    )
    editor.wait("#_G.asked == 2")
    editor.wait("require('ensemble').jobs()[1].action == 'debate'")
    editor.wait("require('ensemble').jobs()[1].status ~= nil")
    assert any("Is a loop right here?" in prompt for prompt in editor.models.voices.asked)


def test_an_instruction_is_the_rest_of_the_line(editor: PluginEditor) -> None:
    editor.open()
    editor.command('4 | Ensemble! fix mind | the "pipes" & quotes')
    editor.wait("#require('ensemble').proposals() == 1")
    assert any('mind | the "pipes" & quotes' in prompt for prompt in editor.models.voices.asked)


def test_what_other_servers_know_reaches_the_members(editor: PluginEditor) -> None:
    editor.open()
    editor.lua(OTHER_SERVER)
    editor.wait("#vim.lsp.get_clients({ bufnr = 0, name = 'other' }) == 1")
    editor.wait("vim.lsp.get_clients({ bufnr = 0, name = 'other' })[1].initialized")
    editor.fix(bang=True)
    assert "textDocument/hover" in editor.lua("return _G.other_was_asked")
    assert any("HOVERED total" in prompt for prompt in editor.models.voices.asked)


@pytest.mark.parametrize("keys", ["V<Plug>(ensemble-fix)", "<Plug>(ensemble-fix)"])
def test_plug_mappings_start_jobs(editor: PluginEditor, keys: str) -> None:
    editor.open()
    editor.command("4")
    editor.keys(keys)
    editor.in_review()
    assert editor.side("right") == CART.replace(BUG, REPAIR).splitlines()


def foreign(editor: PluginEditor) -> None:
    """Another tool's diagnostic on the buggy line."""
    editor.lua(
        "vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, { { lnum = 3, col = 8, end_lnum = 3,"
        "  end_col = 22, message = 'only the last price counts', source = 'linter',"
        "  severity = vim.diagnostic.severity.WARN } })"
    )


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
