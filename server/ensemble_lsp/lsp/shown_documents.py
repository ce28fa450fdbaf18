"""Documents that are shown to be read: virtual ones where the editor asks for their text, else read-only files."""

import asyncio
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lsprotocol import types
from pygls.uris import from_fs_path

from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.text import utf8_of
from ensemble_lsp.directories import documents_directory
from ensemble_lsp.engine.messages import Transcript
from ensemble_lsp.lsp.document_uris import DocumentUri, read_uri
from ensemble_lsp.lsp.transcript_document import transcript_document

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

KEPT_DOCUMENTS = 50
"""How many files stay, and how many texts in memory; the oldest go. They can be made again from their job."""

WATCHED_AT_MOST = 100
"""Virtual documents that the client is told of when they change; it asked for the others long ago."""


class ShownDocuments:
    """Shows explanations, reports and transcripts of jobs, and diffs, in the way that the client can."""

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._texts: dict[str, tuple[str, str]] = {}
        """Job → file name and text of what it wrote, of this session: also where no transcript is kept."""
        self._asked: dict[str, str] = {}
        """URI of a transcript that the client asked for → its job."""

    def document_of(self, job: str, action: Action, name: str, text: str) -> None:
        """Show what a job wrote; `name` is the file or the question that it was about."""
        self._texts[job] = (name, text)
        for old in tuple(self._texts)[:-KEPT_DOCUMENTS]:
            del self._texts[old]
        self._server.in_background(self._show(DocumentUri.of_document(job, action, name), text))

    async def show(self, job: str, which: Literal["transcript", "result"]) -> str:
        """Show a document of any kept job and return its URI; raises `UnknownItem`."""
        transcript = await self._transcript(job)
        if which == "result":
            name, text = self._written(transcript)
            uri = DocumentUri.of_document(transcript.summary.job, transcript.summary.action, name)
        else:
            uri, text = DocumentUri.of_transcript(transcript.summary.job), transcript_document(transcript)
        await self._show(uri, text)
        return str(uri)

    async def text(self, uri: str) -> str:
        """Return the text of a virtual document; raises `UnknownItem`."""
        wanted = read_uri(uri)
        if wanted.is_transcript:
            self._asked[uri] = wanted.job
            for old in tuple(self._asked)[:-WATCHED_AT_MOST]:
                del self._asked[old]
            return transcript_document(await self._transcript(wanted.job))
        if wanted.job in self._texts:
            return self._texts[wanted.job][1]
        return self._written(await self._transcript(wanted.job))[1]

    def changed(self, job: str) -> None:
        """Tell the client that a job's transcript is not as it was, if it asked for it."""
        for uri in [uri for uri, asked in self._asked.items() if asked == job]:
            self._server.in_background(self._refresh(uri))

    async def show_file(self, title: str, text: str, suffix: str) -> bool:
        """Show a text as a read-only file; whether the client opened it (else its path was told)."""
        try:
            path = await asyncio.to_thread(write_document, title, text, suffix)
        except OSError as problem:
            self._server.say(types.MessageType.Error, f"Ensemble: the document cannot be written: {problem}")
            return False
        opened = await self.open(from_fs_path(str(path)) or "")
        if not opened:
            self._server.say(types.MessageType.Info, f"Ensemble: see {path}")
        return opened

    async def open(self, uri: str) -> bool:
        """Ask the client to open a document; whether it did."""
        if not self._server.view.show_document:
            return False
        shown = await self._server.protocol.ask_client(
            types.WINDOW_SHOW_DOCUMENT, types.ShowDocumentParams(uri=uri, take_focus=True)
        )
        return shown is not None and shown.get("success") is True

    async def _show(self, uri: DocumentUri, text: str) -> None:
        if not (self._server.view.virtual_documents and await self.open(str(uri))):
            await self.show_file(uri.title, text, ".md")

    async def _refresh(self, uri: str) -> None:
        await self._server.protocol.ask_client(
            types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, types.TextDocumentContentRefreshParams(uri=uri)
        )

    async def _transcript(self, job: str) -> Transcript:
        return await self._server.engine.transcript(job)

    def _written(self, transcript: Transcript) -> tuple[str, str]:
        job = transcript.summary.job
        kept = self._texts.get(job)
        if kept is not None:
            return kept
        text = transcript.result.document if transcript.result else ""
        if not text:
            raise UnknownItem(f"nothing that job {job!r} wrote is kept", field="job")
        return transcript.task.path or transcript.task.instruction, text


def write_document(title: str, text: str, suffix: str) -> Path:
    """Write a document nobody may change and return its path; the same text is the same file."""
    directory = documents_directory()
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    data = utf8_of(text)
    name = re.sub(r"[^0-9a-z]+", "-", title.lower())[:40].strip("-") or "document"
    path = directory / f"{name}-{hashlib.sha256(data).hexdigest()[:10]}{suffix}"
    if path.exists():
        path.touch()
    else:
        _prune(directory, KEPT_DOCUMENTS - 1)
        path.write_bytes(data)
        path.chmod(0o400)
    return path


def _prune(directory: Path, keep: int) -> None:
    def age(path: Path) -> float:
        return path.stat().st_mtime

    files = sorted((path for path in directory.iterdir() if path.is_file()), key=age, reverse=True)
    for path in files[keep:]:
        path.unlink(missing_ok=True)
