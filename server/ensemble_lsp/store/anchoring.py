"""Who is trusted most: the anchor, by record, with reluctance to change.

Deterministic. Exploring takes no choice of its own: members answer blind whoever is the anchor, and checks speak of
each answer, so a better member shows without having been the anchor. Whoever holds the place keeps it until
another is better with a probability of `SURE`; the way back asks the same of the other, so that two equals do not
take turns. Before anything is known the place is the first seat's: the table in `models.families` puts the
provider's own anchor there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ensemble_lsp.store.reliability import Reliabilities, Reliability

LEARNED_FROM = 5.0
"""Faded outcomes at an action that a member needs before it may be chosen for its record."""

SURE = 1.28
"""Standard deviations by which the difference of two rates must clear zero: nine in ten."""


@dataclass(frozen=True, slots=True)
class AnchorChoice:
    """Who is the anchor. `outcomes`: faded outcomes of that member that speak of it; 0 when nothing was learned."""

    member: str
    outcomes: float = 0.0


def choose_anchor(
    learned: Reliabilities, candidates: Sequence[str], action: str, language: str, holder: str | None
) -> AnchorChoice:
    """Return the anchor among `candidates` (member ids, the first seat first, at least one)."""
    held = holder is not None and holder in candidates
    current = holder if holder is not None and held else candidates[0]
    rates = {member: learned.reliability(member, action, language) for member in candidates}
    rivals = sorted(
        (
            member
            for member in candidates
            if member != current and learned.known(member, action).evidence >= LEARNED_FROM
        ),
        # The first seat first among equals.
        key=lambda member: (-rates[member].cautious, candidates.index(member)),
    )
    for member in rivals:
        if clearly_better(rates[member], rates[current]):
            current = member
            break
    known = learned.known(current, action).evidence
    chosen = held or current != candidates[0] or known >= LEARNED_FROM
    return AnchorChoice(current, known if chosen else 0.0)


def clearly_better(one: Reliability, other: Reliability) -> bool:
    """Whether one rate is above the other with a probability of about nine in ten."""
    return one.mean - other.mean > SURE * math.sqrt(one.variance + other.variance)
