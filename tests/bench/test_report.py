"""The three forms of a report, for whole, interrupted, empty and hostile runs."""

import base64
import hashlib
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pydantic import ValidationError

from ensemble_lsp.bench.outcomes import Claim, Outcome, Subject
from ensemble_lsp.bench.record import RunHead
from ensemble_lsp.bench.report.contents import Report, report
from ensemble_lsp.bench.report.markdown import to_markdown
from ensemble_lsp.bench.report.page import to_html
from ensemble_lsp.bench.ways.catalogue import Kind, Way
from tests.support.bench_runs import head, run

_GOLDEN = Path(__file__).parent / "golden"
_FEW = 200


def small(subject: Subject = Subject.FIX) -> Report:
    return report(*run(subject, cases=16), resamples=_FEW)


@pytest.mark.parametrize("subject", Subject)
def test_the_markdown_of_a_fixed_run_is_the_kept_one(subject: Subject) -> None:
    """`ENSEMBLE_REGENERATE=1` writes it anew; read the difference before you commit it."""
    kept = _GOLDEN / f"report_{subject.value}.md"
    made = to_markdown(small(subject))
    if os.environ.get("ENSEMBLE_REGENERATE"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(made, encoding="utf-8")
    assert made == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("subject", Subject)
def test_json_comes_back_as_the_same_report(subject: Subject) -> None:
    made = small(subject)
    assert Report.from_json(made.to_json()) == made


def test_json_of_another_version_is_refused() -> None:
    data = json.loads(small().to_json())
    with pytest.raises(ValidationError, match="version 2"):
        Report.from_json(json.dumps({**data, "version": 2}))


def test_the_same_run_gives_the_same_report() -> None:
    assert small().to_json() == small().to_json()


class Page(HTMLParser):
    """What a browser would see: elements with attributes, and the text of the page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "input", "wbr"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self._open:
            self.words.setdefault(self._open[-1], []).append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.mark.parametrize("subject", Subject)
def test_the_page_needs_nothing_but_itself(subject: Subject) -> None:
    page = Page(to_html(small(subject)))
    loading = {"src", "href", "action", "style", "background", "poster", "srcset", "data"}
    for _, attributes in page.elements:
        assert not loading & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    assert not {"link", "img", "iframe", "object", "base", "form"} & {name for name, _ in page.elements}
    assert "url(" not in page.words["style"][0]
    assert "@import" not in page.words["style"][0]


def test_the_policy_allows_the_pages_own_style_and_script_only() -> None:
    page = Page(to_html(small()))
    policy = next(meta["content"] for meta in page.of("meta") if meta.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    for part in ("style", "script"):
        assert len(page.of(part)) == 1
        digest = base64.b64encode(hashlib.sha256(page.words[part][0].encode()).digest()).decode()
        assert f"{part}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_every_picture_has_a_title_and_a_description() -> None:
    made = small()
    html = to_html(made)
    pictures = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(pictures) == 2 + len(made.calibrations)
    for picture in pictures:
        assert re.match(r'<svg [^>]*role="img"[^>]*><title>[^<]+</title><desc>[^<]+</desc>', picture)


def test_every_table_has_a_caption_and_headings_with_a_scope() -> None:
    page = Page(to_html(small()))
    assert len(page.of("caption")) == len(page.of("table")) == 5
    assert all(head.get("scope") in {"col", "row"} for head in page.of("th"))


HOSTILE = (
    '"><script>alert(1)</script><img src=x onerror=alert(1)>|`</table>\u202e\n# [x](javascript:1) ]]> {{7*7}}'
)


def hostile() -> Report:
    way = Way(name=HOSTILE, kind=Kind.SINGLE, member="m")
    known = head(Subject.FIX, (HOSTILE,), (Kind.PANEL,))
    known = known.model_copy(
        update={
            "ways": (*known.ways, way),
            "notes": (HOSTILE,),
            "interrupted": HOSTILE,
            "command": ("x", HOSTILE),
        }
    )
    outcomes = [
        Outcome(
            case=HOSTILE,
            group=HOSTILE,
            way=name,
            note=HOSTILE,
            tokens_in=5,
            claims=(Claim(probability=0.5, true=True),),
        )
        for name in ("panel", HOSTILE)
    ]
    return report(known, outcomes, resamples=_FEW)


def test_hostile_names_stay_text_on_the_page() -> None:
    page = Page(to_html(hostile()))
    assert len(page.of("script")) == 1
    assert page.of("img") == []
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert any("<script>alert(1)" in words for words in page.words["code"])


def test_hostile_names_neither_break_a_table_nor_become_markup_in_markdown() -> None:
    made = to_markdown(hostile())
    widths: set[tuple[int, int]] = set()
    for number, block in enumerate(made.split("\n\n")):
        if block.startswith("|"):
            widths |= {(number, len(re.findall(r"(?<!\\)\|", line))) for line in block.splitlines()}
    assert len(widths) == len({number for number, _ in widths})
    outside_code = re.sub(r"(`+).+?\1", "", made)
    assert "<script" not in outside_code
    assert "\u202e" not in made
    assert "\n# [x]" not in made


def test_an_interrupted_run_says_what_is_missing() -> None:
    whole, outcomes = run(cases=16)
    made = report(
        whole.model_copy(update={"interrupted": "the budget was reached"}), outcomes[:60], resamples=_FEW
    )
    assert made.missing == made.planned - 60
    text = to_markdown(made)
    assert "The run was interrupted: the budget was reached" in text
    assert f"{made.missing} of {made.planned} outcomes are missing" in text
    assert "not run" in to_html(made)


def test_failed_outcomes_are_counted_and_named() -> None:
    whole, outcomes = run(cases=16)
    failing = tuple(
        one.model_copy(update={"failed": "endpoint down"})
        if one.way == "voting" and one.case.endswith("-3")
        else one
        for one in outcomes
    )
    made = report(whole, failing, resamples=_FEW)
    assert made.failed == 1
    assert "Outcomes that failed: 1 (voting 1)" in to_markdown(made)
    assert [one.cases for one in made.comparisons if one.second == "voting"] == [15, 15, 15]


def test_a_member_that_hardly_ran_is_named_as_no_candidate() -> None:
    whole, outcomes = run(cases=16)
    few = tuple(one for one in outcomes if one.way != "samples:birch" or one.case.endswith(("-0", "-1")))
    text = to_markdown(report(whole, few, resamples=_FEW))
    assert "samples:birch is no candidate for the best" in text
    assert "`samples:amber` 50%, best of 2" in text


def degenerate() -> dict[str, tuple[RunHead, tuple[Outcome, ...]]]:
    whole, outcomes = run(Subject.REVIEW, cases=8)
    fixes, fixed = run(cases=8)
    return {
        "no outcome at all": (fixes, ()),
        "one outcome": (fixes, fixed[:1]),
        "one case": (fixes, tuple(one for one in fixed if one.case == fixed[0].case)),
        "everything solved": (fixes, tuple(one.model_copy(update={"solved": True}) for one in fixed)),
        "nothing solved": (fixes, tuple(one.model_copy(update={"solved": False}) for one in fixed)),
        "everything failed": (fixes, tuple(one.model_copy(update={"failed": "down"}) for one in fixed)),
        "one way only": run(cases=8, kinds=(Kind.PANEL,)),
        "free and at once": (
            fixes,
            tuple(
                one.model_copy(update={"usd": 0.0, "seconds": 0.0, "calls": 0, "tokens_in": 0})
                for one in fixed
            ),
        ),
        "no clean control": (whole, tuple(one for one in outcomes if not one.clean)),
        "clean controls only": (whole, tuple(one for one in outcomes if one.clean)),
        "a review that says nothing": (
            whole,
            tuple(
                one.model_copy(update={"solved": False, "false_alarms": 0, "claims": ()}) for one in outcomes
            ),
        ),
        "a way that the head does not name": (fixes, (*fixed, fixed[0].model_copy(update={"way": "other"}))),
    }


@pytest.mark.parametrize("name", degenerate())
def test_every_form_can_be_had_of(name: str) -> None:
    made = report(*degenerate()[name], resamples=_FEW)
    assert Report.from_json(made.to_json()) == made
    text, page = to_markdown(made), to_html(made)
    assert not re.search(r"\b(nan|inf|None)\b", text)
    assert not re.search(r'[>" ](nan|inf|None)[<" ]', page)
