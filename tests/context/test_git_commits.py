"""A patch as a commit: what git stores for it, and what it is refused for."""

import stat
import subprocess
from pathlib import Path

import pytest

from ensemble_lsp.context.git_commits import Committed, commit_changes, start_of
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from tests.cli.branches import Repository, repository
from tests.support.shop import BUGGY, FIXED


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    return repository(tmp_path)


def change(path: str, before: str | None, after: str | None) -> FileChange:
    return FileChange(
        path=path,
        before=None if before is None else SourceText(before),
        after=None if after is None else SourceText(after),
    )


def commit(shop: Repository, *changes: FileChange, branch: str = "patch") -> Committed:
    return commit_changes(start_of(shop.root, branch), changes, "Change\n\nBody.\n")


def test_files_are_changed_created_and_deleted_in_one_commit(shop: Repository):
    (shop.root / "old.py").write_text("OLD = 1\n")
    shop.commit_all("More")

    made = commit(
        shop,
        change("cart.py", BUGGY, FIXED),
        change("shop/new.py", None, "NEW = 1\n"),
        change("old.py", "OLD = 1\n", None),
    )

    assert shop.git("diff", "--name-status", "main", made.commit).splitlines() == [
        "M\tcart.py",
        "D\told.py",
        "A\tshop/new.py",
    ]
    assert shop.git("ls-tree", "patch", "shop/new.py").startswith("100644 blob ")
    assert shop.git("log", "-1", "--format=%an <%ae>", "patch") == "Ada Example <ada@example.org>"
    assert (shop.root / "old.py").exists()


def test_windows_line_ends_of_the_work_tree_were_committed_where_the_repository_has_lf(shop: Repository):
    windows = BUGGY.replace("\n", "\r\n")
    (shop.root / "cart.py").write_bytes(windows.encode())
    shop.git("config", "core.autocrlf", "true")

    commit(shop, change("cart.py", windows, FIXED.replace("\n", "\r\n")))

    assert shop.content("patch", "cart.py") == FIXED.encode()


def test_windows_line_ends_that_the_repository_has_itself_stay(tmp_path: Path):
    shop = repository(tmp_path, ending="\r\n")
    fixed = FIXED.replace("\n", "\r\n")

    commit(shop, change("cart.py", BUGGY.replace("\n", "\r\n"), fixed))

    assert shop.content("patch", "cart.py") == fixed.encode()


@pytest.mark.parametrize(
    ("attributes", "autocrlf", "stored"),
    [
        ("", "false", b"A = 1\r\n"),
        ("", "true", b"A = 1\n"),
        ("* text=auto\n", "false", b"A = 1\n"),
        ("*.py text eol=crlf\n", "false", b"A = 1\n"),
        ("*.py -text\n", "true", b"A = 1\r\n"),
    ],
)
def test_a_new_file_is_stored_as_git_add_would(
    shop: Repository, attributes: str, autocrlf: str, stored: bytes
):
    (shop.root / ".gitattributes").write_text(attributes)
    shop.commit_all("Attributes")
    shop.git("config", "core.autocrlf", autocrlf)

    commit(shop, change("new.py", None, "A = 1\r\n"))
    (shop.root / "new.py").write_bytes(b"A = 1\r\n")
    shop.git("add", "new.py")

    assert shop.content("patch", "new.py") == stored
    assert shop.git("rev-parse", "patch:new.py") == shop.git("rev-parse", ":new.py")


def test_a_filter_is_never_run_and_its_file_is_refused(shop: Repository):
    ran = shop.root.parent / "ran"
    (shop.root / ".gitattributes").write_text("cart.py filter=evil\n")
    shop.commit_all("Attributes")
    shop.git("config", "filter.evil.clean", f"touch {ran}; cat")

    with pytest.raises(UsageError, match=r"git converts cart\.py \(filter: evil\)"):
        commit(shop, change("cart.py", BUGGY, FIXED))

    assert not ran.exists()


def test_a_filter_that_nothing_is_configured_for_does_nothing(shop: Repository):
    (shop.root / ".gitattributes").write_text("cart.py filter=unknown\n")
    shop.commit_all("Attributes")

    commit(shop, change("cart.py", BUGGY, FIXED))

    assert shop.content("patch", "cart.py") == FIXED.encode()


def test_a_patch_on_top_of_uncommitted_changes_is_refused_and_leaves_no_branch(shop: Repository):
    with pytest.raises(UsageError, match="has changes that are not committed"):
        commit(shop, change("cart.py", BUGGY + "# mine\n", FIXED))

    assert shop.git("branch", "--list", "patch") == ""


def test_a_file_behind_a_link_is_refused(shop: Repository):
    (shop.root / "also.py").symlink_to("cart.py")
    shop.commit_all("Link")

    with pytest.raises(UsageError, match=r"also\.py is reached through the link also\.py"):
        commit(shop, change("also.py", BUGGY, FIXED))


def test_a_file_of_a_submodule_is_refused(shop: Repository, tmp_path: Path):
    other = repository(tmp_path / "other")
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.root), "vendored"],
        cwd=shop.root,
        check=True,
        capture_output=True,
        timeout=60,
    )
    shop.commit_all("Submodule")

    with pytest.raises(UsageError, match=r"vendored/cart\.py belongs to the submodule vendored"):
        commit(shop, change("vendored/cart.py", BUGGY, FIXED))


def test_a_new_file_cannot_stand_below_a_file(shop: Repository):
    with pytest.raises(UsageError, match=r"cart\.py is a file in the last commit, not a folder"):
        commit(shop, change("cart.py/more.py", None, "A = 1\n"))


def test_a_branch_that_came_into_being_meanwhile_is_not_moved(shop: Repository):
    start = start_of(shop.root, "patch")
    shop.git("branch", "patch")

    with pytest.raises(UsageError, match="the branch patch cannot be made"):
        commit_changes(start, (change("cart.py", BUGGY, FIXED),), "Change\n")

    assert shop.git("rev-parse", "patch") == shop.git("rev-parse", "main")


def test_before_the_first_commit_there_is_nothing_to_begin_at(tmp_path: Path):
    empty = Repository(tmp_path)
    empty.git("init", "-q")

    with pytest.raises(UsageError, match="there is no commit yet"):
        start_of(tmp_path, "patch")


def test_signing_that_the_persons_own_configuration_asks_for_is_done_and_its_failure_leaves_no_branch(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    program = tmp_path / "signer"
    program.write_text(
        "#!/bin/sh\ncat > /dev/null\nprintf '[GNUPG:] SIG_CREATED ' >&2\n"
        "printf -- '-----BEGIN PGP SIGNATURE-----\\nsigned\\n-----END PGP SIGNATURE-----\\n'\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    home = tmp_path / "home"
    home.mkdir()
    own = home / ".gitconfig"
    own.write_text(f"[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {program}\n")
    monkeypatch.setenv("HOME", str(home))

    made = commit(shop, change("cart.py", BUGGY, FIXED))
    assert not made.unsigned
    assert "BEGIN PGP SIGNATURE" in shop.git("cat-file", "commit", "patch")

    program.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(UsageError, match="the commit cannot be made"):
        commit(shop, change("cart.py", BUGGY, FIXED), branch="other")
    assert shop.git("branch", "--list", "other") == ""


def test_half_of_a_surrogate_pair_is_committed_into_no_file(shop: Repository):
    with pytest.raises(
        UsageError, match=r"cart\.py: '\\ud83d' is half of a surrogate pair.*; there is no new branch"
    ):
        commit(shop, change("cart.py", BUGGY, f"{BUGGY}# \ud83d\n"))
