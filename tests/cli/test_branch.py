"""`--branch NAME`: the verified patch, and nothing else, as one commit on a branch of its own."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.cli.branches import Repository, repository
from tests.cli.conftest import CommandLine, panel
from tests.support.fake_model_server import FakeModelServer
from tests.support.shop import BUGGY, FIXED

FIX = ("fix", "cart.py", "--trust", "--branch", "fix/total")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: FakeModelServer) -> Repository:
    """The shop with one commit; the working directory is its folder."""
    found = repository(tmp_path)
    monkeypatch.chdir(found.root)
    return found


def test_the_patch_is_committed_on_a_new_branch_and_nothing_else_moves(
    ensemble: CommandLine, shop: Repository
):
    before = shop.state

    ran = ensemble(*FIX, *panel("good", "good2"))

    assert ran.code == 0, ran.err
    assert shop.state == before
    assert shop.content("fix/total", "cart.py") == FIXED.encode()
    assert shop.git("diff", "--name-only", "main", "fix/total") == "cart.py"
    assert shop.git("rev-parse", "fix/total^") == shop.git("rev-parse", "main")
    assert "on the new branch fix/total" in ran.err
    assert (shop.root / "cart.py").read_text() == BUGGY


def test_the_message_states_evidence_cost_and_dissent_within_72_columns(
    ensemble: CommandLine, shop: Repository, seated: Path
):
    ran = ensemble(*FIX, *panel("good", "wrong"), "--json")

    message = shop.git("log", "-1", "--format=%B", "fix/total")
    job = ran.document["job"]
    lines = message.splitlines()
    assert lines[0] == "Fix total"
    assert lines[1] == ""
    assert max(map(len, lines)) <= 72
    assert "Verified: " in message
    assert "- pytest passed: 3 passed" in message
    assert "Written by one family of models: " in message
    assert "Argued otherwise:\n- wrong (" in message
    assert (
        shop.git("log", "-1", "--format=%(trailers:key=Ensemble-Job,valueonly)", "fix/total").strip() == job
    )
    assert ran.document["branch"] == {
        "name": "fix/total",
        "commit": shop.git("rev-parse", "fix/total"),
        "parent": shop.git("rev-parse", "main"),
        "signed": True,
        "pushed": False,
    }


def test_what_is_staged_or_changed_elsewhere_stays_and_the_message_says_that_the_checks_saw_it(
    ensemble: CommandLine, shop: Repository
):
    (shop.root / "staged.py").write_text("STAGED = 1\n")
    shop.git("add", "staged.py")
    (shop.root / "notes.txt").write_text("mine\n")
    before = shop.state

    ran = ensemble(*FIX, *panel("good", "good2"))

    assert ran.code == 0, ran.err
    assert shop.state == before
    assert shop.git("ls-tree", "--name-only", "fix/total").splitlines() == [
        ".gitignore",
        "cart.py",
        "test_cart.py",
    ]
    message = " ".join(shop.git("log", "-1", "--format=%B", "fix/total").split())
    assert "changes that are not committed and not part of this: notes.txt, staged.py." in message


def test_a_file_with_changes_that_are_not_committed_is_refused_before_anybody_is_asked(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer
):
    (shop.root / "cart.py").write_text(BUGGY + "\n# mine\n")

    ran = ensemble(*FIX, *panel("good"))

    assert ran.code == 2
    assert "cart.py has changes that are not committed" in ran.err
    assert "commit or stash them first" in ran.err
    assert not models.calls
    assert shop.git("branch", "--format=%(refname:short)") == "main"


def test_a_file_that_is_in_no_commit_is_refused(ensemble: CommandLine, shop: Repository):
    (shop.root / "new.py").write_text(BUGGY)

    ran = ensemble("fix", "new.py", "--branch", "fix/new", *panel("good"))

    assert ran.code == 2
    assert "new.py is in no commit yet" in ran.err


@pytest.mark.parametrize(
    "members", [("good",), ("wrong", "wrong2")], ids=["one family, nothing run", "abstained"]
)
def test_a_patch_that_nothing_verified_is_not_committed(
    ensemble: CommandLine, shop: Repository, members: tuple[str, ...]
):
    ran = ensemble("fix", "cart.py", "--branch", "fix/total", *panel(*members))

    assert ran.code == 1
    assert shop.git("branch", "--format=%(refname:short)") == "main"


def test_allow_unverified_commits_it_and_the_message_says_what_it_is(ensemble: CommandLine, shop: Repository):
    refused = ensemble("fix", "cart.py", "--branch", "fix/total", *panel("good"))
    ran = ensemble("fix", "cart.py", "--branch", "fix/total", "--allow-unverified", *panel("good"))

    assert "not committed: nothing verified this patch" in refused.err
    assert "--allow-unverified" in refused.err
    assert ran.code == 0, ran.err
    message = shop.git("log", "-1", "--format=%B", "fix/total")
    assert "Not verified: " in message
    assert "Ensemble-Standing: unverified" in message


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("main", "there is a branch main already"),
        ("main/more", "cannot stand beside the branch main"),
        ("a..b", "cannot be the name of a branch"),
        ("-x", "cannot be the name of a branch"),
        ("HEAD", "cannot be the name of a branch"),
        ("two words", "cannot be the name of a branch"),
    ],
)
def test_a_name_that_is_taken_or_cannot_be_one_is_refused_before_anybody_is_asked(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer, name: str, said: str
):
    ran = ensemble("fix", "cart.py", f"--branch={name}", *panel("good"))

    assert ran.code == 2
    assert said in ran.err
    assert not models.calls


def test_without_an_identity_it_says_how_to_give_one(
    ensemble: CommandLine, shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    for name in ("EMAIL", "GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.delenv(name, raising=False)
    shop.git("config", "--unset", "user.name")
    shop.git("config", "--unset", "user.email")

    ran = ensemble(*FIX, *panel("good"))

    assert ran.code == 2
    assert "git does not know whose commit it would be" in ran.err
    assert "git config --global user.email" in ran.err


def test_a_detached_head_and_a_subfolder_that_is_a_project_of_its_own(
    ensemble: CommandLine, shop: Repository, monkeypatch: pytest.MonkeyPatch
):
    inner = shop.root / "packages" / "cart"
    inner.mkdir(parents=True)
    for name in ("cart.py", "test_cart.py"):
        shop.git("mv", name, f"packages/cart/{name}")
    (inner / "pyproject.toml").write_text("[project]\nname = 'cart'\nversion = '1'\n")
    shop.commit_all("Move")
    shop.git("checkout", "-q", "--detach")
    monkeypatch.chdir(inner)

    ran = ensemble(*FIX, *panel("good", "good2"))

    assert ran.code == 0, ran.err
    assert shop.git("diff", "--name-only", "HEAD", "fix/total") == "packages/cart/cart.py"


def test_an_executable_file_stays_executable(ensemble: CommandLine, shop: Repository):
    (shop.root / "cart.py").chmod(0o755)
    shop.commit_all("Executable")

    assert ensemble(*FIX, *panel("good", "good2")).code == 0
    assert shop.git("ls-tree", "fix/total", "cart.py").startswith("100755 blob ")


def test_no_hook_and_no_file_monitor_of_the_repository_runs(ensemble: CommandLine, shop: Repository):
    ran_at = shop.root.parent / "ran"
    program = shop.root / ".git" / "hooks" / "any"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\necho "$0" >> {ran_at}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    for name in ("pre-commit", "commit-msg", "post-commit", "prepare-commit-msg", "reference-transaction"):
        os.link(program, program.with_name(name))
    os.link(program, program.with_name("post-index-change"))
    shop.git("config", "core.fsmonitor", str(program))
    shop.git("config", "gpg.program", str(program))
    shop.git("config", "commit.gpgSign", "true")
    ran_at.unlink(missing_ok=True)

    ran = ensemble(*FIX, *panel("good", "good2"), "--json")

    assert ran.code == 0, ran.err
    assert not ran_at.exists()
    assert "not signed: " in ran.err
    assert json.loads(ran.out)["branch"]["signed"] is False


def test_apply_and_branch_exclude_each_other(ensemble: CommandLine, shop: Repository):
    ran = ensemble(*FIX, "--apply", *panel("good"))

    assert ran.code == 2
    assert "choose one of the two" in ran.err


def test_outside_of_git_it_is_refused(
    ensemble: CommandLine, tmp_path: Path, models: FakeModelServer, monkeypatch: pytest.MonkeyPatch
):
    lonely = tmp_path / "lonely"
    lonely.mkdir()
    (lonely / "cart.py").write_text(BUGGY)
    monkeypatch.chdir(lonely)

    ran = ensemble("fix", "cart.py", "--branch", "fix/total", *panel("good"))

    assert ran.code == 2
    assert "is not in a git work tree" in ran.err
