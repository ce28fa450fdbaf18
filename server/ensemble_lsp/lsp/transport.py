"""The conversation: one message after the other, each handed to the protocol.

Own code instead of pygls's loop, which reads messages nested inside parameters as messages of their own, answers
nothing to what is not JSON, and looks for the header's name in one spelling only.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, BinaryIO

from ensemble_lsp.lsp.frames import parsed, read_frame

WAITING_FRAMES = 64
"""Frames read ahead of the loop; a client that floods waits in its own pipe."""


async def converse(stream: BinaryIO, receive: Callable[[object], int | None]) -> int:
    """Hand every message to `receive` until it returns an exit status or the client goes (status 1)."""
    loop = asyncio.get_running_loop()
    frames: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING_FRAMES)

    def read() -> None:
        with contextlib.suppress(RuntimeError, CancelledError):  # the loop closed while we were reading
            while True:  # bounded by the client: ends with its stream
                body = read_frame(stream)
                _put(loop, frames.put(body))
                if body is None:
                    return

    # A daemon: a thread that waits for a silent client must not keep the process alive.
    threading.Thread(target=read, name="frames", daemon=True).start()
    while (body := await frames.get()) is not None:
        status = receive(parsed(body))
        if status is not None:
            return status
    return 1


def _put(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None]) -> None:
    try:
        future = asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:
        work.close()
        raise
    future.result()
