"""What a shadow copy and a confined test run cost, next to `cp -r` and a bare `pytest` in the same run.

    python benchmarks/shadow.py [--files N] [--repeat N] [--json]

A repository of N generated files (5,000 by default) is copied for the first time, brought up to date with one
file changed, and restored after a run that changed one; then a small test file is run bare and as a check.
Each figure is the median of the repetitions, in seconds.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ensemble_lsp.checks.detection import describe_sandbox
from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.checks.shadow import Shadow
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import Task

_LINES = [f"def function_{number}(x):\n    return x + {number}\n" for number in range(100)]


def generate(root: Path, files: int) -> None:
    """Write a repository of `files` Python files, 1–10 kB each, 50 to a folder."""
    for number in range(files):
        folder = root / f"package_{number // 500}" / f"part_{number // 50 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module_{number}.py").write_text("".join(_LINES[: 1 + number * 7 % 100]), encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measure_copies(folder: Path, files: int, repeat: int) -> dict[str, float]:
    """Time copies of one generated repository."""
    workspace = folder / "workspace"
    workspace.mkdir()
    generate(workspace, files)
    found: dict[str, list[float]] = {"cp -r": [], "first copy": [], "incremental": [], "restore": []}
    changed = workspace / "package_0" / "part_0" / "module_0.py"
    for round_ in range(repeat):
        copy, scratch = folder / f"copy_{round_}", folder / f"scratch_{round_}"
        found["cp -r"].append(
            timed(lambda copy=copy: subprocess.run(["cp", "-r", workspace, copy], check=True))
        )
        shutil.rmtree(copy)
        found["first copy"].append(timed(lambda scratch=scratch: Shadow.create(workspace, {}, scratch)))
        changed.write_text(f"x = {round_}\n", encoding="utf-8")
        found["incremental"].append(timed(lambda scratch=scratch: Shadow.create(workspace, {}, scratch)))
        shadow = Shadow.create(workspace, {}, scratch)
        (shadow.root / "package_0" / "part_0" / "module_0.py").write_text("spoiled", encoding="utf-8")
        (shadow.root / "left_by_a_run").write_text("x", encoding="utf-8")
        found["restore"].append(timed(shadow.restore))
        shutil.rmtree(scratch)
    return {name: statistics.median(values) for name, values in found.items()}


def generate_small(workspace: Path) -> None:
    """Write a repository of one function and its test."""
    workspace.mkdir()
    (workspace / "m.py").write_text("def add(a, b):\n    return a + b\n", encoding="utf-8")
    (workspace / "test_m.py").write_text(
        "from m import add\n\ndef test_add():\n    assert add(1, 2) == 3\n", encoding="utf-8"
    )
    subprocess.run(["git", "init", "-q"], cwd=workspace, check=True)


async def measure_checks(workspace: Path, repeat: int) -> dict[str, float]:
    """Time a run of one small test file, bare and as a check (sandbox, syntax and ruff included)."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_m.py"]

    def bare() -> None:
        subprocess.run(argv, cwd=workspace, env=environment, capture_output=True, check=True)

    checks = await Checks.open(workspace, Task(action=Action.FIX, path="m.py"), overlays={}, trusted=True)
    try:
        await checks.check(())  # the copy is made once a job
        bares: list[float] = []
        checked: list[float] = []
        for _ in range(repeat):  # turn by turn, so that a busy machine weighs on both alike
            bares.append(timed(bare))
            started = time.perf_counter()
            await checks.check(())
            checked.append(time.perf_counter() - started)
    finally:
        await checks.close()
    return {"bare pytest": statistics.median(bares), "check": statistics.median(checked)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Cost of shadow copies and confined test runs.")
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        os.environ["ENSEMBLE_CACHE_DIR"] = str(folder / "cache")
        sandbox = asyncio.run(describe_sandbox())
        figures = measure_copies(folder, options.files, options.repeat)
        generate_small(folder / "small")
        figures |= asyncio.run(measure_checks(folder / "small", options.repeat))
    if options.json:
        result = {
            "files": options.files,
            "repeat": options.repeat,
            "sandbox": sandbox.label,
            "seconds": figures,
        }
        print(json.dumps(result, indent=2))
        return
    print(f"{options.files} files, median of {options.repeat}, sandbox: {sandbox.label}")
    for label, seconds in figures.items():
        print(f"{label:>12}  {seconds * 1000:8.0f} ms")


if __name__ == "__main__":
    main()
