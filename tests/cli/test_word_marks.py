"""Words that changed within the lines of a patch."""

import io

import pytest
from rich.console import Console

from ensemble_lsp.cli.render import print_diff
from ensemble_lsp.cli.word_marks import changed_words

HEAD = "--- a/README.md\n+++ b/README.md\n"


def words(diff: str) -> list[str]:
    """Return the marked words, in the order of the patch."""
    lines = diff.split("\n")
    marks = sorted(changed_words(diff), key=lambda mark: (mark.line, mark.start))
    return [lines[mark.line - 1][mark.start : mark.end] for mark in marks]


def test_one_word_of_a_long_line_is_marked_on_both_sides():
    diff = f"{HEAD}@@ -1 +1 @@\n-The panel don't agree with its members.\n+The panel doesn't agree with its members.\n"
    assert words(diff) == ["don", "doesn"]


def test_words_that_only_moved_to_another_line_are_not_marked():
    diff = f"{HEAD}@@ -1,2 +1,2 @@\n-Read the whole page\n-before you begin.\n+Read the page before\n+you begin.\n"
    assert words(diff) == ["whole"]


def test_neighbouring_words_are_one_mark():
    diff = f"{HEAD}@@ -1 +1 @@\n-It is a very big house by the sea.\n+It is a house by the sea.\n"
    assert words(diff) == ["very big"]


@pytest.mark.parametrize(
    "diff",
    [
        f"{HEAD}@@ -1 +1 @@\n-total = sum(prices)\n+raise NotImplementedError\n",
        f"{HEAD}@@ -1 +1,2 @@\n one line stays\n+one line is new\n",
        f"{HEAD}@@ -1,2 +1 @@\n one line stays\n-one line goes\n",
        "",
    ],
    ids=["another line altogether", "only new lines", "only lines that go", "no patch"],
)
def test_what_is_new_or_gone_altogether_has_no_marks(diff: str):
    assert words(diff) == []


def test_heads_of_files_are_no_changed_lines_and_lines_that_look_like_heads_are():
    two = (
        f"{HEAD}@@ -1 +1 @@\n--- dashes before one word\n+-- dashes before a word\n"
        "--- a/cart.py\n+++ b/cart.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
    )
    assert words(two) == ["one", "a", "1", "2"]


def test_a_file_without_a_last_newline_keeps_its_marks():
    diff = (
        f"{HEAD}@@ -1 +1 @@\n-one old word\n\\ No newline at end of file\n"
        "+one new word\n\\ No newline at end of file\n"
    )
    assert words(diff) == ["old", "new"]


def test_a_passage_of_very_many_words_is_left_unmarked():
    line = "word " * 3_000
    assert words(f"{HEAD}@@ -1 +1 @@\n-{line}one\n+{line}two\n") == []


@pytest.mark.parametrize("indent", ["", "\t"], ids=["plain", "after a tab"])
def test_the_terminal_shows_them(indent: str):
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, color_system="standard", width=80)
    print_diff(f"{HEAD}@@ -1 +1 @@\n-{indent}one old word\n+{indent}one new word\n", console)
    for word in ("old", "new"):
        before, _, after = shown.getvalue().partition(word)
        style = before.rpartition("\x1b[")[2].partition("m")[0].split(";")
        assert {"1", "4"} <= set(style), (word, style)
        assert after.startswith("\x1b[0m")
