"""The report as Markdown: tables that paste into a pull request."""

from collections.abc import Iterable, Sequence

from ensemble_lsp.bench.figures.comparisons import Comparison
from ensemble_lsp.bench.figures.summaries import Cost, FixSummary, ReviewSummary
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.report import sentences, words
from ensemble_lsp.bench.report.contents import Report
from ensemble_lsp.core.markdown import code_span, sanitise_inline

_COSTS = ("calls", "tokens", "money", "seconds: mean, median", "per solved: calls, tokens, money")


def to_markdown(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown; names and notes from models and files are made harmless."""
    parts = [
        f"# {_text(words.title(report))}",
        *_leading(report),
        "\n".join(f"> - {_text(note)}" for note in sentences.cautions(report)),
        "## Each way",
        _fixes(report.fix) if report.head.inputs.subject is Subject.FIX else _reviews(report.review),
        *_roof(report),
        *_differences(report),
        *_calibrations(report),
        "## How it was run",
        _run(report),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _leading(report: Report) -> tuple[str, ...]:
    return tuple(
        f"**{_text(comparison.about)}: {_text(words.verdict(comparison))}.** "
        + _text(sentences.evidence(comparison, report))
        for comparison in report.comparisons
        if comparison.leading
    )


def _fixes(summaries: Sequence[FixSummary]) -> str:
    head = ("way", "solved (95%)", "false accepts", "wrong with warning", "right among", *_COSTS, "failed")
    rows = [
        (
            _code(one.way),
            words.share(one.solved),
            words.number(one.false_accepts),
            words.number(one.weak_wrong),
            words.share(one.right_among),
            *_costs(one.cost),
            words.number(one.failed),
        )
        for one in summaries
    ]
    return _table(head, rows)


def _reviews(summaries: Sequence[ReviewSummary]) -> str:
    head = (
        "way",
        "F1 (95%)",
        "precision",
        "recall",
        "false alarms per clean control",
        "clean with an alarm",
        *_COSTS,
        "failed",
    )
    rows = [
        (
            _code(one.way),
            words.score(one.f1),
            words.share(one.precision),
            words.share(one.recall),
            words.score(one.alarms_per_clean),
            words.share(one.clean_with_alarm),
            *_costs(one.cost),
            words.number(one.failed),
        )
        for one in summaries
    ]
    return _table(head, rows)


def _costs(cost: Cost) -> tuple[str, ...]:
    solved = (
        words.number(cost.calls_per_solved),
        words.number(cost.tokens_per_solved),
        words.money(cost.usd_per_solved),
    )
    return (
        words.number(cost.calls),
        words.number(cost.tokens_in + cost.tokens_out),
        words.money(cost.usd),
        f"{words.number(cost.seconds_mean)}, {words.number(cost.seconds_median)}",
        ", ".join(solved) if cost.calls_per_solved is not None else words.NOTHING,
    )


def _roof(report: Report) -> tuple[str, ...]:
    return () if report.roof is None else (_text(sentences.roof(report.roof)),)


def _differences(report: Report) -> tuple[str, ...]:
    if not report.comparisons:
        return ()
    subject = report.head.inputs.subject
    head = ("question", "first", "second", "difference (95%)", "only first, only second", "p", "p (Holm)")
    rows = [_difference(comparison, subject) for comparison in report.comparisons]
    return (
        "## Differences, on the same cases",
        _table((*head, "first's cost over second's", "verdict"), rows),
        _text(sentences.how_compared(report)),
    )


def _difference(comparison: Comparison, subject: Subject) -> tuple[str, ...]:
    chosen = f", best of {len(comparison.among)}" if comparison.among else ""
    cost = words.ratios(comparison.ratios)
    left = f", {comparison.left_out} left out" if comparison.left_out else ""
    return (
        _text(comparison.about) + f"; {comparison.cases} cases in {comparison.groups} groups{left}",
        f"{_code(comparison.first)} {words.value(comparison.first_value, subject)}",
        f"{_code(comparison.second)} {words.value(comparison.second_value, subject)}{chosen}",
        words.difference(comparison, subject),
        f"{comparison.only_first}, {comparison.only_second}",
        words.probability(comparison.p),
        words.probability(comparison.p_holm),
        f"**not equal:** {cost}" if comparison.ratios.unequal else cost,
        _text(words.verdict(comparison)),
    )


def _calibrations(report: Report) -> tuple[str, ...]:
    if not report.calibrations:
        return ()
    rows = [
        (
            _code(one.way),
            f"{one.true} of {one.claims}",
            f"{one.ece:.3f}" + (f" ({words.fine_range(one.ece_interval)})" if one.ece_interval else ""),
            f"{one.chance:.3f}",
            f"{one.brier:.3f}" + (f" ({words.fine_range(one.brier_interval)})" if one.brier_interval else ""),
        )
        for one in report.calibrations
    ]
    return (
        "## Calibration",
        _table(("way", "true claims", "ECE (95%)", "ECE of a perfect speaker", "Brier (95%)"), rows),
    )


def _run(report: Report) -> str:
    rows = [
        (_text(name), _code(text) if exact else _text(text)) for name, text, exact in sentences.run(report)
    ]
    return _table(("what", ""), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _text(text: str) -> str:
    return sanitise_inline(text).replace("|", "\\|")


def _code(text: str) -> str:
    return code_span(text).replace("|", "\\|")
