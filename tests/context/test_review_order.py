"""A whole repository is looked at in the order of risk: what changes often, what much hangs on, what is large."""

from pathlib import Path

import pytest

from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.review_order import FileRisk, churn_of, riskiest_first
from ensemble_lsp.context.review_scope import review_scope
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import Task
from ensemble_lsp.settings import ContextTable
from tests.checks.workspaces import git, repository, write


def test_file_that_changes_often_comes_before_a_larger_one():
    files = [FileRisk("large.py", lines=900), FileRisk("busy.py", lines=90, churn=40)]
    assert riskiest_first(files) == ["busy.py", "large.py"]


def test_file_that_many_import_comes_before_one_of_the_same_size():
    files = [FileRisk("alone.py", lines=90), FileRisk("core.py", lines=90, fan_in=12)]
    assert riskiest_first(files) == ["core.py", "alone.py"]


def test_tests_come_behind_the_code_however_busy():
    files = [FileRisk("tests/test_core.py", lines=900, churn=90), FileRisk("core.py", lines=9)]
    assert riskiest_first(files) == ["core.py", "tests/test_core.py"]


def test_without_any_difference_the_order_is_that_of_the_paths():
    assert riskiest_first([FileRisk(name, lines=9) for name in ("b.py", "a.py")]) == ["a.py", "b.py"]


def test_churn_counts_the_commits_that_touched_a_path(tmp_path: Path):
    root = repository(tmp_path / "r", {"a.py": "1\n", "ä b.py": "1\n"})
    git(root, "commit", "-q", "-m", "one")
    for text in ("2\n", "3\n"):
        write(root, {"ä b.py": text})
        git(root, "commit", "-q", "-a", "-m", "again")
    assert churn_of(root) == {"a.py": 1, "ä b.py": 3}


@pytest.mark.parametrize("name", ["no repository", "no commit"])
def test_churn_is_empty_where_there_is_no_history(tmp_path: Path, name: str):
    root = tmp_path / "r"
    if name == "no commit":
        repository(root, {"a.py": "1\n"})
    else:
        write(root, {"a.py": "1\n"})
    assert churn_of(root) == {}


def test_scope_of_a_workspace_is_in_the_order_of_risk_and_holds_no_text(tmp_path: Path):
    files = {
        "shop/alone.py": "A = 1\n",
        "shop/core.py": "B = 1\n",
        "shop/one.py": "from shop.core import B\n",
        "shop/two.py": "from shop.core import B\n",
        "tests/test_shop.py": "from shop.core import B\n",
        "notes.txt": "no code\n",
    }
    root = repository(tmp_path / "r", files)
    reader = Reader.of(root, ContextTable(), trusted=False, overlays={})
    scope = review_scope(Task(action=Action.REVIEW, scope="workspace"), reader)
    assert scope.paths == (
        "shop/core.py",
        "shop/alone.py",
        "shop/one.py",
        "shop/two.py",
        "tests/test_shop.py",
    )
    assert scope.contents.keys() == set(scope.paths)
    assert scope.texts == {}
