"""`python -P -m ensemble_lsp.engine`: the engine as a process that speaks JSON-RPC on stdio."""

import asyncio
import logging
import os
import signal
import sys

NICENESS = 5
"""Added to the engine's niceness (POSIX); between equals, 5 is about a third of the time."""


async def _open_stdio() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    # Whatever a library prints must not land between two frames: the protocol gets a descriptor of its own,
    # and descriptor 1 becomes another standard error.
    private = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    reader = asyncio.StreamReader(limit=1024 * 1024)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", closefd=False)
    )
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(private, "wb")
    )
    return reader, asyncio.StreamWriter(transport, protocol, None, loop)


async def _main() -> None:
    from ensemble_lsp.engine.server import EngineServer  # noqa: PLC0415  (after stdout is out of reach)

    reader, writer = await _open_stdio()
    server = EngineServer(reader, writer)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, server.stop)
    await server.run()
    sys.stderr.flush()
    # Everything is written down by now. A thread may still be importing litellm, which takes seconds and
    # cannot be interrupted; the loop would wait for it.
    os._exit(0)


def main() -> None:
    """Serve until standard input closes."""
    logging.basicConfig(
        level=os.environ.get("ENSEMBLE_LOG", "WARNING").upper(),
        stream=sys.stderr,
        format="engine %(levelname)s %(name)s: %(message)s",
    )
    if hasattr(os, "nice"):
        # The one who types comes first: the front, the editor, and its other servers. Checks inherit this.
        os.nice(NICENESS)
    asyncio.run(_main())


if __name__ == "__main__":
    main()
