"""Bytecode for starts of our own pytest that may not write any."""

import sys
from pathlib import Path

import pytest

from ensemble_lsp.checks import bytecode


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package that stands for pytest's own, as an installer leaves it that does not compile."""
    folder = tmp_path / "standing_for_pytest"
    (folder / "below").mkdir(parents=True)
    for name in ("__init__.py", "one.py", "below/__init__.py"):
        (folder / name).write_text("raise AssertionError('nothing of it is executed')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return folder


def without(package: Path) -> list[Path]:
    return bytecode.folders_without_bytecode([package.name])


async def test_what_is_not_compiled_is_compiled_once(package: Path) -> None:
    assert without(package) == [package]
    await bytecode.compile_pytest([package.name])
    assert without(package) == []


async def test_one_module_that_is_not_compiled_is_enough(package: Path) -> None:
    await bytecode.compile_pytest([package.name])
    (package / "two.py").touch()
    assert without(package) == [package]


def test_who_wants_no_bytecode_gets_none(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert without(package) == []


def test_a_package_that_is_not_there_needs_none() -> None:
    assert bytecode.folders_without_bytecode(["no_such_package_anywhere"]) == []
