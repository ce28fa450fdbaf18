"""GitHub's annotations and suggestions: nothing that a model wrote becomes a command, or more than a suggestion."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.cli.formats.suggestions import suggestion_block, suggestions
from ensemble_lsp.cli.formats.workflow_commands import annotations, command
from ensemble_lsp.cli.terminal import inert
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import LineRange
from tests.cli.conftest import CommandLine, panel
from tests.cli.reports import OBJECTION, PRINT, finding, proposal, report
from tests.support.shop import BUGGY, FIXED, make_shop


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Read what is printed as the runner does: name, properties, message; every line is one."""
    found: list[tuple[str, dict[str, str], str]] = []
    for line in text.splitlines():
        head = re.fullmatch(r"::(\w+) ?(.*?)::(.*)", line)
        assert head, f"not a command: {line!r}"
        pairs = dict(item.split("=", 1) for item in head[2].split(",") if item)
        unescaped = {key: _unescape(value) for key, value in pairs.items()}
        found.append((head[1], unescaped, _unescape(head[3])))
    return found


def _unescape(text: str) -> str:
    for code, character in (
        ("%0D", "\r"),
        ("%0A", "\n"),
        ("%3A", ":"),
        ("%2C", ","),
        ("%23", "#"),
        ("%25", "%"),
    ):
        text = text.replace(code, character)
    return text


def test_one_annotation_for_each_finding_worst_first(root: Path):
    mild = finding(id="f2", line=3, end_line=4, severity=Severity.HINT, title="A name")
    (first, second) = commands(annotations(report(root, finding(dissent=(OBJECTION,)), mild)))
    name, properties, message = first
    assert name == "error"
    assert properties == {
        "file": "cart.py",
        "line": "8",
        "endLine": "8",
        "col": "9",
        "endColumn": "23",
        "title": "The sum is overwritten in each turn [bug]",
    }
    assert message == ("Only the last price is returned.\n2 families; confidence high (0.71); 1 objection")
    assert (second[0], second[1]["line"], second[1]["endLine"]) == ("notice", "4", "5")


def test_paths_start_at_the_root_of_the_repository(root: Path):
    ((_, properties, _),) = commands(annotations(report(root, finding(), prefix="shops/one/")))
    assert properties["file"] == "shops/one/cart.py"


def test_review_that_could_not_run_is_a_warning(root: Path):
    failed = report(root, status=Status.FAILED, reason="no model answered")
    assert commands(annotations(failed)) == [
        ("warning", {"title": "Ensemble review: failed"}, "no model answered")
    ]


def test_hostile_words_stay_in_their_own_annotation(root: Path):
    evil = "x\n::add-mask::a\r\n::stop-commands::t\n##[set-env name=PATH]/tmp,file=/etc/passwd::%0A::error::b"
    hostile = finding(title=evil, detail=evil, reason=evil, category=evil, path="a:b,c\n::d.py")
    printed = annotations(report(root, hostile))
    ((name, properties, message),) = commands(printed)
    assert name == "error"
    assert set(properties) == {"file", "line", "endLine", "title"}
    assert "::add-mask::a" in message
    assert "##[" not in printed


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_one_line_that_reads_back(title: str, message: str):
    line = command("notice", {"file": "a.py", "title": title}, message)
    assert len(re.split(r"[\n\r]", line)) == 1
    assert line.count("::") >= 2
    assert line.startswith("::notice file=a.py,title=")
    assert "," not in line.split("title=", 1)[1].split("::", 1)[0]


@pytest.mark.parametrize(
    "text",
    [
        "::error::x",
        "  ::add-path::x",
        "a\n\t::set-env name=a::b",
        "see ##[error]x",
        "a\r\n::stop-commands::t",
    ],
)
def test_no_line_of_the_log_is_a_command(text: str):
    shown = inert(text)
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())
    assert "##[" not in shown


@pytest.mark.usefixtures("models")
def test_log_of_a_workflow_holds_no_command_but_the_annotations(
    ensemble: CommandLine, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (shop / "::error::cart.py").write_text(BUGGY, encoding="utf-8")
    ran = ensemble("review", "cart.py", "--format", "github", *panel("a", "rude"))
    assert [name for name, _, _ in commands(ran.out)] == ["error"]
    refused = ensemble("review", "::error::cart.py", "--format", "text", *panel("a", "b"))
    for line in (refused.out + refused.err).splitlines():
        assert not line.lstrip().startswith("::")


def test_suggestion_replaces_the_lines_of_the_fix(root: Path):
    (found,) = suggestions(report(root, finding(), fixes={"f1": proposal()}))
    assert (found.path, found.first, found.last) == ("cart.py", 8, 8)
    assert found.marker == f"<!-- ensemble-lsp:fix:{PRINT} -->"
    assert found.body.startswith(found.marker)
    assert found.body.endswith("```suggestion\n        result += price\n```")
    assert "pytest: 3 passed" in found.body


def test_fix_of_several_places_is_one_suggestion_over_all_of_them(root: Path):
    after = FIXED.replace("result = 0", "result = 0.0")
    (found,) = suggestions(report(root, finding(), fixes={"f1": proposal(BUGGY, after)}))
    assert (found.first, found.last) == (6, 8)
    assert (
        "```suggestion\n    result = 0.0\n    for price in prices:\n        result += price\n```"
        in found.body
    )


def test_line_that_is_put_in_between_takes_its_neighbour_along(root: Path):
    after = BUGGY.replace("        result = price\n", "        result = price\n        print(result)\n")
    (found,) = suggestions(report(root, finding(), fixes={"f1": proposal(BUGGY, after)}))
    assert (found.first, found.last) == (8, 8)
    assert "suggestion\n        result = price\n        print(result)\n```" in found.body


@pytest.mark.parametrize(
    "change",
    [
        {"changed_lines": {"cart.py": (LineRange(start=0, end=7),)}},
        {"changed_lines": {}},
        {"fixes": {"f1": proposal(standing=Standing.AGREED)}},
        {"fixes": {"f1": proposal("another text\n", "than was reviewed\n")}},
        {"fixes": {"f1": proposal(BUGGY, FIXED.replace("+=", "+= \u200b"))}},
    ],
    ids=["other lines", "no change", "not executed", "other text", "hidden text"],
)
def test_what_is_no_suggestion(root: Path, change: dict[str, object]):
    fields: dict[str, object] = {"fixes": {"f1": proposal()}, **change}
    assert suggestions(report(root, finding(), **fields)) == ()


def test_code_with_fences_cannot_end_the_suggestion():
    block = suggestion_block('text = """\n````\n::x\n```suggestion\n"""\n')
    lines = block.split("\n")
    assert lines[0] == "`````suggestion"
    assert lines[-1] == "`````"
    assert not any(line.startswith("`````") for line in lines[1:-1])


def test_suggestion_that_takes_lines_out_is_empty():
    assert suggestion_block("") == "```suggestion\n```"
