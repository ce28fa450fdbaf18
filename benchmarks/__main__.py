"""All benchmarks of our own speed: one table, and one JSON file.

    python -m benchmarks [--out FILE] [NAME ...]

Each runs as a process of its own, one after the other, so that none heats up another. The bug-fix benchmark
(`python -m benchmarks.bugfix`) is not among them: it takes a set of cases by path, and hours or minutes.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import cast

NAMES = ("placing", "shadow", "orchestration", "front_start", "front_work", "front_load", "neovim")

LIMIT = 600
"""Seconds for one benchmark."""


def figures_of(name: str) -> dict[str, object]:
    """Run one benchmark and return its figures by name; nested ones joined with dots."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--json"],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    if done.returncode != 0:
        return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}
    return flat(json.loads(done.stdout))


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
        results[name] = figures_of(name)
        print(f"\n{name}")
        for figure, value in results[name].items():
            shown = f"{value:12.3f}" if isinstance(value, float) else f"{value!s:>12}"
            print(f"  {figure:60} {shown}", flush=True)
    arguments.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {arguments.out}")
    sys.exit(any("failed" in figures for figures in results.values()))


if __name__ == "__main__":
    main()
