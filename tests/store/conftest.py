"""A store of its own for every test, and a clock that only moves when told to."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ensemble_lsp.store.database import Database

NOON = 1_790_000_000.0
"""Some moment in September 2026, in seconds since the epoch."""


@dataclass
class Clock:
    """Seconds since the epoch; tests move it by adding to `now`."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def database(directory: Path) -> Iterator[Database]:
    with Database(directory) as opened:
        yield opened
