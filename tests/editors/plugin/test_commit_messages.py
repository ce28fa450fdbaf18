"""Commit messages in Neovim, as `git commit` opens them: comments stay, and what is staged is the material."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.plugin.stage import ModelThread, PluginEditor, plugin_editor
from tests.lsp.stage import BUG, CART, REPAIR
from tests.support.fake_model_server import Answer, Recorded

BETTER = ["Add all prices up", "", "Only the last one counted."]


def _git(folder: Path, *arguments: str, check: bool = True) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "core.editor=true")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=check, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def committing(model_thread: ModelThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PluginEditor]:
    """An editor of its own, in a repository with a staged change, and one that is not staged."""
    with plugin_editor(tmp_path_factory.mktemp("committing").resolve(), model_thread) as editor:
        _git(editor.workspace, "init", "-q")
        (editor.workspace / "cart.py").write_text(CART, encoding="utf-8")
        _git(editor.workspace, "add", ".")
        _git(editor.workspace, "commit", "-q", "-m", "Begin")
        (editor.workspace / "cart.py").write_text(CART.replace(BUG, REPAIR), encoding="utf-8")
        _git(editor.workspace, "add", ".")
        (editor.workspace / "plans.py").write_text("PLANS = 'takeover'\n", encoding="utf-8")
        yield editor


@pytest.fixture
def here(committing: PluginEditor) -> Iterator[PluginEditor]:
    """The editor, with what each test opened gone after it."""
    yield committing
    committing.clear()


def _says(request: Recorded) -> Answer:
    marks = re.search(r"<<<<<<< TEXT (\w+)", request.prompt)
    if marks is None:
        return Answer(text="NO FAULT: A\nBEST: A")
    lines = "\n".join(BETTER)
    return Answer(text=f"<<<<<<< TEXT {marks[1]}\n{lines}\n>>>>>>> TEXT {marks[1]}\n")


@pytest.mark.parametrize("begun", ["fixd sum", ""], ids=["begun", "empty"])
def test_message_becomes_a_better_one_above_gits_own_comments(here: PluginEditor, begun: str) -> None:
    here.models.voices.script = _says
    # What git itself leaves there: the message is empty, so that it commits nothing.
    _git(here.workspace, "commit", check=False)
    path = here.workspace / ".git" / "COMMIT_EDITMSG"
    template = path.read_text(encoding="utf-8")
    assert "# Changes to be committed:" in template
    here.open(begun + template, path=path)
    assert here.lua("return vim.bo.filetype") == "gitcommit"

    here.command("Ensemble rewrite")
    here.in_review()
    assert here.side("left") == (begun + template).splitlines()
    assert here.side("right") == BETTER + template.splitlines()[1:]
    here.keys("A")
    here.wait("vim.fn.tabpagenr('$') == 1")

    assert here.asked == [], "nobody has to say how a commit message should read"
    assert here.nvim.current.buffer.name == str(path)
    assert here.lines == BETTER + template.splitlines()[1:]
    prompt = here.models.voices.asked[0]
    assert f"+{REPAIR}" in prompt
    assert "takeover" not in prompt


def test_an_instruction_is_taken_along(here: PluginEditor) -> None:
    here.models.voices.script = _says
    here.open("fixd sum\n# On branch main\n", path=here.workspace / ".git" / "COMMIT_EDITMSG")

    here.command("Ensemble rewrite name the ticket")
    here.in_review()

    assert "The person says: name the ticket" in here.models.voices.asked[0]
