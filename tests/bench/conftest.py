"""One model server for all benchmarks that tests run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.stage import Stage, set_stage
from tests.cli.conftest import ServerThread


@pytest.fixture(scope="session")
def model_server() -> Iterator[ServerThread]:
    """The server, on a loop of its own."""
    thread = ServerThread()
    thread.start()
    yield thread
    thread.stop()


@pytest.fixture
def stage(model_server: ServerThread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Three programs with bugs, a member that knows them and one that does not."""
    return set_stage(model_server, tmp_path, monkeypatch)
