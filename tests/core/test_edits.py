"""Properties of applying replies, and what the problems say."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ensemble_lsp.core.edits import Problem, ProblemKind, apply_reply
from ensemble_lsp.core.text import SourceText, content_of, split_lines
from tests.core.strategies import texts

word = st.text("abcxyz", min_size=1, max_size=5)
new_lines = st.lists(st.builds("{} = {}".format, word, word), max_size=4)


def block(search: list[str], replace: list[str], head: str = "k7f2 app.py") -> str:
    return "\n".join(
        [f"<<<<<<< SEARCH {head}", *search, "======= k7f2", *replace, ">>>>>>> REPLACE k7f2", ""]
    )


@given(texts(max_lines=20), new_lines, st.data())
def test_bytes_outside_the_changed_lines_stay(text: str, replace: list[str], data: st.DataObject) -> None:
    source = SourceText.from_bytes(text.encode("utf-8", "surrogateescape"))
    lines = split_lines(source.text)
    contents = [content_of(line) for line in lines]
    first = data.draw(st.integers(0, max(0, len(lines) - 1)))
    last = data.draw(st.integers(first, min(len(lines), first + 3)))
    search = contents[first:last]
    assume(any(line.strip() for line in search) and replace)

    outcome = apply_reply(block(search, replace, f"k7f2 app.py:{first + 1}"), {"app.py": source})

    assume(outcome.ok)
    after = outcome.changes[0].after
    assert after is not None
    result = split_lines(after.text)
    assert result[:first] == lines[:first] or lines[first - 1] == contents[first - 1]
    tail = lines[last:]
    assert tail == (result[-len(tail) :] if tail else [])
    assert [content_of(line) for line in result[first : len(result) - len(tail)]] == replace


@given(texts(max_lines=20), st.text(max_size=200))
def test_no_text_makes_it_fail(text: str, reply: str) -> None:
    outcome = apply_reply(reply, {"app.py": SourceText(text)}, target=("app.py", 0, 3))

    assert outcome.ok or not outcome.changes


def only_problem(reply: str, text: str) -> Problem:
    outcome = apply_reply(reply, {"app.py": SourceText(text)})
    assert len(outcome.problems) == 1
    assert outcome.changes == ()
    return outcome.problems[0]


def test_what_is_not_found_comes_with_the_nearest_lines() -> None:
    problem = only_problem(
        block(["    total = total + price", "    return total"], ["    return 0"]),
        "def f():\n    x = 1\n    total = total + prise\n    return total\n",
    )

    assert problem.kind is ProblemKind.NOT_FOUND
    assert problem.message == "no such lines in the file; nearest are lines 3–4"
    assert problem.line == 3
    assert problem.nearest == ("    total = total + prise", "    return total")


def test_lines_that_have_nothing_to_do_with_it_are_not_called_near() -> None:
    problem = only_problem(block(["qqqqqqqqqqqqqq"], ["y"]), "import os\n")

    assert problem.line is None
    assert problem.nearest == ()


def test_an_ambiguous_block_names_the_places() -> None:
    problem = only_problem(block(["a = 1"], ["a = 2"]), "a = 1\nb\na = 1\n")

    assert problem.kind is ProblemKind.AMBIGUOUS
    assert "2 places, at lines 1, 3" in problem.message


def test_many_places_are_not_all_listed() -> None:
    problem = only_problem(block(["a"], ["b"]), "a\n" * 500)

    assert "…" in problem.message
    assert len(problem.message) < 200


def test_the_disk_has_a_say_about_paths_that_were_not_shown() -> None:
    asked: list[str] = []

    def judge(path: str) -> ProblemKind | None:
        asked.append(path)
        return ProblemKind.NOT_SHOWN if path == "exists.py" else None

    files = {"app.py": SourceText("a\n")}
    exists = apply_reply(block([], ["x"], "k7f2 exists.py"), files, judge_path=judge)
    fresh = apply_reply(block([], ["x"], "k7f2 fresh.py"), files, judge_path=judge)

    assert [problem.kind for problem in exists.problems] == [ProblemKind.NOT_SHOWN]
    assert fresh.changes[0].path == "fresh.py"
    assert asked == ["exists.py", "fresh.py"]


def test_the_syntax_check_is_asked_about_the_result_as_a_whole() -> None:
    seen: list[str] = []

    def errors(_path: str, text: str) -> int:
        seen.append(text)
        return text.count("(") - text.count(")")

    reply = block(["b"], ["(b"]) + block(["d"], ["d)"])
    outcome = apply_reply(reply, {"app.py": SourceText("a\nb\nc\nd\n")}, parse_errors=errors)

    assert outcome.ok
    assert seen == ["a\nb\nc\nd\n", "a\n(b\nc\nd)\n"]


def test_more_blocks_than_any_answer_needs_are_refused() -> None:
    problem = apply_reply(block(["a"], ["b"]) * 1001, {"app.py": SourceText("a\n")}).problems[0]

    assert problem.kind is ProblemKind.NO_EDIT
    assert "1000 blocks" in problem.message


NESTED = "def some(items):\n    for item in items:\n        if item:\n            return True\n        return False\n"
LEFT_THE_LOOP = NESTED.replace("        return False", "    return False")


def test_a_definition_that_differs_in_the_nesting_of_a_line_alone_was_taken_for_a_quotation() -> None:
    outcome = apply_reply(
        f"```python\n{LEFT_THE_LOOP}```\n", {"app.py": SourceText(NESTED)}, target=("app.py", 0, 4)
    )

    assert outcome.ok
    assert outcome.changes[0].after == SourceText(LEFT_THE_LOOP)


@pytest.mark.parametrize(
    "quoted",
    [
        NESTED,
        "".join(f"    {line}" for line in NESTED.splitlines(keepends=True)),
        NESTED.replace("    ", "  "),
        NESTED.replace("    ", "\t"),
    ],
    ids=["as it is", "shifted", "narrower", "tabs"],
)
def test_a_definition_that_is_quoted_beside_the_changed_one_does_not_compete(quoted: str) -> None:
    reply = f"It is now:\n```python\n{quoted}```\nIt should be:\n```python\n{LEFT_THE_LOOP}```\n"
    outcome = apply_reply(reply, {"app.py": SourceText(NESTED)}, target=("app.py", 0, 4))

    assert outcome.ok
    assert outcome.changes[0].after == SourceText(LEFT_THE_LOOP)
