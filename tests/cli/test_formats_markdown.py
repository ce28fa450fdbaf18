"""The summary: one comment that is found again, and foreign words in it that are only words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ensemble_lsp.cli.formats.markdown import LENGTH_AT_MOST, markdown, marker, words
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.findings import Dissent
from tests.cli.reports import OBJECTION, RUFF, finding, proposal, report
from tests.support.shop import make_shop

HOSTILE = (
    "@octocat @org/team <img src=x onerror=alert(1)> ![pixel](https://evil.example/p.png) "
    "[click](https://evil.example) https://evil.example closes #12 GH-7 me@evil.example "
    "<!-- ensemble-lsp:review --> </details> da39a3ee5e6b4b0d3255bfef95601890afd80709"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def html(text: str) -> str:
    """Render as GitHub does it: HTML passes, addresses alone become links."""
    renderer = MarkdownIt("gfm-like", {"html": True, "linkify": False})
    return renderer.render(text)


def test_summary_of_findings(root: Path):
    text = markdown(report(root, finding(evidence=(RUFF,), dissent=(OBJECTION,))))
    assert text.startswith("<!-- ensemble-lsp:review -->\n### Ensemble review: 1 finding, 1 critical\n")
    assert "**critical** `cart.py:8` · bug" in text
    assert "- 2 families; confidence high (0.71)" in text
    assert "- ruff: PLW2901 on line 8" in text
    assert "- glm objects: The caller may want the last price." in text


def test_review_without_findings_says_what_was_looked_at(root: Path):
    text = markdown(report(root, notes=("AGENTS.md: changed, without effect",)))
    assert "### Ensemble review: no findings" in text
    assert "1 file looked at" in text
    assert "- AGENTS.md: changed, without effect" in text


@pytest.mark.parametrize(
    ("status", "title"),
    [
        (Status.FAILED, "could not run"),
        (Status.OVER_BUDGET, "ended at a cap, 1 finding so far"),
        (Status.ABSTAINED, "came to no result"),
    ],
)
def test_review_that_did_not_come_to_its_end_says_so(root: Path, status: Status, title: str):
    found = (finding(),) if status is Status.OVER_BUDGET else ()
    text = markdown(report(root, *found, status=status, reason="the reason"))
    assert title in text
    assert "the reason" in text


def test_places_are_links_where_there_is_something_to_link_to(root: Path):
    text = markdown(
        report(root, finding()), link=lambda path, first, last: f"https://git.example/{path}#L{first}-{last}"
    )
    assert "[`cart.py:8`](https://git.example/cart.py#L8-8)" in text


def test_checked_fix_is_folded_in(root: Path):
    text = markdown(report(root, finding(), fixes={"f1": proposal()}))
    assert "<details><summary>A fix: verified — pytest: 3 passed</summary>" in text
    assert "```diff\n" in text
    assert "+        result += price" in text


def test_hostile_words_render_as_words(root: Path):
    hostile = finding(
        title=HOSTILE,
        detail=HOSTILE,
        category=HOSTILE[:40],
        quote=HOSTILE,
        reason=HOSTILE,
        dissent=(Dissent(member="b", family=HOSTILE, about="f1", text=HOSTILE),),
        evidence=(RUFF.model_copy(update={"witness": HOSTILE, "summary": HOSTILE}),),
    )
    text = markdown(report(root, hostile, notes=(HOSTILE,), warnings=(HOSTILE,)))
    shown = html(text)
    assert "<img" not in shown
    assert "<a " not in shown
    assert shown.count("<!--") == 1, "the marker alone"
    assert shown.count("</details>") == 0
    outside_code = "".join(
        part
        for number, part in enumerate(shown.replace("</code>", "<code>").split("<code>"))
        if number % 2 == 0
    )
    for live in ("@octocat", "@org", "#12", "GH-7", "da39a3ee5e6b4b0d3255bfef95601890afd80709"):
        assert live not in outside_code


@given(st.text(alphabet=st.sampled_from("@a#1`*_<>[](!&~|\\ \n-"), max_size=60))
def test_no_words_mention_link_or_break_out(text: str):
    shown = html(f"- {words(text)}\n\nafter")
    assert "<a " not in shown
    assert "<img" not in shown
    assert "<p>after</p>" in shown, "what follows is not swallowed by a fence or a comment"
    outside = shown.replace("</code>", "<code>").split("<code>")[::2]
    assert not any("@a" in part or "#1" in part for part in outside)


def test_more_than_a_comment_takes_is_counted_and_not_cut_in_two(root: Path):
    many = tuple(finding(id=f"f{number}", detail=f"{number} " + "ä" * 880) for number in range(200))
    text = markdown(report(root, *many))
    assert len(text.encode()) <= LENGTH_AT_MOST
    assert "more: `ensemble-lsp show j1`" in text
    assert text.rstrip().endswith("</sub>")


def test_several_summaries_of_one_pull_request_are_told_apart():
    assert marker("shop") == "<!-- ensemble-lsp:review:shop -->"
    assert marker("--> <img>") == marker() == "<!-- ensemble-lsp:review -->"
