"""One Neovim, one server and one engine for all tests of a worker: each test gets them cleared."""

from collections.abc import Iterator

import pytest

pytest.importorskip("pynvim")

from tests.editors.plugin.stage import NVIM, ModelThread, PluginEditor, plugin_editor


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a Neovim; skip it where there is none."""
    for item in items:
        if "tests/editors/plugin" in str(item.path):
            item.add_marker(pytest.mark.neovim)
            if NVIM is None:
                item.add_marker(pytest.mark.skip(reason="Neovim is not installed"))


@pytest.fixture(scope="session")
def model_thread() -> Iterator[ModelThread]:
    """The members' server."""
    with ModelThread().serving() as models:
        yield models


@pytest.fixture(scope="session")
def open_editor(
    model_thread: ModelThread, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PluginEditor]:
    """The editor that the tests share."""
    with plugin_editor(tmp_path_factory.mktemp("neovim").resolve(), model_thread) as editor:
        yield editor


@pytest.fixture
def editor(open_editor: PluginEditor) -> Iterator[PluginEditor]:
    """The editor as it was after its start."""
    yield open_editor
    open_editor.clear()
