"""The cluster bootstrap: groups of cases drawn with replacement, all ways on the same draws.

Each group is a row of counts, so that a resample is a sum of rows. A row is kept as one large integer with eight
bytes a count: one addition adds all of them, which makes 2,000 resamples of 500 groups a matter of a fraction of a
second without a numerical library.
"""

import struct
from collections.abc import Callable, Sequence
from itertools import compress
from operator import itemgetter
from random import Random

_WIDTH = 8
_BITS = bytes.maketrans(b"01", b"\x00\x01")
_ALL = 12
"""Up to so many swaps that change anything, all 4,096 ways of swapping are gone through."""


class Draws:
    """The draws of one report: every figure over as many groups sees the same ones, which pairs the ways.

    `times` is how many resamples there are. They are drawn once for each number of groups and kept.
    """

    def __init__(self, times: int, seed: int) -> None:
        self.times = times
        self._seed = seed
        self._plans: dict[int, list[Callable[[Sequence[int]], tuple[int, ...]]]] = {}
        self._coins: dict[int, list[bytes]] = {}

    def resampled(self, rows: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """Return, for each resample, the sums of the columns over as many rows as there are.

        Counts are 0 or more; a column's sum stays below 2**64.
        """
        if not rows:
            return []
        packed = [_packed(row) for row in rows]
        unpack = _unpacking(len(rows[0]))
        if len(packed) == 1:
            return [unpack(packed[0])] * self.times
        return [unpack(sum(plan(packed))) for plan in self._plan(len(packed))]

    def swapped(self, rows: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[tuple[int, ...]]:
        """Return the column sums of the first side, then of the second, with the sides of some rows swapped.

        Every way of swapping once where few rows change anything; otherwise as many as there are resamples,
        by coins. Which of the two it was shows in the number of results.
        """
        if not rows:
            return []
        pairs = [(_packed([*one, *two]), _packed([*two, *one])) for one, two in rows]
        straight = sum(kept for kept, _ in pairs)
        changes = [swapped - kept for kept, swapped in pairs if kept != swapped]
        unpack = _unpacking(2 * len(rows[0][0]))
        if len(changes) > _ALL:
            return [unpack(straight + sum(compress(changes, sides))) for sides in self._sides(len(changes))]
        totals = [straight]
        for change in changes:
            totals += [total + change for total in totals]
        return [unpack(total) for total in totals]

    def coin(self, name: str) -> Random:
        """Return a source of chance of its own for what is named."""
        return Random(f"{self._seed}/{name}")  # noqa: S311  # statistics, not secrets

    def _plan(self, count: int) -> list[Callable[[Sequence[int]], tuple[int, ...]]]:
        if count not in self._plans:
            draw = self.coin(f"groups {count}").choices
            self._plans[count] = [itemgetter(*draw(range(count), k=count)) for _ in range(self.times)]
        return self._plans[count]

    def _sides(self, count: int) -> list[bytes]:
        if count not in self._coins:
            draw = self.coin(f"sides {count}").getrandbits
            self._coins[count] = [
                f"{draw(count):0{count}b}".encode().translate(_BITS) for _ in range(self.times)
            ]
        return self._coins[count]


def _packed(row: Sequence[int]) -> int:
    return int.from_bytes(struct.pack(f"<{len(row)}Q", *row), "little")


def _unpacking(fields: int) -> Callable[[int], tuple[int, ...]]:
    layout = struct.Struct(f"<{fields}Q")
    size = _WIDTH * fields
    return lambda total: layout.unpack(total.to_bytes(size, "little"))
