"""How long the front takes to start, and how much memory it holds, against a bare pygls server.

    python -m benchmarks.front_start [--runs 10] [--json]

Both are started anew for each run, alternating, so that whatever else the machine does hits both. Two times, in
seconds from spawning the process: until `initialize` is answered, and until the first `textDocument/codeAction` is
answered on a document that was opened right after. The first is what an editor waits for, and the front answers it
before it imports anything; the second is when it is really there. Memory is the resident set (MB) of the process
itself a second after that, without the engine, which is a process of its own. Ratios are those of the medians.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

BARE = """
from pygls.lsp.server import LanguageServer
from lsprotocol import types

server = LanguageServer("hello", "1", text_document_sync_kind=types.TextDocumentSyncKind.Incremental)


@server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
def actions(params: types.CodeActionParams):
    return []


server.start_io()
"""

COMMANDS: dict[str, list[str]] = {
    "bare": [sys.executable, "-P", "-c", BARE],
    "front": [sys.executable, "-P", "-m", "ensemble_lsp", "serve"],
}

INITIALIZE: dict[str, object] = {"processId": os.getpid(), "rootUri": None, "capabilities": {}}

DOCUMENT: dict[str, object] = {
    "uri": "file:///nowhere/a.py",
    "languageId": "python",
    "version": 1,
    "text": "x = 1\n" * 100,
}

MENU: dict[str, object] = {
    "textDocument": {"uri": DOCUMENT["uri"]},
    "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}},
    "context": {"diagnostics": []},
}

SETTLING = 1.0
"""Seconds after the first code action until memory is read."""


@dataclass(frozen=True, slots=True)
class Start:
    """One start: seconds from the spawn, and megabytes."""

    initialize: float
    code_action: float
    memory: float


def _send(stream: IO[bytes], **message: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def _answer(stream: IO[bytes], number: int) -> dict[str, Any]:
    """Return the answer to a request; what else the server says is passed over."""
    while True:  # bounded by the stream: its end fails the next line
        length = 0
        while (line := stream.readline()) != b"\r\n":
            assert line, "the server closed its output"
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(stream.read(length))
        if message.get("id") == number and "method" not in message:
            assert "result" in message, message
            return message


def start_once(command: Sequence[str], home: Path) -> Start:
    """Start a server, open a document, ask for its code actions, and end it."""
    environment = {**os.environ, "ENSEMBLE_STATE_DIR": str(home), "ENSEMBLE_LOCAL_SERVERS": ""}
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        _send(process.stdin, id=1, method="initialize", params=INITIALIZE)
        _answer(process.stdout, 1)
        initialized = time.perf_counter() - began
        _send(process.stdin, method="initialized", params={})
        _send(process.stdin, method="textDocument/didOpen", params={"textDocument": DOCUMENT})
        _send(process.stdin, id=2, method="textDocument/codeAction", params=MENU)
        _answer(process.stdout, 2)
        acted = time.perf_counter() - began
        time.sleep(SETTLING)
        pages = int(Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()[1])
        _end(process)
    return Start(initialized, acted, pages * os.sysconf("SC_PAGE_SIZE") / 1e6)


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()  # as an editor does that is killed: the front ends its engine
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)


def measure(runs: int) -> dict[str, object]:
    """Return medians and ratios of `runs` starts each."""
    found: dict[str, list[Start]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as home:
        for command in COMMANDS.values():
            start_once(command, Path(home))  # not counted: bytecode and the disk's cache are cold
        for _ in range(runs):
            for name, command in COMMANDS.items():
                found[name].append(start_once(command, Path(home)))
    figures: dict[str, object] = {"runs": runs}
    for what in ("initialize", "code_action", "memory"):
        middle = {
            name: statistics.median(getattr(start, what) for start in starts)
            for name, starts in found.items()
        }
        figures[what] = {name: round(value, 3) for name, value in middle.items()}
        figures[f"ratio_{what}"] = round(middle["front"] / middle["bare"], 2)
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.runs)
    if options.json:
        print(json.dumps(figures))
        return
    print(
        f"start to the answer of initialize: {figures['initialize']} s, ratio {figures['ratio_initialize']}"
    )
    print(f"start to the first code action: {figures['code_action']} s, ratio {figures['ratio_code_action']}")
    print(f"resident memory: {figures['memory']} MB, ratio {figures['ratio_memory']}")


if __name__ == "__main__":
    main()
