"""The shadow copy: like the workspace, never the workspace, and the same after each use."""

import os
import threading
from pathlib import Path

import pytest

from ensemble_lsp.checks.shadow import Shadow
from ensemble_lsp.checks.shadow_pool import KEEP_SECONDS, ShadowPool, claim, sweep
from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.text import SourceText
from tests.checks.workspaces import change, repository, tree, write

FILES = {"a.py": "a = 1\n", "pkg/b.py": "b = 1\n", "pkg/deep/c.py": "c = 1\n"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small repository."""
    return repository(tmp_path / "workspace", FILES)


def _shadow(workspace: Path, tmp_path: Path, overlays: dict[str, str] | None = None) -> Shadow:
    texts = {path: SourceText(text) for path, text in (overlays or {}).items()}
    return Shadow.create(workspace, texts, tmp_path / "scratch")


def test_it_has_the_files_and_the_unsaved_buffers(workspace: Path, tmp_path: Path) -> None:
    shadow = _shadow(workspace, tmp_path, {"a.py": "unsaved\n", "new/d.py": "new\n"})
    assert tree(shadow.root) == {**FILES, "a.py": "unsaved\n", "new/d.py": "new\n"}
    assert (workspace / "a.py").read_text() == "a = 1\n"


def test_a_secret_that_is_open_in_the_editor_stays_there(workspace: Path, tmp_path: Path) -> None:
    assert tree(_shadow(workspace, tmp_path, {".env": "KEY=1"}).root) == FILES


def test_a_change_of_a_dependency_is_refused(workspace: Path, tmp_path: Path) -> None:
    write(workspace, {".gitignore": "node_modules/\n", "node_modules/x/index.js": ""})
    with pytest.raises(CheckError, match="installed dependency"):
        _shadow(workspace, tmp_path).write("node_modules/x/index.js", b"x")


def test_buffers_keep_their_bytes(workspace: Path, tmp_path: Path) -> None:
    text = SourceText.from_bytes(b"\xef\xbb\xbfx = 1\r\ny = '\xff'\n")
    shadow = Shadow.create(workspace, {"a.py": text}, tmp_path / "scratch")
    assert (shadow.root / "a.py").read_bytes() == b"\xef\xbb\xbfx = 1\r\ny = '\xff'\n"


def test_files_are_never_the_same_files(workspace: Path, tmp_path: Path) -> None:
    shadow = _shadow(workspace, tmp_path)
    for path in FILES:
        assert (shadow.root / path).stat().st_ino != (workspace / path).stat().st_ino
        assert (shadow.root / path).stat().st_nlink == 1


def test_programs_stay_programs(workspace: Path, tmp_path: Path) -> None:
    (workspace / "a.py").chmod(0o755)
    shadow = _shadow(workspace, tmp_path)
    shadow.apply([change("a.py", "a = 1\n", "a = 2\n")])
    assert os.access(shadow.root / "a.py", os.X_OK)


def test_changes_are_applied_and_undone(workspace: Path, tmp_path: Path) -> None:
    shadow = _shadow(workspace, tmp_path)
    shadow.apply(
        [
            change("a.py", "a = 1\n", "a = 2\n"),
            change("pkg/b.py", "b = 1\n", None),
            change("made/e.py", None, "e = 1\n"),
        ]
    )
    assert tree(shadow.root) == {"a.py": "a = 2\n", "pkg/deep/c.py": "c = 1\n", "made/e.py": "e = 1\n"}
    shadow.restore()
    assert tree(shadow.root) == FILES
    assert not (shadow.root / "made").exists()


def test_unsaved_buffers_come_back_after_a_change(workspace: Path, tmp_path: Path) -> None:
    shadow = _shadow(workspace, tmp_path, {"a.py": "unsaved\n"})
    shadow.apply([change("a.py", "unsaved\n", "changed\n")])
    shadow.restore()
    assert (shadow.root / "a.py").read_text() == "unsaved\n"


def test_what_a_run_left_and_spoiled_is_undone(workspace: Path, tmp_path: Path) -> None:
    shadow = _shadow(workspace, tmp_path)
    root = shadow.root
    write(root, {"a.py": "a = 9\n", "pkg/__pycache__/b.pyc": "x", "out/report": "x"})
    (root / "pkg/b.py").unlink()
    (root / "pkg/b.py").symlink_to("/etc/passwd")
    (root / "pkg/deep/c.py").chmod(0o000)
    shadow.restore()
    assert tree(root) == FILES
    assert not (root / "pkg" / "__pycache__").exists()


def test_a_file_rewritten_with_its_old_time_and_size_is_noticed(workspace: Path, tmp_path: Path) -> None:
    """A test that tampers with another test must not decide over the next candidate."""
    shadow = _shadow(workspace, tmp_path)
    target = shadow.root / "a.py"
    found = target.stat()
    target.write_text("a = 2\n")
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
    shadow.restore()
    assert target.read_text() == "a = 1\n"


def test_a_folder_turned_into_a_link_is_not_written_through(workspace: Path, tmp_path: Path) -> None:
    shadow = _shadow(workspace, tmp_path)
    (tmp_path / "elsewhere").mkdir()
    for path in ("deep/c.py", "b.py"):
        (shadow.root / "pkg" / path).unlink()
    (shadow.root / "pkg/deep").rmdir()
    (shadow.root / "pkg").rmdir()
    (shadow.root / "pkg").symlink_to(tmp_path / "elsewhere")
    shadow.restore()
    assert tree(shadow.root) == FILES
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_made_unreadable_is_opened_again(workspace: Path, tmp_path: Path) -> None:
    shadow = _shadow(workspace, tmp_path)
    (shadow.root / "left/inner").mkdir(parents=True)
    (shadow.root / "left/inner").chmod(0o000)
    (shadow.root / "left").chmod(0o000)
    (shadow.root / "pkg").chmod(0o000)
    shadow.restore()
    assert tree(shadow.root) == FILES


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "..", "", "a//b", "./a", "x\0y"])
def test_a_change_outside_is_refused(workspace: Path, tmp_path: Path, path: str) -> None:
    shadow = _shadow(workspace, tmp_path)
    with pytest.raises(CheckError, match="inside the workspace"):
        shadow.write(path, b"x")


def test_a_change_through_a_link_replaces_the_link(tmp_path: Path) -> None:
    workspace = repository(tmp_path / "w", FILES)
    (workspace / "link").symlink_to("a.py")
    shadow = Shadow.create(workspace, {}, tmp_path / "scratch")
    shadow.write("link", b"new")
    assert (shadow.root / "a.py").read_text() == "a = 1\n"
    shadow.restore()
    assert (shadow.root / "link").readlink() == Path("a.py")


def test_versions_of_equal_size_differ_in_their_second(workspace: Path, tmp_path: Path) -> None:
    """Python's bytecode and many build tools tell versions apart by size and whole seconds only."""
    shadow = _shadow(workspace, tmp_path)
    seen: set[int] = set()
    for text in ("a = 2\n", "a = 3\n", "a = 4\n"):
        shadow.apply([change("a.py", "a = 1\n", text)])
        seen.add(int((shadow.root / "a.py").stat().st_mtime))
        shadow.restore()
    assert len(seen) == 3


def test_the_next_job_copies_only_what_changed(workspace: Path, tmp_path: Path) -> None:
    first = _shadow(workspace, tmp_path)
    kept = (first.root / "pkg/b.py").stat().st_ino
    first.close()
    write(workspace, {"a.py": "a = 7\n", "added.py": "x\n"})
    (workspace / "pkg/deep/c.py").unlink()
    second = _shadow(workspace, tmp_path)
    assert tree(second.root) == {"a.py": "a = 7\n", "pkg/b.py": "b = 1\n", "added.py": "x\n"}
    assert (second.root / "pkg/b.py").stat().st_ino == kept


def test_a_copy_that_a_killed_process_left_spoiled_is_mended(workspace: Path, tmp_path: Path) -> None:
    first = _shadow(workspace, tmp_path)
    first.apply([change("a.py", "a = 1\n", "a = 2\n")])
    write(first.root, {"pkg/b.py": "spoiled", "left": "x"})
    assert tree(_shadow(workspace, tmp_path).root) == FILES


def test_a_second_copy_of_a_job_is_like_the_first_although_the_workspace_moved_on(
    workspace: Path, tmp_path: Path
) -> None:
    first = _shadow(workspace, tmp_path)
    write(workspace, {"a.py": "saved meanwhile\n"})
    second = Shadow.create(workspace, {}, tmp_path / "second", listing=first.listing, reference=first)
    assert tree(second.root) == FILES


def test_a_full_disk_says_what_to_do(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ensemble_lsp.checks.copying.Copier.copy", full)
    with pytest.raises(CheckError, match=r"No space left on device\n.*ENSEMBLE_CACHE_DIR"):
        _shadow(workspace, tmp_path)


async def test_a_pool_lends_each_copy_to_one_at_a_time(workspace: Path, tmp_path: Path) -> None:
    pool = ShadowPool(workspace, {}, tmp_path / "scratch", size=2)
    async with pool.borrow([change("a.py", "a = 1\n", "a = 2\n")]) as one, pool.borrow() as other:
        assert (one.shadow.root / "a.py").read_text() == "a = 2\n"
        assert (other.shadow.root / "a.py").read_text() == "a = 1\n"
    async with pool.borrow() as again:
        assert tree(again.shadow.root) == FILES
    await pool.close()


async def test_two_pools_of_one_workspace_have_different_copies(workspace: Path, tmp_path: Path) -> None:
    pools = [ShadowPool(workspace, {}, tmp_path / "scratch", size=1) for _ in range(2)]
    async with pools[0].borrow() as one, pools[1].borrow() as other:
        assert one.shadow.root != other.shadow.root
    for pool in pools:
        await pool.close()


async def test_a_copy_given_up_is_used_by_the_next_job(workspace: Path, tmp_path: Path) -> None:
    roots: list[Path] = []
    for _ in range(2):
        pool = ShadowPool(workspace, {}, tmp_path / "scratch", size=1)
        async with pool.borrow() as lease:
            roots.append(lease.shadow.root)
        await pool.close()
    assert roots[0] == roots[1]


def test_copies_of_processes_that_are_gone_are_removed(workspace: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    write(scratch, {"half-made-0/tree/a.py": "", "old-0/tree/a.py": "", "old-0/manifest.json": "{}"})
    held, lock = claim(scratch, workspace)
    sweep(scratch, now=(scratch / "old-0/manifest.json").stat().st_mtime + KEEP_SECONDS + 1)
    assert [path.name for path in scratch.iterdir()] == [held.name]
    os.close(lock)


def test_the_same_folder_is_never_claimed_twice(workspace: Path, tmp_path: Path) -> None:
    claimed: list[tuple[Path, int]] = []
    threads = [
        threading.Thread(target=lambda: claimed.append(claim(tmp_path / "scratch", workspace)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({folder for folder, _ in claimed}) == 8
    for _, lock in claimed:
        os.close(lock)
