"""`ensemble-lsp review` of a change: only its files, only its lines, one budget."""

import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from tests.cli.conftest import CommandLine, Ran, panel
from tests.support.fake_model_server import FakeModelServer
from tests.support.shop import BUGGY, FIXED

pytestmark = pytest.mark.usefixtures("models")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments], cwd=folder, check=True
    )


def findings(ran: Ran) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", ran.document["findings"])


@pytest.fixture
def repository(shop: Path) -> Path:
    """The shop before its bug, committed."""
    (shop / "cart.py").write_text(FIXED, encoding="utf-8")
    git(shop, "init", "-q")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "as it was")
    return shop


def test_diff_reports_the_line_that_changed(ensemble: CommandLine, repository: Path):
    (repository / "cart.py").write_text(BUGGY, encoding="utf-8")
    ran = ensemble("review", "--diff", "--json", *panel("a", "b"))
    (finding,) = [each for each in findings(ran) if each["admitted"]]
    assert (finding["path"], finding["line"]) == ("cart.py", 7)
    assert ran.document["reviewed"] == ["cart.py"]


def test_diff_keeps_back_what_is_said_of_other_lines(ensemble: CommandLine, repository: Path):
    (repository / "cart.py").write_text(BUGGY.replace("shopping cart", "cart"), encoding="utf-8")
    git(repository, "commit", "-q", "-a", "-m", "the bug is in")
    (repository / "cart.py").write_text(BUGGY, encoding="utf-8")
    ran = ensemble("review", "--diff", "--json", *panel("a", "b"))
    (finding,) = findings(ran)
    assert finding["admitted"] is False
    assert "the change did not touch" in finding["reason"]


def test_staged_reviews_the_index_and_not_the_work_tree(ensemble: CommandLine, repository: Path):
    (repository / "cart.py").write_text(BUGGY, encoding="utf-8")
    git(repository, "add", "-A")
    (repository / "cart.py").write_text(FIXED, encoding="utf-8")
    ran = ensemble("review", "--staged", "--json", *panel("a", "b"))
    assert [each["quote"] for each in findings(ran)] == ["result = price"]
    assert ran.document["texts"] == {"cart.py": BUGGY}


def test_nothing_changed_costs_no_call(ensemble: CommandLine, repository: Path, models: FakeModelServer):
    calls = len(models.calls)
    ran = ensemble("review", "--diff", *panel("a", "b"))
    assert ran.code == 0
    assert "nothing changed since the last commit" in ran.err
    assert len(models.calls) == calls


def test_folder_is_reviewed_file_by_file(ensemble: CommandLine, shop: Path):
    ran = ensemble("review", ".", "--json", *panel("a", "b"))
    assert ran.document["reviewed"] == ["cart.py", "test_cart.py"]


def test_files_that_the_calls_did_not_suffice_for_are_counted(ensemble: CommandLine, shop: Path):
    for number in range(8):
        (shop / f"more_{number}.py").write_text(BUGGY, encoding="utf-8")
    ran = ensemble("review", ".", "--json", "--budget-calls", "4", *panel("a", "b"))
    assert ran.code == 4
    assert "of 10 files were not looked at" in str(ran.document["reason"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--diff", "--staged"), "two different things"),
        (("--diff=nowhere",), "names no commit"),
        (("--diff", "--", "nowhere.py"), "no such file or folder"),
        ((), "nothing to review was named"),
    ],
)
def test_what_cannot_be_reviewed(
    ensemble: CommandLine, repository: Path, arguments: tuple[str, ...], says: str
):
    ran = ensemble("review", *arguments)
    assert ran.code == 2
    assert says in ran.err


def test_outside_of_git_it_says_so(ensemble: CommandLine, shop: Path):
    ran = ensemble("review", "--staged")
    assert ran.code == 2
    assert "not in a git work tree" in ran.err


def test_word_behind_diff_that_is_a_path_is_one(ensemble: CommandLine, repository: Path):
    (repository / "cart.py").write_text(BUGGY, encoding="utf-8")
    (repository / "other.py").write_text(BUGGY, encoding="utf-8")
    ran = ensemble("review", "--diff", "cart.py", "--json", *panel("a", "b"))
    assert ran.document["reviewed"] == ["cart.py"]


@pytest.mark.parametrize("files", [1, 3], ids=["one-file", "three-files"])
def test_of_a_change_that_breaks_a_test_the_line_is_reported(
    ensemble: CommandLine, repository: Path, files: int
):
    for number in range(files):
        (repository / f"part{number}.py").write_text(f"SIZE = {number}\n", encoding="utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "parts")
    (repository / "cart.py").write_text(BUGGY, encoding="utf-8")
    for number in range(files - 1):
        (repository / f"part{number}.py").write_text("SIZE = 7\n", encoding="utf-8")
    ran = ensemble("review", "--diff", "--trust", "--json", *panel("a", "b"))
    assert len(cast("list[str]", ran.document["reviewed"])) == files
    tested = [each for each in findings(ran) if "pytest fails" in each["reason"]]
    assert [(each["path"], each["line"], each["admitted"]) for each in tested] == [("cart.py", 7, True)]
    untrusted = ensemble("review", "--diff", "--json", *panel("a", "b"))
    assert not [each for each in findings(untrusted) if "pytest" in each["reason"]]
