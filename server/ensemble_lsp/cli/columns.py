"""Short tables: aligned on a terminal and cut to its width, complete and separated by tabs elsewhere."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ensemble_lsp.cli.terminal import write_text

_GAP = 2
_LEAST = 12
"""Columns that the flexible part keeps on the narrowest terminal."""


def print_columns(
    out: Console, headings: Sequence[str], rows: Sequence[Sequence[str]], *, flexible: int
) -> None:
    """Print rows under headings; the column numbered `flexible` gives way where they do not fit."""
    if not out.is_terminal:
        write_text(out, "".join("\t".join(row) + "\n" for row in (headings, *rows)))
        return
    widths = [max(cell_len(row[index]) for row in (headings, *rows)) for index in range(len(headings))]
    fixed = sum(width for index, width in enumerate(widths) if index != flexible) + _GAP * (len(widths) - 1)
    widths[flexible] = min(widths[flexible], max(_LEAST, out.width - fixed))
    for number, row in enumerate((headings, *rows)):
        line = Text(style="dim" if number == 0 else "")
        for value, width in zip(row, widths, strict=True):
            cell = Text(value)
            cell.truncate(width, overflow="ellipsis", pad=True)
            line.append_text(cell).append(" " * _GAP)
        line.rstrip()
        out.print(line, no_wrap=True, overflow="ellipsis", crop=True)
