"""A case as something to open: a folder, and the texts that the editor holds beside what the folder has.

A case with a base is opened in the base itself, with the changed file as an unsaved document: nothing of the
person's is written, the project's own environment and settings are in place, and its tests run in the shadow
copy, where the document counts. A case without one is a new folder with its files and nothing else: no version
control, no bytecode, nothing that knew the right program.
"""

import contextlib
import tempfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.text import SourceText


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job about a case runs."""

    workspace: Path
    """Absolute and resolved."""
    documents: Mapping[str, str]
    """Relative path → text: what `JobStart.documents` has to hold."""


@contextlib.contextmanager
def laid_out(case: BenchCase) -> Generator[Place]:
    """Lay a case out, and take away afterwards what was made for it.

    Raises `CheckError` when the base is gone.
    """
    if case.base:
        base = Path(case.base)
        if not base.is_dir():
            raise CheckError(f"{case.id}: {base}, which the case was made from, is gone")
        yield Place(base.resolve(), dict(case.files))
        return
    with tempfile.TemporaryDirectory(prefix="ensemble-bench-") as name:
        folder = Path(name).resolve()
        write_files(folder, case.files)
        yield Place(folder, {})


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts below `folder`, byte for byte, making the folders they need."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(SourceText(text).to_bytes())
