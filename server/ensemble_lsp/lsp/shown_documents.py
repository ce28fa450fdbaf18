"""Explanations and diffs as read-only files in the state directory: what every editor can open."""

import hashlib
import re
from pathlib import Path

from ensemble_lsp.directories import state_directory

KEPT_DOCUMENTS = 50
"""How many files stay; the oldest go. They can be made again from the job they came from."""


def write_document(title: str, text: str, suffix: str) -> Path:
    """Write a document nobody may change and return its path; the same text is the same file."""
    directory = state_directory() / "documents"
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    data = text.encode("utf-8", "surrogateescape")
    name = re.sub(r"[^0-9a-z]+", "-", title.lower())[:40].strip("-") or "document"
    path = directory / f"{name}-{hashlib.sha256(data).hexdigest()[:10]}{suffix}"
    if path.exists():
        path.touch()
    else:
        _prune(directory, KEPT_DOCUMENTS - 1)
        path.write_bytes(data)
        path.chmod(0o400)
    return path


def _prune(directory: Path, keep: int) -> None:
    def age(path: Path) -> float:
        return path.stat().st_mtime

    files = sorted((path for path in directory.iterdir() if path.is_file()), key=age, reverse=True)
    for path in files[keep:]:
        path.unlink(missing_ok=True)
