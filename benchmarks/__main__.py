"""All benchmarks of our own speed: one table, and one JSON file.

    python -m benchmarks [--out FILE] [NAME ...]

Each runs as a process of its own, one after the other, so that none heats up another. Beside each of our figures stands
what it is compared with in the same run, and the ratio. What is compared with other projects' programs (`massgen`,
`aider`) needs a package registry the first time; where it cannot be had it is left out, and the table says so: left out
is not passed. What the panel is worth is not among them: `ensemble-lsp bench` measures that.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from benchmarks.ratios import RATIOS, Line, line_of

NAMES = (
    "placing",
    "shadow",
    "orchestration",
    "front_start",
    "front_work",
    "front_load",
    "neovim",
    "aider",
    "massgen",
    "learning",
    "review_whole",
)

SHORT = {
    "front_load": ("--rounds", "2", "--calls", "400"),
    "shadow": ("--repeat", "3"),
    "learning": ("--seeds", "10"),
    "review_whole": ("--files", "200"),
}
"""Fewer repetitions than when it is run alone, so that all take less than ten minutes."""

LIMIT = 600
"""Seconds for one benchmark."""


def figures_of(name: str) -> dict[str, object]:
    """Run one benchmark and return its figures by name; nested ones joined with dots."""
    command = [sys.executable, "-m", f"benchmarks.{name}", "--json", *SHORT.get(name, ())]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {LIMIT} s"}
    if done.returncode != 0:
        return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}
    try:
        return flat(json.loads(done.stdout))
    except ValueError:
        return {"failed": f"no JSON: {done.stdout.strip()[-200:]}"}


def flat(value: object, prefix: str = "") -> dict[str, object]:
    """Return nested mappings and lists as one level of dotted names."""
    if isinstance(value, dict):
        items = [(str(key), item) for key, item in cast("dict[object, object]", value).items()]
    elif isinstance(value, list):
        items = [(str(number), item) for number, item in enumerate(cast("list[object]", value))]
    else:
        return {prefix: value}
    found: dict[str, object] = {}
    for key, item in items:
        found.update(flat(item, f"{prefix}.{key}" if prefix else key))
    return found


def state_of(figures: Mapping[str, object]) -> str:
    """Say in one word what became of a benchmark: measured, left out, or failed."""
    return "failed" if "failed" in figures else "left out" if "left out" in figures else "measured"


def lines_of(results: Mapping[str, Mapping[str, object]]) -> list[Line]:
    """Return the table's lines: a ratio each, or why there is none."""
    lines: list[Line] = []
    for name, figures in results.items():
        state = state_of(figures)
        if state != "measured":
            lines.append(Line(name, f"{state}: {figures[state]}"))
            continue
        lines += [line_of(name, ratio, figures) for ratio in RATIOS.get(name, ())]
    return lines


def table(lines: Sequence[Line]) -> str:
    """Return the table as text."""
    head = Line("benchmark", "what", "ours", "beside", "ratio")
    cells = [(each.benchmark, each.what, each.ours, each.beside, each.ratio) for each in (head, *lines)]
    # A line without figures may be as long as its reason.
    widths = [max(len(cell[column]) for cell in cells if cell[2] or column == 0) for column in range(5)]
    rows = [
        "  ".join(
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(cell, widths, strict=True))
        ).rstrip()
        for cell in cells
    ]
    return "\n".join(rows)


def main() -> None:
    """Run what was asked for; ends with 1 when one of them failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], help="which; all when left out")
    parser.add_argument("--out", type=Path, default=Path("bench.json"), help="where the JSON goes")
    arguments = parser.parse_args()
    results: dict[str, dict[str, object]] = {}
    for name in arguments.names or NAMES:
        began = time.perf_counter()
        results[name] = figures_of(name)
        print(
            f"{name}: {state_of(results[name])}, {time.perf_counter() - began:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    arguments.out.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(table(lines_of(results)))
    print(f"\nall figures: {arguments.out}")
    sys.exit(any(state_of(figures) == "failed" for figures in results.values()))


if __name__ == "__main__":
    main()
