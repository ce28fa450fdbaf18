"""The cluster bootstrap: groups of cases drawn with replacement, all ways on the same draws.

Each group is a row of counts, so that a resample is a sum of rows. A row is kept as one large integer with eight
bytes a count: one addition adds all of them, which makes 2,000 resamples of 500 groups a matter of a fraction of a
second without a numerical library.
"""

import struct
from collections.abc import Callable, Sequence
from itertools import compress
from random import Random

_WIDTH = 8
_BITS = bytes.maketrans(b"01", b"\x00\x01")
_ALL = 12
"""Up to so many swaps that change anything, all 4,096 ways of swapping are gone through."""


def resampled_sums(rows: Sequence[Sequence[int]], times: int, seed: str) -> list[tuple[int, ...]]:
    """Return, for each resample, the sums of the columns over as many rows as there are, drawn with replacement.

    Counts are 0 or more; a column's sum stays below 2**64. The same seed draws the same rows for as many rows.
    """
    if not rows:
        return []
    packed = [_packed(row) for row in rows]
    count = len(packed)
    unpack = _unpacking(len(rows[0]))
    draw = Random(seed).choices  # noqa: S311  # a resample, not a secret
    return [unpack(sum(draw(packed, k=count))) for _ in range(times)]


def swapped_sums(
    rows: Sequence[tuple[Sequence[int], Sequence[int]]], times: int, seed: str
) -> list[tuple[int, ...]]:
    """Return the column sums of the first side, then of the second, with the sides of some rows swapped.

    Every way of swapping once where few rows change anything; otherwise `times` ways, by coins. Which of the
    two it was shows in the number of results.
    """
    if not rows:
        return []
    pairs = [(_packed([*one, *two]), _packed([*two, *one])) for one, two in rows]
    straight = sum(kept for kept, _ in pairs)
    changes = [swapped - kept for kept, swapped in pairs if kept != swapped]
    unpack = _unpacking(2 * len(rows[0][0]))
    if len(changes) <= _ALL:
        totals = [straight]
        for change in changes:
            totals += [total + change for total in totals]
        return [unpack(total) for total in totals]
    draw, count = Random(seed).getrandbits, len(changes)  # noqa: S311
    coins = (f"{draw(count):0{count}b}".encode().translate(_BITS) for _ in range(times))
    return [unpack(straight + sum(compress(changes, sides))) for sides in coins]


def _packed(row: Sequence[int]) -> int:
    return int.from_bytes(struct.pack(f"<{len(row)}Q", *row), "little")


def _unpacking(fields: int) -> Callable[[int], tuple[int, ...]]:
    layout = struct.Struct(f"<{fields}Q")
    size = _WIDTH * fields
    return lambda total: layout.unpack(total.to_bytes(size, "little"))
