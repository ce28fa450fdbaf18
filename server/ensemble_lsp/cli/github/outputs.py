"""What a step hands to its runner: outputs, the summary page, and a stretch of the log without commands."""

import os
import secrets
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

SUMMARY_BYTES = 1024 * 1024 - 1024
"""What GitHub takes for one step's summary, and some room."""


def set_output(environment: Mapping[str, str], name: str, value: str | int) -> None:
    """Set an output of the step. `value` is one line."""
    text = str(value)
    if "\n" in text or "\r" in text:
        raise ValueError(f"the output {name} would be more than one line")
    _append(environment.get("GITHUB_OUTPUT"), f"{name}={text}\n")


def add_summary(environment: Mapping[str, str], text: str) -> None:
    """Add Markdown to the summary page of the job."""
    _append(
        environment.get("GITHUB_STEP_SUMMARY"),
        text.encode("utf-8", "replace")[:SUMMARY_BYTES].decode("utf-8", "ignore") + "\n",
    )


@contextmanager
def commands_stopped() -> Generator[None]:
    """Let the runner obey nothing that is printed meanwhile: it is told a word that nobody else knows.

    Both streams become one, so that nothing late on the other can arrive after the word was said.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}", flush=True)  # noqa: T201  (the runner reads it)
    try:
        yield
    finally:
        sys.stderr.flush()
        # On a line of its own, whatever was printed last.
        print(f"\n::{word}::", flush=True)  # noqa: T201


def _append(path: str | None, text: str) -> None:
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
