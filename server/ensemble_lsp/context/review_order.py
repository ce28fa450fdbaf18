"""In which order a whole repository is looked at: where a defect is likeliest, and reaches furthest, first.

A budget may end before the files do. The order goes by what can be read off the repository without asking anybody:

- **churn**: how often commits touched the file lately. Of all that is known of a file without reading it, its changes
  say most about the defects to come (Nagappan and Ball, ICSE 2005; Moser and others, ICSE 2008), so it counts twice;
- **fan-in**: how many files import it: what is wrong there is wrong in many places;
- **size**: more lines hold more defects (El Emam and others, TSE 2001).

Each counts by its logarithm, over the largest in the repository, so that one odd file decides nothing. Tests come
behind the code: a wrong test is found when it fails.
"""

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.context.definition_index import test_file
from ensemble_lsp.context.git import git_root, run_git

COMMITS = 1_000
"""The newest commits that are counted: about a year of a busy repository."""
_MOST_OUTPUT = 16_000_000
"""Bytes of `git log`; a history that prints more is taken as one that cannot be told."""

_CHURN, _FAN_IN, _SIZE = 2.0, 1.0, 1.0


@dataclass(frozen=True, slots=True)
class FileRisk:
    """What the order goes by for one file."""

    path: str
    lines: int
    fan_in: int = 0
    churn: int = 0
    """Commits among the newest that touched it."""


def churn_of(workspace: Path) -> Mapping[str, int]:
    """Return how many of the newest commits touched each path; empty outside of git and where git does not answer.

    Merges are left out: what they bring was counted in its own commits. Blocks: it runs git.
    """
    if git_root(workspace) is None:
        return {}
    raw = run_git(
        workspace,
        "log",
        f"--max-count={COMMITS}",
        "--no-merges",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--format=",
        "--name-only",
        "--relative",
        "-z",
        limit=_MOST_OUTPUT,
    )
    if raw is None:
        return {}
    # Between two commits the list has an empty entry, or a line feed before the first path.
    return Counter(os.fsdecode(path) for entry in raw.split(b"\0") if (path := entry.strip(b"\n")))


def riskiest_first(files: Iterable[FileRisk]) -> list[str]:
    """Return the paths in the order of a review; where nothing tells two apart, by path."""
    known = list(files)
    most_churn = _most(known, [item.churn for item in known])
    most_fan_in = _most(known, [item.fan_in for item in known])
    most_lines = _most(known, [item.lines for item in known])

    def score(item: FileRisk) -> float:
        return (
            _CHURN * math.log1p(item.churn) / most_churn
            + _FAN_IN * math.log1p(item.fan_in) / most_fan_in
            + _SIZE * math.log1p(item.lines) / most_lines
        )

    ordered = sorted(known, key=lambda item: (test_file(item.path), -round(score(item), 9), item.path))
    return [item.path for item in ordered]


def fan_in_of(imported: Mapping[str, Sequence[str]]) -> Mapping[str, int]:
    """Return by how many files each path is imported; `imported`: path → the files that it imports."""
    return Counter(target for path, targets in imported.items() for target in set(targets) if target != path)


def _most(files: Sequence[FileRisk], values: Sequence[int]) -> float:
    return math.log1p(max(values, default=0)) or 1.0 if files else 1.0
