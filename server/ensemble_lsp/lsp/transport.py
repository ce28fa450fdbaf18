"""The wire: frames on two pipes, one message after the other, each handed to the protocol.

Own code instead of pygls's loop, which reads messages nested inside parameters as messages of their own, answers
nothing to what is not JSON, and looks for the header's name in one spelling only.
"""

import asyncio
import contextlib
import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, BinaryIO

_log = logging.getLogger(__name__)

MAX_FRAME_BYTES = 256 * 1024 * 1024
"""A frame above this is a broken client, not a document."""

MAX_HEADER_BYTES = 8 * 1024

WAITING_FRAMES = 64
"""Frames read ahead of the loop; a client that floods waits in its own pipe."""


class NotJson:
    """Stands for a frame whose body could not be read."""


class FrameWriter:
    """Writes whole frames, as pygls wants its writer to be. A client that went away is noticed by the reader."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Write and flush."""
        with contextlib.suppress(BrokenPipeError):
            self._stream.write(data)
            self._stream.flush()

    def close(self) -> None:
        """Close the stream."""
        with contextlib.suppress(BrokenPipeError):
            self._stream.close()


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the streams of standard input and output, and point the process's own at nothing and at stderr.

    So nothing that prints, here or in a library or in a child process, can get between the frames.
    """
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return open(reading, "rb"), open(writing, "wb")  # noqa: PTH123  (descriptors, not paths)


def read_frame(stream: BinaryIO) -> bytes | None:
    """Return the body of the next frame, or None at the end of the stream or of what can be understood."""
    length = -1
    size = 0
    # Ends at the empty line; a client whose header never ends is dropped at the size limit.
    while (line := stream.readline(MAX_HEADER_BYTES)) not in {b"\r\n", b"\n"}:
        size += len(line)
        if not line or size > MAX_HEADER_BYTES:
            return None
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            value = value.strip()
            length = int(value) if value.isdigit() and len(value) < 12 else MAX_FRAME_BYTES + 1
    if length < 0:
        return b""
    if length > MAX_FRAME_BYTES:
        _log.error("a frame of more than %s bytes ends the connection", MAX_FRAME_BYTES)
        return None
    body = stream.read(length)
    return body if len(body) == length else None


def parsed(body: bytes) -> object:
    """Return the value of a frame's body, or `NotJson`."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return NotJson()


async def converse(stream: BinaryIO, receive: Callable[[object], int | None]) -> int:
    """Hand every message to `receive` until it returns an exit status or the client goes (status 1)."""
    loop = asyncio.get_running_loop()
    frames: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING_FRAMES)

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop closed while we were reading
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
