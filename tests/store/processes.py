"""Other processes on the same store: a program is given as text, told where, and spoken to by lines."""

import subprocess
import sys
from pathlib import Path

_HEAD = """
import asyncio, sys
from pathlib import Path
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import BudgetExceeded
from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.core.results import DraftRecord, JobResult
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.jobs import JobStore
from ensemble_lsp.store.ledger import Ledger
database = Database(Path(sys.argv[1]))
"""


def start(program: str, directory: Path) -> "subprocess.Popen[str]":
    """Start `program` with `database` open on `directory` and the store's names imported."""
    return subprocess.Popen(
        [sys.executable, "-c", _HEAD + program, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def line_from(process: "subprocess.Popen[str]") -> str:
    """Wait for the next line that a program prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: "subprocess.Popen[str]", line: str) -> None:
    """Send a line to a program that waits for one."""
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
