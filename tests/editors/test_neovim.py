"""A real Neovim with nothing but `vim.lsp`, set up as docs/editors.md says."""

import shutil
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.editors.conftest import EditorStage
from tests.lsp.stage import BUG, CART, REPAIR

pynvim = pytest.importorskip("pynvim")

NVIM = shutil.which("nvim", path=f"{Path(sys.executable).parent}") or shutil.which("nvim")

pytestmark = [
    pytest.mark.neovim,
    pytest.mark.skipif(NVIM is None, reason="Neovim is not installed"),
]

FIXED = CART.replace(BUG, REPAIR)

PATIENCE = 60_000
"""Milliseconds; Neovim itself waits, on conditions."""

PERSON = """
_G.asked, _G.answers, _G.told = {}, {}, {}
vim.ui.select = function(items, options, choose)
  local titles = vim.tbl_map(options.format_item or tostring, items)
  table.insert(_G.asked, { prompt = options.prompt, titles = titles })
  local answer = table.remove(_G.answers, 1)
  for place, title in ipairs(titles) do
    if title == answer then
      return choose(items[place], place)
    end
  end
  choose(nil, nil)
end
"""

ACTION = """
local kind = ...
vim.lsp.buf.code_action({ context = { only = { kind }, diagnostics = {} }, apply = true })
"""


class Neovim:
    """One embedded Neovim with the file open and the server attached."""

    def __init__(self, nvim: Any) -> None:
        self.nvim = nvim

    def lua(self, code: str, *arguments: object) -> Any:
        return self.nvim.exec_lua(code, *arguments)

    def wait(self, condition: str) -> None:
        """Wait until a Lua expression holds."""
        held = self.lua(f"return (vim.wait({PATIENCE}, function() return {condition} end, 20))")
        assert held, (condition, self.nvim.command_output("messages"))

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.nvim.current.buffer[:])


@pytest.fixture
def neovim(editor_stage: EditorStage, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Return what opens the stage's file in a Neovim; it is closed afterwards."""
    for name, value in editor_stage.environment.items():
        monkeypatch.setenv(name, value)

    @contextmanager
    def opened() -> Generator[Neovim]:
        argv = [
            str(NVIM),
            "--embed",
            "--headless",
            "--clean",
            "-n",
            "-i",
            "NONE",
            "-u",
            str(editor_stage.init),
        ]
        nvim = pynvim.attach("child", argv=argv)
        try:
            session = Neovim(nvim)
            session.lua(PERSON)
            nvim.command(f"edit {editor_stage.file}")
            session.wait("#vim.lsp.get_clients({ bufnr = 0, name = 'ensemble' }) == 1")
            session.wait("vim.lsp.get_clients({ name = 'ensemble' })[1].initialized")
            yield session
        finally:
            with suppress(EOFError, OSError):
                nvim.command("qa!")
            nvim.close()

    return opened


@pytest.mark.parametrize("ending", ["unix", "dos"])
def test_fix_previewed_and_applied_is_one_undo_step(
    neovim: Callable[[], Any], editor_stage: EditorStage, ending: str
) -> None:
    if ending == "dos":
        editor_stage.file.write_bytes(CART.replace("\n", "\r\n").encode())
    with neovim() as editor:
        assert editor.nvim.eval("&fileformat") == ending
        editor.lua("_G.answers = { 'Preview', 'Apply' }")
        editor.nvim.command("4")
        editor.lua(ACTION, "refactor.rewrite.ensemble.fix")
        editor.wait("#_G.asked == 2")
        first, second = editor.lua("return _G.asked")
        assert first["titles"] == ["Preview", "Apply", "Discard"]
        assert second["titles"] == ["Apply", "Discard"]
        assert "Fix total" in first["prompt"]
        editor.wait("vim.bo.modified")
        assert editor.nvim.current.buffer.name == str(editor_stage.file), "back from the preview"
        (preview,) = [Path(buffer.name) for buffer in editor.nvim.buffers if buffer.name.endswith(".diff")]
        assert f"-{BUG}+{REPAIR}" in preview.read_text(encoding="utf-8").replace("\r\n", "\n")
        assert editor.text == FIXED
        assert editor.nvim.eval("&fileformat") == ending
        editor.nvim.command("silent undo")
        assert editor.text == CART
        assert not editor.nvim.eval("&modified")
        editor.nvim.command("silent redo")
        editor.nvim.command("silent write")
        newline = "\r\n" if ending == "dos" else "\n"
        assert editor_stage.file.read_bytes() == FIXED.replace("\n", newline).encode()


def test_review_shows_diagnostics_and_explain_opens_a_document(neovim: Callable[[], Any]) -> None:
    with neovim() as editor:
        editor.lua(ACTION, "source.ensemble.review")
        editor.wait("#vim.diagnostic.get(0) == 1")
        (shown,) = editor.lua("return vim.diagnostic.get(0)")
        assert (shown["lnum"], shown["col"], shown["source"]) == (3, 8, "ensemble")
        assert "2 families" in shown["message"]
        editor.nvim.command("4")
        editor.lua("_G.answers = { 'Ensemble: dismiss this finding' }")
        editor.lua("vim.lsp.buf.code_action({ context = { only = { 'quickfix' } } })")
        editor.wait("#vim.diagnostic.get(0) == 0")
        editor.lua(ACTION, "refactor.ensemble.explain")
        editor.wait("vim.bo.filetype == 'markdown'")
        assert "Sums the prices (`total`, line 1)." in editor.text
        assert editor.nvim.eval("&readonly")


def test_cancelled_from_the_status_line(neovim: Callable[[], Any]) -> None:
    with neovim() as editor:
        editor.lua(
            "vim.api.nvim_create_autocmd('LspProgress', { callback = function(event)"
            "  table.insert(_G.told, event.data.params) end })"
        )
        editor.lua(ACTION, "refactor.rewrite.ensemble.fix")
        editor.wait("#_G.told > 0")
        assert editor.lua("return _G.told[1].value.title") == "Ensemble fix: cart.py"
        editor.lua(
            "vim.lsp.get_clients({ name = 'ensemble' })[1]"
            ":notify('window/workDoneProgress/cancel', { token = _G.told[1].token })"
        )
        editor.wait("_G.told[#_G.told].value.kind == 'end'")
        assert editor.lua("return _G.told[#_G.told].value.message").startswith("cancelled")
        assert editor.text == CART
