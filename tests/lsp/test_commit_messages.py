"""Commit messages from an editor: its input box for them is a document that is no file, and its repository is named."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.lsp.stage import SECOND, Stage
from tests.support.fake_editor import ServerError
from tests.support.fake_model_server import Answer, Recorded

pytestmark = pytest.mark.asyncio(loop_scope="session")

BETTER = "Add all prices up"


def _says(request: Recorded) -> Answer:
    marks = re.search(r"<<<<<<< TEXT (\w+)", request.prompt)
    if marks is None:
        return Answer(text="NO FAULT: A\nBEST: A")
    return Answer(text=f"<<<<<<< TEXT {marks[1]}\n{BETTER}\n>>>>>>> TEXT {marks[1]}\n")


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, timeout=60)


def _repository(folder: Path) -> Path:
    """Make a repository with one file that is committed, changed and staged."""
    folder.mkdir()
    _git(folder, "init", "-q")
    (folder / "sum.py").write_text("TOTAL = 1\n")
    _git(folder, "add", ".")
    _git(folder, "commit", "-q", "-m", "Begin")
    (folder / "sum.py").write_text(f"TOTAL = '{folder.name}'\n")
    _git(folder, "add", ".")
    return folder


def _box(repository: Path) -> str:
    """Return the URI that VS Code gives the input box of a repository."""
    return f"vscode-scm:git/scm0/input?rootUri={repository.as_uri()}"


@pytest.mark.parametrize("folder", ["workspace", SECOND])
async def test_better_message_is_applied_to_the_input_box_of_its_repository(full: Stage, folder: str) -> None:
    full.voices.script = _says
    repository = _repository(full.home / folder / "billing")
    uri = full.editor.open_buffer(_box(repository), "fixd it", language="scminput")
    calls = len(full.server.calls)

    job = await full.editor.command("ensemble.rewrite", {"uri": uri, "commit": repository.as_uri()})
    proposal = await full.editor.message("ensemble/proposal")

    assert proposal["job"] == job["job"]
    assert proposal["title"].startswith("Rewrite the commit message")
    assert [file["uri"] for file in proposal["files"]] == [uri]
    assert any(
        item["params"]["value"].get("title") == "Ensemble rewrite: the commit message"
        for item in full.editor.inbox
        if item["method"] == "$/progress"
    )
    assert "+TOTAL = 'billing'" in full.server.calls[calls].prompt
    assert (await full.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert full.editor.texts[uri] == BETTER
    assert not (repository / "COMMIT_EDITMSG").exists()


async def test_empty_input_box_is_filled_from_what_is_staged(full: Stage) -> None:
    full.voices.script = _says
    repository = _repository(full.workspace / "empty-box")
    uri = full.editor.open_buffer(_box(repository), "", language="scminput")

    await full.editor.command("ensemble.rewrite", {"uri": uri, "commit": repository.as_uri()})
    proposal = await full.editor.message("ensemble/proposal")

    assert proposal["title"].startswith("Write the commit message")
    assert (await full.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert full.editor.texts[uri] == BETTER


async def test_what_is_typed_into_the_box_meanwhile_is_a_conflict_and_stays(full: Stage) -> None:
    full.voices.script = _says
    repository = _repository(full.workspace / "typed-meanwhile")
    uri = full.editor.open_buffer(_box(repository), "fixd it", language="scminput")

    await full.editor.command("ensemble.rewrite", {"uri": uri, "commit": repository.as_uri()})
    await full.editor.message("ensemble/proposal")
    full.editor.type(uri, 0, 0, "No: ")
    moved = await full.editor.message("ensemble/proposal")

    assert moved["files"][0]["hunks"][0]["conflict"]
    assert full.editor.texts[uri] == "No: fixd it"


async def test_repository_around_the_workspace_counts_with_what_is_in_the_workspace(full: Stage) -> None:
    full.voices.script = _says
    _git(full.home, "init", "-q")
    try:
        full.file("INSIDE = 1\n", "inside.py")
        (full.home / "outside.py").write_text("OUTSIDE = 1\n")
        _git(full.home, "add", "outside.py", "workspace/inside.py")
        uri = full.editor.open_buffer(_box(full.home), "", language="scminput")
        calls = len(full.server.calls)

        await full.editor.command("ensemble.rewrite", {"uri": uri, "commit": full.home.as_uri()})
        await full.editor.message("ensemble/proposal")

        assert "+INSIDE = 1" in full.server.calls[calls].prompt
        assert "OUTSIDE" not in full.server.calls[calls].prompt
    finally:
        shutil.rmtree(full.home / ".git")


async def test_message_that_git_has_an_editor_open_for_needs_no_instruction(rich: Stage) -> None:
    rich.voices.script = _says
    repository = _repository(rich.workspace / "in-an-editor")
    uri = rich.file("fixd it\n# On branch main\n", "in-an-editor/.git/COMMIT_EDITMSG")

    titles = [action["title"] for action in await rich.actions(uri, 0)]
    assert "Ensemble: rewrite this text" in titles
    calls = len(rich.server.calls)
    await rich.editor.command("ensemble.rewrite", {"uri": uri})
    proposal = await rich.editor.message("ensemble/proposal")

    assert f"+TOTAL = '{repository.name}'" in rich.server.calls[calls].prompt
    assert (await rich.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert rich.editor.texts[uri] == f"{BETTER}\n# On branch main\n"


async def test_repository_is_named_for_open_documents_only(full: Stage) -> None:
    folder = full.workspace.as_uri()
    for uri in (full.file("fixd it\n", "notes.txt"), "vscode-scm:git/scm9/input"):
        with pytest.raises(ServerError, match="no open document without a file") as refused:
            await full.editor.command("ensemble.rewrite", {"uri": uri, "commit": folder})
        assert (refused.value.data or {})["field"] == "uri"


async def test_file_of_the_name_of_messages_is_not_taken_for_one(full: Stage) -> None:
    repository = _repository(full.workspace / "in-the-way")
    (repository / "COMMIT_EDITMSG").write_text("a file of the project\n")
    uri = full.editor.open_buffer(_box(repository), "fixd it", language="scminput")

    with pytest.raises(ServerError, match="is in the way") as refused:
        await full.editor.command("ensemble.rewrite", {"uri": uri, "commit": repository.as_uri()})
    assert (refused.value.data or {})["field"] == "commit"
