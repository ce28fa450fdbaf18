"""The outline of a file: its imports and the heads of its symbols, with line numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from ensemble_lsp.context.symbols import ImportStatement, Symbol, imports_of, symbols_of
from ensemble_lsp.core.text import content_of, split_lines

_HEADER_LINES = 8
"""A head that is longer is cut: generated signatures can have hundreds of lines."""


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    depth: int
    distance: int


class Outline:
    """The outline of one file, to be printed at several lengths.

    `symbols` and `imports` are the file's; `lines` what is printed (the same lines, maybe redacted);
    `without` is a stretch (0-based, inclusive) that is shown elsewhere.
    """

    def __init__(
        self,
        symbols: Sequence[Symbol],
        imports: Sequence[ImportStatement],
        lines: Sequence[str],
        without: tuple[int, int] | None = None,
    ) -> None:
        self._lines = lines
        # Imports go before everything else when lines are few: depth −1.
        heads = [(i.start_line, i.end_line, -1) for i in imports]
        heads += [(s.start_line, s.header_end_line, s.depth) for s in symbols]
        pieces = [_piece(start, end, depth, without) for start, end, depth in heads]
        self._pieces = [piece for piece in pieces if piece is not None]

    def text(self, max_lines: int | None = None) -> str:
        """Return the heads, each line as `NUMBER: code` with its 1-based number.

        With `max_lines`, what is outermost and nearest to `without` stays.
        """
        pieces = self._pieces if max_lines is None else _nearest(self._pieces, max_lines)
        numbers = sorted({n for piece in pieces for n in range(piece.start, piece.end + 1)})
        width = len(str(numbers[-1] + 1)) if numbers else 1
        shown = (n for n in numbers if n < len(self._lines))
        return "".join(f"{n + 1:>{width}}: {content_of(self._lines[n])}\n" for n in shown)


def skeleton(
    path: str, text: str, *, without: tuple[int, int] | None = None, max_lines: int | None = None
) -> str:
    """Return imports, signatures and class heads of a file; empty when its language is not known."""
    outline = Outline(symbols_of(path, text), imports_of(path, text), split_lines(text), without)
    return outline.text(max_lines)


def _piece(start: int, end: int, depth: int, without: tuple[int, int] | None) -> _Piece | None:
    end = min(end, start + _HEADER_LINES - 1)
    if without is None:
        return _Piece(start, end, depth, 0)
    first, last = without
    if start >= first and end <= last:
        return None
    return _Piece(start, end, depth, max(first - end, start - last, 0))


def _nearest(pieces: list[_Piece], max_lines: int) -> list[_Piece]:
    kept: list[_Piece] = []
    left = max_lines
    for piece in sorted(pieces, key=lambda p: (p.depth, p.distance, p.start)):
        size = piece.end - piece.start + 1
        if size <= left:
            kept.append(piece)
            left -= size
    return kept
