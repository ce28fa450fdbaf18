"""`textDocument/hover`: what stands behind a finding, on its lines; nothing anywhere else."""

from typing import TYPE_CHECKING

from lsprotocol import types

from ensemble_lsp.lsp.convert import range_of
from ensemble_lsp.lsp.hover_page import MARKDOWN, PLAIN, page_of

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

SHOWN_AT_MOST = 5
"""Findings of one line in a hover: more than that nobody reads in a box."""


def register(server: "EnsembleServer") -> None:
    """Answer the request."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        return hover_at(server, params.text_document.uri, params.position)


def hover_at(server: "EnsembleServer", uri: str, position: types.Position) -> types.Hover | None:
    """Return what is to be said about the findings at a position of an open document, or None."""
    document = server.documents.get(uri)
    if document is None:
        return None
    here = [
        tracked
        for tracked in server.findings.of(uri)
        if tracked.touches(position.line, position.line)
        and (span := range_of(tracked, document)).start <= position <= span.end
    ][:SHOWN_AT_MOST]
    if not here:
        return None
    style = MARKDOWN if server.view.hover_markdown else PLAIN
    kind = types.MarkupKind.Markdown if server.view.hover_markdown else types.MarkupKind.PlainText
    pages = [page_of(tracked, style, document.language) for tracked in here]
    return types.Hover(
        contents=types.MarkupContent(kind=kind, value=style.join(pages)), range=range_of(here[0], document)
    )
