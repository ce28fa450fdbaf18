"""How long placing edits takes, beside a search by similarity as fuzzy matchers do it.

    python benchmarks/placing.py [--json]

Times are medians in milliseconds of whole `apply_reply` calls: reading the reply, placing its blocks, making
the new text. The baseline slides a window over the file and takes the highest `difflib.SequenceMatcher.ratio`,
the method of matchers that accept what is similar enough; it is run once, since it takes seconds.
"""

import argparse
import difflib
import json
import random
import statistics
import time
from collections.abc import Callable

from ensemble_lsp.core.edits import apply_reply
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.rebase import rebase
from ensemble_lsp.core.text import SourceText

_RUNS = 21
_LIMITS_MS = {
    "one block, 3,000 lines": 10.0,
    "40 files of 300 lines": 200.0,
    "rebase, 10,000 lines, 40 hunks": 10.0,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time the placing of edits.")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    arguments = parser.parse_args()
    results = measure()
    if arguments.json:
        print(json.dumps(results))
        return
    for name, entry in results.items():
        shown = ", ".join(f"{key} {value:g}" for key, value in entry.items())
        print(f"{name}: {shown}")


def measure() -> dict[str, dict[str, float]]:
    """Return, per measurement, the median in ms and what it is compared with."""
    randomness = random.Random(7)  # noqa: S311  (the same file every time)
    large = source_file(3000, randomness)
    lines = large.split("\n")
    search, replace = lines[1900:1906], [*lines[1900:1903], "        changed = True", *lines[1904:1906]]
    indented = [line.removeprefix("    ") for line in search]
    one = {"big.py": SourceText(large)}
    many = {f"f{number}.py": SourceText(source_file(300, randomness)) for number in range(40)}
    many_reply = "".join(
        block(path, middle, [*middle[:2], "        changed = True", *middle[3:]])
        for path, text in many.items()
        for middle in [text.text.split("\n")[150:155]]
    )
    live, proposal = moved_text(randomness)
    timed: dict[str, Callable[[], object]] = {
        "one block, 3,000 lines": lambda: apply_reply(block("big.py", search, replace), one),
        "one block, 3,000 lines, other indentation": lambda: apply_reply(
            block("big.py", indented, [line.removeprefix("    ") for line in replace]),
            one,
        ),
        "one block, 3,000 lines, not found": lambda: apply_reply(
            block("big.py", [*search[:3], "        nothing like it", *search[4:]], replace), one
        ),
        "40 files of 300 lines": lambda: apply_reply(many_reply, many),
        "rebase, 10,000 lines, 40 hunks": lambda: rebase(
            proposal, SourceText(live + "#" * randomness.randint(1, 9))
        ),
    }
    results = {name: {"ms": round(median_ms(call), 2)} for name, call in timed.items()}
    for name, limit in _LIMITS_MS.items():
        results[name]["limit_ms"] = limit
    started = time.perf_counter()
    similar(lines, search)
    baseline = (time.perf_counter() - started) * 1000
    results["baseline: difflib.SequenceMatcher.ratio over all windows, 3,000 lines"] = {
        "ms": round(baseline, 1),
        "times_ours": round(baseline / results["one block, 3,000 lines"]["ms"], 1),
    }
    return results


def source_file(length: int, randomness: random.Random) -> str:
    """Return Python-like text: unique lines among blank ones and ones that repeat."""
    lines: list[str] = []
    while len(lines) < length:
        lines += [
            f"    def method_{len(lines)}(self, value):",
            "        if value is None:",
            "            return None",
        ]
        lines += [f"        total_{len(lines)} = value * {randomness.randint(1, 99)}" for _ in range(4)]
        lines += ["        return value", ""]
    return "\n".join(["class Big:", *lines[: length - 1]]) + "\n"


def block(path: str, search: list[str], replace: list[str]) -> str:
    """Return one search/replace block."""
    parts = [f"<<<<<<< SEARCH k7f2 {path}", *search, "======= k7f2", *replace, ">>>>>>> REPLACE k7f2", ""]
    return "\n".join(parts)


def moved_text(randomness: random.Random) -> tuple[str, FileChange]:
    """Return a live text one character away from the base, and a proposal of 40 hunks."""
    base = source_file(10_000, randomness)
    lines = base.split("\n")
    for number in range(40):
        lines[number * 240 + 5] = f"        changed_{number} = True"
    return base[:120_000] + "x" + base[120_000:], FileChange(
        path="big.py", before=SourceText(base), after=SourceText("\n".join(lines))
    )


def similar(lines: list[str], search: list[str]) -> int:
    """Return the start of the most similar window, as fuzzy matchers find it."""
    wanted = "\n".join(search)
    windows = ("\n".join(lines[start : start + len(search)]) for start in range(len(lines) - len(search) + 1))
    ratios = [difflib.SequenceMatcher(None, window, wanted).ratio() for window in windows]
    return max(range(len(ratios)), key=ratios.__getitem__)


def median_ms(call: Callable[[], object]) -> float:
    """Return the median duration of a call in milliseconds."""
    times: list[float] = []
    for _ in range(_RUNS):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
