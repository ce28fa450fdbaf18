"""A client that does not read must not stop a server that reads."""

import asyncio
import os
import socket
from collections.abc import Iterator
from typing import BinaryIO

import pytest

from ensemble_lsp.lsp.frames import FrameWriter
from ensemble_lsp.lsp.outgoing import WaitlessWriter, outgoing

FRAMES = [b"%07d;" % number for number in range(200_000)]
"""More than any pipe holds."""


@pytest.fixture
def pipe() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Both ends of a pipe."""
    ends = os.pipe()
    reading, writing = open(ends[0], "rb"), open(ends[1], "wb")  # noqa: PTH123, SIM115
    yield reading, writing
    reading.close()
    writing.close()


@pytest.mark.asyncio
async def test_all_frames_arrive_in_order_at_a_client_that_reads_late(
    pipe: tuple[BinaryIO, BinaryIO],
) -> None:
    reading, writing = pipe
    writer = WaitlessWriter(writing, asyncio.get_running_loop())
    for frame in FRAMES:
        writer.write(frame)
    expected = b"".join(FRAMES)
    received = asyncio.create_task(asyncio.to_thread(reading.read, len(expected)))
    await writer.flushed()
    assert await received == expected


@pytest.mark.asyncio
async def test_client_that_went_is_written_to_in_vain(pipe: tuple[BinaryIO, BinaryIO]) -> None:
    reading, writing = pipe
    writer = WaitlessWriter(writing, asyncio.get_running_loop())
    writer.write(b"x" * 2_000_000)
    reading.close()
    await writer.flushed()
    writer.write(b"more")
    writer.close()


@pytest.mark.asyncio
async def test_one_socket_for_both_directions_stays_as_it_is() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        stream = ours.makefile("rwb", buffering=0)
        with stream:
            assert isinstance(outgoing(stream, stream), FrameWriter)  # pyright: ignore[reportArgumentType]
            assert os.get_blocking(ours.fileno())
