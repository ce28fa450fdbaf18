"""Tables of the record: shares with Wilson's intervals, and paired comparisons with McNemar's exact test."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.actions_eval_locate import OCHIAI, Located
from benchmarks.actions_eval_record import PANEL, E, Entry
from benchmarks.actions_eval_tests import Written
from ensemble_lsp.bench.figures.intervals import share_interval
from ensemble_lsp.bench.figures.significance import mcnemar

Ways = Mapping[str, Mapping[str, E]]


def share(groups: Sequence[tuple[int, int]]) -> str:
    """Return a share with its 95% interval, in per cent, from (hits, trials) of each program."""
    hits, of = sum(hits for hits, _ in groups), sum(trials for _, trials in groups)
    if not of:
        return "–"
    interval = share_interval(groups)
    return f"{hits} of {of}, {hits / of:.0%} ({100 * interval.low:.0f}–{100 * interval.high:.0f}%)"


def tables_of_locating(ways: Ways[Located]) -> str:
    """Return the tables of `locate`, in Markdown."""
    rows = [
        [
            way,
            share([(item.within(1), 1) for item in of.values()]),
            share([(item.within(5), 1) for item in of.values()]),
            _mean(of.values(), lambda item: len(item.lines), 1),
            *_cost(list(of.values())),
        ]
        for way, of in ways.items()
    ]
    lines = table(("way", "top-1 (95%)", "top-5 (95%)", "lines named", "calls", "tokens", "seconds"), rows)
    chances = [item.chance for item in ways.get(OCHIAI, {}).values() if item.chance is not None]
    if chances:
        first, five = (sum(column) / len(chances) for column in zip(*chances, strict=True))
        lines += (
            "\n\nOver all orders of equal scores, coverage alone has a buggy line in the first place in "
            f"{first:.0%}, among the first five in {five:.0%}."
        )
    others = [way for way in ways if way != PANEL]
    compared = [
        _paired(f"top-{most}", ways, other, lambda item, most=most: item.within(most))
        for most in (1, 5)
        for other in others
    ]
    return (
        lines + "\n\n" + table(("panel against", "", "cases", "only panel", "only the other", "p"), compared)
    )


def tables_of_writing(ways: Ways[Written]) -> str:
    """Return the tables of `test`, in Markdown."""
    rows = [
        [
            way,
            *(
                str(sum(values))
                for values in zip(*((item.generated, item.shown) for item in of.values()), strict=True)
            ),
            share([(item.passed, item.shown) for item in of.values()]),
            share([(item.killed, item.mutants) for item in of.values()]),
            str(sum(item.alarms for item in of.values())),
            *_cost(list(of.values())),
        ]
        for way, of in ways.items()
        if of
    ]
    head = ("way", "written", "shown", "of these run and pass (95%)", "mutants killed (95%)", "alarms")
    lines = table((*head, "calls", "tokens", "seconds"), rows)
    compared: list[list[str]] = []
    for other in ways:
        if other != PANEL:
            for what, more in _MORE.items():
                compared.append(_more(what, ways, other, more))
    return (
        lines + "\n\n" + table(("panel against", "", "cases", "panel more", "the other more", "p"), compared)
    )


_MORE: Mapping[str, Callable[[Written], float]] = {
    "mutants killed": lambda item: item.killed,
    "share of tests shown that pass": lambda item: item.passed / item.shown if item.shown else 0.0,
}


def _more(what: str, ways: Ways[E], other: str, value: Callable[[E], float]) -> list[str]:
    """Compare by the sign of each program's difference, which is McNemar's test of "more" against "less"."""
    first, second = ways.get(PANEL, {}), ways[other]
    common = [case for case in first if case in second]
    more = sum(value(first[case]) > value(second[case]) for case in common)
    less = sum(value(first[case]) < value(second[case]) for case in common)
    return [other, what, str(len(common)), str(more), str(less), _p(mcnemar(more, less))]


def _p(probability: float) -> str:
    return "< .001" if probability < 0.001 else f"{probability:.3f}"


def _paired(what: str, ways: Ways[E], other: str, right: Callable[[E], bool]) -> list[str]:
    first, second = ways.get(PANEL, {}), ways[other]
    common = [case for case in first if case in second]
    only_first = sum(right(first[case]) and not right(second[case]) for case in common)
    only_second = sum(right(second[case]) and not right(first[case]) for case in common)
    return [
        other,
        what,
        str(len(common)),
        str(only_first),
        str(only_second),
        _p(mcnemar(only_first, only_second)),
    ]


def _cost(entries: Sequence[Entry]) -> list[str]:
    return [
        _mean(entries, lambda item: item.calls, 1),
        _mean(entries, lambda item: item.tokens, 0),
        _mean(entries, lambda item: item.seconds, 0),
    ]


def _mean(entries: Iterable[E], of: Callable[[E], float], digits: int) -> str:
    values = [of(item) for item in entries]
    return f"{sum(values) / len(values):,.{digits}f}" if values else "–"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
