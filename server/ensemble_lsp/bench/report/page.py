"""The report as one HTML page: no network, no other file, and a policy that lets nothing but its own script run."""

import base64
import hashlib
from importlib.resources import files

from ensemble_lsp.bench.figures.comparisons import Comparison, Verdict
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.report import sentences, tables, words
from ensemble_lsp.bench.report.case_table import case_table
from ensemble_lsp.bench.report.contents import Report
from ensemble_lsp.bench.report.markup import Markup, element, text
from ensemble_lsp.bench.report.plots import forest, reliability, scatter


def to_html(report: Report) -> str:
    """Return the page, UTF-8. Whatever a member, a set or a repository wrote is text in it."""
    style, script = _resource("page.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", text(words.title(report))),
        element("style", Markup(style)),
    )
    body = element("body", element("main", *_sections(report)), element("script", Markup(script)))
    return "<!doctype html>\n" + element("html", head, body, lang="en") + "\n"


def _sections(report: Report) -> list[Markup]:
    return [
        element("h1", text(words.title(report))),
        element("p", text(sentences.below_title(report)), class_="about"),
        *(_answer(one, report) for one in report.comparisons if one.leading),
        *_cautions(report),
        *_ways(report),
        *_differences(report),
        *_calibration(report),
        *_cases(report),
        element("h2", text("How it was run"), id="run"),
        element("p", text("Enough to run it again.")),
        tables.run(report),
    ]


def _answer(one: Comparison, report: Report) -> Markup:
    subject = report.head.inputs.subject
    chosen = f" (best of {len(one.among)})" if one.among else ""
    unit = "difference, points (95%)" if subject is Subject.FIX else "difference of F1 (95%)"
    verb = "solved" if subject is Subject.FIX else "found"
    shown = words.verdict(one)
    bugs = one.both + one.only_first + one.only_second + one.neither
    facts = [
        (
            f"{one.first} · {one.second}{chosen}",
            f"{words.value(one.first_value, subject)} · {words.value(one.second_value, subject)}",
        ),
        (unit, words.difference(one, subject)),
        (
            f"{verb} only by the first, the second",
            f"{one.only_first}, {one.only_second} of {bugs} bugs",
        ),
        ("p", words.probability(one.p)),
        ("cost, first over second", words.ratios(one.ratios)),
    ]
    return element(
        "section",
        element("p", text(one.about), class_="what"),
        element(
            "p",
            text(shown.capitalize() if one.verdict is Verdict.NONE else shown),
            class_="verdict",
        ),
        element(
            "dl",
            *(element("div", element("dt", text(name)), element("dd", text(value))) for name, value in facts),
            class_="facts",
        ),
        *(
            [element("p", text(luck.strip()), class_="luck")]
            if (luck := sentences.luck(one, subject))
            else []
        ),
        class_="answer",
        aria_label="The answer",
    )


def _cautions(report: Report) -> list[Markup]:
    notes = sentences.cautions(report)
    return [element("ul", *(element("li", text(note)) for note in notes), class_="cautions")] if notes else []


def _ways(report: Report) -> list[Markup]:
    picture = scatter(report)
    parts = [
        element("h2", text("What each way reaches, and what it takes"), id="ways"),
        element("p", text(sentences.how_measured(report))),
        tables.summaries(report),
    ]
    if report.roof is not None:
        parts.append(element("p", text(sentences.roof(report.roof)), class_="note"))
    if picture is not None:
        parts.append(_figure(_wide(picture, "Cost against quality"), sentences.SCATTER_CAPTION))
    return parts


def _differences(report: Report) -> list[Markup]:
    picture = forest(report)
    if not report.comparisons:
        return []
    return [
        element("h2", text("Differences, on the same cases"), id="differences"),
        element("p", text(sentences.how_compared(report))),
        *(
            [_figure(_wide(picture, "Paired differences"), sentences.FOREST_CAPTION)]
            if picture is not None
            else []
        ),
        element(
            "details",
            element("summary", text("The same as a table, with counts and tests")),
            tables.differences(report),
        ),
    ]


def _calibration(report: Report) -> list[Markup]:
    if not report.calibrations:
        return []
    pictures = [
        _figure(reliability(one), f"{one.way}: ECE {one.ece:.3f}, Brier {one.brier:.3f}, {one.claims} claims")
        for one in report.calibrations
    ]
    return [
        element("h2", text("Can its confidence be believed?"), id="calibration"),
        element("p", text(sentences.CALIBRATION)),
        tables.calibrations(report),
        element("div", *pictures, class_="small"),
    ]


def _cases(report: Report) -> list[Markup]:
    if not report.cases:
        return []
    return [
        element("h2", text("Every case"), id="every-case"),
        element("p", text("A heading sorts; what a case's mark rests on shows when you point at it.")),
        case_table(report),
    ]


def _figure(picture: Markup, caption: str) -> Markup:
    return element("figure", picture, element("figcaption", text(caption)))


def _wide(picture: Markup, name: str) -> Markup:
    """A picture that scrolls on a narrow screen: smaller, its names could not be read."""
    return element("div", picture, class_="scroll plot", tabindex="0", role="region", aria_label=name)


def _resource(name: str) -> str:
    return files("ensemble_lsp.bench.report").joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
