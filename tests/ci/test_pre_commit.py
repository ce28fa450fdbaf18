"""`.pre-commit-hooks.yaml`: its entry, run as pre-commit runs it, in a repository with something staged."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from tests.ci.composite import ROOT
from tests.ci.pull_requests import git
from tests.cli.conftest import CommandLine, Ran, ServerThread, member_tables
from tests.context.repository import write_files
from tests.support.shop import BUGGY, FIXED, TEST

Run = Callable[[str, Path], Ran]

HOOKS = cast(
    "list[dict[str, Any]]", yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
)


def hook(name: str) -> dict[str, Any]:
    return next(item for item in HOOKS if item["id"] == name)


@pytest.fixture
def run(ensemble: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a hook's entry and arguments in a repository; no file names are passed, no terminal is there."""

    def entry(name: str, folder: Path) -> Ran:
        found = hook(name)
        command, *words = [*shlex.split(found["entry"]), *found["args"]]
        assert command == "ensemble-lsp"
        monkeypatch.chdir(folder)
        return ensemble(*words)

    return entry


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = write_files(tmp_path / "work", {"cart.py": FIXED, "test_cart.py": TEST})
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "as it was")
    return folder


@pytest.fixture
def seated(own_directories: Path, model_thread: ServerThread) -> None:
    """The person's own settings, with a panel on the fake server."""
    (own_directories / "config").mkdir(exist_ok=True)
    tables = member_tables(model_thread.base, "first", "second")
    (own_directories / "config" / "config.toml").write_text(tables, encoding="utf-8")


@pytest.mark.usefixtures("seated")
def test_staged_bug_stops_the_commit_whatever_the_work_tree_holds(run: Run, repository: Path):
    (repository / "cart.py").write_text(BUGGY, encoding="utf-8")
    git(repository, "add", "cart.py")
    (repository / "cart.py").write_text(FIXED, encoding="utf-8")
    ran = run("ensemble-review", repository)
    assert ran.code == 1, ran.err
    assert "cart.py:8: critical [bug] The sum is overwritten in each turn" in ran.out


def test_nothing_staged_costs_nothing_and_passes(run: Run, repository: Path):
    ran = run("ensemble-review", repository)
    assert ran.code == 0, ran.err
    assert "nothing is staged" in ran.err


def test_both_hooks_are_given_no_files_and_run_alone():
    assert [item["id"] for item in HOOKS] == ["ensemble-review", "ensemble-review-local"]
    for item in HOOKS:
        assert item["pass_filenames"] is False
        assert item["require_serial"] is True
        assert item["stages"] == ["pre-commit", "manual"]
        assert item["language"] == "python"
    assert "--local" in hook("ensemble-review-local")["entry"]
