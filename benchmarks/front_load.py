"""How the front answers the editor while fifteen members stream: everything real but the models.

    python -m benchmarks.front_load [--rounds 3] [--calls 1000] [--tokens-per-chunk 5] [--json]

An editor (in this process) talks to `ensemble-lsp serve` over stdio; the engine is the product's own process; the
models are a server on loopback, a process of its own, that sends 15 streams of 200 tokens a second each. Milliseconds
from the request to its answer, as the editor sees them, for `textDocument/codeAction` on a document of 3,000 lines:
`idle` with no job, `streaming` while all fifteen members write. A call is sent 10 ms after the answer to the one
before; the calls are spread over the rounds, idle and streaming by turns, so that whatever else the machine does hits
both. The tokens that arrive are counted too: a machine that is too busy to stream so much would make it easy.
Providers send several tokens in one chunk. With `--tokens-per-chunk 1` reading sets the rate: 3,000 chunks a second
are a lot for one engine.
`cancel` is the time from `window/workDoneProgress/cancel` to the progress's `end`, with fifteen streams, and with a
member that never answers.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.lsp.stage import environment_of
from tests.support.fake_editor import RICH, FakeEditor, Json, editor
from tests.support.fake_model_process import FakeModelProcess
from tests.support.fake_model_server import Answer

MEMBERS = 15
TOKENS_PER_SECOND = 200
LINES = 3_000

TOKENS = 60_000
"""Of one stream: five minutes of it, longer than any round."""

PAUSE = 0.01
"""Seconds between two calls."""

SILENCE = Answer(hang="before")


def stream(tokens_per_chunk: int) -> Answer:
    """Return an answer of which so many tokens come at once; the server sends what stands between two blanks."""
    piece = "-".join(["word"] * tokens_per_chunk) + " "
    return Answer(
        text=piece * (TOKENS // tokens_per_chunk), tokens_per_second=TOKENS_PER_SECOND / tokens_per_chunk
    )


def document() -> str:
    """Return functions of ten lines each, as source files have them."""
    body = "".join(f"    value_{number} = compute({number})\n" for number in range(8))
    return "".join(f"def part_{number}(x):\n{body}\n" for number in range(LINES // 10))


def settings(base: str, names: Sequence[str]) -> Json:
    """Return an editor's settings that seat the members."""
    panel = [
        {"id": name, "model": f"openai/{name}", "api_base": base, "family": name, "edit_format": "whole"}
        for name in names
    ]
    return {"panel": panel, "store": {"replies": False}, "budget": {"seconds": 600}}


def p99(values: Sequence[float]) -> float:
    """Return the 99th percentile."""
    return statistics.quantiles(values, n=100)[98]


class Session:
    """One editor with one document, and what was measured in it."""

    def __init__(self, window: FakeEditor, uri: str) -> None:
        self._window = window
        self._uri = uri
        self.menus: dict[str, list[float]] = {"idle": [], "streaming": []}
        self.cancels: list[float] = []
        self.deltas = Counter[str]()
        self.tokens = 0
        self.streamed = 0.0

    async def menu(self, kind: str, calls: int) -> None:
        """Ask for code actions all over the document, one request after the other."""
        for number in range(calls):
            line = (number * 37) % LINES
            span = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 4}}
            began = time.perf_counter()
            await self._window.request(
                "textDocument/codeAction",
                {"textDocument": {"uri": self._uri}, "range": span, "context": {"diagnostics": []}},
            )
            self.menus[kind].append(1_000 * (time.perf_counter() - began))
            await asyncio.sleep(PAUSE)

    async def start(self) -> str:
        """Start a debate and wait until its progress shows."""
        argument: Json = {"uri": self._uri, "instruction": "total is wrong", "mode": "debate"}
        answer = await self._window.command("ensemble.fix", argument)
        job = str(answer["job"])
        await self._window.message("$/progress", lambda params: params["token"] == job)
        return job

    async def all_stream(self, job: str) -> None:
        """Wait until every member has said something."""
        speaking: set[str] = set()
        while len(speaking) < MEMBERS:
            event = await self._window.message(
                "ensemble/event", lambda params: params["kind"] == "memberDelta" and params["job"] == job
            )
            speaking.add(event["member"])

    async def cancel(self, job: str) -> None:
        """Cancel as the person does, and note how long the end took."""
        began = time.perf_counter()
        self._window.notify("window/workDoneProgress/cancel", {"token": job})
        await self._window.message(
            "$/progress", lambda params: params["token"] == job and params["value"]["kind"] == "end"
        )
        self.cancels.append(1_000 * (time.perf_counter() - began))

    async def round(self, calls: int) -> None:
        """Measure idle, then while all stream, then the cancel."""
        await self.menu("idle", calls)
        job = await self.start()
        await self.all_stream(job)
        self._window.inbox.clear()
        began = time.perf_counter()
        await self.menu("streaming", calls)
        self.streamed += time.perf_counter() - began
        events = self._window.drop("ensemble/event")
        deltas = [event for event in events if event["kind"] == "memberDelta"]
        self.deltas.update(event["member"] for event in deltas)
        self.tokens += sum(event["text"].count("word") for event in deltas)
        await self.cancel(job)
        # The engine needs a moment to end fifteen calls; the next round's idle calls are to be idle.
        await asyncio.sleep(1.0)
        self._window.inbox.clear()


async def _session(folder: Path, base: str, names: Sequence[str], rounds: int, calls: int) -> Session:
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "long.py").write_text(document(), encoding="utf-8")
    environment = {**environment_of(folder), "ENSEMBLE_LOCAL_SERVERS": ""}
    options: Json = {"settings": settings(base, names)}
    async with editor(workspace, capabilities=RICH, options=options, environment=environment) as window:
        session = Session(window, window.open(workspace / "long.py"))
        await window.command("ensemble.panel", {})  # the engine is up from here on
        if len(names) == MEMBERS:
            warming = await session.start()  # the first calls are not what is measured
            await session.all_stream(warming)
            await session.cancel(warming)
            session.cancels.clear()
            await asyncio.sleep(1.0)
            for _ in range(rounds):
                await session.round(calls // rounds + 1)
        else:
            for _ in range(rounds):
                job = await session.start()
                await window.message("ensemble/event", lambda params: params["kind"] == "memberStarted")
                await session.cancel(job)
                window.inbox.clear()
    return session


async def measure(home: Path, rounds: int, calls: int, tokens_per_chunk: int = 5) -> dict[str, object]:
    """Return the figures; everything is kept below `home`."""
    names = [f"stream{number}" for number in range(MEMBERS)]
    async with FakeModelProcess({"*": [stream(tokens_per_chunk)], "silent": [SILENCE]}) as server:
        streams = await _session(home / "streams", server.openai_base, names, rounds, calls)
        hangs = await _session(home / "hangs", server.openai_base, ["silent"], 5, calls)
    rate = statistics.mean(streams.deltas.values()) / streams.streamed
    idle, streaming = p99(streams.menus["idle"]), p99(streams.menus["streaming"])
    return {
        "calls": len(streams.menus["streaming"]),
        "code action, idle: p50 ms": round(statistics.median(streams.menus["idle"]), 2),
        "code action, idle: p99 ms": round(idle, 2),
        "code action, streaming: p50 ms": round(statistics.median(streams.menus["streaming"]), 2),
        "code action, streaming: p99 ms": round(streaming, 2),
        "p99 streaming over idle": round(streaming / idle, 2),
        "deltas a second and member": round(rate, 1),
        "tokens a second, all members": round(streams.tokens / streams.streamed),
        "cancel, fifteen streams: worst ms": round(max(streams.cancels), 1),
        "cancel, a member hangs: worst ms": round(max(hangs.cancels), 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--tokens-per-chunk", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        figures = asyncio.run(measure(home, options.rounds, options.calls, options.tokens_per_chunk))
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:40} {value}")


if __name__ == "__main__":
    main()
