"""Writing a patch: all files or none, whatever goes wrong."""

import os
from pathlib import Path

import pytest

from ensemble_lsp.cli.failures import NotApplied
from ensemble_lsp.cli.writing import write_changes
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText


def change(path: str, before: str | None, after: str | None) -> FileChange:
    return FileChange(
        path=path,
        before=None if before is None else SourceText(before),
        after=None if after is None else SourceText(after),
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "a.py").write_text("a\n")
    (root / "b.py").write_text("b\n")
    return root


def everything(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def test_files_are_changed_created_and_deleted_together(workspace: Path):
    changes = [change("a.py", "a\n", "A\n"), change("new/c.py", None, "c\n"), change("b.py", "b\n", None)]

    written = write_changes(workspace, changes)

    assert everything(workspace) == {"a.py": "A\n", "c.py": "c\n"}
    assert written == (workspace / "a.py", workspace / "new" / "c.py", workspace / "b.py")


def test_mode_stays_and_a_new_file_gets_the_usual_one(workspace: Path):
    (workspace / "a.py").chmod(0o750)
    (workspace / "usual.py").touch()

    write_changes(workspace, [change("a.py", "a\n", "A\n"), change("c.py", None, "c\n")])

    assert (workspace / "a.py").stat().st_mode & 0o777 == 0o750
    assert (workspace / "c.py").stat().st_mode == (workspace / "usual.py").stat().st_mode


def test_a_link_inside_the_workspace_stays_a_link(workspace: Path):
    (workspace / "link.py").symlink_to("a.py")

    write_changes(workspace, [change("link.py", "a\n", "A\n")])

    assert (workspace / "link.py").is_symlink()
    assert (workspace / "a.py").read_text() == "A\n"


def test_one_file_that_changed_meanwhile_keeps_all_as_they_are(workspace: Path):
    (workspace / "b.py").write_text("mine\n")

    with pytest.raises(NotApplied, match=r"b\.py changed while the panel worked"):
        write_changes(workspace, [change("a.py", "a\n", "A\n"), change("b.py", "b\n", "B\n")])

    assert everything(workspace) == {"a.py": "a\n", "b.py": "mine\n"}


def test_a_file_that_appeared_meanwhile_is_not_overwritten(workspace: Path):
    (workspace / "c.py").write_text("mine\n")

    with pytest.raises(NotApplied, match=r"c\.py changed"):
        write_changes(workspace, [change("c.py", None, "c\n")])


def test_a_second_file_that_cannot_be_made_leaves_the_first_as_it_was(workspace: Path):
    # `b.py` is a file, so nothing can be created below it.
    with pytest.raises(NotApplied, match="no file was changed"):
        write_changes(workspace, [change("a.py", "a\n", "A\n"), change("b.py/c.py", None, "c\n")])

    assert everything(workspace) == {"a.py": "a\n", "b.py": "b\n"}


def test_a_second_write_that_fails_restores_the_first(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    replace = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target.name == "b.py":
            raise OSError(28, "No space left on device", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)

    with pytest.raises(
        NotApplied, match=r"b\.py cannot be written: No space left on device; no file was changed"
    ):
        write_changes(
            workspace,
            [change("a.py", "a\n", "A\n"), change("new/c.py", None, "c\n"), change("b.py", "b\n", "B\n")],
        )

    assert everything(workspace) == {"a.py": "a\n", "b.py": "b\n"}
    assert not (workspace / "new").exists()


def test_what_cannot_be_restored_is_named_with_its_copy(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    replace = Path.replace
    done: list[Path] = []

    def failing(self: Path, target: Path) -> Path:
        if done:
            raise OSError(5, "Input/output error", str(target))
        done.append(target)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)

    with pytest.raises(NotApplied) as caught:
        write_changes(workspace, [change("a.py", "a\n", "A\n"), change("b.py", "b\n", "B\n")])

    assert "not everything could be put back" in caught.value.message
    copy = Path(caught.value.hint.removeprefix("the old text is in "))
    assert copy.read_text() == "a\n"


@pytest.mark.parametrize("path", ["../out.py", "link/out.py", "."])
def test_a_path_that_leads_outside_is_refused(workspace: Path, tmp_path: Path, path: str):
    (tmp_path / "elsewhere").mkdir()
    (workspace / "link").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(NotApplied, match="leads outside"):
        write_changes(workspace, [change(path, None, "c\n")])

    assert not (tmp_path / "elsewhere" / "out.py").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_named(workspace: Path):
    workspace.chmod(0o555)
    try:
        with pytest.raises(NotApplied, match="Permission denied; no file was changed"):
            write_changes(workspace, [change("a.py", "a\n", "A\n")])
    finally:
        workspace.chmod(0o755)
    assert everything(workspace) == {"a.py": "a\n", "b.py": "b\n"}


@pytest.mark.parametrize("place", ["b.py", "new/b.py"])
def test_half_of_a_surrogate_pair_is_written_into_no_file(workspace: Path, place: str):
    before = "b\n" if place == "b.py" else None

    with pytest.raises(
        NotApplied, match=r"b\.py: '\\ud83d' is half of a surrogate pair.*; nothing was written"
    ):
        write_changes(workspace, [change("a.py", "a\n", "A\n"), change(place, before, "b = '\ud83d'\n")])

    assert everything(workspace) == {"a.py": "a\n", "b.py": "b\n"}
    assert not (workspace / "new").exists()
