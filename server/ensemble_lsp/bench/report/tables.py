"""The page's tables."""

from collections.abc import Iterable, Sequence

from ensemble_lsp.bench.figures.comparisons import Comparison, Verdict
from ensemble_lsp.bench.figures.summaries import Cost, FixSummary, Measure, ReviewSummary, Share
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.report import sentences, words
from ensemble_lsp.bench.report.contents import Report
from ensemble_lsp.bench.report.markup import Markup, element, join, text
from ensemble_lsp.bench.ways.catalogue import ONE_EACH, Kind

_COSTS = ("calls", "tokens", "money", "seconds", "per solved")


def summaries(report: Report) -> Markup:
    """Return how each way did."""
    head = (
        ("way", "solved", "false accepts", "right among", *_COSTS)
        if report.head.inputs.subject is Subject.FIX
        else ("way", "F1", "precision", "recall", "alarms per clean", *_COSTS[:-1], "per bug found")
    )
    single = {way.name for way in report.head.ways if way.kind in ONE_EACH | {Kind.STRONG}}
    rows = [
        element(
            "tr",
            _row_head(code(summary.way), f"{summary.failed} failed" if summary.failed else ""),
            *(_fix(summary) if isinstance(summary, FixSummary) else _review(summary)),
            *_costs(summary.cost),
            class_=None if summary.way in single else "mode",
        )
        for summary in (*report.fix, *report.review)
    ]
    return framed("How each way did", head, rows)


def differences(report: Report) -> Markup:
    """Return the paired comparisons."""
    subject = report.head.inputs.subject
    head = (
        "question",
        "first",
        "second",
        "difference",
        "only first",
        "only second",
        "p",
        "p, Holm",
        "cost",
        "verdict",
    )
    return framed(
        "Differences on the same cases", head, [_difference(one, subject) for one in report.comparisons]
    )


def calibrations(report: Report) -> Markup:
    """Return how far probabilities can be believed."""
    rows = [
        element(
            "tr",
            _row_head(code(one.way)),
            _number(f"{one.true} of {one.claims}"),
            _number(f"{one.ece:.3f}", words.fine_range(one.ece_interval) if one.ece_interval else ""),
            _number(f"{one.chance:.3f}"),
            _number(f"{one.brier:.3f}", words.fine_range(one.brier_interval) if one.brier_interval else ""),
        )
        for one in report.calibrations
    ]
    head = ("way", "true claims", "ECE", "ECE of a perfect speaker", "Brier")
    return framed("Calibration of each way", head, rows)


def run(report: Report) -> Markup:
    """Return how the run was made."""
    rows = [
        element("tr", _row_head(text(name)), element("td", code(value) if exact else text(value)))
        for name, value, exact in sentences.run(report)
    ]
    return framed("How it was run", ("what", ""), rows, numbers=False)


def framed(caption: str, head: Sequence[str], rows: Iterable[Markup], *, numbers: bool = True) -> Markup:
    """Return a table that scrolls by itself when it is too wide, by the keyboard as well."""
    cells = [
        element("th", text(name), scope="col", class_="n" if numbers and place else None)
        for place, name in enumerate(head)
    ]
    table = element(
        "table",
        element("caption", text(caption), class_="visually-hidden"),
        element("thead", element("tr", *cells)),
        element("tbody", join(rows)),
    )
    return element("div", table, class_="scroll framed", tabindex="0", role="region", aria_label=caption)


def code(name: str) -> Markup:
    """Return a name as it is written in files and commands."""
    return element("code", text(name))


def _fix(summary: FixSummary) -> tuple[Markup, ...]:
    return (
        _share(summary.solved),
        _number(words.number(summary.false_accepts), f"{summary.weak_wrong} with warning"),
        _share(summary.right_among),
    )


def _review(summary: ReviewSummary) -> tuple[Markup, ...]:
    return (
        _measure(summary.f1),
        _share(summary.precision),
        _share(summary.recall),
        _measure(summary.alarms_per_clean),
    )


def _costs(cost: Cost) -> tuple[Markup, ...]:
    return (
        _number(words.number(cost.calls), f"{words.number(cost.calls_per_case)} a case"),
        _number(
            words.number(cost.tokens_in + cost.tokens_out), f"{words.number(cost.tokens_per_case)} a case"
        ),
        _number(words.money(cost.usd)),
        _number(words.number(cost.seconds_mean), f"median {words.number(cost.seconds_median)}"),
        _number(_tokens(cost.tokens_per_solved), words.money(cost.usd_per_solved)),
    )


def _tokens(count: float | None) -> str:
    return words.NOTHING if count is None else f"{words.number(count)} tokens"


def _difference(one: Comparison, subject: Subject) -> Markup:
    unequal = "unequal" if one.ratios.unequal else ""
    cost = [f"{name} {words.times(ratio)}" for name, ratio in words.cost_pairs(one.ratios)] or [words.NOTHING]
    chosen = f"best of {len(one.among)}" if one.among else ""
    left = f", {one.left_out} left out" if one.left_out else ""
    shown = words.difference(one, subject).partition(" ")
    return element(
        "tr",
        _row_head(text(one.about), f"{one.cases} cases in {one.groups} groups{left}"),
        _cell(code(one.first), words.value(one.first_value, subject)),
        _cell(code(one.second), ", ".join(filter(None, (words.value(one.second_value, subject), chosen)))),
        _number(shown[0], shown[2].strip("()")),
        _number(str(one.only_first)),
        _number(str(one.only_second)),
        _number(words.probability(one.p)),
        _number(words.probability(one.p_holm)),
        element("td", element("span", text(cost[0]), class_=unequal or None), _small(" · ".join(cost[1:]))),
        element("td", text(words.verdict(one)), class_="better" if one.verdict is not Verdict.NONE else None),
    )


def _row_head(content: Markup, below: str = "") -> Markup:
    return element("th", content, _small(below), scope="row")


def _cell(content: Markup, below: str = "") -> Markup:
    return element("td", content, _small(below), class_="n")


def _number(shown: str, below: str = "") -> Markup:
    return _cell(text(shown), below)


def _share(share: Share) -> Markup:
    if not share.of:
        return _number(words.NOTHING)
    return _number(
        words.percent(share.value), f"{share.hits} of {share.of}, {words.percent_range(share.interval)}"
    )


def _measure(measure: Measure) -> Markup:
    if measure.value is None:
        return _number(words.NOTHING)
    return _number(f"{measure.value:.2f}", words.score_range(measure.interval) if measure.interval else "")


def _small(below: str) -> Markup:
    return element("small", text(below)) if below else Markup("")
