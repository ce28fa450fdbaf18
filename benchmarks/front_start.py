"""How long the front takes to answer `initialize`, and how much memory it holds, against a bare pygls server.

    python -m benchmarks.front_start [--runs 10] [--json]

Both are started anew for each run, alternating, so that whatever else the machine does hits both. Seconds are from
spawning the process to the answer; memory is the resident set (MB) of the process itself after the answer, without
the engine, which is a process of its own. The ratio is that of the medians.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

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

INITIALIZE: dict[str, object] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"processId": os.getpid(), "rootUri": None, "capabilities": {}},
}


def start_once(command: Sequence[str], home: Path) -> tuple[float, float]:
    """Return the seconds until `initialize` is answered, and the resident megabytes then."""
    body = json.dumps(INITIALIZE).encode()
    environment = {**os.environ, "ENSEMBLE_STATE_DIR": str(home)}
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"Content-Length")
        seconds = time.perf_counter() - began
        pages = int(Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()[1])
        process.kill()
    return seconds, pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(runs: int) -> dict[str, object]:
    """Return medians and ratios of `runs` starts each."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    megabytes: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as home:
        for name, command in COMMANDS.items():
            start_once(command, Path(home))  # not counted: bytecode and the disk's cache are cold
            del name
        for _ in range(runs):
            for name, command in COMMANDS.items():
                took, memory = start_once(command, Path(home))
                seconds[name].append(took)
                megabytes[name].append(memory)
    middle = {name: statistics.median(values) for name, values in seconds.items()}
    memory_middle = {name: statistics.median(values) for name, values in megabytes.items()}
    return {
        "runs": runs,
        "seconds": {name: round(value, 3) for name, value in middle.items()},
        "megabytes": {name: round(value, 1) for name, value in memory_middle.items()},
        "ratio_seconds": round(middle["front"] / middle["bare"], 2),
        "ratio_memory": round(memory_middle["front"] / memory_middle["bare"], 2),
    }


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
    print(f"start to the answer of initialize: {figures['seconds']} s, ratio {figures['ratio_seconds']}")
    print(f"resident memory: {figures['megabytes']} MB, ratio {figures['ratio_memory']}")


if __name__ == "__main__":
    main()
