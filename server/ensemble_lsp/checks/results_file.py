"""The file in which pytest's plugin leaves the outcome of each test."""

import os
from pathlib import Path

_MAX_RESULTS = 8 << 20


def read_results_file(path: Path) -> str:
    """Return its text, cut off where it is too long; empty where the command left none, or no ordinary file."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""  # the command left none
    with os.fdopen(handle, "rb") as file:
        return file.read(_MAX_RESULTS).decode("utf-8", "replace")
