"""A client that does not read must not stop a server that reads."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from ensemble_lsp.lsp.frames import FrameWriter, framed
from ensemble_lsp.lsp.outgoing import WaitlessWriter, outgoing
from tests.lsp.stage import CART, environment_of
from tests.lsp.test_request_flood import REQUESTS, menu_at
from tests.support.fake_editor import PATIENCE, Json

SERVE = [sys.executable, "-P", "-m", "ensemble_lsp", "serve"]

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


def test_client_that_reads_nothing_until_all_is_written_blocks_nobody(tmp_path: Path) -> None:
    """Answers of some megabytes wait for a client that is still writing; a server that waits too would be stuck."""
    uri = (tmp_path / "cart.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": CART}
    requests = [
        _framed("textDocument/codeAction", menu_at(uri, 0), number) for number in range(10, 10 + REQUESTS)
    ]
    written = [
        _framed("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1),
        _framed("textDocument/didOpen", {"textDocument": document}, None),
        *requests,
        _framed("shutdown", None, 2),
        _framed("exit", None, None),
    ]
    with subprocess.Popen(
        SERVE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment_of(tmp_path)
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        writing = threading.Thread(target=process.stdin.write, args=(b"".join(written),), daemon=True)
        writing.start()
        writing.join(PATIENCE)
        stuck = writing.is_alive()
        if stuck:
            process.kill()
        else:
            process.stdin.close()
        output = process.stdout.read()
    assert not stuck
    assert process.returncode == 0
    assert output.count(b"ensemble.fix") >= REQUESTS


def _framed(method: str, params: object, number: int | None) -> bytes:
    message: Json = {"jsonrpc": "2.0", "method": method, "params": params}
    return framed(message if number is None else {**message, "id": number})
