"""Runs of a benchmark made up from seeded coins: members of known skill, ways of known cost."""

from random import Random

from ensemble_lsp.bench.outcomes import Claim, Outcome, Subject
from ensemble_lsp.bench.record import HeadMember, RunHead, RunInputs
from ensemble_lsp.bench.ways.catalogue import Kind, LeftOut, Way

MEMBERS = (
    HeadMember(id="amber", model="amber-7b", family="amber", price_in=0.2, price_out=0.8),
    HeadMember(id="birch", model="birch-mini", family="birch", price_in=0.25, price_out=2.0),
    HeadMember(id="cedar", model="cedar-coder", family="cedar", local=True),
)
_ALL = {
    Subject.FIX: (
        Kind.SINGLE,
        Kind.SAMPLES,
        Kind.VOTING,
        Kind.QUICK,
        Kind.PANEL,
        Kind.PANEL_NO_CRITIQUE,
        Kind.DEBATE,
    ),
    Subject.REVIEW: (Kind.SINGLE, Kind.UNION, Kind.PLURALITY, Kind.QUICK, Kind.PANEL, Kind.DEBATE),
}
_SKILL = {
    Kind.SINGLE: 0.32,
    Kind.SAMPLES: 0.5,
    Kind.UNION: 0.55,
    Kind.PLURALITY: 0.4,
    Kind.VOTING: 0.44,
    Kind.QUICK: 0.5,
    Kind.PANEL: 0.68,
    Kind.PANEL_NO_CRITIQUE: 0.6,
    Kind.DEBATE: 0.7,
}
_CALLS = {Kind.SINGLE: 1, Kind.VOTING: 7, Kind.QUICK: 3, Kind.DEBATE: 14}
_EACH = (Kind.SINGLE, Kind.SAMPLES, Kind.UNION, Kind.PLURALITY)


def ways(subject: Subject, kinds: tuple[Kind, ...] = ()) -> tuple[Way, ...]:
    """Return the ways of some kinds, for each member where the kind is for one."""
    return tuple(
        way
        for kind in kinds or _ALL[subject]
        for way in (
            [Way(name=f"{kind.value}:{each.id}", kind=kind, member=each.id) for each in MEMBERS]
            if kind in _EACH
            else [Way(name=kind.value, kind=kind)]
        )
    )


def head(subject: Subject, cases: tuple[str, ...], kinds: tuple[Kind, ...] = ()) -> RunHead:
    """Return the head of a run over these cases."""
    return RunHead(
        inputs=RunInputs(
            subject=subject,
            set="mutants",
            digest="3f" * 32,
            seed=7,
            cases=cases,
            members=MEMBERS,
            anchor="amber",
            k=6,
        ),
        ways=ways(subject, kinds),
        left_out=(LeftOut(way="strong", why="no strong member is configured"),),
        version="0.1.0",
        commit="1a2b3c4",
        started="2026-11-30T18:00:00Z",
        command=("ensemble-lsp", "bench", subject.value, "--mutants", "40", "--seed", "7"),
        python="3.11.7",
        platform="Linux-x86_64",
    )


def run(
    subject: Subject = Subject.FIX, cases: int = 40, seed: int = 1, kinds: tuple[Kind, ...] = ()
) -> tuple[RunHead, tuple[Outcome, ...]]:
    """Return a whole run: two cases a group, every fourth a clean control in a review."""
    random = Random(seed)  # noqa: S311  # made-up outcomes, not secrets
    names = tuple(f"shop/{_FUNCTIONS[place // 2 % len(_FUNCTIONS)]}-{place}" for place in range(cases))
    known = head(subject, names, kinds)
    outcomes: list[Outcome] = []
    for place, name in enumerate(names):
        hardness = random.gauss(0, 0.25)
        clean = subject is Subject.REVIEW and place % 4 == 3
        outcomes += [
            _outcome(
                random,
                subject,
                way,
                name,
                f"group {place // 2}",
                clean=clean,
                skill=_SKILL[way.kind] + hardness,
            )
            for way in known.ways
        ]
    return known, tuple(outcomes)


def _outcome(
    random: Random, subject: Subject, way: Way, case: str, group: str, *, clean: bool, skill: float
) -> Outcome:
    solved = not clean and random.random() < skill
    wrong = not solved and random.random() < 0.12
    alarms = random.choice((0, 0, 0, 1, 2)) if subject is Subject.REVIEW else 0
    calls = _CALLS.get(way.kind, 6)
    reviewed = tuple(
        Claim(probability=round(min(0.97, max(0.05, random.gauss(0.62 if true else 0.4, 0.2))), 3), true=true)
        for true in [True] * solved + [False] * alarms
    )
    fixed = (Claim(probability=round(random.uniform(0.5, 0.95), 3), true=solved),) if solved or wrong else ()
    tokens = calls * random.randint(700, 1400)
    return Outcome(
        case=case,
        group=group,
        way=way.name,
        clean=clean,
        solved=solved,
        accepted=solved or wrong or alarms > 0,
        weak=wrong and random.random() < 0.6,
        right_among=solved or random.random() < 0.1,
        false_alarms=alarms,
        claims=fixed if subject is Subject.FIX else reviewed,
        calls=calls,
        tokens_in=tokens,
        tokens_out=tokens // 4,
        usd=0.0 if way.member == "cedar" else tokens * 6e-7,
        seconds=round(random.uniform(2, 9) * calls / 3, 2),
    )


_FUNCTIONS = (
    "total_price",
    "apply_discount",
    "parse_order",
    "stock_left",
    "ship_date",
    "merge_baskets",
    "tax_of",
)
