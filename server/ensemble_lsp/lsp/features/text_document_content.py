"""`workspace/textDocumentContent`: the text of `ensemble:` documents, for every client that asks."""

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer


def register(server: "EnsembleServer") -> None:
    """Answer the request; it is announced only to clients that know it."""

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def text_document_content(
        params: types.TextDocumentContentParams,
    ) -> types.TextDocumentContentResult:
        return types.TextDocumentContentResult(text=await server.shown.text(params.uri))
