"""Numbers as the report writes them, the same in Markdown and on the page: plain text, escaped by neither yet."""

from ensemble_lsp.bench.figures.comparisons import Comparison, Ratios, Verdict
from ensemble_lsp.bench.figures.intervals import Interval
from ensemble_lsp.bench.figures.summaries import Measure, Share
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.report.contents import Report

NOTHING = "–"
NO_DIFFERENCE = "no difference shown"
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
    return ", ".join(f"{name} {times(ratio)}" for name, ratio in cost_pairs(found)) or NOTHING


def verdict(comparison: Comparison) -> str:
    """Return what a comparison shows, in words that claim no more."""
    if comparison.verdict is Verdict.NONE:
        return NO_DIFFERENCE
    better = comparison.first if comparison.verdict is Verdict.FIRST else comparison.second
    if comparison.p_holm >= 0.05 and not comparison.leading:
        return f"{better} better, not after Holm"
    return f"{better} better"


def fine_range(interval: Interval) -> str:
    """Return an interval of a figure that is close to 0."""
    return f"{interval.low:.3f}–{interval.high:.3f}"


def value(value: float | None, subject: Subject) -> str:
    """Return one side of a comparison."""
    if value is None:
        return NOTHING
    return percent(value) if subject is Subject.FIX else f"{value:.2f}"


def shortened(name: str, most: int) -> str:
    """Return a name with its middle left out where it has more characters."""
    if len(name) <= most:
        return name
    half = (most - 1) // 2
    return f"{name[: most - 1 - half]}…{name[len(name) - half :]}"


def cost_pairs(found: Ratios) -> tuple[tuple[str, float], ...]:
    """Return the ratios that there are, with their names."""
    pairs = (("calls", found.calls), ("tokens", found.tokens), ("money", found.usd))
    return tuple((name, ratio) for name, ratio in pairs if ratio is not None)
