"""What the runs say: solved counts, paired comparison, calls, tokens and time."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one way of answering did on one case."""

    case: str
    way: str
    """"panel", "first of NAME", "best of k"."""
    accepted: bool
    """It offered a fix as verified: the tests it saw pass."""
    solved: bool
    """What it offered passes all tests."""
    calls: int
    prompt_tokens: int
    output_tokens: int
    seconds: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: sums over the cases, means per case."""

    way: str
    cases: int
    solved: int
    false_accepts: int
    calls: float
    tokens: float
    seconds: float
    interval: tuple[float, float]
    """Wilson's 95% interval of the solved share."""


def rows(outcomes: Iterable[Outcome]) -> tuple[Row, ...]:
    """Summarise each way in the order in which it first appears."""
    by_way: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_way.setdefault(outcome.way, []).append(outcome)
    return tuple(_row(way, mine) for way, mine in by_way.items())


def _row(way: str, mine: Sequence[Outcome]) -> Row:
    count = len(mine)
    solved = sum(outcome.solved for outcome in mine)
    return Row(
        way=way,
        cases=count,
        solved=solved,
        false_accepts=sum(outcome.accepted and not outcome.solved for outcome in mine),
        calls=sum(outcome.calls for outcome in mine) / count,
        tokens=sum(outcome.prompt_tokens + outcome.output_tokens for outcome in mine) / count,
        seconds=sum(outcome.seconds for outcome in mine) / count,
        interval=wilson(solved, count),
    )


def wilson(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Return the interval of a share (Wilson 1927), for counts too small for the normal one."""
    if of == 0:
        return (0.0, 1.0)
    share = hits / of
    centre = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    return (max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))


@dataclass(frozen=True, slots=True)
class Paired:
    """Two ways on the same cases. `p` is McNemar's exact two-sided probability."""

    both: int
    only_first: int
    only_second: int
    neither: int
    p: float


def compare(first: Mapping[str, bool], second: Mapping[str, bool]) -> Paired:
    """Compare solved-or-not on the cases that both ways were run on."""
    both = only_first = only_second = neither = 0
    for case in first.keys() & second.keys():
        match first[case], second[case]:
            case True, True:
                both += 1
            case True, False:
                only_first += 1
            case False, True:
                only_second += 1
            case _:
                neither += 1
    return Paired(both, only_first, only_second, neither, mcnemar(only_first, only_second))


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided probability of so uneven a split of the discordant pairs by chance."""
    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    tail = sum(math.comb(discordant, hits) for hits in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / 2**discordant)


def table(lines: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    head = (
        "| way | solved | share (95%) | false accepts | calls | tokens | seconds |",
        "|---|---|---|---|---|---|---|",
    )
    body = (
        f"| {row.way} | {row.solved} of {row.cases} | {row.solved / row.cases:.2f} "
        f"({row.interval[0]:.2f}–{row.interval[1]:.2f}) | {row.false_accepts} | {row.calls:.1f} "
        f"| {row.tokens:.0f} | {row.seconds:.1f} |"
        for row in lines
    )
    return "\n".join((*head, *body))
