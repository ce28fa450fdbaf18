"""One session: the server is made, speaks until the editor goes, and takes everything it started with it."""

import asyncio
import logging
import sys
from typing import BinaryIO

from ensemble_lsp.lsp.outgoing import outgoing
from ensemble_lsp.lsp.server import EnsembleServer
from ensemble_lsp.lsp.transport import converse

_log = logging.getLogger(__name__)


def run(reading: BinaryIO, writing: BinaryIO, first: object, *, greeted: bool) -> int:
    """Make the server and speak LSP until the editor goes; returns the exit status.

    `first` is the message that was read already; `greeted` says that it is an `initialize` that has its answer.
    """
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    # pygls logs a traceback for each request that is answered with an error; ours say what is wrong.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    return asyncio.run(_session(reading, writing, first, greeted=greeted))


async def _session(reading: BinaryIO, writing: BinaryIO, first: object, *, greeted: bool) -> int:
    server = EnsembleServer()
    writer = outgoing(reading, writing)
    server.protocol.set_writer(writer)
    try:
        if greeted:
            if not server.protocol.follow(first):
                _log.error("initialize was answered, but its parameters cannot be followed")
                return 1
        elif (status := server.protocol.receive(first)) is not None:
            return status
        return await converse(reading, server.protocol.receive)
    finally:
        # Also when the editor was killed: no engine is left behind.
        await server.close()
        await writer.flushed()
