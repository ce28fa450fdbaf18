"""Frames on two pipes: read one, write one, and keep everybody else off the pipes. The standard library alone."""

import contextlib
import json
import logging
import math
import os
import sys
from typing import BinaryIO

_log = logging.getLogger(__name__)

MAX_FRAME_BYTES = 256 * 1024 * 1024
"""A frame above this is a broken client, not a document."""

MAX_HEADER_BYTES = 8 * 1024


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

    async def flushed(self) -> None:
        """Return at once: nothing is kept."""

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
    """Return the value of a frame's body, or `NotJson`. NaN and infinities, which are no JSON, count as null."""
    try:
        return json.loads(body, parse_constant=_null, parse_float=_finite)
    except (ValueError, RecursionError):
        return NotJson()


def _null(_constant: str) -> None:
    return None


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


def framed(message: object) -> bytes:
    """Return a message as it goes over the wire."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
