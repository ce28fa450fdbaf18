"""Placing edits beside aider's matcher: the same replies, made here with the place that their author meant.

    python -m benchmarks.aider [--each 20] [--seed 5] [--json]

aider-chat 0.86.2 is installed with pinned dependencies into an environment of its own (`benchmarks.foreign`), and its
own edit-block coder is given each reply as in a chat (`benchmarks/aider_worker.py`); the product reads the same reply
with `core.edits.apply_reply`. Per kind of edit (`benchmarks.edit_cases`): how many came out as meant, how many were
written where or how nobody meant them, and how many were not written. Refusing is not wrong, but costs a call: it is
counted apart. Times are milliseconds of reading a reply and placing its blocks, without
the disk: of each case the least of five, which other work on the machine touches least; of the cases the median.

`with the line` is the product once more, on the form that it asks models for, with the line in the block's head: what
a place that occurs several times needs. The other two have no such form to read.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from benchmarks.edit_cases import PATH, EditCase, Outcome, cases, judged, kinds
from benchmarks.foreign import AIDER, ROOT, LeftOut, left_out_with_its_reason
from ensemble_lsp.core.edits import apply_reply
from ensemble_lsp.core.text import SourceText

REPEAT = 5
LIMIT = 300.0
"""Seconds for all of aider's cases."""

WRONG = (Outcome.WRONG_PLACE, Outcome.WRONG_TEXT)


@dataclass(frozen=True, slots=True)
class Placed:
    """What one matcher did with one case."""

    outcome: Outcome
    seconds: float


def ours(case: EditCase, reply: str | None = None) -> Placed:
    """Place a case with the product."""
    files = {path: SourceText(text) for path, text in case.files.items()}
    text = case.reply if reply is None else reply
    times: list[float] = []
    after = dict(case.files)
    for _ in range(REPEAT):
        began = time.perf_counter()
        outcome = apply_reply(text, files, default_path=PATH)
        times.append(time.perf_counter() - began)
        changed = {change.path: change.after for change in outcome.changes}
        after |= {path: text_after.text if text_after else "" for path, text_after in changed.items()}
    return Placed(judged(case, after), min(times))


def with_the_line(case: EditCase) -> str:
    """Return the reply in the form that the product asks for: the line where the author meant to write."""
    lines = case.files[PATH].replace("\r\n", "\n").split("\n")
    parts: list[str] = []
    for block in case.blocks:
        line = case.span[0] + 1
        if len(case.blocks) > 1:  # blocks of one reply occur once each, so that the line is their own
            line = (
                next(n for n in range(len(lines)) if lines[n : n + len(block.search)] == list(block.search))
                + 1
            )
        head, middle = f"<<<<<<< SEARCH k7f2 {block.path}:{line}", "======= k7f2"
        parts += [head, *block.search, middle, *block.replace, ">>>>>>> REPLACE k7f2", ""]
    return "\n".join(parts)


def aiders(all_cases: Sequence[EditCase]) -> list[Placed]:
    """Place all cases with aider; raises `LeftOut` where it cannot be had or does not work."""
    python = AIDER.installed().python
    asked = [{"files": dict(case.files), "reply": case.reply, "repeat": REPEAT} for case in all_cases]
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "OPENAI_API_KEY": "none"}
        environment |= {"AIDER_ANALYTICS": "false", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        written = Path(home) / "results.json"
        worker = [str(python), "-P", str(ROOT / "benchmarks" / "aider_worker.py"), str(written)]
        try:
            done = subprocess.run(
                worker,
                input=json.dumps(asked),
                capture_output=True,
                text=True,
                timeout=LIMIT,
                check=False,
                cwd=home,
                env=environment,
            )
        except subprocess.TimeoutExpired as problem:
            raise LeftOut(f"aider did not end within {LIMIT:.0f} s") from problem
        if done.returncode != 0:
            raise LeftOut(f"aider could not be run: {done.stderr.strip()[-300:]}")
        results = cast("list[dict[str, object]]", json.loads(written.read_text(encoding="utf-8")))
    return [
        Placed(judged(case, cast("dict[str, str]", result["after"])), cast("float", result["seconds"]))
        for case, result in zip(all_cases, results, strict=True)
    ]


def counted(all_cases: Sequence[EditCase], placed: Sequence[Placed]) -> dict[str, object]:
    """Return what one matcher made of all cases: totals, what differs from "right" by kind, and times."""
    totals = Counter(each.outcome for each in placed)
    by_kind: dict[str, dict[str, int]] = {}
    for kind in kinds(all_cases):
        found = Counter(
            each.outcome for case, each in zip(all_cases, placed, strict=True) if case.kind == kind
        )
        by_kind[kind] = {outcome.value: found[outcome] for outcome in Outcome if found[outcome]}
    long = [each.seconds for case, each in zip(all_cases, placed, strict=True) if case.is_long]
    short = [each.seconds for case, each in zip(all_cases, placed, strict=True) if not case.is_long]
    return {
        "cases": len(all_cases),
        **{outcome.value: totals[outcome] for outcome in Outcome},
        "ms, 110 lines": round(1_000 * statistics.median(short), 3),
        "ms, 3,000 lines": round(1_000 * statistics.median(long), 3),
        "kinds": by_kind,
    }


def measure(each: int, seed: int) -> dict[str, object]:
    """Return the figures of both; raises `LeftOut` where aider cannot be had."""
    all_cases = cases(each, seed)
    theirs = aiders(all_cases)
    own = [ours(case) for case in all_cases]
    lined = [ours(case, with_the_line(case)) for case in all_cases]
    figures = {
        "aider": counted(all_cases, theirs),
        "product": counted(all_cases, own),
        "product, with the line": counted(all_cases, lined),
    }
    times = {
        size: round(cast("float", figures["product"][size]) / cast("float", figures["aider"][size]), 2)
        for size in ("ms, 110 lines", "ms, 3,000 lines")
    }
    return {**figures, "product's time over aider's": times}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", type=int, default=20, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, object] = {}
    with left_out_with_its_reason() as said:
        figures = measure(options.each, options.seed)
    print(json.dumps(figures | said, indent=None if options.json else 2, ensure_ascii=False))


if __name__ == "__main__":
    main()
