"""The outline of a file: its imports and the heads of its symbols, with line numbers."""

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


def skeleton(
    path: str,
    text: str,
    *,
    shown: str | None = None,
    without: tuple[int, int] | None = None,
    max_lines: int | None = None,
) -> str:
    """Return imports, signatures and class heads, each line as `NUMBER: code` with its 1-based number.

    `shown` is the text to print (the same lines, redacted); `without` a stretch (0-based, inclusive) that is
    shown elsewhere. With `max_lines`, what is outermost and nearest to `without` stays. Empty when the
    language is not known.
    """
    symbols, imports = symbols_of(path, text), imports_of(path, text)
    lines = split_lines(text if shown is None else shown)
    pieces = _pieces(symbols, imports, without)
    if max_lines is not None:
        pieces = _nearest(pieces, max_lines)
    numbers = sorted({n for piece in pieces for n in range(piece.start, piece.end + 1)})
    width = len(str(numbers[-1] + 1)) if numbers else 1
    return "".join(f"{n + 1:>{width}}: {content_of(lines[n])}\n" for n in numbers if n < len(lines))


def _pieces(
    symbols: tuple[Symbol, ...], imports: tuple[ImportStatement, ...], without: tuple[int, int] | None
) -> list[_Piece]:
    first, last = without or (-1, -1)

    def piece(start: int, end: int, depth: int) -> _Piece | None:
        end = min(end, start + _HEADER_LINES - 1)
        if without and start >= first and end <= last:
            return None
        distance = 0 if without is None else max(first - end, start - last, 0)
        return _Piece(start, end, depth, distance)

    # Imports go before everything else when lines are few: depth −1.
    found = [piece(i.start_line, i.end_line, -1) for i in imports]
    found += [piece(s.start_line, s.header_end_line, s.depth) for s in symbols]
    return [p for p in found if p is not None]


def _nearest(pieces: list[_Piece], max_lines: int) -> list[_Piece]:
    kept: list[_Piece] = []
    left = max_lines
    for piece in sorted(pieces, key=lambda p: (p.depth, p.distance, p.start)):
        size = piece.end - piece.start + 1
        if size <= left:
            kept.append(piece)
            left -= size
    return kept
