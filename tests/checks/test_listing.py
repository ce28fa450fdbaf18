"""Which files of a workspace go into its copy."""

import os
from pathlib import Path

import pytest

from ensemble_lsp.checks import listing
from ensemble_lsp.checks.listing import is_secret, list_workspace
from ensemble_lsp.core.errors import CheckError
from tests.checks.workspaces import git, repository, write


def _listed(workspace: Path) -> set[str]:
    return set(list_workspace(workspace.resolve()).files)


def test_tracked_and_unignored_files_are_listed(tmp_path: Path) -> None:
    workspace = repository(
        tmp_path / "w", {"a.py": "", "new.py": "", ".gitignore": "*.log\n", "x.log": ""}, tracked=("a.py",)
    )
    assert _listed(workspace) == {"a.py", "new.py", ".gitignore"}


def test_without_git_the_ignore_files_count_all_the_same(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "",
            ".gitignore": "*.log\n/out/\n",
            "x.log": "",
            "out/y": "",
            "sub/.gitignore": "!keep.log\n",
            "sub/keep.log": "",
            "sub/other.log": "",
            "__pycache__/a.pyc": "",
        },
    )
    assert _listed(tmp_path) == {"a.py", ".gitignore", "sub/.gitignore", "sub/keep.log"}


def test_a_file_deleted_but_tracked_is_left_out(tmp_path: Path) -> None:
    workspace = repository(tmp_path / "w", {"a.py": "", "b.py": ""})
    (workspace / "b.py").unlink()
    assert _listed(workspace) == {"a.py"}


def test_secrets_are_left_out_unless_they_are_tracked(tmp_path: Path) -> None:
    files = {"a.py": "", ".env": "KEY=1", "deploy.pem": "", "tests/server.pem": "", ".env.example": ""}
    workspace = repository(tmp_path / "w", files, tracked=("a.py", "tests/server.pem", ".env.example"))
    found = list_workspace(workspace)
    assert set(found.files) == {"a.py", "tests/server.pem", ".env.example"}
    assert set(found.left_out) == {".env", "deploy.pem"}


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        ("config/.env.local", True),
        ("id_rsa", True),
        ("id_rsa.pub", False),
        ("secrets.yaml", True),
        ("secrets.py", False),
        ("keyboard.py", False),
    ],
)
def test_secret_files_are_known_by_name(path: str, secret: bool) -> None:
    assert is_secret(path) is secret


def test_links_out_of_the_workspace_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret": "x"})
    workspace = repository(tmp_path / "w", {"a.py": ""})
    (workspace / "in").symlink_to("a.py")
    (workspace / "out").symlink_to(tmp_path / "outside")
    (workspace / "up").symlink_to("../outside/secret")
    found = list_workspace(workspace)
    assert set(found.files) == {"a.py", "in"}
    assert set(found.left_out) == {"out", "up"}


def test_a_tracked_folder_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"elsewhere/a.py": "secret"})
    workspace = repository(tmp_path / "w", {"pkg/a.py": "", "b.py": ""})
    (workspace / "pkg" / "a.py").unlink()
    (workspace / "pkg").rmdir()
    (workspace / "pkg").symlink_to(tmp_path / "elsewhere")
    assert _listed(workspace) == {"b.py"}


def test_pipes_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": ""})
    os.mkfifo(tmp_path / "pipe")
    assert _listed(tmp_path) == {"a.py"}


def test_submodules_and_repositories_inside_are_listed_with_their_files(tmp_path: Path) -> None:
    library = repository(tmp_path / "library", {"lib.py": ""})
    git(library, "commit", "-qm", "x")
    workspace = repository(tmp_path / "w", {"a.py": ""})
    git(workspace, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "vendored")
    repository(workspace / "inner", {"b.py": ""})
    assert _listed(workspace) == {"a.py", ".gitmodules", "vendored/lib.py", "inner/b.py"}


def test_dependencies_are_shown_and_not_listed(tmp_path: Path) -> None:
    files = {
        ".gitignore": ".venv/\nnode_modules/\nbuild/\n",
        ".venv/pyvenv.cfg": "home = /usr/bin\n",
        "web/package.json": "{}",
        "web/node_modules/x/index.js": "",
        "build/out": "",
    }
    workspace = repository(tmp_path / "w", files)
    found = list_workspace(workspace)
    assert set(found.files) == {".gitignore", "web/package.json"}
    assert found.dependencies == {
        ".venv": workspace / ".venv",
        "web/node_modules": workspace / "web/node_modules",
    }


def test_dependencies_that_somebody_forgot_to_ignore_are_not_copied_either(tmp_path: Path) -> None:
    files = {"a.py": "", "venv/pyvenv.cfg": "", "venv/lib/b.py": "", "web/node_modules/x/index.js": ""}
    workspace = repository(tmp_path / "w", files, tracked=("a.py",))
    found = list_workspace(workspace)
    assert set(found.files) == {"a.py"}
    assert set(found.dependencies) == {"venv", "web/node_modules"}


def test_generated_sources_come_along_although_ignored(tmp_path: Path) -> None:
    files = {
        ".gitignore": "_version.py\n*.egg-info/\n*.log\nlocal_*\n",
        "src/pkg/__init__.py": "",
        "src/pkg/_version.py": "",
        "src/pkg.egg-info/entry_points.txt": "",
        "src/run.log": "",
        "src/local_settings.py": "PASSWORD = 'x'",
    }
    workspace = repository(tmp_path / "w", files)
    assert _listed(workspace) == set(files) - {"src/run.log", "src/local_settings.py"}


def test_names_that_are_no_utf8_are_listed(tmp_path: Path) -> None:
    workspace = repository(tmp_path / "w", {"a.py": ""})
    name = os.fsdecode(b"caf\xe9.txt")
    (workspace / name).write_text("x")
    assert name in _listed(workspace)


def test_git_is_not_led_elsewhere_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a git hook GIT_DIR and GIT_INDEX_FILE are set."""
    other = repository(tmp_path / "other", {"other.py": ""})
    workspace = repository(tmp_path / "w", {"a.py": ""})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert _listed(workspace) == {"a.py"}


def test_git_runs_no_command_that_the_repository_configures(tmp_path: Path) -> None:
    workspace = repository(tmp_path / "w", {"a.py": ""})
    git(workspace, "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    _listed(workspace)
    assert not (tmp_path / "ran").exists()


def test_a_home_folder_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_FILES", 3)
    write(tmp_path, {f"{number}.py": "" for number in range(5)})
    with pytest.raises(CheckError, match="project's own folder"):
        list_workspace(tmp_path.resolve())


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="nowhere"):
        list_workspace(tmp_path.resolve() / "nowhere")
