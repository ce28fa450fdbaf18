"""Which Python runs a project's tests, found without running any."""

import sys
from pathlib import Path

import pytest

from ensemble_lsp.checks.interpreters import find_interpreter


def _environment(folder: Path, home: str | None = None) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text(f"home = {home or Path(sys.base_prefix) / 'bin'}\n")
    return folder / "bin/python"


def test_the_workspaces_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = _environment(tmp_path / "w/.venv")
    active = _environment(tmp_path / "active")
    found = find_interpreter(tmp_path / "w", environment={"VIRTUAL_ENV": str(active.parent.parent)})
    assert found.executable == own
    assert Path(sys.base_prefix) in found.readable


def test_settings_win(tmp_path: Path) -> None:
    _environment(tmp_path / "w/.venv")
    other = _environment(tmp_path / "other")
    assert find_interpreter(tmp_path / "w", configured=other, environment={}).executable == other


def test_of_a_folder_that_is_not_trusted_its_own_python_is_not_taken(tmp_path: Path) -> None:
    _environment(tmp_path / "w/.venv")
    found = find_interpreter(tmp_path / "w", environment={}, trusted=False)
    assert found.executable == Path(sys.executable)
    assert found.is_ours


def test_the_active_environment_is_taken_where_the_workspace_has_none(tmp_path: Path) -> None:
    active = _environment(tmp_path / "active")
    found = find_interpreter(tmp_path, environment={"VIRTUAL_ENV": str(active.parent.parent)})
    assert (found.executable, found.why) == (active, "the active VIRTUAL_ENV")


def test_a_mark_in_the_workspace_does_not_open_other_folders(tmp_path: Path) -> None:
    """`home =` in a pyvenv.cfg that somebody committed could name a folder of secrets."""
    secrets = tmp_path / "home/me/.ssh"
    secrets.mkdir(parents=True)
    _environment(tmp_path / "w/.venv", home=str(secrets))
    found = find_interpreter(tmp_path / "w", environment={})
    assert not any(path.is_relative_to(tmp_path / "home") for path in found.readable)
