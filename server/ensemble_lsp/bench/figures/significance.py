"""Tests of paired differences, and what many of them cost.

McNemar's exact test takes cases as independent; where several share their code it is too sure of itself, so that the
sides of whole groups are swapped as well (approximate randomisation, Noreen 1989), which also does for F1.
"""

import math
from collections.abc import Callable, Sequence

from ensemble_lsp.bench.figures.resampling import Draws
from ensemble_lsp.bench.figures.tally import Counts


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided probability of so uneven a split of the discordant pairs by chance."""
    discordant = only_first + only_second
    tail = sum(math.comb(discordant, hits) for hits in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / 2**discordant)


def swap_test(
    groups: Sequence[tuple[Counts, Counts]],
    measure: Callable[[Counts], float | None],
    draws: Draws,
) -> float:
    """Return the two-sided probability of so large a difference if which way did what were a coin's choice.

    One coin a group. Exact where few groups differ; otherwise with one added above and below, so that it is
    never 0. A measure that cannot be had of one side counts as 0.
    """
    if not groups:
        return 1.0
    width = len(Counts._fields)

    def difference(sums: Sequence[int]) -> float:
        return abs((measure(Counts(*sums[:width])) or 0.0) - (measure(Counts(*sums[width:])) or 0.0))

    sums = draws.swapped(groups)
    straight = [sum(column) for column in zip(*([*one, *two] for one, two in groups), strict=True)]
    seen = difference(straight) - 1e-12
    reached = sum(difference(swapped) >= seen for swapped in sums)
    if len(sums) == draws.times:
        return (reached + 1) / (draws.times + 1)
    return reached / len(sums)


def holm(probabilities: Sequence[float]) -> tuple[float, ...]:
    """Return the probabilities corrected for their number, by Holm's step-down rule, in the order given."""
    count = len(probabilities)
    order = sorted(range(count), key=lambda place: probabilities[place])
    corrected = [1.0] * count
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (count - rank) * probabilities[place]))
        corrected[place] = least
    return tuple(corrected)
