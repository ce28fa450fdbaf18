"""What a review of a change is about: the files, and the lines of them, as git and the editor have them."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.review_scope import ReviewScope, changed_line_ranges, review_scope
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.settings import ContextTable
from tests.context.repository import git, repository, write_files

CART = "def total(prices):\n    result = 0\n    for price in prices:\n        result += price\n    return result\n"
PAY = "def pay(amount):\n    return -amount\n"


def committed(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    repository(folder, files)
    commit(folder)
    return folder.resolve()


def commit(folder: Path) -> None:
    git(
        folder,
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    )


def scope_of(
    root: Path,
    scope: str = "changes",
    *,
    base: str | None = None,
    within: tuple[str, ...] = (),
    unsaved: Mapping[str, str] | None = None,
) -> ReviewScope:
    overlays = {path: SourceText(text) for path, text in (unsaved or {}).items()}
    task = Task.model_validate({"action": Action.REVIEW, "scope": scope, "base": base, "paths": within})
    return review_scope(task, Reader.of(root, ContextTable(), trusted=False, overlays=overlays))


def lines_of(found: ReviewScope, path: str) -> list[tuple[int, int]]:
    return [(lines.start, lines.end) for lines in found.changed_lines[path]]


def test_only_changed_files_and_their_changed_lines(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART, "pay.py": PAY})
    write_files(root, {"cart.py": CART.replace("+=", "=")})
    found = scope_of(root)
    assert found.paths == ("cart.py",)
    assert lines_of(found, "cart.py") == [(3, 4)]


def test_new_file_is_changed_as_a_whole(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    write_files(root, {"pay.py": PAY})
    assert lines_of(scope_of(root), "pay.py") == [(0, 2)]


def test_ignored_and_secret_files_are_left_out(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART, ".gitignore": "*.log\n"})
    write_files(root, {"run.log": "x\n", ".env": "KEY=1\n"})
    found = scope_of(root)
    assert found.paths == ()
    assert found.notes == ("not looked at: .env is not sent to any model: files of this name hold secrets",)


def test_lines_taken_out_leave_the_ones_around_the_gap(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    write_files(root, {"cart.py": CART.replace("        result += price\n", "")})
    assert lines_of(scope_of(root), "cart.py") == [(2, 4)]


def test_renamed_file_counts_only_where_its_text_changed(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART, "pay.py": PAY})
    git(root, "mv", "cart.py", "basket.py")
    git(root, "mv", "pay.py", "charge.py")
    write_files(root, {"basket.py": CART.replace("return result", "return -result")})
    found = scope_of(root)
    assert found.paths == ("basket.py",)
    assert lines_of(found, "basket.py") == [(4, 5)]


def test_deleted_file_is_counted_and_not_looked_at(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART, "pay.py": PAY})
    (root / "pay.py").unlink()
    found = scope_of(root)
    assert found.paths == ()
    assert found.notes == ("1 file is gone, with nothing left to look at",)


def test_unsaved_text_is_what_changed(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    found = scope_of(root, unsaved={"cart.py": f"# mine\n{CART}"})
    assert lines_of(found, "cart.py") == [(0, 1)]


def test_text_that_was_changed_back_without_saving_did_not_change(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    write_files(root, {"cart.py": "x = 1\n"})
    assert scope_of(root, unsaved={"cart.py": CART}).paths == ()


def test_other_line_endings_in_the_work_tree_are_no_change(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    write_files(root, {"cart.py": CART.replace("\n", "\r\n").replace("+=", "=")})
    assert lines_of(scope_of(root), "cart.py") == [(3, 4)]


def test_base_is_where_the_branch_left_it(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART, "pay.py": PAY})
    git(root, "branch", "-q", "work")
    write_files(root, {"pay.py": "later = 1\n"})
    git(root, "add", "-A")
    commit(root)
    trunk = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()
    git(root, "checkout", "-q", "work")
    write_files(root, {"cart.py": CART.replace("+=", "=")})
    git(root, "add", "-A")
    commit(root)
    assert scope_of(root, base=trunk).paths == ("cart.py",), "what the trunk got since is no change of ours"
    assert scope_of(root).paths == ()


@pytest.mark.parametrize("base", ["nowhere", "--output=x", "a\0b", "HEAD:cart.py"])
def test_base_that_names_no_commit(tmp_path: Path, base: str) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    with pytest.raises(UsageError, match="names no commit") as refused:
        scope_of(root, base=base)
    assert refused.value.field == "base"


def test_before_the_first_commit_everything_is_new(tmp_path: Path) -> None:
    root = repository(tmp_path, {"cart.py": CART}).resolve()
    write_files(root, {"pay.py": PAY})
    assert scope_of(root).paths == ("cart.py", "pay.py")
    assert scope_of(root, "staged").paths == ("cart.py",)


def test_folder_without_git_says_so(tmp_path: Path) -> None:
    write_files(tmp_path, {"cart.py": CART})
    with pytest.raises(UsageError, match="not in a git work tree"):
        scope_of(tmp_path.resolve())


def test_machine_without_git_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="git is not installed"):
        scope_of(root)


def test_paths_limit_a_change(tmp_path: Path) -> None:
    root = committed(tmp_path, {"a/cart.py": CART, "b/pay.py": PAY})
    write_files(root, {"a/cart.py": "x = 1\n", "b/pay.py": "y = 1\n"})
    assert scope_of(root, within=("a",)).paths == ("a/cart.py",)
    assert scope_of(root, within=("b/pay.py", ".")).paths == ("a/cart.py", "b/pay.py")


def test_workspace_below_the_root_of_its_repository(tmp_path: Path) -> None:
    root = committed(tmp_path, {"app/cart.py": CART, "pay.py": PAY})
    write_files(root, {"app/cart.py": CART.replace("+=", "="), "pay.py": "y = 1\n", "app/new.py": PAY})
    found = scope_of(root / "app")
    assert found.paths == ("cart.py", "new.py")
    assert lines_of(found, "cart.py") == [(3, 4)]


def test_staged_text_is_the_one_of_the_index(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART, "pay.py": PAY})
    staged = CART.replace("+=", "=")
    write_files(root, {"cart.py": staged})
    git(root, "add", "-A")
    write_files(root, {"cart.py": f"# not staged\n{staged}", "pay.py": "broken (\n"})
    found = scope_of(root, "staged", unsaved={"cart.py": "# not saved\n"})
    assert found.paths == ("cart.py",)
    assert lines_of(found, "cart.py") == [(3, 4)]
    assert found.texts["cart.py"].text == staged
    assert found.texts["pay.py"].text == PAY, "the rest of the index is what checks see too"


def test_staged_file_that_is_gone_from_the_work_tree(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    write_files(root, {"pay.py": PAY})
    git(root, "add", "-A")
    (root / "pay.py").unlink()
    assert scope_of(root, "staged").texts["pay.py"].text == PAY


def test_workspace_is_every_file_of_a_language_that_may_be_shown(tmp_path: Path) -> None:
    files = {
        "cart.py": CART,
        "web/app.ts": "export const a = 1;\n",
        "README.md": "# x\n",
        "logo.py": b"\0\1\2",
    }
    root = committed(tmp_path, {**files, "empty.py": ""})
    found = scope_of(root, "workspace")
    assert found.paths == ("cart.py", "web/app.ts")
    assert found.changed_lines == {}
    assert "logo.py is not text" in found.notes[0]


def test_names_with_blanks_quotes_and_line_ends(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    name = 'ä "b"\n\tc.py'
    write_files(root, {name: PAY})
    git(root, "add", "-A")
    assert scope_of(root, "staged").paths == (name,)
    assert scope_of(root).paths == (name,)


def test_more_files_than_one_review_takes(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    write_files(root, {f"new_{number:03}.py": PAY for number in range(103)})
    found = scope_of(root)
    assert len(found.paths) == 100
    assert found.notes == ("3 files were left out: a review takes 100 at most",)


@pytest.mark.parametrize("key", ["clean", "process"])
def test_filter_that_the_repository_configures_does_not_run(tmp_path: Path, key: str) -> None:
    root = committed(tmp_path / "work", {"cart.py": CART, ".gitattributes": "*.py filter=own.one\n"})
    mark = tmp_path / "ran"
    git(root, "config", f"filter.own.one.{key}", f"touch '{mark}'; cat")
    git(root, "config", "filter.own.one.required", "true")
    write_files(root, {"cart.py": CART.replace("+=", "-=")})
    assert scope_of(root).paths == ("cart.py",)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("key", "attribute"),
    [
        ("core.fsmonitor", ""),
        ("diff.own.command", "diff=own"),
        ("diff.own.textconv", "diff=own"),
        ("diff.external", ""),
    ],
)
def test_program_that_the_repository_configures_does_not_run(
    tmp_path: Path, key: str, attribute: str
) -> None:
    root = committed(tmp_path / "work", {"cart.py": CART, ".gitattributes": f"*.py {attribute}\n"})
    mark = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    program.chmod(0o755)
    git(root, "config", key, str(program))
    write_files(root, {"cart.py": CART.replace("+=", "-=")})
    assert scope_of(root).paths == ("cart.py",)
    assert scope_of(root, "staged").paths == ()
    assert not mark.exists()


def test_hook_does_not_run(tmp_path: Path) -> None:
    root = committed(tmp_path / "work", {"cart.py": CART})
    mark = tmp_path / "ran"
    hook = root / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    hook.chmod(0o755)
    (root / "cart.py").touch()
    scope_of(root)
    assert not mark.exists()


def test_filter_whose_name_cannot_be_switched_off_is_refused(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    git(root, "config", "filter.a=b.clean", "cat")
    with pytest.raises(UsageError, match="cannot be switched off"):
        scope_of(root)


@pytest.mark.parametrize(
    ("before", "after", "ranges"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", []),
        (None, "a\nb\n", [(0, 2)]),
        (None, "", []),
        ("a\nb\nc\n", "b\nc\n", [(0, 1)]),
        ("a\nb\nc\n", "a\nb\n", [(1, 2)]),
        ("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", [(0, 1), (4, 5)]),
        ("a\nb\n", "", []),
        ("a", "a\n", []),
    ],
)
def test_lines_that_a_change_touched(before: str | None, after: str, ranges: list[tuple[int, int]]) -> None:
    assert [(lines.start, lines.end) for lines in changed_line_ranges(before, after)] == ranges


def test_commits_of_a_branch_without_what_is_not_committed(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART, "pay.py": PAY})
    git(root, "branch", "-q", "trunk")
    branch = CART.replace("+=", "=")
    write_files(root, {"cart.py": branch})
    git(root, "add", "-A")
    commit(root)
    write_files(
        root, {"cart.py": f"# not committed\n{branch}", "pay.py": "x = 1\n", "left_by_a_build.py": PAY}
    )
    found = scope_of(root, base="trunk...HEAD")
    assert found.paths == ("cart.py",)
    assert lines_of(found, "cart.py") == [(3, 4)]
    assert found.texts["cart.py"].text == branch
    assert found.texts["pay.py"].text == PAY, "the rest of the commit is what checks see too"
    assert found.recorded


def test_three_dots_start_where_the_branch_left_and_two_at_the_base(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART, "pay.py": PAY})
    git(root, "branch", "-q", "work")
    write_files(root, {"pay.py": "later = 1\n"})
    git(root, "add", "-A")
    commit(root)
    git(root, "branch", "-q", "trunk")
    git(root, "checkout", "-q", "work")
    write_files(root, {"cart.py": CART.replace("+=", "=")})
    git(root, "add", "-A")
    commit(root)
    assert scope_of(root, base="trunk...work").paths == ("cart.py",)
    assert scope_of(root, base="trunk..work").paths == ("cart.py", "pay.py")
    assert scope_of(root, base="trunk...").paths == ("cart.py",)


def test_commit_that_is_not_checked_out_is_read_from_git(tmp_path: Path) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    git(root, "checkout", "-q", "-b", "work")
    write_files(root, {"cart.py": CART.replace("+=", "="), "new.py": PAY})
    git(root, "add", "-A")
    commit(root)
    git(root, "checkout", "-q", "-")
    found = scope_of(root, base="HEAD...work")
    assert found.paths == ("cart.py", "new.py")
    assert found.texts["new.py"].text == PAY


def test_binary_huge_and_submodule_are_said_to_be_left_out(tmp_path: Path) -> None:
    root = committed(tmp_path / "work", {"cart.py": CART})
    inner = committed(tmp_path / "inner", {"a.py": PAY})
    write_files(
        root, {"logo.py": b"\0\1", "data.py": "x = 1\n" * 400_000, "cart.py": CART.replace("+=", "=")}
    )
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "inner")
    git(root, "add", "-A")
    commit(root)
    found = scope_of(root, base="HEAD~1...HEAD")
    assert found.paths == (".gitmodules", "cart.py")
    assert found.notes == (
        "not looked at: data.py is not text, or too large; logo.py is not text, or too large",
        "1 submodule points elsewhere now: what they hold is not looked at",
    )


def test_shallow_clone_says_how_to_deepen_it(tmp_path: Path) -> None:
    origin = committed(tmp_path / "origin", {"cart.py": CART})
    git(origin, "branch", "-q", "trunk")
    for number in range(3):
        write_files(origin, {"cart.py": f"{CART}# {number}\n"})
        git(origin, "add", "-A")
        commit(origin)
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), str(work))
    for base in ("origin/trunk", "HEAD~2...HEAD"):
        with pytest.raises(UsageError, match="no commit of this shallow clone") as refused:
            scope_of(work.resolve(), base=base)
        assert "fetch-depth: 0" in refused.value.hint
    git(work, "fetch", "-q", "--depth", "1", "origin", "trunk:refs/remotes/origin/trunk")
    with pytest.raises(UsageError, match="does not reach back to where the change left") as refused:
        scope_of(work.resolve(), base="origin/trunk...HEAD")
    assert "fetch-depth: 0" in refused.value.hint


def test_partial_clone_says_so_and_fetches_nothing(tmp_path: Path) -> None:
    origin = committed(tmp_path / "origin", {"cart.py": CART})
    git(origin, "config", "uploadpack.allowFilter", "true")
    write_files(origin, {"cart.py": CART.replace("+=", "=")})
    git(origin, "add", "-A")
    commit(origin)
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", "--filter=blob:none", origin.as_uri(), str(work))
    with pytest.raises(UsageError, match="partial clone"):
        scope_of(work.resolve(), base="HEAD~1...HEAD")


@pytest.mark.parametrize("base", ["nowhere...HEAD", "HEAD...nowhere", "--output=x...HEAD", "HEAD..\0"])
def test_ends_that_name_no_commit(tmp_path: Path, base: str) -> None:
    root = committed(tmp_path, {"cart.py": CART})
    with pytest.raises(UsageError, match="names no commit") as refused:
        scope_of(root, base=base)
    assert refused.value.field == "base"
