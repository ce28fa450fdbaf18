"""The first moments: `initialize` is answered before the server is there, and nothing is lost in between."""

import io
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from ensemble_lsp.lsp.frames import framed, parsed, read_frame
from tests.lsp.stage import NOWHERE, environment_of
from tests.support.fake_editor import PATIENCE, Json

SERVE = [sys.executable, "-P", "-m", "ensemble_lsp", "serve"]


def _say(method: str, params: object = None, number: int | None = None) -> bytes:
    message: Json = {"jsonrpc": "2.0", "method": method, "params": params}
    return framed(message if number is None else {**message, "id": number})


INITIALIZE = _say("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
INITIALIZED = _say("initialized", {})
MENU = _say("textDocument/codeAction", NOWHERE, 2)
SHUTDOWN = _say("shutdown", None, 3)
EXIT = _say("exit")


def _served(home: Path, *messages: bytes) -> tuple[list[Json], int]:
    """Put all messages on the wire at once; return what came back and the exit status."""
    done = subprocess.run(
        SERVE,
        input=b"".join(messages),
        capture_output=True,
        env=environment_of(home),
        timeout=PATIENCE,
        check=False,
    )
    return list(_messages(done.stdout)), done.returncode


def _messages(output: bytes) -> list[Json]:
    stream = io.BytesIO(output)
    found: list[Json] = []
    while body := read_frame(stream):
        message = parsed(body)
        assert isinstance(message, dict)
        found.append(cast("Json", message))
    return found


def test_session_that_was_written_in_one_go_is_answered_in_order(tmp_path: Path) -> None:
    messages, status = _served(tmp_path, INITIALIZE, INITIALIZED, MENU, SHUTDOWN, EXIT)
    assert [message["id"] for message in messages] == [1, 2, 3]
    assert "capabilities" in messages[0]["result"]
    assert status == 0


@pytest.mark.parametrize(
    "input_", [b"", EXIT, INITIALIZE, b"garbage"], ids=["end", "exit", "no more", "garbage"]
)
def test_client_that_goes_early_is_followed(tmp_path: Path, input_: bytes) -> None:
    _, status = _served(tmp_path, input_)
    assert status == 1


def test_what_comes_before_initialize_is_refused_and_initialize_still_works(tmp_path: Path) -> None:
    messages, status = _served(
        tmp_path, framed(7), b"Content-Length: 1\r\n\r\n{", MENU, INITIALIZE, INITIALIZE, SHUTDOWN, EXIT
    )
    assert [(message["id"], message.get("error", {}).get("code")) for message in messages] == [
        (None, -32600),
        (None, -32700),
        (2, -32002),
        (1, None),
        (1, -32600),
        (3, None),
    ]
    assert status == 0


def test_second_initialize_after_the_quick_answer_is_refused(tmp_path: Path) -> None:
    messages, status = _served(tmp_path, INITIALIZE, INITIALIZE, MENU, SHUTDOWN, EXIT)
    assert [message.get("error", {}).get("code") for message in messages] == [None, -32600, None, None]
    assert status == 0


def test_request_with_the_id_of_initialize_has_its_own_answer(tmp_path: Path) -> None:
    messages, _ = _served(tmp_path, INITIALIZE, _say("shutdown", None, 1), EXIT)
    assert [message.get("result") is None for message in messages] == [False, True]


def test_initialize_is_answered_while_the_server_cannot_be_imported_yet(tmp_path: Path) -> None:
    """A server whose import never ends stands for one on a slow disk."""
    slow = tmp_path / "slow" / "pygls"
    slow.mkdir(parents=True)
    (slow / "__init__.py").write_text("import time\ntime.sleep(1_000)\n")
    environment = {**environment_of(tmp_path), "PYTHONPATH": str(slow.parent)}
    with subprocess.Popen(SERVE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(INITIALIZE)
        process.stdin.flush()
        body = read_frame(cast("BinaryIO", process.stdout))
        process.kill()
    assert body is not None
    answer = parsed(body)
    assert isinstance(answer, dict)
    assert cast("Json", answer)["id"] == 1
