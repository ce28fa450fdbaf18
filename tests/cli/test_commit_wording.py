"""`rewrite` of commit messages: of a commit that is there, and of the file that git has an editor open for."""

import re
from pathlib import Path

import pytest

from tests.cli.branches import Repository, repository
from tests.cli.conftest import CommandLine, panel
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded
from tests.support.shop import BUGGY, FIXED

TRAILER = "Signed-off-by: Ada Example <ada@example.org>"
OLD = f"fixd sum\n\nit were wrong.\n\n{TRAILER}\n"
NEW = "Add all prices up\n\nOnly the last one counted."


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: FakeModelServer) -> Repository:
    """The shop, with members that write the new wording, or what a test lets them add to it."""
    found = repository(tmp_path)
    monkeypatch.chdir(found.root)

    def scripted(request: Recorded) -> Answer:
        marks = re.search(r"<<<<<<< TEXT (\w+)", request.prompt)
        words = f"{NEW}\n\nCo-authored-by: Mallory <m@evil.example>" if request.model == "forger" else NEW
        if marks is None:
            return Answer(
                text="NO FAULT: A\nBEST: A" if "Compare each" in request.prompt else f"```\n{words}\n```"
            )
        return Answer(text=f"<<<<<<< TEXT {marks[1]}\n{words}\n>>>>>>> TEXT {marks[1]}\n")

    monkeypatch.setattr(models, "_script", scripted)
    return found


def _fixed(shop: Repository) -> None:
    (shop.root / "cart.py").write_text(FIXED)
    shop.git("add", "cart.py")


def test_a_better_message_of_the_last_commit_is_printed_and_nothing_is_rewritten(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer
):
    _fixed(shop)
    shop.git("commit", "-q", "-m", OLD)
    before = shop.state

    ran = ensemble("rewrite", "--commit", "-m", "plainly", *panel("one", "two"))

    assert ran.code == 0, ran.err
    assert ran.out == f"{NEW}\n\n{TRAILER}\n"
    assert "nothing was changed; git commit --amend -F FILE takes it" in ran.err
    assert shop.state == before
    assert "+        result += price" in models.calls[0].prompt


def test_an_earlier_commit_is_named_by_a_revision(ensemble: CommandLine, shop: Repository):
    _fixed(shop)
    shop.git("commit", "-q", "-m", OLD)

    ran = ensemble("rewrite", "--commit", "HEAD~1", *panel("one", "two"))
    unknown = ensemble("rewrite", "--commit", "nowhere", *panel("one"))

    assert ran.out == f"{NEW}\n"
    assert "with `reword`" in ran.err
    assert unknown.code == 2
    assert "names no commit" in unknown.err


def test_the_file_of_an_open_message_keeps_trailers_comments_and_scissors(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer
):
    below = "# Please enter the message.\n# ------------------------ >8 ------------------------\n# cut\ndiff --git\n"
    file = shop.root / ".git" / "COMMIT_EDITMSG"
    file.write_text(OLD + below)
    _fixed(shop)
    (shop.root / "test_cart.py").write_text("# not staged\n")

    ran = ensemble("rewrite", ".git/COMMIT_EDITMSG", "--apply", "--yes", *panel("one", "two"))

    assert ran.code == 0, ran.err
    assert file.read_text() == f"{NEW}\n\n{TRAILER}\n{below}"
    assert "+        result += price" in models.calls[0].prompt
    assert "not staged" not in models.calls[0].prompt


def test_a_forged_trailer_is_refused(ensemble: CommandLine, shop: Repository):
    ran = ensemble("rewrite", "--commit", *panel("forger"))

    assert ran.code == 1
    assert ran.out == ""


def test_an_ignored_file_of_the_change_is_not_shown(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer
):
    (shop.root / ".ensembleignore").write_text("private.py\n")
    (shop.root / "private.py").write_text("PLANS = 'takeover'\n")
    (shop.root / "cart.py").write_text(BUGGY + "# more\n")
    shop.commit_all("fixd sum")

    assert ensemble("rewrite", "--commit", *panel("one", "two")).code == 0
    assert "# more" in models.calls[0].prompt
    assert "takeover" not in models.calls[0].prompt


@pytest.mark.parametrize("more", [("--apply",), ("--branch", "x")])
def test_commit_writes_nothing(ensemble: CommandLine, shop: Repository, more: tuple[str, ...]):
    ran = ensemble("rewrite", "--commit", *more, *panel("one"))

    assert ran.code == 2
    assert "prints a message and writes nothing" in ran.err


TEMPLATE = "\n# Please enter the commit message for your changes.\n# On branch main\n"


@pytest.mark.parametrize(
    ("begun", "becomes"),
    [
        (TEMPLATE, f"{NEW}\n{TEMPLATE[1:]}"),
        ("", NEW),
        ("# a template of the project\n", f"{NEW}\n# a template of the project\n"),
        (f"\n\n{TRAILER}\n{TEMPLATE}", f"{NEW}\n\n{TRAILER}\n{TEMPLATE}"),
    ],
    ids=["git's own", "nothing", "begins with a comment", "signed off"],
)
def test_a_message_that_nobody_has_begun_is_written_from_what_is_staged(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer, begun: str, becomes: str
):
    file = shop.root / ".git" / "COMMIT_EDITMSG"
    file.write_text(begun)
    _fixed(shop)

    ran = ensemble("rewrite", ".git/COMMIT_EDITMSG", "--apply", "--yes", *panel("one", "two"))

    assert ran.code == 0, ran.err
    assert file.read_text() == becomes
    assert "Write the commit message" in ran.err
    assert "+        result += price" in models.calls[0].prompt


def test_where_nothing_is_staged_the_message_is_about_the_work_tree(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer
):
    file = shop.root / ".git" / "COMMIT_EDITMSG"
    file.write_text(TEMPLATE)
    (shop.root / "cart.py").write_text(FIXED)

    assert ensemble("rewrite", ".git/COMMIT_EDITMSG", "--apply", "--yes", *panel("one", "two")).code == 0
    assert "+        result += price" in models.calls[0].prompt


def test_an_empty_message_of_no_change_asks_nobody(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer
):
    file = shop.root / ".git" / "COMMIT_EDITMSG"
    file.write_text(TEMPLATE)

    ran = ensemble("rewrite", ".git/COMMIT_EDITMSG", "--apply", "--yes", *panel("one", "two"))

    assert ran.code == 1
    assert "there is no change that it could describe: stage one, or write a few words" in " ".join(
        ran.err.split()
    )
    assert file.read_text() == TEMPLATE
    assert not models.calls


def test_the_first_commit_of_a_repository_is_described(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer
):
    shop.git("checkout", "-q", "--orphan", "anew")
    file = shop.root / ".git" / "COMMIT_EDITMSG"
    file.write_text(TEMPLATE)

    assert ensemble("rewrite", ".git/COMMIT_EDITMSG", "--apply", "--yes", *panel("one", "two")).code == 0
    assert "new file mode" in models.calls[0].prompt


def test_the_message_of_a_linked_work_tree_is_about_what_is_staged_there(
    ensemble: CommandLine, shop: Repository, models: FakeModelServer
):
    (shop.root / ".ensembleignore").write_text("private.py\n")
    shop.git("worktree", "add", "-q", "../hotfix")
    (shop.root.parent / "hotfix" / "cart.py").write_text(FIXED)
    (shop.root.parent / "hotfix" / "private.py").write_text("PLANS = 'takeover'\n")
    shop.git("-C", "../hotfix", "add", ".")
    file = shop.root / ".git" / "worktrees" / "hotfix" / "COMMIT_EDITMSG"
    file.write_text(TEMPLATE)

    ran = ensemble("rewrite", str(file), "--apply", "--yes", *panel("one", "two"))

    assert ran.code == 0, ran.err
    assert file.read_text() == f"{NEW}\n{TEMPLATE[1:]}"
    assert "+        result += price" in models.calls[0].prompt
    assert "takeover" not in models.calls[0].prompt
