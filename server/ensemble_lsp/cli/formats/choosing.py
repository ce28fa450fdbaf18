"""Which formats there are, and what is written besides standard output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from ensemble_lsp.cli.formats.markdown import markdown
from ensemble_lsp.cli.formats.report import Report
from ensemble_lsp.cli.formats.sarif import sarif
from ensemble_lsp.cli.formats.workflow_commands import annotations
from ensemble_lsp.core.errors import EnsembleError, UsageError

Format = Literal["text", "json", "sarif", "github", "markdown"]
"""How findings are printed."""

WRITERS: dict[str, Callable[[Report], str]] = {"sarif": sarif, "github": annotations, "markdown": markdown}
"""The formats that are made of a report alone; text and JSON are the command's own."""

_IN_FILES = tuple(name for name in get_args(Format) if name != "text")


@dataclass(frozen=True, slots=True)
class Copy:
    """The result in one more format, in a file."""

    form: Format
    file: Path


def copies_of(values: Sequence[str]) -> tuple[Copy, ...]:
    """Read `FORMAT=FILE`; raises `UsageError` (field `--report`) for what could not be written after the job."""
    found: list[Copy] = []
    for value in values:
        form, _, name = value.partition("=")
        if form not in _IN_FILES or not name:
            raise UsageError(
                f"--report {value}: not FORMAT=FILE",
                field="--report",
                hint=f"formats are {', '.join(_IN_FILES)}",
            )
        file = Path(name)
        if not file.absolute().parent.is_dir() or file.is_dir():
            raise UsageError(f"--report {value}: no file can be written there", field="--report")
        found.append(Copy(cast("Format", form), file))
    return tuple(found)


def write_copy(copy: Copy, text: str) -> None:
    """Write one file; raises `EnsembleError` when that fails."""
    try:
        copy.file.write_bytes(text.encode("utf-8", "replace"))
    except OSError as problem:
        raise EnsembleError(f"{copy.file} cannot be written: {problem.strerror or problem}") from problem
