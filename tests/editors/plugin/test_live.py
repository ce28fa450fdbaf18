"""While a job runs: lanes, progress, status line, autocommands; and how it ends before its time."""

import os
import signal
from pathlib import Path

from tests.editors.plugin.stage import PluginEditor
from tests.lsp.stage import BUG, CART, REPAIR

WATCH = "table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('ensemble://watch'), 0, -1, false), '\\n')"

LAST = "require('ensemble').jobs()[1]"


def test_the_lanes_stream_while_the_cursor_stays_where_it_is(editor: PluginEditor) -> None:
    path = editor.open()
    editor.command("Ensemble watch")
    assert editor.nvim.current.buffer.name == str(path)
    editor.fix(bang=True)
    editor.wait(f"{LAST}.status == 'done'")
    editor.wait(f"{WATCH}:find('fix done', 1, true) ~= nil")
    shown = str(editor.lua(f"return {WATCH}"))
    assert "alpha" in shown
    assert "beta" in shown
    assert REPAIR.strip() in shown, "what a member said"
    assert "syntax on" in shown, "what was checked"
    assert "proposal: Fix total" in shown
    assert editor.nvim.current.buffer.name == str(path)


def test_progress_and_status_line_say_how_far_it_is(editor: PluginEditor) -> None:
    editor.open()
    editor.lua(
        "_G.progress = {}\n"
        "vim.api.nvim_create_autocmd('LspProgress', { callback = function(event)\n"
        "  table.insert(_G.progress, event.data.params.value)\n"
        "end })"
    )
    assert editor.lua("return require('ensemble').status()") == ""
    editor.models.hold()
    editor.fix(wait=False)
    editor.wait("require('ensemble').status():find('ensemble fix draft', 1, true) ~= nil")
    editor.wait("#_G.progress > 0")
    assert editor.lua("return _G.progress[1].title").startswith("Ensemble fix: cart_")
    editor.models.release()
    editor.wait("_G.progress[#_G.progress].kind == 'end'")
    editor.wait("require('ensemble').status() == ''")


def test_autocommands_tell_of_start_proposal_and_end(editor: PluginEditor) -> None:
    editor.open()
    editor.fix(bang=True)
    editor.wait("#_G.autocommands > 0 and _G.autocommands[#_G.autocommands].name == 'EnsembleProposal'")
    told = editor.lua("return _G.autocommands")
    names = [each["name"] for each in told]
    assert names[0] == "EnsembleStarted"
    assert "EnsemblePhase" in names
    (finished,) = [each["data"] for each in told if each["name"] == "EnsembleFinished"]
    assert finished["status"] == "done"
    assert "2 families agree" in finished["reason"]


def test_a_cancelled_job_ends_at_once_and_changes_nothing(editor: PluginEditor) -> None:
    editor.open()
    editor.models.hold()
    editor.fix(wait=False)
    editor.wait("require('ensemble').status():find('draft', 1, true) ~= nil")
    editor.command("Ensemble cancel")
    editor.wait(f"{LAST}.status == 'cancelled'")
    assert editor.lines == CART.splitlines()
    assert editor.proposals == 0


def test_the_engine_killed_ends_the_job_with_a_reason_and_the_next_one_works(editor: PluginEditor) -> None:
    editor.open()
    editor.models.hold()
    editor.fix(wait=False)
    editor.wait("require('ensemble').status():find('draft', 1, true) ~= nil")
    (engine,) = engines_below(editor.nvim.funcs.getpid())
    os.kill(engine, signal.SIGKILL)
    editor.wait(f"{LAST}.status == 'failed'")
    assert "engine process ended" in editor.lua(f"return {LAST}.reason")
    editor.models.release()
    editor.fix()
    assert editor.side("right") == CART.replace(BUG, REPAIR).splitlines()


def test_a_budget_that_is_used_up_says_so(editor: PluginEditor) -> None:
    editor.open()
    editor.command("4 | Ensemble fix --calls=0")
    editor.wait(f"{LAST} and {LAST}.status == 'overBudget'")
    assert editor.lines == CART.splitlines()


def test_jobs_are_listed_with_their_transcripts(editor: PluginEditor) -> None:
    editor.open()
    editor.fix(bang=True)
    editor.wait(f"{LAST}.status == 'done'")
    editor.command("Ensemble jobs")
    editor.wait("vim.api.nvim_buf_get_name(0):find('ensemble://jobs', 1, true) ~= nil")
    assert "done" in editor.lines[0]
    editor.keys("gg<CR>")
    editor.wait("vim.api.nvim_buf_get_name(0):find('ensemble:/transcript', 1, true) ~= nil")
    editor.wait("vim.api.nvim_buf_line_count(0) > 5")
    assert any("alpha" in line for line in editor.lines)
    editor.keys("q")
    editor.keys("q")


def test_the_panel_says_who_sits_and_why(editor: PluginEditor) -> None:
    editor.open()
    editor.command("Ensemble panel")
    editor.wait("vim.api.nvim_buf_get_name(0):find('ensemble://panel', 1, true) ~= nil")
    text = "\n".join(editor.lines)
    assert "alpha (alpha, anchor)" in text
    assert "key: not needed" in text


def test_a_job_goes_on_as_a_debate_from_its_drafts(editor: PluginEditor) -> None:
    editor.open()
    editor.fix(bang=True)
    editor.wait(f"{LAST}.status == 'done'")
    calls = len(editor.models.voices.asked)
    editor.command("Ensemble continue")
    editor.wait(f"#require('ensemble').jobs() > 1 and {LAST}.mode == 'debate' and {LAST}.status ~= nil")
    drafts = [prompt for prompt in editor.models.voices.asked[calls:] if "Try to break" not in prompt]
    assert len(editor.models.voices.asked) > calls
    assert len(drafts) < len(editor.models.voices.asked)


def test_a_second_job_is_cancelled_by_choice(editor: PluginEditor) -> None:
    editor.open()
    editor.models.hold()
    editor.fix(wait=False)
    editor.command("Ensemble explain")
    editor.wait("#require('ensemble.jobs').running() == 2")
    editor.answers("fix")
    editor.command("Ensemble cancel")
    editor.wait("#require('ensemble.jobs').running() == 1")
    assert editor.asked[0]["prompt"] == "Which job?"
    assert editor.lua("return require('ensemble.jobs').running()[1].action") == "explain"


def test_local_models_only_can_be_turned_on_and_off(editor: PluginEditor) -> None:
    editor.open()
    editor.command("Ensemble local on")
    assert editor.said[-1].endswith("only models on this machine from now on")
    editor.fix(bang=True)  # the fake server is on loopback, so it may still answer
    editor.command("Ensemble local off")
    assert "may sit on the panel again" in editor.said[-1]


def engines_below(pid: int) -> list[int]:
    """The engine processes below a process."""
    found: list[int] = []
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    for child in children:
        command = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
        if "ensemble_lsp.engine" in command:
            found.append(child)
        found += engines_below(child)
    return found
