"""Reviews of more than one document: a change, what is staged, a folder; also of files that are not open."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.stage import BUG, CART, REPAIR, Stage, finding
from tests.support.fake_editor import Json, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIXED = CART.replace(BUG, REPAIR)
INVALID_PARAMS = -32602


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments], cwd=folder, check=True
    )


@pytest.fixture
def repository(rich: Stage, tmp_path: Path) -> Iterator[Path]:
    """A folder of its own in the workspace: two files without a bug, committed."""
    root = tmp_path.resolve()
    for name in ("cart.py", "basket.py"):
        (root / name).write_text(FIXED, encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "as it was")
    folder = {"uri": root.as_uri(), "name": root.name}
    _folders(rich, added=[folder])
    yield root
    _folders(rich, removed=[folder])


def _folders(stage: Stage, *, added: list[Json] | None = None, removed: list[Json] | None = None) -> None:
    event = {"added": added or [], "removed": removed or []}
    stage.editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})


async def _review(stage: Stage, root: Path, scope: str, **more: object) -> Json:
    answer = await stage.editor.command("ensemble.review", {"uri": root.as_uri(), "scope": scope, **more})
    return await stage.finished(str(answer["job"]))


async def test_changed_file_that_is_not_open_gets_its_findings(rich: Stage, repository: Path) -> None:
    (repository / "cart.py").write_text(CART, encoding="utf-8")
    rich.voices.findings = [finding(4, "        result = price")]
    assert (await _review(rich, repository, "changes"))["status"] == "done"
    (shown,) = await rich.diagnostics((repository / "cart.py").as_uri())
    assert shown["range"]["start"]["line"] == 3
    assert not rich.editor.unexpected()


async def test_unsaved_text_is_reviewed_as_it_is_on_the_screen(rich: Stage, repository: Path) -> None:
    uri = rich.editor.open(repository / "cart.py")
    rich.editor.type(uri, 3, 15, "", until=(3, 16))
    rich.editor.type(uri, 0, 0, "# prices in cents\n")
    assert rich.editor.texts[uri] == f"# prices in cents\n{CART}"
    rich.voices.findings = [finding(5, "        result = price")]
    await _review(rich, repository, "changes")
    (shown,) = await rich.diagnostics(uri)
    assert shown["range"]["start"]["line"] == 4
    assert not rich.editor.unexpected()


async def test_findings_on_lines_outside_of_the_change_stay_as_they_were(
    rich: Stage, repository: Path
) -> None:
    uri = rich.editor.open(repository / "cart.py", FIXED.replace("return result", "return -result"))
    rich.voices.findings = [finding(2, "    result = 0", "Wrong type of zero")]
    await rich.editor.command("ensemble.review", {"uri": uri})
    assert len(await rich.diagnostics(uri)) == 1
    rich.voices.findings = [finding(5, "    return -result", "The sum is negative")]
    await _review(rich, repository, "changes")
    shown = await rich.diagnostics(uri)
    assert [each["range"]["start"]["line"] for each in shown] == [1, 4]
    assert not rich.editor.unexpected()


async def test_staged_findings_move_to_where_the_work_tree_has_their_lines(
    rich: Stage, repository: Path
) -> None:
    (repository / "cart.py").write_text(CART, encoding="utf-8")
    git(repository, "add", "-A")
    (repository / "cart.py").write_text(f"# one\n# two\n{CART}", encoding="utf-8")
    rich.voices.findings = [finding(4, "        result = price")]
    await _review(rich, repository, "staged")
    (shown,) = await rich.diagnostics((repository / "cart.py").as_uri())
    assert shown["range"]["start"]["line"] == 5
    assert not rich.editor.unexpected()


async def test_whole_folder_says_which_file_it_is_at(rich: Stage, repository: Path) -> None:
    await _review(rich, repository, "workspace")
    files = [
        (event["note"], event["file"], event["files"])
        for event in rich.editor.drop("ensemble/event")
        if event["kind"] == "phase" and "file" in event
    ]
    assert files == [("basket.py", 1, 2), ("cart.py", 2, 2)]
    told = await rich.editor.message("window/showMessage")
    assert "0 findings in 2 files" in told["message"]
    for name in ("basket.py", "cart.py"):
        assert await rich.diagnostics((repository / name).as_uri()) == []
    assert not rich.editor.unexpected()


async def test_nothing_changed_is_said(rich: Stage, repository: Path) -> None:
    calls = len(rich.server.calls)
    assert (await _review(rich, repository, "changes"))["status"] == "nothing"
    told = await rich.editor.message("window/showMessage")
    assert (
        told["message"]
        == "Ensemble review: what changed: nothing changed since the last commit that could be reviewed"
    )
    assert len(rich.server.calls) == calls
    assert not rich.editor.unexpected()


async def test_base_that_names_nothing(rich: Stage, repository: Path) -> None:
    ended = await _review(rich, repository, "changes", base="no/such/branch")
    assert ended["status"] == "failed"
    told = await rich.editor.message("window/showMessage")
    assert "names no commit" in told["message"]
    assert not rich.editor.unexpected()


async def test_folder_without_git(rich: Stage) -> None:
    rich.file()
    ended = await _review(rich, rich.workspace, "staged")
    assert ended["status"] == "failed"
    told = await rich.editor.message("window/showMessage")
    assert "not in a git work tree" in told["message"]
    assert not rich.editor.unexpected()


@pytest.mark.parametrize(
    ("argument", "field"),
    [
        ({"scope": "file", "base": "main"}, "base"),
        ({"scope": "range"}, "range"),
        ({"scope": "everything"}, "scope"),
    ],
)
async def test_scope_that_does_not_fit_its_argument(rich: Stage, argument: Json, field: str) -> None:
    with pytest.raises(ServerError) as refused:
        await rich.editor.command("ensemble.review", {"uri": rich.file(), **argument})
    assert refused.value.code == INVALID_PARAMS
    assert (refused.value.data or {})["field"] == field
