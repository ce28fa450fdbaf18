"""A review of a whole repository, with members that answer at once: how many files a second, and in how much memory.

Everything but the members is real: git, the order of the files, context, redaction, ruff and bandit in the copy,
merging, admission, events, the store. Then the same review again, which goes on from what is kept. Each size runs in a
process of its own, whose peak of memory is told; the tools are processes beside it.

    python -m benchmarks.review_whole [--json] [--files 200 1000] [--profile FILE]
"""

import argparse
import asyncio
import cProfile
import json
import random
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from benchmarks.orchestration import own_directories
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion, JobOptions, JobStart
from ensemble_lsp.engine.seating import Seated
from ensemble_lsp.ensemble.ports import ModelRequest
from ensemble_lsp.models.gateway import Gateway
from ensemble_lsp.models.scripted import ScriptedModels

SIZES = (200, 1_000)
FUNCTIONS = 12
"""Of one file: about 110 lines, as the median file of a Python project has."""
BUGGY_SHARE = 10
"""One file in ten holds what the members find."""

FINDING = {
    "line": 8,
    "end_line": 8,
    "quote": "result = price  # the others are lost",
    "severity": "warning",
    "category": "bug",
    "title": "The loop keeps the last price only",
    "detail": "Each turn overwrites the sum.",
    "confidence": 0.9,
}


_FIRST = re.compile(r"def total0_(\d+)\(")


class Members(ScriptedModels):
    """Two members that see the bug where it is, and keep no prompt."""

    def __init__(self) -> None:
        super().__init__({"*": self._answer})

    def _answer(self, request: ModelRequest) -> str:
        self.requests.clear()
        text = "\n".join(message.content for message in request.messages)
        seen = next(
            (
                found[1]
                for found in _FIRST.finditer(text)
                if str(FINDING["quote"]) in text[found.end() :][:300]
            ),
            "",
        )
        found = [{"path": f"shop/part{seen}.py", **FINDING}] if seen else []
        return json.dumps({"findings": found, "verdicts": []})


def make_repository(root: Path, files: int) -> None:
    """Write a repository of modules that import each other, with a history of a few commits."""
    chance = random.Random(17)  # noqa: S311  (labels, not secrets)
    for number in range(files):
        others = sorted({chance.randrange(files) for _ in range(3)} - {number})
        lines = [f'"""Part {number} of the shop."""', ""]
        lines += [f"from shop.part{other} import total0_{other}" for other in others]
        buggy = number % BUGGY_SHARE == 0
        for function in range(FUNCTIONS):
            name = f"total{function}_{number}"
            turn = "result = price  # the others are lost" if buggy and function == 0 else "result += price"
            lines += [
                "",
                "",
                f"def {name}(prices, factor={function}):",
                f'    """Return total {function}."""',
            ]
            lines += [
                "    result = 0",
                "    for price in prices:",
                f"        {turn}",
                "    return result * factor",
            ]
        place = root / "shop" / f"part{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (root / "shop" / "__init__.py").write_text('"""A shop."""\n', encoding="utf-8")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a shop"]):
        named = ["git", "-c", "user.name=b", "-c", "user.email=b@example.org", *command]
        subprocess.run(named, cwd=root, check=True, timeout=120)


async def _agree(_question: ConsentQuestion) -> bool:
    return True


async def _review(root: Path, job: str) -> tuple[JobResult, float]:
    panel = [{"id": name, "model": f"scripted/{name}", "family": name} for name in ("a", "b")]
    start = JobStart(
        job=job,
        workspace=str(root),
        task=Task(action=Action.REVIEW, scope="workspace"),
        options=JobOptions(overrides={"panel": panel, "budget": {"seconds": 3_000}}),
    )
    async with LocalEngine.open(_agree) as engine:
        seat = engine.wiring.seating.seat

        async def scripted(*arguments: object, **named: object) -> Seated:
            seated = await seat(*arguments, **named)  # pyright: ignore[reportArgumentType]
            return replace(seated, gateway=cast("Gateway", Members()))

        engine.wiring.seating.seat = scripted
        began = time.perf_counter()
        result = await engine.run(start, lambda _: None)
        return result, time.perf_counter() - began


async def _here(function: Callable[..., object], *arguments: object, **named: object) -> object:
    return function(*arguments, **named)


def _processor(whose: int) -> float:
    """Return the processor seconds used up to now: on a busy machine the only figure that means anything."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def measure(files: int, profile: str = "") -> dict[str, object]:
    """Return the figures of one size."""
    with own_directories() as folder:
        root = folder / "repository"
        make_repository(root, files)
        profiler = cProfile.Profile() if profile else None
        if profiler is not None:
            # A profiler sees one thread: all work has to be done in it.
            asyncio.to_thread = _here
            profiler.enable()
        before, before_tools = _processor(resource.RUSAGE_SELF), _processor(resource.RUSAGE_CHILDREN)
        result, seconds = asyncio.run(_review(root, "first"))
        own = _processor(resource.RUSAGE_SELF) - before
        tools = _processor(resource.RUSAGE_CHILDREN) - before_tools
        if profiler is not None:
            profiler.disable()
            profiler.dump_stats(profile)
        again, seconds_again = asyncio.run(_review(root, "second"))
    findings = sum(finding.admitted for finding in result.findings)
    return {
        "files": len(result.reviewed),
        "status": f"{result.status.value}: {result.reason}",
        "findings": findings,
        "seconds": seconds,
        "files a second": len(result.reviewed) / seconds,
        "own processor seconds a file": own / max(1, len(result.reviewed)),
        "tools' processor seconds a file": tools / max(1, len(result.reviewed)),
        "files a processor second of our own": len(result.reviewed) / own,
        "seconds again": seconds_again,
        "findings again": sum(finding.admitted for finding in again.findings),
        "calls again": again.spend.calls,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    """Measure every size in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, nargs="+", default=SIZES)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--profile", default="", help="write a profile of one size into this file")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone or arguments.profile:
        print(json.dumps(measure(arguments.files[0], arguments.profile)))
        return
    figures: dict[str, object] = {}
    for files in arguments.files:
        command = [sys.executable, "-m", "benchmarks.review_whole", "--alone", "--files", str(files)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=900)
        figures[str(files)] = json.loads(done.stdout.strip().splitlines()[-1])
    if arguments.json:
        print(json.dumps(figures))
        return
    for files, said in figures.items():
        print(f"{files} files:")
        for name, value in cast("dict[str, object]", said).items():
            print(f"  {name}: {value:.3f}" if isinstance(value, float) else f"  {name}: {value}")


if __name__ == "__main__":
    main()
