"""Test runs that were made before on the same contents, so that a benchmark that is run again begins at once."""

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from ensemble_lsp.bench.suite import SuiteRun
from ensemble_lsp.checks.witness import Project
from ensemble_lsp.core.evidence import Outcome

_FORMAT = 1
MOST_FILES = 12
"""Contents whose runs are kept."""
_HASHED_BYTES = 4 << 20
"""Of a larger file the size and the time of its last change count instead of what it holds."""


def contents_digest(project: Project, *of: str) -> str:
    """Return what identifies everything that a test run depends on, as far as the workspace has it."""
    digest = hashlib.sha256("\0".join((str(_FORMAT), str(project.workspace), *of)).encode())
    for path in sorted(project.files):
        digest.update(os.fsencode(path) + b"\0")
        place = project.workspace / path
        try:
            found = place.lstat()
            large = found.st_size > _HASHED_BYTES or place.is_symlink()
            known = f"{found.st_size} {found.st_mtime_ns}".encode() if large else place.read_bytes()
        except OSError:
            known = b""
        digest.update(hashlib.sha256(known).digest())
    return digest.hexdigest()


class KeptRuns:
    """A file of runs, one JSON object a line; what was cut off while it was written is passed over."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._runs: dict[str, SuiteRun] = {}
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except OSError:
            lines = []
        for line in lines:
            try:
                entry = cast("dict[str, object]", json.loads(line))
                self._runs[str(entry["key"])] = _run_of(cast("dict[str, object]", entry["run"]))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue

    @classmethod
    def open(cls, folder: Path, digest: str) -> "KeptRuns":
        """Open the runs on contents of this digest; of other contents only the ones used last stay."""
        file = folder / f"{digest}.jsonl"
        with contextlib.suppress(OSError):
            os.utime(file)
        others = [path for path in folder.glob("*.jsonl") if path != file]
        for path in sorted(others, key=_last_used, reverse=True)[MOST_FILES - 1 :]:
            path.unlink(missing_ok=True)
        return cls(file)

    @staticmethod
    def key(tests: Sequence[str], changes: Mapping[str, str], *, how: str) -> str:
        """Return what one run is known by: the tests, the changed texts, and how it was run."""
        said = json.dumps([list(tests), sorted(changes.items()), how])
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()

    def get(self, key: str) -> SuiteRun | None:
        """Return a run that was made before."""
        return self._runs.get(key)

    def put(self, key: str, run: SuiteRun) -> None:
        """Keep a run."""
        self._runs[key] = run
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "run": _data_of(run)}) + "\n")


def _last_used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _data_of(run: SuiteRun) -> dict[str, object]:
    return {
        "outcomes": {test: outcome.value for test, outcome in run.outcomes.items()},
        "lines": {
            test: {path: sorted(lines) for path, lines in of.items()} for test, of in run.lines.items()
        },
        "broken": list(run.broken),
        "outcome": run.outcome.value,
        "summary": run.summary,
        "seconds": run.seconds,
    }


def _run_of(data: Mapping[str, object]) -> SuiteRun:
    lines = cast("dict[str, dict[str, list[int]]]", data["lines"])
    outcomes = cast("dict[str, str]", data["outcomes"])
    return SuiteRun(
        outcomes={test: Outcome(outcome) for test, outcome in outcomes.items()},
        lines={test: {path: frozenset(on) for path, on in of.items()} for test, of in lines.items()},
        broken=tuple(cast("list[str]", data["broken"])),
        outcome=Outcome(str(data["outcome"])),
        summary=str(data["summary"]),
        seconds=float(cast("float", data["seconds"])),
    )
