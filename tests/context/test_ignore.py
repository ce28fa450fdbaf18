"""What is never sent and never edited, and what settings may change about that."""

from pathlib import Path

import pytest

from ensemble_lsp.context.ignore import IgnoreRules
from ensemble_lsp.context.workspace_files import workspace_files
from ensemble_lsp.settings import ContextTable
from tests.context.repository import git, repository, write_files


def rules(
    folder: Path, *, include: tuple[str, ...] = (), exclude: tuple[str, ...] = (), trusted: bool = False
) -> IgnoreRules:
    return IgnoreRules.load(folder, ContextTable(include=include, exclude=exclude), trusted)


@pytest.mark.parametrize(
    "path",
    [".env", "app/.env.production", "keys/server.pem", "id_rsa", "home/.ssh/config", ".aws/config", ".netrc", ".npmrc",
     ".pypirc", "credentials.json", "kubeconfig", "terraform.tfstate", "prod.tfvars", "a/ID_RSA.old", "secrets.yaml"],
)  # fmt: skip
def test_files_that_hold_secrets_are_withheld(tmp_path: Path, path: str) -> None:
    assert rules(tmp_path).ignored(path) == "files of this name hold secrets"


@pytest.mark.parametrize(
    "path", ["secrets.py", ".env.example", "src/keys.go", "environment.py", "token.rs", "credentials.ts"]
)
def test_source_named_after_secrets_is_not_withheld(tmp_path: Path, path: str) -> None:
    assert rules(tmp_path).ignored(path) is None


@pytest.mark.parametrize(
    "path", ["node_modules/a/index.js", "web/app.min.js", "package-lock.json", "Cargo.lock", "a_pb2.py"]
)
def test_generated_files_are_withheld(tmp_path: Path, path: str) -> None:
    assert rules(tmp_path).ignored(path) == "it is generated or installed, not written by hand"


@pytest.mark.parametrize("path", [".git/config", "sub/.git/HEAD", "../other.py", "/etc/passwd", "a/../../b"])
def test_version_control_and_the_outside_are_withheld(tmp_path: Path, path: str) -> None:
    assert rules(tmp_path, include=("**",), trusted=True).ignored(path) is not None


def test_nested_ignore_files_override_those_above(tmp_path: Path) -> None:
    write_files(tmp_path, {".gitignore": "*.log\nout/\n", "sub/.gitignore": "!keep.log\nlocal.py\n"})
    ignore = rules(tmp_path)

    assert ignore.ignored("a.log") == ".gitignore names it"
    assert ignore.ignored("sub/keep.log") is None
    assert ignore.ignored("sub/local.py") == "sub/.gitignore names it"
    assert ignore.ignored("local.py") is None
    assert ignore.ignored("out/deep/a.py") == ".gitignore names it"


def test_ignore_files_above_the_workspace_count_up_to_the_repository(tmp_path: Path) -> None:
    repository(tmp_path, {".gitignore": "app/gen/\n", "app/a.py": "a = 1\n", "app/gen/b.py": "b = 1\n"})

    assert rules(tmp_path / "app").ignored("gen/b.py") == "../.gitignore names it"


def test_a_tracked_file_is_not_ignored_by_git_as_in_git(tmp_path: Path) -> None:
    repository(tmp_path, {"build/tool.py": "x = 1\n"})
    write_files(tmp_path, {".gitignore": "build/\n", "build/new.py": "y = 1\n"})

    assert rules(tmp_path).ignored("build/tool.py") is None
    assert rules(tmp_path).ignored("build/new.py") == ".gitignore names it"


def test_the_ensembleignore_file_holds_for_tracked_files_too(tmp_path: Path) -> None:
    repository(tmp_path, {".ensembleignore": "legal/\n", "legal/contract.md": "x\n"})

    assert rules(tmp_path).ignored("legal/contract.md") == ".ensembleignore names it"
    assert "legal/contract.md" not in workspace_files(tmp_path, rules(tmp_path))


def test_include_brings_ignored_files_back_in_trusted_folders_only(tmp_path: Path) -> None:
    write_files(tmp_path, {".gitignore": "gen/\n"})

    assert rules(tmp_path, include=("gen/**",), trusted=True).ignored("gen/a.py") is None
    assert rules(tmp_path, include=("gen/**",), trusted=False).ignored("gen/a.py") == ".gitignore names it"


def test_a_secret_file_comes_back_only_by_its_exact_path(tmp_path: Path) -> None:
    assert rules(tmp_path, include=("**",), trusted=True).ignored("config/.env") is not None
    assert rules(tmp_path, include=(".env",), trusted=True).ignored("config/.env") is not None
    assert rules(tmp_path, include=("config/.env",), trusted=True).ignored("config/.env") is None
    assert rules(tmp_path, include=("config/.env",), trusted=False).ignored("config/.env") is not None


def test_exclude_counts_in_every_folder_and_before_include(tmp_path: Path) -> None:
    ignore = rules(tmp_path, include=("data/**",), exclude=("data/raw/",), trusted=True)

    assert ignore.ignored("data/raw/a.csv") == "context.exclude names it"
    assert ignore.ignored("data/a.csv") is None


def test_an_ignore_file_that_cannot_be_read_or_is_a_link_is_passed_over(tmp_path: Path) -> None:
    write_files(tmp_path, {"elsewhere": "*.py\n", "sub/.gitignore/odd": "x"})
    (tmp_path / ".gitignore").symlink_to("elsewhere")

    assert rules(tmp_path).ignored("sub/a.py") is None


def test_the_files_of_a_repository_are_tracked_and_unignored_ones(tmp_path: Path) -> None:
    repository(tmp_path, {".gitignore": "*.log\n", "a.py": "", "b/ü.py": "", ".env": "K=1"})
    write_files(tmp_path, {"new.py": "", "x.log": "", "node_modules/m/i.js": ""})

    assert workspace_files(tmp_path, rules(tmp_path)) == (".gitignore", "a.py", "b/ü.py", "new.py")


def test_a_folder_without_git_is_walked_under_its_ignore_files(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            ".gitignore": "*.log\n/out\n",
            "a.py": "",
            "out/b.py": "",
            "c/d.log": "",
            "c/e.py": "",
            "c/.gitignore": "e.py\n",
        },
    )

    assert workspace_files(tmp_path, rules(tmp_path)) == (".gitignore", "a.py", "c/.gitignore")


def test_the_list_is_bounded_and_the_same_each_time(tmp_path: Path) -> None:
    repository(tmp_path / "git", {f"f{n:03}.py": "" for n in range(60)})
    write_files(tmp_path / "plain", {f"d{n % 7}/f{n:03}.py": "" for n in range(60)})

    for folder in (tmp_path / "git", tmp_path / "plain"):
        first = workspace_files(folder, rules(folder), limit=20)
        assert len(first) == 20
        assert workspace_files(folder, rules(folder), limit=20) == first


def test_a_repository_cannot_make_git_run_a_program(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "x = 1\n", "spy.sh": f"#!/bin/sh\ntouch {tmp_path}/ran\n"})
    (tmp_path / "spy.sh").chmod(0o700)
    git(tmp_path, "config", "core.fsmonitor", str(tmp_path / "spy.sh"))

    assert "a.py" in workspace_files(tmp_path, rules(tmp_path))
    assert not (tmp_path / "ran").exists()


def test_the_surrounding_git_environment_does_not_redirect_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path / "one", {"a.py": ""})
    repository(tmp_path / "two", {"b.py": ""})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "two" / ".git"))

    assert workspace_files(tmp_path / "one", rules(tmp_path / "one")) == ("a.py",)
