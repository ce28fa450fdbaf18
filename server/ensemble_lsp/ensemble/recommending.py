"""What a debate recommends: by rule, evidence first, then families; never by eloquence or headcount."""

from dataclasses import dataclass

from ensemble_lsp.ensemble.positions import Floor, Position


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The position recommended (None: the panel is split) and the rule that decided, in words."""

    position: Position | None
    why: str


def recommend(floor: Floor) -> Recommendation:
    """Decide between the positions held at the end.

    In this order: not broken by a test that was run; not contradicted by a cited line while another is not;
    more families that came to it on their own or by evidence. A tie is a split, and said to be one.
    """
    held = floor.held()
    standing = [position for position in held if not position.broken]
    if not standing:
        return Recommendation(None, "a test that was run speaks against every position")
    if len(standing) == 1 and len(held) > 1:
        return Recommendation(standing[0], "tests that were run speak against the others")
    clean = [position for position in standing if not position.cited_against]
    if len(clean) == 1 and len(standing) > 1:
        return Recommendation(clean[0], "lines of the code speak against the others, none against it")
    field = clean or standing
    ranked = sorted(field, key=lambda position: -len(floor.families(position)))
    best = ranked[0]
    most = len(floor.families(best))
    if most == 0:
        return Recommendation(
            None, "nobody came to a position on their own or by evidence that they hold at the end"
        )
    if len(ranked) == 1:
        return Recommendation(best, _unanimous(most))
    if most == len(floor.families(ranked[1])):
        return Recommendation(
            None, f"evidence does not separate the positions and families are split {_split(floor)}"
        )
    return Recommendation(best, f"no evidence separates the positions; families are {_split(floor)}")


def _unanimous(families: int) -> str:
    if families > 1:
        return f"{families} families hold it and no evidence was brought against it"
    return "it is the only position, held by one family; nothing independent supports it"


def _split(floor: Floor) -> str:
    counts = sorted((len(floor.families(position)) for position in floor.held()), reverse=True)
    return " to ".join(str(count) for count in counts)
