"""What an explanation may state, what stays contested, and what was refuted. Pure decisions."""

from dataclasses import dataclass
from enum import StrEnum

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Refutation
from ensemble_lsp.ensemble.challenging import combined
from ensemble_lsp.ensemble.claims import Topic, Version


class Standing(StrEnum):
    """Where a claim stands after everything that was asked and run."""

    AGREED = "agreed"
    """Two or more made it, and nothing refuted it."""
    TESTED = "tested"
    """A test that was run shows it."""
    SURVIVED = "survived"
    """One made it, and an attempt to refute it failed."""
    SINGLE = "single"
    """One made it, and nobody was asked."""
    CONTESTED = "contested"
    REFUTED = "refuted"

    @property
    def stated(self) -> bool:
        """Whether the explanation says it in its own voice."""
        return self in {Standing.AGREED, Standing.TESTED, Standing.SURVIVED}


@dataclass(frozen=True, slots=True)
class Settled:
    """One version and where it stands."""

    version: Version
    standing: Standing


def settle(topic: Topic) -> list[Settled]:
    """Decide a topic; evidence is ranked executed > agreement > a cited line > an objection."""
    alone = [Settled(version, _alone(version)) for version in topic.versions]
    if not topic.contested:
        return alone
    tested = [item for item in alone if item.standing is Standing.TESTED]
    if len(tested) == 1:
        return [
            item if item.standing is Standing.TESTED else Settled(item.version, Standing.REFUTED)
            for item in alone
        ]
    alive = [item for item in alone if item.standing is not Standing.REFUTED]
    if len(alive) == 1 and len(alone) > 1:
        # The others were refuted with evidence; what is left is no longer contradicted.
        return alone
    return [
        item if item.standing is Standing.REFUTED else Settled(item.version, Standing.CONTESTED)
        for item in alone
    ]


def _alone(version: Version) -> Standing:
    """Decide a version as if nothing contradicted it."""
    refutation = combined(version.challenges)
    tested = any(item.rank is Rank.EXECUTED for item in version.evidence)
    if not version.members:
        return Standing.REFUTED
    if refutation is Refutation.REFUTED_BY_EXECUTION:
        return Standing.CONTESTED if tested else Standing.REFUTED
    if tested:
        return Standing.TESTED
    if refutation is Refutation.REFUTED_BY_CITATION:
        return Standing.CONTESTED if version.voices > 1 else Standing.REFUTED
    if refutation is Refutation.OBJECTED:
        return Standing.AGREED if version.voices > 1 else Standing.CONTESTED
    if version.voices > 1:
        return Standing.AGREED
    return Standing.SINGLE if refutation is Refutation.NOT_ATTEMPTED else Standing.SURVIVED
