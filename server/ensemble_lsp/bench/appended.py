"""Files of JSON lines that are only ever appended to: whatever ends the process, what was written stays."""

import json
import os
from pathlib import Path

from ensemble_lsp.core.frozen import Frozen


def whole_lines(path: Path) -> list[bytes]:
    """Return the lines of an append-only file, and cut off a last one that was not written to its end."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return whole.splitlines()


def append_line(path: Path, line: Frozen) -> None:
    """Append one value as a line of JSON, on the disk when it returns."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line.to_wire()) + "\n")
        file.flush()
        os.fsync(file.fileno())
