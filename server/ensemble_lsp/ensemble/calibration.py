"""How sure the product is of a finding: a logistic function of what stands behind it, learned on this machine.

The log-odds are a sum of weights, one for each thing that is known of the finding (`features`). Every weight
has a normal prior, so that the function is a calibrated guess before anything was learned, and moves with what
people and checks say afterwards (`ensemble.learning`). While weights are uncertain the probability is
drawn towards one half: `P = σ(μ / √(1 + πs²/8))`, with μ and s² the mean and variance of the log-odds.

Sources of the prior's numbers; docs/review.md argues them:

- `START`, `FAMILIES`: 137 known issues in 50 pull requests, findings of twelve review tools. Those raised by 1, 2,
  3, 4 and 5 or more were on the list of known issues in .09, .23, .32, .54, .77 of the cases. The list is not
  complete: of what five tools agree on, about .95 is taken to be right, so the list has .77 / .95 = .81 of what is.
  Least squares on the log-odds of the figures divided by .81, weighted by p(1 - p), give -3.19 + 1.01 a family.
- `GROUNDED`: findings here quote a line that exists and name a situation in which it goes wrong; remarks of
  those tools need neither. That such a finding is twice as often right (odds) is set, not measured.
- Witnesses and refutations are set, not measured. A challenger that refutes six in ten of the wrong findings and
  one in ten of the right ones makes a survivor .9 / .4 = 2.25 times as likely (+.81).
- The standard deviations say how little the numbers are trusted on other code: chosen by `benchmarks.learning`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Band, Grounds, Refutation

HIGH = 2 / 3
MEDIUM = 1 / 3
"""Bands: high, at least two in three such findings are right; low, at least two in three are wrong."""

MOST_FAMILIES = 5
"""More families than this count as this many: the published table ends there."""

START = "start"
FAMILIES = "families"
SEVERAL = "several families"
TOOL = "tool"
RUN = "run"
TOOL_ALONE = "tool alone"

GROUNDED = math.log(2)


@dataclass(frozen=True, slots=True)
class Weight:
    """What is believed of one weight: mean and standard deviation, in log-odds."""

    mean: float
    sd: float


PRIOR_WEIGHTS: Mapping[str, Weight] = {
    START: Weight(-3.19 + GROUNDED, 1.0),
    FAMILIES: Weight(1.01, 0.35),
    # Where agreement begins may lie elsewhere than on the straight line.
    SEVERAL: Weight(0.0, 0.7),
    TOOL: Weight(3.5, 1.0),
    RUN: Weight(5.0, 1.0),
    TOOL_ALONE: Weight(0.0, 1.0),
    Refutation.SURVIVED.value: Weight(0.81, 0.5),
    Refutation.SURVIVED_SAME_FAMILY.value: Weight(0.4, 0.5),
    Refutation.OBJECTED.value: Weight(-0.4, 0.5),
    Refutation.REFUTED_BY_CITATION.value: Weight(-1.7, 0.7),
    Refutation.REFUTED_BY_EXECUTION.value: Weight(-5.0, 1.0),
}

MEMBER = "member "
CATEGORY = "category "
ACTION = "action "

GROUP_WEIGHTS: Mapping[str, Weight] = {
    MEMBER: Weight(0.0, 0.7),
    CATEGORY: Weight(0.0, 0.4),
    ACTION: Weight(0.0, 0.4),
}
"""Of one member, category or action against the rest: it differs little until its own outcomes say so."""


@dataclass(frozen=True, slots=True)
class Support:
    """What stands behind one finding."""

    grounds: Grounds
    members: Sequence[str] = ()
    """Ids of those who raised it and stand by it."""
    category: str = ""
    action: str = "review"


def features(support: Support) -> dict[str, float]:
    """Return what the log-odds are a weighted sum of, by name of the weight; zeros are left out."""
    grounds = support.grounds
    families = min(grounds.families, MOST_FAMILIES)
    found: dict[str, float] = {START: 1.0}
    if families:
        found[FAMILIES] = float(families)
    else:
        found[TOOL_ALONE] = 1.0
    if families > 1:
        found[SEVERAL] = 1.0
    if grounds.witness is Rank.EXECUTED:
        found[RUN] = 1.0
    elif grounds.witness is Rank.STATIC:
        found[TOOL] = 1.0
    if grounds.refutation is not Refutation.NOT_ATTEMPTED:
        found[grounds.refutation.value] = 1.0
    members = sorted(set(support.members))
    for member in members:
        found[MEMBER + member] = 1.0 / len(members)
    if support.category:
        found[CATEGORY + support.category.casefold()] = 1.0
    found[ACTION + support.action] = 1.0
    return found


def prior_of(name: str) -> Weight:
    """Return what is believed of a weight before anything was learned."""
    known = PRIOR_WEIGHTS.get(name)
    if known is not None:
        return known
    return next(weight for prefix, weight in GROUP_WEIGHTS.items() if name.startswith(prefix))


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is believed of all weights, as of one moment: taken once at the start of a job."""

    names: tuple[str, ...] = ()
    """Weights that something was learned of; all others are as before."""
    means: tuple[float, ...] = ()
    covariance: tuple[tuple[float, ...], ...] = ()
    outcomes: float = 0.0
    """Faded outcomes that it was learned from."""
    index: Mapping[str, int] = field(init=False, repr=False, compare=False, default_factory=dict[str, int])

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {name: number for number, name in enumerate(self.names)})

    def log_odds(self, support: Support) -> tuple[float, float]:
        """Return mean and variance of the log-odds that the finding is right."""
        mean = variance = 0.0
        learned: list[tuple[int, float]] = []
        for name, value in features(support).items():
            number = self.index.get(name)
            if number is None:
                weight = prior_of(name)
                mean += value * weight.mean
                variance += (value * weight.sd) ** 2
            else:
                mean += value * self.means[number]
                learned.append((number, value))
        for row, value in learned:
            entries = self.covariance[row]
            variance += value * sum(entries[column] * other for column, other in learned)
        return mean, max(0.0, variance)

    def confidence(self, support: Support) -> float:
        """Return the estimated probability, 0..1, that the finding is right."""
        mean, variance = self.log_odds(support)
        return sigmoid(mean / math.sqrt(1 + math.pi * variance / 8))


UNLEARNED = Calibration()
"""What holds on a machine without outcomes."""


def calibration_error(claims: Sequence[tuple[float, float]], bins: int = 10) -> float:
    """Return the expected calibration error of (probability said, how far it was so), 0..1; at least one claim.

    Mean over bins of equal width of |said - so|, weighted by claims. A perfect speaker has about .08 in 50 claims.
    """
    sums: dict[int, float] = {}
    for said, so in claims:
        number = min(bins - 1, int(said * bins))
        sums[number] = sums.get(number, 0.0) + said - so
    return sum(abs(total) for total in sums.values()) / len(claims)


def sigmoid(odds: float) -> float:
    """Return the probability of log-odds; never overflows."""
    if odds < 0:
        power = math.exp(max(odds, -700.0))
        return power / (1 + power)
    return 1 / (1 + math.exp(-min(odds, 700.0)))


def band_of(probability: float) -> Band:
    """Return the probability in words."""
    if probability >= HIGH:
        return Band.HIGH
    return Band.MEDIUM if probability >= MEDIUM else Band.LOW
