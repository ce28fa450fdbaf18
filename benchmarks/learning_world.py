"""A made-up world for `benchmarks.learning`: members of known skill, families that share mistakes, a person.

Real defects and tempting places that are none; who raises which is drawn per member, with a part of the draw
shared by the family. What is admitted, and how sure the product is of it, is decided by the product's own code.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ensemble_lsp.core.evidence import Rank, Severity
from ensemble_lsp.core.findings import Band, Finding, Grounds, Refutation
from ensemble_lsp.ensemble.admission import Case, needs_challenge, rule
from ensemble_lsp.ensemble.calibration import Support, sigmoid

SHARED = 1.2
"""Standard deviation, in log-odds, of what the members of a family have in common about one place."""

EQUAL = 0.2
"""Log-odds by which two members may differ and be as good as each other: at most five in a hundred."""

CATEGORIES = ("bug", "security", "performance")


@dataclass(frozen=True, slots=True)
class Skilled:
    """One member: log-odds of raising a real defect and of raising a place that is none, and of passing a check."""

    id: str
    family: str
    finds: float
    imagines: float
    passes: float


@dataclass(frozen=True, slots=True)
class World:
    """One panel at work on one kind of code. Rates are probabilities, counts are per review."""

    members: tuple[Skilled, ...]
    defects: int
    decoys: int
    refutes_wrong: float
    refutes_right: float
    tool_backs_right: float
    tool_backs_wrong: float
    test_shows_right: float

    @property
    def best_at_fixing(self) -> frozenset[str]:
        """The ids of the members whose changes pass most often, `EQUAL` ones among them."""
        most = max(member.passes for member in self.members)
        return frozenset(member.id for member in self.members if member.passes >= most - EQUAL)


@dataclass(frozen=True, slots=True)
class Judged:
    """An admitted finding and whether it is right."""

    grounds: Grounds
    members: tuple[str, ...]
    category: str
    right: bool

    @property
    def support(self) -> Support:
        """What its confidence is computed from."""
        return Support(self.grounds, self.members, self.category)

    def finding(self, ident: str, confidence: float, band: Band) -> Finding:
        """Return it as the product would report it."""
        return Finding(
            id=ident,
            path="code.py",
            line=0,
            end_line=0,
            quote="",
            severity=Severity.WARNING,
            category=self.category,
            title="",
            detail="",
            confidence=confidence,
            band=band,
            members=self.members,
            families=(),
            grounds=self.grounds,
        )


def make_world(randomness: random.Random, *, richness: float = 0.0) -> World:
    """Draw a world; `richness` is added to the log-odds of finding, and taken off those of imagining things."""
    draw = randomness.uniform
    members = [
        Skilled(
            f"m{number}", family, draw(-0.8, 0.8) + richness, draw(-3.0, -1.4) - richness, draw(-0.6, 0.2)
        )
        for number, family in enumerate(("amber", "birch", "cedar", "amber"))
    ]
    # One is clearly the best at fixing, and not the one that sits first.
    best = randomness.randrange(1, len(members))
    members[best] = replace(members[best], passes=0.9)
    return World(
        tuple(members),
        defects=2,
        decoys=randomness.randint(3, 7),
        refutes_wrong=draw(0.3, 0.8),
        refutes_right=draw(0.03, 0.2),
        tool_backs_right=draw(0.05, 0.25),
        tool_backs_wrong=draw(0.0, 0.04),
        test_shows_right=draw(0.03, 0.15),
    )


def worse(world: World) -> World:
    """Return the world after the best at fixing was replaced behind its name: it imagines much and passes little."""
    best = max(world.members, key=lambda member: member.passes).id
    return replace(
        world,
        members=tuple(
            replace(member, finds=-1.0, imagines=member.imagines + 1.5, passes=-1.2)
            if member.id == best
            else member
            for member in world.members
        ),
    )


def review(world: World, randomness: random.Random) -> Iterator[Judged]:
    """Draw one review: what is admitted of it."""
    for right in [True] * world.defects + [False] * world.decoys:
        shared = {member.family: randomness.gauss(0.0, SHARED) for member in world.members}
        ease = randomness.gauss(0.0, 0.7)
        raising = [
            member
            for member in world.members
            if randomness.random()
            < sigmoid((member.finds if right else member.imagines) + shared[member.family] + ease)
        ]
        if raising:
            judged = _ruled(world, raising, right=right, randomness=randomness)
            if judged is not None:
                yield judged


def passing(world: World, randomness: random.Random) -> dict[str, bool]:
    """Draw one fix: which members' changes pass the check."""
    ease = randomness.gauss(0.0, 1.0)
    return {member.id: randomness.random() < sigmoid(member.passes + ease) for member in world.members}


def _ruled(world: World, raising: list[Skilled], *, right: bool, randomness: random.Random) -> Judged | None:
    families = {member.family for member in raising}
    witness = None
    if right and randomness.random() < world.test_shows_right:
        witness = Rank.EXECUTED
    elif randomness.random() < (world.tool_backs_right if right else world.tool_backs_wrong):
        witness = Rank.STATIC
    case = Case(
        families=len(families),
        by_anchor=any(member.id == world.members[0].id for member in raising),
        critical=randomness.random() < 0.15,
        witness=witness,
    )
    if needs_challenge(case):
        others = {member.family for member in world.members} - families
        case = replace(
            case, refutation=_challenged(world, right=right, other=bool(others), randomness=randomness)
        )
    if not rule(case).admitted:
        return None
    grounds = Grounds(families=case.families, witness=case.witness, refutation=case.refutation)
    category = randomness.choice(CATEGORIES)
    return Judged(grounds, tuple(sorted(member.id for member in raising)), category, right)


def _challenged(world: World, *, right: bool, other: bool, randomness: random.Random) -> Refutation:
    survived = Refutation.SURVIVED if other else Refutation.SURVIVED_SAME_FAMILY
    if randomness.random() >= (world.refutes_right if right else world.refutes_wrong):
        return survived
    kinds = (Refutation.OBJECTED, Refutation.REFUTED_BY_CITATION, Refutation.REFUTED_BY_EXECUTION)
    # A test that was run and refutes what is right is rare.
    return randomness.choices(kinds, weights=(3, 6, 0.2) if right else (3, 5, 2))[0]
