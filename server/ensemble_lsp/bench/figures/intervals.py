"""Intervals of 95%: of a share, of a count, of a difference, and which quantiles of a bootstrap make one.

Sources:

- shares: Wilson 1927; where cases share code, with the effective sample size of Korn and Graubard 1998, since cases
  of one function succeed and fail together;
- bootstrap quantiles: the expanded percentile interval of Hesterberg 2015. A plain percentile interval is too narrow
  by sqrt((n - 1) / n) and by the normal quantile in place of Student's, which matters for the 10 to 40 groups that a
  benchmark of one's own code has. BCa corrects skew and bias, but its acceleration is a jackknife over groups, which
  is not defined for ties and not smooth for "the best of several"; with few clusters it gained little in the
  simulations of Cameron, Gelbach and Miller 2008;
- differences where all resamples agree: what unseen groups could change, see `unanimous_interval`.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

from ensemble_lsp.core.frozen import Frozen

LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)


class Interval(Frozen):
    """Where a quantity is, with 95% confidence, in the quantity's own unit."""

    low: float
    high: float

    @property
    def clear_of_zero(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0 or self.high < 0


def wilson(hits: float, of: float, z: float = Z) -> Interval:
    """Return the score interval of a share; of nothing, all that a share can be."""
    if of <= 0:
        return Interval(low=0.0, high=1.0)
    share = hits / of
    scale = 1 + z * z / of
    centre = (share + z * z / (2 * of)) / scale
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / scale
    low = 0.0 if hits <= 0 else max(0.0, centre - spread)
    return Interval(low=low, high=1.0 if hits >= of else min(1.0, centre + spread))


def share_interval(groups: Sequence[tuple[int, int]]) -> Interval:
    """Return the interval of the share of all hits in all trials, from (hits, trials) of each group.

    With one trial a group it is Wilson's. Otherwise the trials count for as many independent ones as their
    variance between groups says, never for more than there are; where all or none are hits that cannot be
    seen, and a group counts for one.
    """
    drawn = [(hits, trials) for hits, trials in groups if trials]
    hits, trials = sum(hits for hits, _ in drawn), sum(trials for _, trials in drawn)
    if all(count == 1 for _, count in drawn):
        return wilson(hits, trials)
    effective = _effective(drawn, hits, trials)
    return wilson(hits / trials * effective, effective)


def _effective(groups: Sequence[tuple[int, int]], hits: int, trials: int) -> float:
    count = len(groups)
    share = hits / trials
    simple = share * (1 - share) / trials
    if count == 1 or simple == 0:
        return float(count)
    between = sum((mine - share * of) ** 2 for mine, of in groups) * count / (count - 1) / trials**2
    effect = max(1.0, between / simple)
    return trials / effect * (Z / student(0.5 + LEVEL / 2, count - 1)) ** 2


def no_events(groups: int) -> float:
    """Return the most that a mean count may be of which nothing was seen in so many groups (Garwood 1936)."""
    return -math.log((1 - LEVEL) / 2) / groups


def unanimous_interval(difference: float, groups: int) -> Interval:
    """Return an interval of a difference of two shares or scores on which all resamples agree.

    Groups unlike any that was seen may be so many of all as Wilson's interval of none leaves room for; each can
    move the difference by all that is left of its range.
    """
    unseen = wilson(0, groups).high * (1 + abs(difference))
    return Interval(low=max(-1.0, difference - unseen), high=min(1.0, difference + unseen))


def bootstrap_interval(values: Sequence[float], groups: int, level: float = LEVEL) -> Interval | None:
    """Return the expanded percentile interval of resampled values; None where they are all the same.

    `groups` is how many independent groups were drawn from.
    """
    if groups < 2 or len(values) < 2:
        return None
    ordered = sorted(values)
    if ordered[0] == ordered[-1]:
        return None
    tail = expanded_tail((1 - level) / 2, groups)
    return Interval(low=quantile(ordered, tail), high=quantile(ordered, 1 - tail))


def expanded_tail(tail: float, groups: int) -> float:
    """Return the tail to cut so that the interval of a mean has Student's width and an unbiased variance."""
    wide = math.sqrt(groups / (groups - 1)) * student(1 - tail, groups - 1)
    return NormalDist().cdf(-wide)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile of sorted values, between neighbours in proportion (Hyndman and Fan's type 7)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def student(share: float, freedom: int) -> float:
    """Return the quantile, at a share of at least one half, of Student's distribution; normal above 200."""
    if freedom > 200:
        return NormalDist().inv_cdf(share)
    low, high = 0.0, 1e4
    for _ in range(100):
        middle = (low + high) / 2
        if _student_cdf(middle, freedom) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _student_cdf(value: float, freedom: int) -> float:
    """The finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4, for `value` of at least 0."""
    angle = math.atan(value / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2 == 1
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(3 if odd else 2, freedom - 1, 2):
        term *= square * (step - 1) / step
        total += term
    within = (2 / math.pi) * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
    return (1 + within) / 2
