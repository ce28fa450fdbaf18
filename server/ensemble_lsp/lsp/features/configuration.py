"""`workspace/didChangeConfiguration`: settings are live, for the jobs that start from now on."""

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer


def register(server: "EnsembleServer") -> None:
    """Register the handler."""

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configuration_changed(ls: "EnsembleServer", params: types.DidChangeConfigurationParams) -> None:
        ls.configuration.changed(params)
