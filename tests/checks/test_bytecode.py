"""Bytecode for starts of our own pytest that may not write any."""

import importlib.util
import sys
import tempfile
from pathlib import Path

import pytest

from ensemble_lsp.checks import bytecode


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that stands for pytest's own, as an installer leaves it that does not compile."""
    source = tmp_path / "pytest" / "__init__.py"
    source.parent.mkdir()
    source.touch()
    spec = importlib.util.spec_from_file_location("_pytest", source)

    def find(_name: str) -> object:
        return spec

    monkeypatch.setattr(bytecode, "find_spec", find)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return source


def test_a_pytest_that_was_never_started_lacks_it(package: Path) -> None:
    assert bytecode.lacks_bytecode()


def test_a_pytest_that_was_started_has_it(package: Path) -> None:
    kept = Path(importlib.util.cache_from_source(str(package)))
    kept.parent.mkdir()
    kept.touch()
    assert not bytecode.lacks_bytecode()


def test_who_wants_no_bytecode_gets_none(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert not bytecode.lacks_bytecode()


async def test_no_settings_and_no_conftest_of_a_workspace_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment that it is written for may lie in a workspace."""
    ran = tmp_path / "ran"
    for name in ("conftest.py", "evil.py"):
        (tmp_path / name).write_text(f"open({str(ran)!r}, 'w').close()\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p evil\npythonpath = .\n", encoding="utf-8")
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(inside))
    monkeypatch.setattr(bytecode, "lacks_bytecode", lambda: True)
    monkeypatch.setattr(bytecode, "ENVIRONMENT", {**bytecode.ENVIRONMENT, "PYTHONPYCACHEPREFIX": str(inside)})
    await bytecode.compile_pytest()
    assert list(inside.rglob("terminal.*.pyc"))
    assert not ran.exists()


async def test_it_is_written_by_a_start_of_pytest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytecode goes elsewhere here: that of the environment of these tests is left alone."""
    monkeypatch.setattr(bytecode, "lacks_bytecode", lambda: True)
    monkeypatch.setattr(
        bytecode, "ENVIRONMENT", {**bytecode.ENVIRONMENT, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    )
    await bytecode.compile_pytest()
    assert list(tmp_path.rglob("terminal.*.pyc"))  # noqa: ASYNC240 - a few files
