"""How findings reach the editor: pushed, or asked for by clients that can be told to ask again; never both."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.lsp.convert import diagnostic_of
from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.findings import Review

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer


class Diagnostics:
    """Shows what is on the board of findings, document by document."""

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._pushed: set[str] = set()
        """Documents for which the client holds pushed diagnostics."""
        self._refreshing = False

    def show(
        self,
        uri: str,
        review: Review,
        findings: Sequence[Finding],
        *,
        reviewed: str | None,
        lines: Sequence[LineRange] | None,
    ) -> None:
        """Show a review's findings instead of the earlier ones of this document (or of its `lines`).

        `reviewed` is the text that they speak of, where the document was open.
        """
        self._server.findings.replace(self.document(uri), review, findings, reviewed=reviewed, lines=lines)
        self.publish(uri)

    def publish(self, uri: str) -> None:
        """Bring the editor up to date with what is shown of a document."""
        if self._pulled(uri):
            if not self._refreshing:
                self._refreshing = True
                self._server.in_background(self._refresh())
        else:
            self._push(uri)

    def moved(self, uri: str) -> None:
        """Follow a change of an open document: clients that ask do so after each change by themselves."""
        if not self._pulled(uri):
            self._push(uri)

    def opened(self, document: Document) -> None:
        """A document is open: its findings are looked for in its text, and from now on asked for."""
        if document.uri in self._pushed and self._pulled(document.uri):
            self._send(document.uri, [], None)
        if self._server.findings.of(document.uri):
            self._server.findings.reopened(document)
            self.publish(document.uri)

    def closed(self, uri: str) -> None:
        """A document is closed: nobody asks for its diagnostics any more."""
        if self._server.view.pulls and self._server.findings.of(uri):
            self._push(uri)

    def report(
        self, uri: str, previous: str | None
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        """Answer `textDocument/diagnostic`; what is not open has its diagnostics pushed."""
        items = self._diagnostics(uri, self.document(uri)) if self._pulled(uri) else []
        result = hashlib.sha256(repr(items).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if result == previous:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result)

    async def _refresh(self) -> None:
        self._refreshing = False
        await self._server.protocol.ask_client(types.WORKSPACE_DIAGNOSTIC_REFRESH, None)

    def _pulled(self, uri: str) -> bool:
        return self._server.view.pulls and self._server.documents.get(uri) is not None

    def _push(self, uri: str) -> None:
        document = self.document(uri)
        version = document.version if document.version >= 0 else None
        self._send(uri, self._diagnostics(uri, document), version)

    def _send(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        if diagnostics:
            self._pushed.add(uri)
        else:
            self._pushed.discard(uri)
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics, version=version)
        )

    def _diagnostics(self, uri: str, document: Document) -> list[types.Diagnostic]:
        view = self._server.view
        return [diagnostic_of(tracked, document, view) for tracked in self._server.findings.of(uri)]

    def document(self, uri: str) -> Document:
        """Return the open document of a URI, else its file as a document with version -1."""
        server = self._server
        return server.documents.get(uri) or server.folders.read_document(uri, server.view.encoding)
