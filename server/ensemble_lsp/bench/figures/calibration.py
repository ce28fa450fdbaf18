"""Whether what was said with 80% is so in 80%: calibration error, Brier score, and the points of a reliability plot.

Bins have equal numbers of claims, not equal widths: the product's confidences lie close together, equal widths would
leave most bins empty and a few claims to decide the figure, and the estimate has less bias (Roelofs et al. 2022).
Claims of the same probability are never split between two bins. Even a perfectly calibrated speaker has an error above
zero in a finite sample; `chance` says how much is to be expected of one (Bröcker and Smith 2007).
"""

from bisect import bisect_left
from collections.abc import Sequence
from random import Random

from ensemble_lsp.bench.figures.intervals import Interval, bootstrap_interval, share_interval
from ensemble_lsp.bench.figures.resampling import Draws
from ensemble_lsp.bench.figures.tally import by_group
from ensemble_lsp.bench.outcomes import Claim, Outcome
from ensemble_lsp.core.frozen import Frozen

BINS = 10
PER_BIN = 10
"""At least so many claims a bin, on average; fewer bins otherwise."""
_MICRO = 1_000_000
_CHANCE_TURNS = 400


class Bin(Frozen):
    """One point of the reliability plot."""

    low: float
    high: float
    """The lowest and the highest probability in it."""
    claims: int
    said: float
    """Mean probability."""
    was: float
    """Share that was so."""
    interval: Interval
    """Of `was`."""


class Calibration(Frozen):
    """How far the probabilities of one way can be believed."""

    way: str
    claims: int
    true: int
    ece: float
    """Expected calibration error: mean over the bins of |said - was|, weighted by claims; 0 to 1."""
    ece_interval: Interval | None = None
    chance: float
    """The error to be expected of a perfectly calibrated speaker with these probabilities."""
    brier: float
    """Mean squared distance of what was said from what was; 0 to 1, and .25 for always saying one half."""
    brier_interval: Interval | None = None
    bins: tuple[Bin, ...]


def calibration(way: str, outcomes: Sequence[Outcome], draws: Draws) -> Calibration | None:
    """Return the calibration of a way's claims; None if it claimed nothing with a probability."""
    groups = [[claim for outcome in mine for claim in outcome.claims] for mine in by_group(outcomes).values()]
    claims = [claim for mine in groups for claim in mine]
    if not claims:
        return None
    edges = _edges(claims)
    rows = [_row(mine, edges) for mine in groups]
    whole = tuple(sum(column) for column in zip(*rows, strict=True))
    # Groups without a claim are drawn, too: how many claims there are is chance like the rest.
    drawn = [sums for sums in draws.resampled(rows) if sums[-1]]
    speaking = sum(bool(mine) for mine in groups)
    ece = _ece(whole)
    return Calibration(
        way=way,
        claims=len(claims),
        true=sum(claim.true for claim in claims),
        ece=ece,
        ece_interval=_careful(ece, bootstrap_interval([_ece(sums) for sums in drawn], speaking)),
        chance=_chance(claims, edges, draws.coin(way)),
        brier=_brier(whole),
        brier_interval=bootstrap_interval([_brier(sums) for sums in drawn], speaking),
        bins=_bins(groups, edges),
    )


def _edges(claims: Sequence[Claim]) -> tuple[float, ...]:
    """The highest probability of each bin, in order."""
    ordered = sorted(claim.probability for claim in claims)
    count = max(1, min(BINS, len(ordered) // PER_BIN))
    return tuple(
        dict.fromkeys(ordered[-(-len(ordered) * (place + 1) // count) - 1] for place in range(count))
    )


def _place(probability: float, edges: Sequence[float]) -> int:
    return bisect_left(edges, probability)


def _row(claims: Sequence[Claim], edges: Sequence[float]) -> tuple[int, ...]:
    """Per bin the probabilities' sum and how many were so; then the squared distances' sum and the count."""
    said, was = [0] * len(edges), [0] * len(edges)
    squares = 0.0
    for claim in claims:
        place = _place(claim.probability, edges)
        said[place] += round(claim.probability * _MICRO)
        was[place] += claim.true
        squares += (claim.probability - claim.true) ** 2
    return (*said, *was, round(squares * _MICRO), len(claims))


def _ece(sums: Sequence[int]) -> float:
    bins = (len(sums) - 2) // 2
    gaps = sum(abs(sums[place] / _MICRO - sums[bins + place]) for place in range(bins))
    return gaps / sums[-1]


def _brier(sums: Sequence[int]) -> float:
    return sums[-2] / _MICRO / sums[-1]


def _careful(value: float, drawn: Interval | None) -> Interval | None:
    """The error's interval: resampling adds to it what sampling has added already.

    So the lower limit is the drawn upper one reflected at the value (the basic bootstrap), which takes that off;
    the upper one stays as drawn, since reflection would leave no room above an error of nearly 0.
    """
    if drawn is None:
        return None
    return Interval(low=max(0.0, 2 * value - drawn.high), high=max(value, drawn.high))


def _chance(claims: Sequence[Claim], edges: Sequence[float], coin: Random) -> float:
    draw = coin.random
    total = 0.0
    places = [(claim.probability, _place(claim.probability, edges)) for claim in claims]
    for _ in range(_CHANCE_TURNS):
        gaps = [0.0] * len(edges)
        for probability, place in places:
            gaps[place] += probability - (draw() < probability)
        total += sum(map(abs, gaps)) / len(claims)
    return total / _CHANCE_TURNS


def _bins(groups: Sequence[Sequence[Claim]], edges: Sequence[float]) -> tuple[Bin, ...]:
    bins: list[Bin] = []
    for place in range(len(edges)):
        mine = [[claim for claim in some if _place(claim.probability, edges) == place] for some in groups]
        claims = [claim for some in mine for claim in some]
        said = [claim.probability for claim in claims]
        bins.append(
            Bin(
                low=min(said),
                high=max(said),
                claims=len(claims),
                said=sum(said) / len(said),
                was=sum(claim.true for claim in claims) / len(claims),
                interval=share_interval([(sum(c.true for c in some), len(some)) for some in mine]),
            )
        )
    return tuple(bins)
