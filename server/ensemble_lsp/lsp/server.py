"""The language server: one editor, its documents, its jobs. Everything it holds is made in `__init__`."""

import asyncio
import logging
import time
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ensemble_lsp import __version__
from ensemble_lsp.core.errors import EngineError, EnsembleError
from ensemble_lsp.engine.client import EngineClient
from ensemble_lsp.engine.messages import OpenDocument
from ensemble_lsp.lsp.applying import Applier
from ensemble_lsp.lsp.client_view import ClientView
from ensemble_lsp.lsp.configuration import Configuration
from ensemble_lsp.lsp.context_requests import ContextRequests
from ensemble_lsp.lsp.diagnostics import Diagnostics
from ensemble_lsp.lsp.dismissals import FrontDismissals
from ensemble_lsp.lsp.documents import Documents
from ensemble_lsp.lsp.features import (
    code_action,
    configuration,
    diagnostic,
    execute_command,
    hover,
    lifecycle,
    text_document_content,
    workspace_files,
)
from ensemble_lsp.lsp.file_moves import FileMoves
from ensemble_lsp.lsp.findings import FindingsBoard
from ensemble_lsp.lsp.folders import Folders
from ensemble_lsp.lsp.followed_files import FollowedFiles
from ensemble_lsp.lsp.jobs import FrontJobs
from ensemble_lsp.lsp.preparation import JobPreparation
from ensemble_lsp.lsp.presenting import Presenter
from ensemble_lsp.lsp.proposals import ProposalBook
from ensemble_lsp.lsp.protocol import EnsembleProtocol
from ensemble_lsp.lsp.shown_documents import ShownDocuments

_log = logging.getLogger(__name__)

IDLE_SECONDS = 600.0
"""An engine without jobs goes away after this: it holds some 200 MB, more with an embedded model."""

WARMING_AFTER = 0.2
"""Seconds from `initialized` until the engine is started ahead of the first job."""


class EnsembleServer(LanguageServer):
    """The front process. Never imports litellm; models are the engine's."""

    protocol: EnsembleProtocol  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS) -> None:
        super().__init__(
            "ensemble-lsp",
            __version__,
            protocol_cls=EnsembleProtocol,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        )
        self.view = ClientView()
        self.configuration = Configuration(self)
        self.context_requests = ContextRequests(self)
        self.preparation = JobPreparation(self)
        self.documents = Documents()
        self.folders = Folders(self.documents)
        self.moves = FileMoves()
        self.followed_files = FollowedFiles(self)
        self.findings = FindingsBoard()
        self.diagnostics = Diagnostics(self)
        self.dismissals = FrontDismissals(self)
        self.shown = ShownDocuments(self)
        self.proposals = ProposalBook(self.documents, self.moves)
        self.presenter = Presenter(self)
        self.jobs = FrontJobs(self)
        self.engine = EngineClient(self.jobs)
        self.applier = Applier(self)
        self._idle_seconds = idle_seconds
        self._ready = False
        self._background: set[asyncio.Task[None]] = set()
        code_action.register(self)
        execute_command.register(self)
        lifecycle.register(self)
        configuration.register(self)
        workspace_files.register(self)
        diagnostic.register(self)
        hover.register(self)
        text_document_content.register(self)

    # -- lifecycle ------------------------------------------------------------------------------------------

    def initialize(self, params: types.InitializeParams) -> None:
        """Read what the client can do and what it says about folders and settings."""
        self.view = ClientView.of(params.capabilities)
        self.documents.encoding = self.view.encoding
        options = params.initialization_options
        fields: Mapping[str, object] = {}
        if isinstance(options, Mapping):
            fields = cast("Mapping[str, object]", options)
        self.folders.read(params, fields)
        self.configuration.initialize(fields)

    def initialized(self) -> None:
        """The client is ready: start the engine in the background. Said again, it means nothing."""
        if self._ready:
            return
        self._ready = True
        # The engine starts only now, so that `initialize` is answered whatever the engine does.
        self.in_background(self._warm())
        self.in_background(self._let_go_when_idle())
        self.configuration.initialized()

    async def _warm(self) -> None:
        # What the editor asks in its first moment comes first; a job that starts meanwhile starts the engine itself.
        await asyncio.sleep(WARMING_AFTER)
        try:
            await self.engine.warm()
        except (EngineError, OSError) as problem:
            self.say(types.MessageType.Warning, f"Ensemble: {problem}")

    async def _let_go_when_idle(self) -> None:
        busy_until = time.monotonic()
        while True:
            await asyncio.sleep(self._idle_seconds / 20)
            if self.jobs.running:
                busy_until = time.monotonic()
            elif min(self.engine.idle_seconds, time.monotonic() - busy_until) > self._idle_seconds:
                await self.engine.stop()

    async def close(self) -> None:
        """End what runs in the background, and the engine."""
        for task in tuple(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.engine.stop()

    def in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside the requests; what goes wrong is said and logged."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background_done)

    def _background_done(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (problem := task.exception()) is not None:
            known = isinstance(problem, EnsembleError)
            self.say(types.MessageType.Error, f"Ensemble: {problem}" if known else "Ensemble: internal error")
            _log.error("background work failed", exc_info=problem)

    # -- documents ------------------------------------------------------------------------------------------

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is open now."""
        document = self.documents.open(params.text_document)
        self.applier.seen(document)
        self.diagnostics.opened(document)
        self.presenter.moved(document.uri)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document changed: findings move, proposals for clients with their own diff are sent again."""
        document, changes = self.documents.change(params)
        self.applier.seen(document)
        if self.findings.moved(document, changes):
            self.diagnostics.moved(document.uri)
        self.presenter.moved(document.uri)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is not open any more: from now on its file counts."""
        self.documents.close(params.text_document.uri)
        self.diagnostics.closed(params.text_document.uri)
        self.presenter.moved(params.text_document.uri)

    def open_documents(self, root: Path, about: str | None = None) -> tuple[OpenDocument, ...]:
        """Return the open files below a root: their text counts, not the disk's.

        A buffer that is no file is among them only when the job is `about` its path: what else somebody has in
        such buffers is nobody's business.
        """
        found: list[OpenDocument] = []
        buffer = self.documents.at(root / about) if about is not None else None
        for document in self.documents:
            path = about if document is buffer else self.folders.relative(document.uri, root)
            if path is not None:
                found.append(OpenDocument(path=path, text=document.text, version=document.version))
        return tuple(found)

    # -- small things ---------------------------------------------------------------------------------------

    async def execute(self, command: str, argument: dict[str, object]) -> object:
        """Run one command of ours."""
        return await execute_command.execute(self, command, argument)

    def progress_cancelled(self, token: str) -> None:
        """The person pressed cancel on a job's progress."""
        if self.jobs.knows(token):
            self.jobs.cancel(token)

    def is_trusted(self, root: Path) -> bool:
        """Whether what the folder says about commands and money counts."""
        return self.folders.is_trusted(root)

    def say(self, kind: types.MessageType, text: str) -> None:
        """Show a message."""
        self.window_show_message(types.ShowMessageParams(type=kind, message=text))

    async def ask(self, text: str, titles: Sequence[str]) -> str | None:
        """Ask the person; None when the question was closed, or the client cannot ask."""
        actions = [types.MessageActionItem(title=title) for title in titles]
        answer = await self.protocol.ask_client(
            types.WINDOW_SHOW_MESSAGE_REQUEST,
            types.ShowMessageRequestParams(type=types.MessageType.Info, message=text, actions=actions),
        )
        title = (answer or {}).get("title")
        return title if isinstance(title, str) and title in titles else None

    @staticmethod
    def wall_clock() -> float:
        """Seconds since the epoch."""
        return time.time()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Requests are answered, and a popup for each error would bury the editor; bugs are logged where they occur."""
        _log.debug("%s: %s", source, error)
