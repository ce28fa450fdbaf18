"""What orchestration costs: a three-member fix with one challenge, over the critical path of its calls.

The models are a server on loopback that takes a fixed time per answer, so that everything beyond the time in
which at least one call was under way is ours: context, checks, placing edits, deciding, events, the store.
The first call is paid before the clock starts. Also: fifteen members streaming at once, and
how late a timer of the engine's loop fires meanwhile.

    python -m benchmarks.orchestration [--json]
"""

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import textwrap
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ensemble_lsp.core.events import Action, JobEvent, MemberFinished, MemberStarted, Mode
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion, JobOptions, JobStart
from tests.support.fake_model_process import FakeModelProcess
from tests.support.fake_model_server import Answer

LATENCY = 2.0
"""Seconds per answer: a quick hosted model's."""

RUNS = 3

CODE = textwrap.dedent(
    '''\
    """Prices."""


    def total(prices):
        """Return the sum of all prices."""
        result = 0
        for price in prices:
            result = price
        return result
    '''
)
RIGHT = "```python\n" + CODE[CODE.index("def") :].replace("result = price", "result += price") + "```\n"
OTHER = (
    "```python\n" + CODE[CODE.index("def") :].replace("result = price", "result = result - price") + "```\n"
)
CRITIQUE = "CANDIDATE A\nCLAIM: it keeps the last price only\nLINE: result = price\n"


async def _refuse(_question: ConsentQuestion) -> bool:
    return False


@contextmanager
def own_directories() -> Generator[Path]:
    """Give the run state and cache folders of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("STATE", "CACHE", "CONFIG"):
            os.environ[f"ENSEMBLE_{name}_DIR"] = str(Path(folder) / name.lower())
        os.environ["ENSEMBLE_LOCAL_SERVERS"] = ""
        yield Path(folder).resolve()


def start(job: str, root: Path, base: str, names: list[str], mode: Mode) -> JobStart:
    """Return a fix in a folder that is not trusted: static witnesses only, so that no test run hides our own time."""
    panel = [
        {"id": n, "model": f"openai/{n}", "api_base": base, "family": n, "edit_format": "whole"}
        for n in names
    ]
    return JobStart(
        job=job,
        workspace=str(root),
        task=Task(action=Action.FIX, path="prices.py", instruction="total is wrong", mode=mode),
        options=JobOptions(overrides={"panel": panel, "budget": {"seconds": 110}}, no_cache=True),
    )


def covered(intervals: list[tuple[float, float]]) -> float:
    """Return the seconds in which at least one interval lies: the critical path of calls that depend."""
    total, end = 0.0, float("-inf")
    for begin, stop in sorted(intervals):
        total += max(0.0, stop - max(begin, end))
        end = max(end, stop)
    return total


async def overhead(engine: LocalEngine, root: Path, base: str) -> tuple[float, float, int]:
    """Return wall seconds, seconds of the critical path (calls × their fixed latency), and calls."""
    spans: list[tuple[float, float]] = []
    begun: dict[str, float] = {}

    def on_event(event: JobEvent) -> None:
        now = time.perf_counter()
        if isinstance(event.body, MemberStarted):
            begun[event.body.member] = now
        elif isinstance(event.body, MemberFinished):
            # The server's own time, from when the call began: what reading it adds is ours.
            spans.append((begun[event.body.member], begun[event.body.member] + LATENCY))

    began = time.perf_counter()
    await engine.run(start(f"o{began}", root, base, ["one", "two", "three"], Mode.PANEL), on_event)
    return time.perf_counter() - began, covered(spans), len(spans)


async def loop_lag(stop: asyncio.Event) -> list[float]:
    """Return how late (seconds) a timer of 5 ms fired, each time until `stop`."""
    late: list[float] = []
    while not stop.is_set():
        due = time.perf_counter() + 0.005
        await asyncio.sleep(0.005)
        late.append(time.perf_counter() - due)
    return late


async def fifteen(engine: LocalEngine, root: Path, base: str) -> tuple[float, list[float], JobResult]:
    """Run a debate of fifteen members that all stream at once; return seconds, lags and the result."""
    stop = asyncio.Event()
    lagging = asyncio.ensure_future(loop_lag(stop))
    began = time.perf_counter()
    names = [f"stream{number}" for number in range(15)]
    result = await engine.run(start(f"f{began}", root, base, names, Mode.DEBATE), lambda _: None)
    seconds = time.perf_counter() - began
    stop.set()
    return seconds, await lagging, result


async def measure() -> dict[str, float]:
    """Run everything once and return the figures."""
    long = RIGHT + "\n" + "It is so because of this. " * 200
    script = {
        "one": [Answer(text=RIGHT, latency=LATENCY)],
        "two": [Answer(text=OTHER, latency=LATENCY)],
        "three": [Answer(text=CRITIQUE, latency=LATENCY)],
        "*": [Answer(text=long, tokens_per_second=100)],
    }
    figures: dict[str, float] = {}
    with own_directories() as folder:
        root = folder / "shop"
        root.mkdir()
        (root / "prices.py").write_text(CODE, encoding="utf-8")
        async with FakeModelProcess(script) as server, LocalEngine.open(_refuse) as engine:
            await engine.wiring.warm()
            await overhead(engine, root, server.openai_base)
            runs = [await overhead(engine, root, server.openai_base) for _ in range(RUNS)]
            ratios = [wall / path for wall, path, _ in runs]
            figures["overhead ratio, median"] = statistics.median(ratios)
            figures["overhead ratio, least"] = min(ratios)
            figures["overhead seconds, median"] = statistics.median(wall - path for wall, path, _ in runs)
            figures["calls"] = runs[0][2]
            seconds, late, result = await fifteen(engine, root, server.openai_base)
            late.sort()
            figures["fifteen members: seconds"] = seconds
            figures["fifteen members: calls"] = result.spend.calls
            figures["fifteen members: loop lag p50 ms"] = 1000 * late[len(late) // 2]
            figures["fifteen members: loop lag p99 ms"] = 1000 * late[int(len(late) * 0.99)]
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    arguments = parser.parse_args()
    figures = asyncio.run(measure())
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:42} {value:10.3f}")


if __name__ == "__main__":
    main()
