"""`initialized`, `shutdown`, and our own messages that have no command."""

from typing import TYPE_CHECKING

from lsprotocol import types

from ensemble_lsp.lsp.features import execute_command

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer


def register(server: "EnsembleServer") -> None:
    """Register the handlers; pygls marks functions, so bound methods will not do.

    A first parameter called `ls` is how pygls knows that a handler wants the server.
    """

    @server.feature(types.INITIALIZED)
    def initialized(ls: "EnsembleServer", params: types.InitializedParams) -> None:
        del params
        ls.initialized()

    @server.feature(types.SHUTDOWN)
    async def shut_down(ls: "EnsembleServer", params: None) -> None:
        del params
        await ls.close()

    @server.feature("ensemble/trust")
    def trust(ls: "EnsembleServer", params: object) -> None:
        ls.folders.trust(params)

    @server.feature("ensemble/proposalText")
    def proposal_text(ls: "EnsembleServer", params: object) -> dict[str, object]:
        return execute_command.proposal_text(ls, params)

    @server.feature("ensemble/candidate")
    def candidate(ls: "EnsembleServer", params: object) -> dict[str, object]:
        return execute_command.candidate(ls, params)

    @server.feature("ensemble/job")
    async def transcript(ls: "EnsembleServer", params: object) -> dict[str, object]:
        return await execute_command.transcript(ls, params)
