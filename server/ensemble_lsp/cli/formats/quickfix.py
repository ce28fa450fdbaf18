"""Findings as lines that Vim's quickfix list, Emacs's compilation mode and other editors jump by."""

import os
from collections.abc import Sequence
from pathlib import Path

from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.text import SourceText, split_lines


def quickfix(findings: Sequence[Finding], workspace: Path) -> str:
    """Return a line `PATH:LINE:COLUMN: TEXT` for each admitted finding, in their order.

    Paths are relative to where the command runs, lines and columns count from 1; columns are bytes, as Vim's `%c`.
    """
    return "".join(_line(finding, workspace) for finding in findings if finding.admitted)


def _line(finding: Finding, workspace: Path) -> str:
    file = workspace / finding.path
    words = f"{finding.title}: {finding.detail} ({finding.reason})"
    place = one_line(os.path.relpath(file))
    return f"{place}:{finding.line + 1}:{_column(file, finding.line)}: {one_line(words)}\n"


def _column(file: Path, line: int) -> int:
    try:
        lines = split_lines(SourceText.from_bytes(file.read_bytes()).text)
    except OSError:
        return 1
    text = lines[line] if line < len(lines) else ""
    return len(text) - len(text.lstrip()) + 1 if text.strip() else 1
