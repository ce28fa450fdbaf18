"""Numbers and sentences, the same in Markdown and on the page: plain text, not yet escaped for either."""

import shlex

from ensemble_lsp.bench.figures.comparisons import Comparison, Ratios, Verdict
from ensemble_lsp.bench.figures.intervals import Interval
from ensemble_lsp.bench.figures.summaries import FixSummary, Measure, ReviewSummary, Roof, Share
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.record import HeadMember
from ensemble_lsp.bench.report.contents import Report

NOTHING = "–"
NO_DIFFERENCE = "no difference shown"
FEW_GROUPS = 20
"""Below so many groups an interval is wide and rests on assumptions; the report says so."""
_MINUS = "\u2212"


def title(report: Report) -> str:
    """Return the report's heading."""
    return f"Benchmark: {report.head.inputs.subject.value}, {report.head.inputs.set}"


def percent(value: float | None) -> str:
    """Return a share in per cent, whole."""
    return NOTHING if value is None else f"{100 * value:.0f}%"


def percent_range(interval: Interval) -> str:
    """Return an interval of a share in per cent."""
    return f"{100 * interval.low:.0f}–{100 * interval.high:.0f}%"


def share(measured: Share) -> str:
    """Return a share as a count, in per cent and with its interval."""
    if not measured.of:
        return NOTHING
    return f"{measured.hits} of {measured.of}, {percent(measured.value)} ({percent_range(measured.interval)})"


def score(measured: Measure) -> str:
    """Return a figure such as F1 with its interval."""
    if measured.value is None:
        return NOTHING
    return f"{measured.value:.2f}" + (f" ({score_range(measured.interval)})" if measured.interval else "")


def score_range(interval: Interval) -> str:
    """Return an interval of a figure such as F1."""
    return f"{interval.low:.2f}–{interval.high:.2f}"


def difference(comparison: Comparison, subject: Subject) -> str:
    """Return the difference with its interval: of shares in points, of F1 as it is."""
    if comparison.difference is None:
        return NOTHING
    text = signed(comparison.difference, subject)
    if comparison.interval is None:
        return text
    low, high = comparison.interval.low, comparison.interval.high
    return f"{text} ({signed(low, subject)} to {signed(high, subject)})"


def signed(value: float, subject: Subject) -> str:
    """Return a difference with its sign: per cent points for shares, two decimals for F1."""
    text = f"{abs(100 * value):.0f}" if subject is Subject.FIX else f"{abs(value):.2f}"
    if not float(text):
        return text
    return ("+" if value > 0 else _MINUS) + text


def probability(p: float) -> str:
    """Return a probability of a test."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.01 else f"{p:.2f}"


def number(value: float | None) -> str:
    """Return a count or a mean with as many digits as help."""
    if value is None:
        return NOTHING
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def money(usd: float | None) -> str:
    """Return an amount of money."""
    if usd is None:
        return NOTHING
    return "$0" if not usd else f"${usd:.4f}" if usd < 0.01 else f"${usd:,.2f}"


def times(ratio: float | None) -> str:
    """Return a ratio of costs."""
    return NOTHING if ratio is None else f"{ratio:.2f}×"


def ratios(found: Ratios) -> str:
    """Return what the first way took over what the second took."""
    parts = [("calls", found.calls), ("tokens", found.tokens), ("money", found.usd)]
    return ", ".join(f"{name} {times(ratio)}" for name, ratio in parts if ratio is not None) or NOTHING


def verdict(comparison: Comparison) -> str:
    """Return what a comparison shows, in words that claim no more."""
    if comparison.verdict is Verdict.NONE:
        return NO_DIFFERENCE
    better = comparison.first if comparison.verdict is Verdict.FIRST else comparison.second
    if comparison.p_holm >= 0.05 and not comparison.leading:
        return f"{better} better, if this were the only question"
    return f"{better} better"


def measured(summary: FixSummary | ReviewSummary) -> str:
    """Return the figure that ways are compared by."""
    return score(summary.f1) if isinstance(summary, ReviewSummary) else share(summary.solved)


def cautions(report: Report) -> tuple[str, ...]:
    """Return what a reader has to know before believing the figures, one sentence each."""
    head = report.head
    notes: list[str] = []
    if head.interrupted:
        notes.append(f"The run was interrupted: {head.interrupted}")
    if report.missing:
        notes.append(
            f"{report.missing:,} of {report.planned:,} outcomes are missing; ways are compared on the cases that "
            "both finished."
        )
    if report.failed:
        lost = ", ".join(
            f"{summary.way} {summary.failed}" for summary in (*report.fix, *report.review) if summary.failed
        )
        notes.append(
            f"{report.failed:,} outcomes failed and are left out, with the other way's outcome "
            f"of the same case: {lost}."
        )
    groups = min((comparison.groups for comparison in report.comparisons), default=FEW_GROUPS)
    if groups < FEW_GROUPS:
        notes.append(
            f"The cases of the smallest comparison come from {groups} functions or problems: too few to rely on."
        )
    if len(head.families) == 1 and len(head.inputs.members) > 1:
        notes.append(
            f"All members are of one family ({head.families[0]}): nothing here says what different families add."
        )
    notes += [
        f"{comparison.about}: not at equal cost ({ratios(comparison.ratios)})."
        for comparison in report.comparisons
        if comparison.leading and comparison.ratios.unequal
    ]
    return (*notes, *head.notes)


def fine_range(interval: Interval) -> str:
    """Return an interval of a figure that is close to 0."""
    return f"{interval.low:.3f}–{interval.high:.3f}"


def value(value: float | None, subject: Subject) -> str:
    """Return one side of a comparison."""
    if value is None:
        return NOTHING
    return percent(value) if subject is Subject.FIX else f"{value:.2f}"


def evidence(comparison: Comparison, report: Report) -> str:
    """Return what a verdict rests on, in two sentences."""
    subject = report.head.inputs.subject
    fix = subject is Subject.FIX
    shown = difference(comparison, subject)
    what = "solved share, points" if fix else "F1"
    tests = (
        f"{comparison.only_first} cases only {comparison.first} solved, {comparison.only_second} only "
        f"{comparison.second}; p = {probability(comparison.p)}"
    )
    return (
        f"{comparison.first} {value(comparison.first_value, subject)}, {comparison.second} "
        f"{value(comparison.second_value, subject)}; difference ({what}) {shown}, on {comparison.cases} cases. "
        f"{tests}. Cost of the first over the second: {ratios(comparison.ratios)}."
    )


def roof(found: Roof) -> str:
    """Return how far a selection could get."""
    return (
        f"Missed by every member's first answer (β): {share(found.missed)}. No selection among first answers "
        f"can solve more than {share(found.solvable)}."
    )


def how_compared(report: Report) -> str:
    """Return how the differences were made, for the note under their table."""
    test = (
        "the larger of McNemar's exact test and of a test that swaps whole groups"
        if report.head.inputs.subject is Subject.FIX
        else "of a test that swaps the two ways' outcomes in whole groups"
    )
    return (
        f"Intervals: cluster bootstrap, {report.resamples:,} resamples of groups, expanded percentile. p: {test}. "
        "The best of several is chosen again in each resample. A way is called better only if the interval is clear "
        f"of zero and p is below 0.05; Holm's p is corrected for all {len(report.comparisons)} comparisons."
    )


def run(report: Report) -> tuple[tuple[str, str, bool], ...]:
    """Return how the run was made: what, in words, and whether it is to be shown exactly as it is."""
    head, inputs = report.head, report.head.inputs
    lines = [("command", shlex.join(head.command), True)]
    lines += [
        (f"member {member.id}", f"{member.model}, family {member.family}{_price(member)}", False)
        for member in (*inputs.members, *([inputs.strong] if inputs.strong else []))
    ]
    lines += [(f"way {way.name}", way.definition, False) for way in head.ways]
    lines += [(f"left out: {left.way}", left.why, False) for left in head.left_out]
    lines += [
        (
            "cases",
            f"{len(inputs.cases)} of {inputs.set}, checked with {inputs.check}, SHA-256 {inputs.digest}",
            False,
        ),
        ("k, rounds, seed", f"{inputs.k}, {inputs.rounds}, {inputs.seed}", False),
        ("version", " ".join(filter(None, (head.version, head.commit))), False),
        ("begun", head.started, False),
        ("machine", ", ".join(filter(None, (head.python, head.platform))), False),
    ]
    return tuple(line for line in lines if line[1])


def _price(member: HeadMember) -> str:
    if member.local:
        return ", local"
    if member.price_in is None or member.price_out is None:
        return ", price unknown"
    return f", ${member.price_in:g} in and ${member.price_out:g} out per million tokens"
