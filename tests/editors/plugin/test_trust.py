"""Trust by Neovim's own database; with it tests run, so that candidates can stand beside each other."""

from collections.abc import Iterator

import pytest

from tests.editors.plugin.stage import ModelThread, PluginEditor, plugin_editor
from tests.lsp.stage import BUG, REPAIR, block

TOML = 'mode = "panel"\n'

DECIDED = "require('ensemble.trust').decided(vim.lsp.get_clients({ name = 'ensemble' })[1].root_dir)"


@pytest.fixture(scope="module")
def own_editor(model_thread: ModelThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PluginEditor]:
    """An editor of its own: what is trusted stays trusted."""
    with plugin_editor(tmp_path_factory.mktemp("trust").resolve(), model_thread) as editor:
        (editor.workspace / "ensemble.toml").write_text(TOML, encoding="utf-8")
        yield editor


@pytest.fixture
def trusting(own_editor: PluginEditor) -> Iterator[PluginEditor]:
    yield own_editor
    own_editor.clear()


def test_a_folder_with_settings_of_its_own_is_named_once(trusting: PluginEditor) -> None:
    trusting.open()
    trusting.wait("#_G.said > 0")
    assert sum(":Ensemble trust" in text for text in trusting.said) == 1
    assert trusting.lua(f"return {DECIDED}") is None
    trusting.open()
    assert sum(":Ensemble trust" in text for text in trusting.said) == 1


def test_trust_is_asked_for_and_ends_with_the_content(trusting: PluginEditor) -> None:
    trusting.open()
    trusting.answers("Trust")
    trusting.command("Ensemble trust")
    trusting.wait("#_G.said > 0 and _G.said[#_G.said].text:find('recorded for', 1, true) ~= nil")
    assert trusting.asked[0]["titles"] == ["Trust", "Look at ensemble.toml", "Never trust", "Not now"]
    assert trusting.lua(f"return {DECIDED}") == "allowed"
    trusting.command(f"edit {trusting.workspace / 'ensemble.toml'}")
    trusting.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'rounds = 2' })")
    trusting.command("silent write")
    assert trusting.lua(f"return {DECIDED}") == "changed"


def test_denied_is_denied_until_it_is_removed(trusting: PluginEditor) -> None:
    trusting.open()
    trusting.command("Ensemble trust deny")
    assert trusting.lua(f"return {DECIDED}") == "denied"
    trusting.command("Ensemble trust remove")
    assert trusting.lua(f"return {DECIDED}") is None


def test_other_candidates_are_looked_at_and_accepted_whole(trusting: PluginEditor) -> None:
    path = trusting.open()
    test = f"from {path.stem} import total\n\n\ndef test_sum():\n    assert total([1, 2]) == 3\n"
    path.with_name(f"test_{path.name}").write_text(test, encoding="utf-8")
    trusting.command("Ensemble trust allow")
    other = "        result = result + price\n"
    trusting.models.voices.changes = {
        "alpha": block(path.name, BUG, REPAIR),
        "beta": block(path.name, BUG, other),
    }
    trusting.fix()
    shown = trusting.side("right")[3]
    other = ({"        result += price", "        result = result + price"} - {shown}).pop()
    author = "beta" if "result + price" in other else "alpha"
    trusting.answers(f" {author} ·")
    trusting.keys("c")
    trusting.wait(f"vim.list_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), [[{other}]])")
    trusting.keys("a")
    trusting.wait("vim.fn.tabpagenr('$') == 1")
    assert trusting.lines[3] == other
