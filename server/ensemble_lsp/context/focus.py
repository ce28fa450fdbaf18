"""Which stretch of the file is put in front of the models when the whole does not fit."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ensemble_lsp.context.symbols import Symbol, enclosing_symbol
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.core.text import split_lines

_NAMELESS = frozenset({"variable", "constant"})
_HULL_LINES = 200
_WORD = re.compile(r"\w+")

Fits = Callable[[int, int], bool]
"""Whether lines `start` to `end` (0-based, inclusive) are within the focus's share of the budget."""


@dataclass(frozen=True, slots=True)
class Focus:
    """The stretch that is shown, 0-based and inclusive, and the symbol that the job is about."""

    start: int
    end: int
    why: str
    symbol: Symbol | None = None
    whole: bool = False


def target_of(task: Task, path: str, text: str, symbols: Sequence[Symbol]) -> tuple[int, int] | None:
    """Return the lines (0-based, inclusive) that the job is about, or None for the file as a whole.

    In this order: the range, the finding, the diagnostics, the lines that the reviewed change touched, the
    first symbol that the instruction names. Raises `UsageError` for a range outside the file.
    """
    last = max(0, len(split_lines(text)) - 1)
    if task.range is not None:
        return _checked(task.range, text, path)
    if task.finding is not None and task.finding.path == path:
        return _clamped(task.finding.line, task.finding.end_line, last)
    spoken = [(d.line, d.end_line) for d in task.diagnostics if d.path == path]
    spoken = spoken or [(r.start, r.end - 1) for r in task.changed_lines.get(path, ())]
    if spoken:
        start, end = min(first for first, _ in spoken), max(end for _, end in spoken)
        return _clamped(start, end, last) if end - start < _HULL_LINES else _clamped(*min(spoken), last)
    words = set(_WORD.findall(task.instruction))
    named = (s for s in symbols if s.name in words and len(s.name) > 2 and s.kind not in _NAMELESS)
    return next(((s.start_line, s.end_line) for s in named), None)


def _checked(lines: LineRange, text: str, path: str) -> tuple[int, int]:
    count = len(split_lines(text))
    # Behind a final line ending an editor shows one more, empty line, and a cursor can stand in it.
    editor_count = count + 1 if text.endswith(("\n", "\r")) else count
    if lines.start < 0 or lines.end < lines.start or lines.start >= editor_count or lines.end > editor_count:
        last = max(lines.end, lines.start + 1)
        named = f"line {last} is" if last == lines.start + 1 else f"lines {lines.start + 1}-{last} are"
        raise UsageError(
            f"{named} outside {path}, which has {counted(count, 'line')}",
            hint="Lines count from 1; give a range within the file.",
            field="range",
        )
    start = min(lines.start, count - 1)
    return start, max(start, min(lines.end, count) - 1)


def _clamped(start: int, end: int, last: int) -> tuple[int, int]:
    start = min(max(start, 0), last)
    return start, min(max(end, start), last)


def choose_focus(
    count: int, symbols: Sequence[Symbol], target: tuple[int, int] | None, fits: Fits, *, whole_fits: bool
) -> Focus:
    """Return what to show of a file of `count` lines.

    The whole file when it fits; else the outermost symbol around the target that fits; else the lines around
    the target, within its symbol, as many as fit. Raises `UsageError` when not even one line fits.
    """
    about = _about(symbols, target)
    if whole_fits:
        return Focus(0, count - 1, "whole file", about, whole=True)
    if target is None:
        return _first_stretch(count, symbols, fits)
    start, end = target
    around = [s for s in symbols if s.start_line <= start and end <= s.end_line]
    for symbol in sorted(around, key=lambda s: s.start_line - s.end_line):
        if fits(symbol.start_line, symbol.end_line):
            return Focus(symbol.start_line, symbol.end_line, f"{symbol.kind} {symbol.name}", about)
    if not fits(start, end):
        return Focus(start, _last_fitting(start, end, fits), "the beginning of the selection", about)
    inner = enclosing_symbol(symbols, start, end)
    top, bottom = (inner.start_line, inner.end_line) if inner else (0, count - 1)
    low, high = 0, max(start - top, bottom - end)
    while low < high:
        radius = (low + high + 1) // 2
        if fits(max(top, start - radius), min(bottom, end + radius)):
            low = radius
        else:
            high = radius - 1
    why = (
        f"lines around the selection in {inner.kind} {inner.name}" if inner else "lines around the selection"
    )
    return Focus(max(top, start - low), min(bottom, end + low), why, about)


def _about(symbols: Sequence[Symbol], target: tuple[int, int] | None) -> Symbol | None:
    if target is None:
        return None
    return enclosing_symbol([s for s in symbols if s.kind not in _NAMELESS], *target)


def _first_stretch(count: int, symbols: Sequence[Symbol], fits: Fits) -> Focus:
    end = _last_fitting(0, count - 1, fits)
    return Focus(0, _symbol_boundary(symbols, 0, end, count), "the beginning of the file")


def _symbol_boundary(symbols: Sequence[Symbol], start: int, end: int, count: int) -> int:
    """Return the last line before a symbol that `end` would cut, if something is left before it."""
    if end >= count - 1:
        return end
    cut = [s.start_line for s in symbols if s.start_line <= end < s.end_line and s.start_line > start]
    # Outermost first: a class is cut between its methods only if it alone does not fit.
    for boundary in sorted(cut):
        if boundary - start > (end - start) // 2:
            return boundary - 1
    return end


def _last_fitting(start: int, end: int, fits: Fits) -> int:
    if not fits(start, start):
        raise UsageError(
            f"line {start + 1} alone is longer than the context that may be sent",
            hint="Raise context.max_tokens, or choose a member with a larger context.",
            field="range",
        )
    low, high = start, end
    while low < high:
        middle = (low + high + 1) // 2
        if fits(start, middle):
            low = middle
        else:
            high = middle - 1
    return low


def split_by_focus(
    text: str, symbols: Sequence[Symbol], fits: Fits, *, limit: int = 64
) -> tuple[LineRange, ...]:
    """Return ranges that cover the file, each small enough to be a focus, cut between symbols.

    At most `limit`; the last one then ends before the file does.
    """
    count = len(split_lines(text))
    ranges: list[LineRange] = []
    start = 0
    while start < count and len(ranges) < limit:
        end = _symbol_boundary(symbols, start, _last_fitting(start, count - 1, fits), count)
        ranges.append(LineRange(start=start, end=end + 1))
        start = end + 1
    return tuple(ranges)
