"""The page's pictures, as inline SVG: each with a title and a description, and colours left to the style sheet."""

import math
from collections.abc import Callable, Iterator, Sequence

from ensemble_lsp.bench.figures.calibration import Calibration
from ensemble_lsp.bench.figures.comparisons import Comparison, Verdict
from ensemble_lsp.bench.figures.summaries import main_share
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.report import words
from ensemble_lsp.bench.report.contents import Report
from ensemble_lsp.bench.report.labels import Box, Point, place_labels, set_apart
from ensemble_lsp.bench.report.markup import Markup, element, join, text
from ensemble_lsp.bench.ways.catalogue import ONE_EACH, Kind

_WIDTH = 1000

Scale = Callable[[float], float]
"""From a value to a place in the picture."""


def scatter(report: Report) -> Markup | None:
    """Return what each way reaches against the tokens it takes; None where no way has both."""
    kinds = {way.name: way.kind for way in report.head.ways}
    known = [
        (summary.way, summary.cost.tokens_per_case, measure.value, measure.interval)
        for summary in (*report.fix, *report.review)
        if (measure := main_share(summary)).value is not None and summary.cost.tokens_per_case > 0
    ]
    if not known:
        return None
    height, left, right, top, bottom = 430, 64, 976, 18, 376
    low, high = (
        math.log10(min(row[1] for row in known)) - 0.12,
        math.log10(max(row[1] for row in known)) + 0.12,
    )
    ceiling = min(1.0, max(row[3].high if row[3] else row[2] or 0 for row in known) + 0.05)

    def along(tokens: float) -> float:
        return left + (math.log10(tokens) - low) / (high - low) * (right - left)

    def up(value: float) -> float:
        return bottom - value / ceiling * (bottom - top)

    shown = set_apart([along(row[1]) for row in known])
    points = [
        Point(
            x,
            up(value or 0.0),
            up(span.high) if span else up(value or 0.0),
            up(span.low) if span else up(value or 0.0),
        )
        for x, (_, _, value, span) in zip(shown, known, strict=True)
    ]
    names = [words.shortened(way, 34) for way, *_ in known]
    boxes = place_labels(points, names, Box(left, top - 8, right + 20, bottom - 4))
    parts = [*_levels(up, ceiling, left, right, report), *_powers(along, low, high, top, bottom)]
    for point, name, box, (way, *_) in zip(points, names, boxes, known, strict=True):
        single = kinds.get(way, Kind.PANEL) in ONE_EACH | {Kind.STRONG}
        parts.append(
            element(
                "g",
                element("line", x1=point.x, x2=point.x, y1=point.high, y2=point.low, class_="bar"),
                _dot(point.x, point.y, square=single),
                class_="single" if single else "mode",
            )
        )
        parts += _leader(point, box)
        parts.append(
            element("text", text(name), x=box.left, y=box.top + 12, class_="soft" if single else "strong")
        )
    parts.append(element("text", text("tokens per case"), x=right, y=height - 6, class_="soft end"))
    what = "solved share" if report.head.inputs.subject is Subject.FIX else "F1"
    rows = "; ".join(
        f"{way}: {words.number(cost)} tokens, {words.value(value, report.head.inputs.subject)}"
        for way, cost, value, _ in known
    )
    return _picture(f"Cost against {what}", f"Tokens per case and {what} of each way. {rows}.", height, parts)


def forest(report: Report) -> Markup | None:
    """Return the paired differences with their intervals, one below the other; None without one."""
    rows = [one for one in report.comparisons if one.difference is not None and one.interval is not None]
    if not rows:
        return None
    subject = report.head.inputs.subject
    left, right, pitch, top = 400, 796, 44, 34
    ends = [end for one in rows if (span := one.interval) for end in (span.low, span.high)]
    lowest, highest = min(0.0, *ends), max(0.0, *ends)
    step = next(step for step in (0.02, 0.05, 0.1, 0.2, 0.5) if highest - lowest <= 7 * step or step == 0.5)
    below, above = min(-1, math.floor(lowest / step)), max(1, math.ceil(highest / step))
    bottom = top + pitch * len(rows)

    def across(value: float) -> float:
        return left + (value / step - below) / (above - below) * (right - left)

    parts: list[Markup] = []
    for count in range(below, above + 1):
        x = across(count * step)
        parts.append(element("line", x1=x, x2=x, y1=top, y2=bottom, class_="zero" if not count else "grid"))
        label = words.signed(count * step, subject)
        parts.append(element("text", text(label), x=x, y=bottom + 18, class_="soft mid"))
    parts += [
        element("text", text("← second better"), x=left, y=16, class_="soft"),
        element("text", text("first better →"), x=right, y=16, class_="soft end"),
    ]
    for place, one in enumerate(rows):
        parts += _forest_row(one, subject, top + pitch * place + pitch / 2, across)
    said = "; ".join(f"{one.about}: {words.difference(one, subject)}, {words.verdict(one)}" for one in rows)
    unit = "percentage points of the solved share" if subject is Subject.FIX else "F1"
    return _picture("Paired differences", f"In {unit}. {said}.", bottom + 28, parts)


def _forest_row(one: Comparison, subject: Subject, y: float, across: Scale) -> Iterator[Markup]:
    span = one.interval
    if span is None or one.difference is None:
        return
    shown = one.verdict is not Verdict.NONE
    chosen = f", best of {len(one.among)}" if one.among else ""
    pair = f"{words.shortened(one.first, 24)} − {words.shortened(one.second, 30)}{chosen}"
    yield element(
        "text", text(words.shortened(one.about, 58)), x=0, y=y - 3, class_="strong" if one.leading else None
    )
    yield element("text", text(pair), x=0, y=y + 13, class_="soft")
    yield element(
        "g",
        element("line", x1=across(span.low), x2=across(span.high), y1=y, y2=y, class_="bar"),
        _dot(across(one.difference), y, square=shown),
        class_="clear" if shown else "open",
    )
    yield element("text", text(words.difference(one, subject)), x=824, y=y - 3)
    yield element(
        "text",
        text(words.NO_DIFFERENCE if not shown else words.shortened(words.verdict(one), 30)),
        x=824,
        y=y + 13,
        class_="soft",
    )


def reliability(one: Calibration) -> Markup:
    """Return a way's reliability diagram: what was said against what was so."""
    side, left, top = 190, 30, 10
    size = left + side + 16

    def along(value: float) -> float:
        return left + value * side

    def up(value: float) -> float:
        return top + (1 - value) * side

    parts: list[Markup] = []
    for level in (0.0, 0.5, 1.0):
        parts += [
            element("line", x1=left, x2=left + side, y1=up(level), y2=up(level), class_="grid"),
            element("line", x1=along(level), x2=along(level), y1=top, y2=top + side, class_="grid"),
            element(
                "text", text(words.percent(level).rstrip("%")), x=left - 6, y=up(level) + 4, class_="soft end"
            ),
            element(
                "text",
                text(words.percent(level).rstrip("%")),
                x=along(level),
                y=top + side + 16,
                class_="soft mid",
            ),
        ]
    parts.append(element("line", x1=along(0), y1=up(0), x2=along(1), y2=up(1), class_="zero"))
    most = max(point.claims for point in one.bins)
    for point in one.bins:
        x = along(point.said)
        span = point.interval
        radius = 2.5 + 3.5 * math.sqrt(point.claims / most)
        parts.append(
            element(
                "g",
                element("line", x1=x, x2=x, y1=up(span.high), y2=up(span.low), class_="bar", opacity=0.55),
                element("circle", cx=x, cy=up(point.was), r=radius),
                class_="mode",
            )
        )
    said = "; ".join(
        f"said {words.percent(point.said)}, was {words.percent(point.was)} of {point.claims}"
        for point in one.bins
    )
    return _picture(f"Reliability of {one.way}", f"{said}.", top + side + 24, parts, size)


def _levels(up: Scale, ceiling: float, left: float, right: float, report: Report) -> Iterator[Markup]:
    subject = report.head.inputs.subject
    step = 0.2 if ceiling > 0.5 else 0.1
    for count in range(int(ceiling / step + 1e-9) + 1):
        y = up(count * step)
        yield element("line", x1=left, x2=right, y1=y, y2=y, class_="grid" if count else "axis")
        yield element(
            "text", text(words.value(count * step, subject)), x=left - 10, y=y + 4, class_="soft end"
        )
    if report.roof is not None and report.roof.solvable.value and subject is Subject.FIX:
        share = report.roof.solvable.value
        if share <= ceiling:
            yield element("line", x1=left, x2=right, y1=up(share), y2=up(share), class_="front")
            yield element(
                "text",
                text("roof of a selector among first answers"),
                x=left + 6,
                y=up(share) - 5,
                class_="soft",
            )


def _powers(along: Scale, low: float, high: float, top: float, bottom: float) -> Iterator[Markup]:
    for power in range(math.floor(low), math.ceil(high) + 1):
        for digit in (1, 2, 5):
            if low <= math.log10(digit) + power <= high:
                x = along(digit * 10.0**power)
                yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid")
                yield element(
                    "text", text(words.number(digit * 10.0**power)), x=x, y=bottom + 18, class_="soft mid"
                )


def _leader(point: Point, box: Box) -> Iterator[Markup]:
    """A thin line to a name that does not stand on its point's height."""
    if box.top <= point.y <= box.bottom:
        return
    x = min(max(point.x, box.left), box.right)
    y = box.top if box.top > point.y else box.bottom
    yield element("line", x1=point.x, y1=point.y, x2=x, y2=y, class_="leader")


def _dot(x: float, y: float, *, square: bool) -> Markup:
    if square:
        return element("rect", x=x - 4, y=y - 4, width=8, height=8, stroke_width=1.5)
    return element("circle", cx=x, cy=y, r=4.75, stroke_width=1.5)


def _picture(title: str, about: str, height: float, parts: Sequence[Markup], width: float = _WIDTH) -> Markup:
    return element(
        "svg",
        element("title", text(title)),
        element("desc", text(about)),
        join(parts),
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
    )
