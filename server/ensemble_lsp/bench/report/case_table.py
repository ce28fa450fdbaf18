"""The table of all cases on the page: what became of each in each way; a little script sorts and filters it."""

from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.report.contents import Report
from ensemble_lsp.bench.report.marks import CaseMarks, Mark
from ensemble_lsp.bench.report.markup import Markup, element, join, text
from ensemble_lsp.bench.report.tables import code

_SIGNS = {
    Mark.SOLVED: "✓",
    Mark.NOISY: "✓!",
    Mark.QUIET: "○",
    Mark.UNSOLVED: "·",
    Mark.WEAK: "~",
    Mark.WRONG: "✗",
    Mark.FAILED: "?",
    Mark.MISSING: " ",
}
_FIX_WORDS = {
    Mark.SOLVED: "solved",
    Mark.UNSOLVED: "nothing offered",
    Mark.WEAK: "wrong, offered with a warning",
    Mark.WRONG: "wrong, offered as right",
    Mark.FAILED: "failed",
    Mark.MISSING: "not run",
}
_REVIEW_WORDS = {
    Mark.SOLVED: "found",
    Mark.NOISY: "found, with false alarms",
    Mark.QUIET: "clean, no alarm",
    Mark.UNSOLVED: "missed",
    Mark.WRONG: "false alarms only",
    Mark.FAILED: "failed",
    Mark.MISSING: "not run",
}
_RANKS = {mark: rank for rank, mark in enumerate(_SIGNS)}
_CHOICES = (
    ("all", "all"),
    ("split", "the ways differ"),
    ("none", "no way solved it"),
    ("wrong", "any wrong"),
)


def case_table(report: Report) -> Markup:
    """Return the legend, the tools (shown by the script) and the table."""
    said = _REVIEW_WORDS if report.head.inputs.subject is Subject.REVIEW else _FIX_WORDS
    used = {mark for row in report.cases for mark in row.marks.values()}
    legend = element(
        "ul",
        *(element("li", _sign(mark), text(f" {said[mark]}")) for mark in said if mark in used),
        class_="legend",
    )
    ways = [summary.way for summary in (*report.fix, *report.review)]
    head = element("tr", *(_head(name) for name in ("case", *ways)))
    table = element(
        "table",
        element("caption", text("What became of each case in each way"), class_="visually-hidden"),
        element("thead", head),
        element("tbody", join(_row(row, ways, said) for row in report.cases)),
        id="cases",
        class_="cases",
    )
    frame = element(
        "div",
        table,
        class_="scroll framed",
        tabindex="0",
        role="region",
        aria_label="What became of each case",
    )
    return join((legend, _tools(), frame))


def _tools() -> Markup:
    options = [element("option", text(words), value=value) for value, words in _CHOICES]
    return element(
        "div",
        element(
            "label",
            text("Case, group or note"),
            element("input", id="filter", type="search", autocomplete="off"),
        ),
        element("label", text("Show"), element("select", *options, id="which")),
        element("output", id="shown", for_="filter which"),
        id="tools",
        class_="tools",
        hidden=True,
    )


def _head(name: str) -> Markup:
    parts = [text(part) for part in name.split(":")]
    # A long name may break behind its colon, as it does behind a hyphen.
    broken = join(
        part if not place else Markup(":" + element("wbr") + part) for place, part in enumerate(parts)
    )
    return element("th", element("button", broken, type="button"), scope="col")


def _row(row: CaseMarks, ways: list[str], said: dict[Mark, str]) -> Markup:
    solved = {way: row.marks[way] in {Mark.SOLVED, Mark.NOISY} for way in ways}
    kinds = ["split"] if len(set(solved.values())) > 1 else []
    kinds += ["none"] if not row.clean and not any(solved.values()) else []
    kinds += ["wrong"] if Mark.WRONG in row.marks.values() else []
    words = " ".join((row.case, row.group, *row.notes.values())).lower()
    case = element("th", code(row.case), text(" clean" if row.clean else ""), scope="row", title=row.group)
    cells = [
        element(
            "td",
            _sign(row.marks[way]),
            element("span", text(said[row.marks[way]]), class_="visually-hidden"),
            title=f"{way}: {said[row.marks[way]]}" + (f". {row.notes[way]}" if way in row.notes else ""),
            data_rank=_RANKS[row.marks[way]],
        )
        for way in ways
    ]
    return element("tr", case, *cells, data_words=words, data_kind=" ".join(kinds))


def _sign(mark: Mark) -> Markup:
    return element("span", text(_SIGNS[mark]), class_=f"m m-{mark.value}", aria_hidden="true")
