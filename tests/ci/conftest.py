"""A model server for the tests of workflows, whose steps are processes of their own."""

from collections.abc import Iterator

import pytest

from tests.cli.conftest import CommandLine, ServerThread


@pytest.fixture(scope="session")
def model_thread() -> Iterator[ServerThread]:
    """One fake model server for all tests here."""
    thread = ServerThread()
    thread.start()
    yield thread
    thread.stop()


@pytest.fixture
def ensemble(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command `ensemble-lsp`, in this process."""
    return CommandLine(capsys)
