"""Frames on their way to the client, without ever waiting for it.

A client may send a thousand requests before it reads one answer. A server that waits in `write` then reads no more, the
client waits in its own `write`, and both wait for good.
"""

import asyncio
import contextlib
import logging
import os
from typing import BinaryIO

from ensemble_lsp.lsp.frames import MAX_FRAME_BYTES, FrameWriter

_log = logging.getLogger(__name__)

MAX_WAITING_BYTES = 2 * MAX_FRAME_BYTES
"""What is kept for a client that does not read; more, and it counts as gone."""

PARTING_SECONDS = 2.0
"""How long the last answers may take when the server ends."""


class WaitlessWriter:
    """Writes to a pipe or socket that was made non-blocking; what does not fit is sent when there is room."""

    def __init__(self, stream: BinaryIO, loop: asyncio.AbstractEventLoop) -> None:
        self._stream = stream
        self._descriptor = stream.fileno()
        self._loop = loop
        self._waiting = bytearray()
        self._empty = asyncio.Event()
        self._empty.set()
        self._gone = False
        os.set_blocking(self._descriptor, False)

    def write(self, data: bytes) -> None:
        """Write now what fits, and keep the rest."""
        if self._gone:
            return
        if self._waiting:
            self._waiting += data
            if len(self._waiting) > MAX_WAITING_BYTES:
                _log.error("the client reads nothing: %s bytes wait for it", len(self._waiting))
                self._give_up()
            return
        sent = self._send(data)
        if sent < len(data) and not self._gone:
            self._waiting += data[sent:]
            self._empty.clear()
            self._loop.add_writer(self._descriptor, self._send_more)

    def close(self) -> None:
        """Close the stream; what waits is lost."""
        self._give_up()
        with contextlib.suppress(OSError):
            self._stream.close()

    async def flushed(self) -> None:
        """Wait until everything is sent, the client is gone, or `PARTING_SECONDS` are over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PARTING_SECONDS):
                await self._empty.wait()

    def _send(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0
        except OSError:
            # The reader notices a client that went away, and ends the server.
            self._give_up()
            return 0

    def _send_more(self) -> None:
        del self._waiting[: self._send(self._waiting)]
        if not self._waiting:
            self._loop.remove_writer(self._descriptor)
            self._empty.set()

    def _give_up(self) -> None:
        if self._waiting:
            self._loop.remove_writer(self._descriptor)
        self._gone = True
        self._waiting.clear()
        self._empty.set()


def outgoing(reading: BinaryIO, writing: BinaryIO) -> FrameWriter | WaitlessWriter:
    """Return the writer of this connection; call it inside the loop.

    Where both directions are one terminal or socket, a non-blocking one would be so for the reader too; and Windows
    knows no such pipes: there, writing waits.
    """
    if os.name != "posix" or os.path.sameopenfile(reading.fileno(), writing.fileno()):
        return FrameWriter(writing)
    return WaitlessWriter(writing, asyncio.get_running_loop())
