"""`textDocument/diagnostic`: for clients that ask for diagnostics and can be told to ask again."""

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer


def register(server: "EnsembleServer") -> None:
    """Answer the request; whether it is announced depends on the client (`lsp/protocol.py`)."""

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=False, identifier="ensemble"
        ),
    )
    def diagnostic(
        params: types.DocumentDiagnosticParams,
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        return server.diagnostics.report(params.text_document.uri, params.previous_result_id)
