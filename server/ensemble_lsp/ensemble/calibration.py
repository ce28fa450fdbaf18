"""How sure the product is of a finding: a logistic function of what stands behind it.

Sources of the numbers:

- `INTERCEPT`, `PER_FAMILY`: least squares on the log-odds of the precision that 137 known issues in 50 pull
  requests gave for findings raised by 1, 2, 3, 4 and 5 or more independent reviewers: .09, .23, .32, .54, .77.
  The line gives .09, .19, .36, .56, .75.
- `STATIC_WITNESS`, `EXECUTED_WITNESS`: set, not measured. Evidence outranks agreement, so one family with a
  static tool behind it comes out just above five agreeing families, and an execution above the tool.
- `SURVIVED`: a failed refutation by another family counts as one more independent witness; one by the same
  family, half of that, since its mistakes correlate. `OBJECTED`: an objection without evidence takes half away.
- `REFUTED_*`: mirror images of what the same evidence would count in favour.
- A member's measured reliability r shifts the log-odds by log(r / (1 - r)): nothing at .5, what an unknown one has.

They are starting values; a benchmark with labelled findings can fit them anew.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Band

INTERCEPT = -3.10
PER_FAMILY = 0.84
STATIC_WITNESS = 3.50
EXECUTED_WITNESS = 5.00
SURVIVED_OTHER_FAMILY = 0.84
SURVIVED_SAME_FAMILY = 0.42
OBJECTED = -0.42
REFUTED_BY_CITATION = -1.68
REFUTED_BY_EXECUTION = -5.00

HIGH = 0.60
MEDIUM = 0.30
"""Bands: high is where more are right than wrong with room to spare, low is where two in three are wrong."""

_RELIABILITY_FLOOR = 0.1
"""A measured reliability is taken as at least this and at most 0.9: a handful of outcomes proves no more."""


class Refutation(StrEnum):
    """How the attempt to refute a point ended."""

    NOT_ATTEMPTED = "notAttempted"
    SURVIVED = "survived"
    SURVIVED_SAME_FAMILY = "survivedSameFamily"
    OBJECTED = "objected"
    """Contradicted, but without evidence that could be verified: does not count as refuted."""
    REFUTED_BY_CITATION = "refutedByCitation"
    REFUTED_BY_EXECUTION = "refutedByExecution"

    @property
    def refuted(self) -> bool:
        """Whether the refutation brought evidence."""
        return self in {Refutation.REFUTED_BY_CITATION, Refutation.REFUTED_BY_EXECUTION}


_REFUTATION_WEIGHT = {
    Refutation.NOT_ATTEMPTED: 0.0,
    Refutation.SURVIVED: SURVIVED_OTHER_FAMILY,
    Refutation.SURVIVED_SAME_FAMILY: SURVIVED_SAME_FAMILY,
    Refutation.OBJECTED: OBJECTED,
    Refutation.REFUTED_BY_CITATION: REFUTED_BY_CITATION,
    Refutation.REFUTED_BY_EXECUTION: REFUTED_BY_EXECUTION,
}


@dataclass(frozen=True, slots=True)
class Support:
    """What stands behind one finding. `reliabilities`: 0..1, one per member who raised it, in this category."""

    families: int
    witness: Rank | None
    """The strongest witness behind it: `STATIC`, `EXECUTED`, or None."""
    refutation: Refutation
    reliabilities: Sequence[float] = ()


def confidence(support: Support) -> float:
    """Return the estimated probability, 0..1, that the finding is right."""
    odds = INTERCEPT + PER_FAMILY * min(support.families, 5)
    if support.witness is Rank.EXECUTED:
        odds += EXECUTED_WITNESS
    elif support.witness is Rank.STATIC:
        odds += STATIC_WITNESS
    odds += _REFUTATION_WEIGHT[support.refutation]
    if support.reliabilities:
        bounded = [
            min(1 - _RELIABILITY_FLOOR, max(_RELIABILITY_FLOOR, value)) for value in support.reliabilities
        ]
        odds += sum(math.log(value / (1 - value)) for value in bounded) / len(bounded)
    return 1 / (1 + math.exp(-odds))


def band_of(probability: float) -> Band:
    """Return the probability in words."""
    if probability >= HIGH:
        return Band.HIGH
    return Band.MEDIUM if probability >= MEDIUM else Band.LOW
