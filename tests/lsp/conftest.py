"""One editor of each kind for all tests over stdio: an engine takes seconds to import litellm."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.lsp.stage import SECOND, TRUSTED, Stage, stage
from tests.support.fake_editor import ANNOTATING, BARE, FULL, NEOVIM, RICH, VSCODE, Json

KINDS: dict[str, Json] = {"bare": BARE, "neovim": NEOVIM, "annotating": ANNOTATING}


async def _shared(factory: pytest.TempPathFactory, kind: str) -> AsyncIterator[Stage]:
    async with stage(factory.mktemp(kind).resolve(), KINDS[kind]) as shared:
        yield shared


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_rich(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """A client with everything, our own messages too; documents count UTF-16. It has a second, trusted folder."""
    home = tmp_path_factory.mktemp("rich").resolve()
    trusted = home / TRUSTED
    trusted.mkdir()
    options = {"trustedFolders": [trusted.as_uri(), "http://example.org/", 7]}
    async with stage(home, RICH, options=options, folders=[trusted]) as shared:
        yield shared


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_bare(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """A client that can do next to nothing: no progress, no versions, no documents to show."""
    async for shared in _shared(tmp_path_factory, "bare"):
        yield shared


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_neovim(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """Neovim's capabilities; documents count UTF-8, edits are answered before their text comes back."""
    async for shared in _shared(tmp_path_factory, "neovim"):
        shared.editor.answers_first = True
        yield shared


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_annotating(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """A client that shows annotated edits for confirmation."""
    async for shared in _shared(tmp_path_factory, "annotating"):
        yield shared


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_full(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """A client that tells everything of its workspace: settings by folder, files, other servers' context."""
    home = tmp_path_factory.mktemp("full").resolve()
    second = home / SECOND
    second.mkdir()
    async with stage(home, FULL, folders=[second]) as shared:
        yield shared


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_vscode(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """A client that asks for diagnostics and virtual documents; its workspace is trusted."""
    home = tmp_path_factory.mktemp("vscode").resolve()
    options = {"trustedFolders": [(home / "workspace").as_uri()]}
    # Trusted, and yet no code is run where nothing can confine it, and nobody is asked.
    settings = {"execution": {"sandbox": "required"}, "review": {"dismissals": "shared"}}
    async with stage(home, VSCODE, options=options, settings=settings) as shared:
        yield shared


async def _played(shared: Stage) -> AsyncIterator[Stage]:
    shared.voices.reset()
    answers = dict(shared.editor.answers)
    yield shared
    shared.editor.answers = answers
    unexpected = shared.editor.unexpected()
    await shared.clear()
    assert not unexpected


@pytest_asyncio.fixture(loop_scope="session")
async def rich(shared_rich: Stage) -> AsyncIterator[Stage]:
    """The rich client, its panel reset; what it was told and nobody looked at fails the test."""
    async for played in _played(shared_rich):
        yield played


@pytest_asyncio.fixture(loop_scope="session")
async def bare(shared_bare: Stage) -> AsyncIterator[Stage]:
    """The bare client."""
    async for played in _played(shared_bare):
        yield played


@pytest_asyncio.fixture(loop_scope="session")
async def neovim(shared_neovim: Stage) -> AsyncIterator[Stage]:
    """The client with Neovim's capabilities."""
    async for played in _played(shared_neovim):
        yield played


@pytest_asyncio.fixture(loop_scope="session")
async def annotating(shared_annotating: Stage) -> AsyncIterator[Stage]:
    """The client with annotated edits."""
    async for played in _played(shared_annotating):
        yield played


@pytest_asyncio.fixture(loop_scope="session")
async def full(shared_full: Stage) -> AsyncIterator[Stage]:
    """The client that tells everything of its workspace. Neither of its two folders is trusted."""
    async for played in _played(shared_full):
        yield played


@pytest_asyncio.fixture(loop_scope="session")
async def vscode(shared_vscode: Stage) -> AsyncIterator[Stage]:
    """The client that asks for diagnostics and virtual documents."""
    async for played in _played(shared_vscode):
        yield played
