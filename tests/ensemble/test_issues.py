"""Findings on their way to a ruling: ids, places, wording, and what tools say beside them."""

from ensemble_lsp.core.events import Mode
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.findings import FindingDraft
from ensemble_lsp.core.panel import Panel
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.blind import Voice, cheapest, voices_of
from ensemble_lsp.ensemble.diagnosing import ALONE_PER_CODE, backing, meaningful, standing_alone
from ensemble_lsp.ensemble.grounding import Place
from ensemble_lsp.ensemble.issues import Raised, category_of, finding_id, issues_from, place_draft
from ensemble_lsp.ensemble.merging import Statement
from ensemble_lsp.ensemble.ports import Dossier, Excerpt
from tests.ensemble.reading_panel import CODE, diagnostic, draft, member


def drafted(**fields: object) -> FindingDraft:
    return FindingDraft.model_validate(draft(**fields))  # pyright: ignore[reportArgumentType]


DOSSIER = Dossier(
    files={"src/pay.py": SourceText(CODE)}, focus=Excerpt(path="src/pay.py", start_line=0, text=CODE)
)


def raised(ident: str, name: str, **fields: object) -> Raised:
    return Raised(ident, Voice(member(name), 0), drafted(**fields), "src/pay.py", Place(7, 7, "return x"))


def test_an_id_survives_moved_lines_and_reworded_order_but_not_another_line_or_category() -> None:
    one = finding_id("pay.py", "  return  x", "bug", "Division by zero for empty list")
    assert one == finding_id("pay.py", "return x", "bug", "for empty list: division by ZERO")
    assert one != finding_id("pay.py", "return y", "bug", "Division by zero for empty list")
    assert one != finding_id("pay.py", "return x", "security", "Division by zero for empty list")
    assert one != finding_id("pay.py", "return x", "bug", "Division by zero for empty list", ordinal=1)


def test_equal_findings_in_one_file_get_different_ids() -> None:
    issues = issues_from([[raised("a", "a")], [raised("b", "b")]], "a", str)
    assert len({issue.id for issue in issues}) == 2


def test_a_path_is_taken_as_the_file_that_was_shown() -> None:
    for said in ("src/pay.py", "./src/pay.py", "src\\pay.py", "pay.py", "/repo/elsewhere/pay.py", ""):
        placed = place_draft(drafted(path=said), DOSSIER, "src/pay.py")
        assert not isinstance(placed, str)
        assert placed[0] == "src/pay.py"


def test_a_span_is_kept_inside_the_file() -> None:
    placed = place_draft(drafted(endLine=900), DOSSIER, "src/pay.py")
    assert not isinstance(placed, str)
    assert placed[1].end_line == len(CODE.split("\n")) - 1


def test_a_finding_moved_to_its_quote_speaks_of_that_line_only() -> None:
    placed = place_draft(drafted(line=1, endLine=4), DOSSIER, "src/pay.py")
    assert not isinstance(placed, str)
    assert (placed[1].line, placed[1].end_line) == (7, 7)


def test_the_anchors_words_are_shown_and_the_majority_sets_the_severity() -> None:
    group = [
        raised("1", "a", title="Anchor's title", severity="info"),
        raised("2", "b", severity="critical", confidence=1.0),
        raised("3", "c", severity="critical"),
    ]
    (issue,) = issues_from([group], "a", str)
    assert (issue.first.draft.title, issue.severity) == ("Anchor's title", Severity.CRITICAL)


def test_a_tie_of_severities_goes_to_the_worse() -> None:
    (issue,) = issues_from(
        [[raised("1", "a", severity="info"), raised("2", "b", severity="warning")]], "a", str
    )
    assert issue.severity is Severity.WARNING


def test_categories_are_compared_in_one_spelling() -> None:
    assert category_of("Error_Handling ") == category_of("error handling") == "error-handling"
    assert category_of(" ") == "bug"


def test_a_tool_backs_what_it_says_too_and_nothing_else_on_its_line() -> None:
    said = Statement("x", "Shell injection: the path reaches os.system", "pay.py", 16, 16)
    same = diagnostic(17, "S605", "Starting a process with a shell, possible injection")
    other = diagnostic(17, "F811", "Redefinition of unused name")
    far = diagnostic(12, "S605", "Starting a process with a shell, possible injection")
    assert backing(said, "bug", [same, other, far]) == [same]


def test_a_security_scanner_backs_a_security_finding_on_the_same_line_in_any_words() -> None:
    said = Statement("x", "Users can run anything", "pay.py", 16, 16)
    scanner = diagnostic(17, "B605", "Process started with shell", source="bandit")
    assert backing(said, "security", [scanner]) == [scanner]
    assert backing(said, "bug", [scanner]) == []


def test_style_and_habits_of_a_code_base_are_no_findings() -> None:
    assert not meaningful(diagnostic(1, "I001", "unsorted imports"))
    assert not meaningful(diagnostic(1, "F401", "unused import"))
    assert not meaningful(diagnostic(1, "F821", "undefined name", severity="info"))
    assert meaningful(diagnostic(1, "F821", "undefined name"))
    assert meaningful(diagnostic(1, "attr-defined", "no attribute", source="mypy", severity="critical"))
    many = [diagnostic(line, "B006", "mutable default") for line in range(1, 10)]
    assert len(standing_alone(many, [])) == ALONE_PER_CODE
    assert standing_alone(many[:1], many[:1]) == []


def test_voices_two_cheap_ones_in_quick_each_family_first_in_panel_everybody_in_debate() -> None:
    seats = (
        member("a1", "a", price_in=5.0),
        member("a2", "a", price_in=0.1),
        member("b1", "b", price_in=3.0),
        member("c1", "c", price_in=None),
        member("c2", "c", local=True),
    )
    panel = Panel(members=seats, anchor="b1")
    names = {mode: [voice.member.id for voice in voices_of(panel, mode)] for mode in Mode}
    assert names[Mode.QUICK] == ["c2", "a2"]
    assert names[Mode.PANEL] == ["b1", "a1", "c1", "a2"]
    assert set(names[Mode.DEBATE]) == {seat.id for seat in seats}
    assert cheapest(seats).id == "c2"


def test_one_member_speaks_twice_in_two_styles() -> None:
    first, second = voices_of(Panel(members=(member("a", style=1),), anchor="a"), Mode.PANEL)
    assert (first.id, first.style, second.id, second.style) == ("a", 1, "a/2", 2)
