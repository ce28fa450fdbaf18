"""A process counts as alive exactly as long as it lives."""

import os
from pathlib import Path

import pytest

from ensemble_lsp.store.database import Database
from ensemble_lsp.store.presence import Presence
from tests.store.processes import line_from, start

WAITING = """
print(database.presence.token, flush=True)
sys.stdin.readline()
"""


def test_a_killed_process_is_known_to_be_gone(directory: Path, database: Database) -> None:
    with start(WAITING, directory) as process:
        token = line_from(process)
        assert database.presence.is_alive(token)
        assert database.presence.is_alive(token)
        process.kill()
    assert not database.presence.is_alive(token)
    assert not (directory / "processes" / f"{token}.lock").exists()


def test_a_process_that_closed_its_store_is_gone(tmp_path: Path) -> None:
    one, two = Presence(tmp_path), Presence(tmp_path)
    assert one.is_alive(two.token)
    two.close()
    assert not one.is_alive(two.token)
    assert one.is_alive(one.token)
    one.close()
    assert list(tmp_path.iterdir()) == []


def test_in_memory_only_the_own_process_is_known() -> None:
    one, two = Presence(None), Presence(None)
    assert one.is_alive(one.token)
    assert not one.is_alive(two.token)


def test_what_killed_processes_left_behind_is_swept_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    living = Presence(tmp_path)
    (tmp_path / "dead.lock").touch()
    (tmp_path / "fresh.lock").touch()
    for name in ("dead", living.token):
        os.utime(tmp_path / f"{name}.lock", (0, 0))
    sweeper = Presence(tmp_path)
    sweeper.sweep()
    assert not (tmp_path / "dead.lock").exists()
    assert (tmp_path / "fresh.lock").exists()
    assert sweeper.is_alive(living.token)
    for presence in (living, sweeper):
        presence.close()
