"""Frames: nothing gets between them, every request has its answer, and the end is an end."""

import io
import json
import subprocess
import sys

import pytest

from ensemble_lsp.lsp.frames import FrameWriter, NotJson, parsed, read_frame
from ensemble_lsp.lsp.server import EnsembleServer
from tests.support.fake_editor import Json

PRINTING = """
import os, subprocess, sys
from ensemble_lsp.lsp.frames import private_pipes
reading, writing = private_pipes()
print("a library prints")
os.write(1, b"so does C")
subprocess.run(["echo", "and a child"], check=True)
assert sys.stdin.read() == "" and subprocess.run(["cat"], capture_output=True, check=True).stdout == b""
writing.write(b"a frame: " + reading.readline())
writing.flush()
"""


def test_nothing_that_prints_reaches_the_client() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTING], input=b"from the client\n", capture_output=True, check=True
    )
    assert done.stdout == b"a frame: from the client\n"
    assert b"a library prints" in done.stderr


@pytest.mark.parametrize(
    ("stream", "body"),
    [
        (b"Content-Length: 2\r\n\r\n{}", b"{}"),
        (b"content-length:2\r\nContent-Type: x\r\n\r\n{}", b"{}"),
        (b"Content-Length: 2\n\n{}", b"{}"),
        (b"Content-Length: 0\r\n\r\n", b""),
        (b"X: 1\r\n\r\n", b""),
        (b"", None),
        (b"Content-Length: 5\r\n\r\n{}", None),
        (b"Content-Length: -5\r\n\r\n{}", None),
        (b"Content-Length: 99999999999999999999\r\n\r\n{}", None),
        (b"X" * 10_000, None),
    ],
)
def test_frames(stream: bytes, body: bytes | None) -> None:
    assert read_frame(io.BytesIO(stream)) == body


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 5_000])
def test_body_that_is_not_json(body: bytes) -> None:
    assert isinstance(parsed(body), NotJson)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_number_that_json_does_not_have_is_null(number: str) -> None:
    assert parsed(f'{{"a": {number}, "b": 1.5}}'.encode()) == {"a": None, "b": 1.5}


class Client:
    """Talks to a server in this process."""

    def __init__(self) -> None:
        self._out = io.BytesIO()
        self.server = EnsembleServer()
        self.server.protocol.set_writer(FrameWriter(self._out))

    def send(self, method: str, params: object = None, number: object = 1) -> int | None:
        return self.server.protocol.receive(
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        )

    def notify(self, method: str, params: object) -> None:
        self.server.protocol.receive({"jsonrpc": "2.0", "method": method, "params": params})

    def answers(self) -> list[Json]:
        self._out.seek(0)
        found: list[Json] = []
        while body := read_frame(self._out):
            found.append(json.loads(body))
        return found


def test_requests_before_initialize_and_a_second_initialize() -> None:
    client = Client()
    client.send("textDocument/codeAction", {}, 1)
    client.send("initialize", {"capabilities": {}}, 2)
    client.send("initialize", {"capabilities": {}}, 3)
    codes = {answer["id"]: answer.get("error", {}).get("code") for answer in client.answers()}
    assert codes == {1: -32002, 2: None, 3: -32600}


def test_exit_without_shutdown_is_a_failure() -> None:
    client = Client()
    assert client.server.protocol.receive({"jsonrpc": "2.0", "method": "exit"}) == 1


def test_initialize_that_cannot_be_read_can_be_sent_again() -> None:
    client = Client()
    client.send("initialize", {"capabilities": 7}, 1)
    client.send("initialize", {"capabilities": {}, "initializationOptions": ["?"]}, 2)
    first, second = client.answers()
    assert first["error"]["code"] == -32602
    assert "capabilities" in second["result"]
