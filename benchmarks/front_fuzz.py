"""Ten thousand requests that make no sense, to a real server: does it answer every request, and does it live?

    python -m benchmarks.front_fuzz [--requests 10000] [--seed N] [--json]

Made from the server's own tables (`tests/support/hostile_messages.py`): every method and command that it has, with
arguments of the right shape and nasty values, or spoilt; notifications between
them; half of its own requests are answered with rubbish. Counts
requests, answers by kind, answers that mean a fault of the server's, and tracebacks in its log. Ends with 1 when there
is a fault, an answer is missing, or the server died.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from tests.lsp.stage import BUG, NOWHERE, finding, stage
from tests.support.fake_editor import RICH
from tests.support.hostile_client import Tally, answer_badly, flood
from tests.support.hostile_messages import Hostility


async def measure(home: Path, count: int, seed: int) -> dict[str, object]:
    """Send the messages and return what came of them."""
    log = home / "log"
    began = time.perf_counter()
    async with stage(home, RICH, log=log) as own:
        uri = own.file()
        own.voices.findings = [finding(4, BUG)]
        await own.editor.command("ensemble.review", {"uri": uri})
        found = await own.diagnostics(uri)
        await own.fix(uri)
        proposal = await own.editor.message("ensemble/proposal")
        hunks = [hunk["id"] for file in proposal["files"] for hunk in file["hunks"]]
        known = [uri, own.workspace.as_uri(), proposal["proposal"], proposal["job"], found[0]["data"], *hunks]
        hostility = Hostility(seed, known)
        answer_badly(own.editor, hostility, seed)
        tally: Tally = await flood(own.editor, hostility, count)
        await own.editor.request("textDocument/codeAction", NOWHERE)
        own.editor.inbox.clear()
    for message, refusal in tally.faults[:5]:
        print(f"fault: {refusal}: {message.method} {message.params!r:.600}", file=sys.stderr)
    text = log.read_text(encoding="utf-8")
    for trace in {_ending(trace): trace for trace in text.split("Traceback ")[1:]}.values():
        print(f"Traceback {trace[:3_000]}", file=sys.stderr)
    return {
        "seed": seed,
        "requests": tally.requests,
        "notifications": tally.notifications,
        "unanswered": tally.requests - sum(tally.answered.values()),
        "faults": len(tally.faults),
        "tracebacks": text.count("Traceback"),
        "answered": dict(sorted(tally.answered.items())),
        "seconds": round(time.perf_counter() - began, 1),
    }


def _ending(trace: str) -> str:
    """Return the last frame and the error of a traceback, by which equal ones are told."""
    lines = [line for line in trace.splitlines() if line.startswith((" ", "\t")) or "Error" in line]
    frames = [line.strip() for line in lines if line.strip().startswith("File ")]
    return frames[-1] if frames else ""


def main() -> None:
    """Flood and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measure(Path(folder).resolve(), options.requests, options.seed))
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:14} {value}")
    sys.exit(any(figures[name] for name in ("unanswered", "faults", "tracebacks")))


if __name__ == "__main__":
    main()
