"""Which words of a reply belong to which hunk."""

import pytest

from ensemble_lsp.core.diff import hunks_of
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.reasons import LONGEST_REASON, reasons_of, without_path
from ensemble_lsp.core.text import SourceText

BEFORE = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"
AFTER = BEFORE.replace("a = 1", "a = 10").replace("e = 5", "e = 50")
CHANGE = FileChange(path="m.py", before=SourceText(BEFORE), after=SourceText(AFTER))
FIRST, SECOND = (hunk.id for hunk in hunks_of(CHANGE))


def block(old: str, new: str, mark: str = "") -> str:
    return f"<<<<<<< SEARCH{mark}\n{old}\n======={mark}\n{new}\n>>>>>>> REPLACE{mark}\n"


ONE, TWO = block("a = 1", "a = 10"), block("d = 4\ne = 5", "d = 4\ne = 50")


def test_words_before_each_block_are_about_it() -> None:
    text = f"Both are off.\n\nThe first counts tens.\nIt did not.\n\nm.py\n{ONE}\nSo does the last.\n\nm.py\n{TWO}"
    assert reasons_of(text, [CHANGE]) == {
        FIRST: "The first counts tens. It did not.",
        SECOND: "So does the last.",
    }


def test_one_paragraph_before_the_first_block_is_about_the_whole() -> None:
    assert reasons_of(f"Both are off.\n\n{ONE}\nThe last too.\n{TWO}", [CHANGE]) == {SECOND: "The last too."}


def test_block_without_words_has_no_reason() -> None:
    assert reasons_of(f"Both are off.\n\n{ONE}{TWO}", [CHANGE]) == {}


def test_fences_paths_and_list_marks_are_no_words() -> None:
    text = (
        f"Intro.\n\n1. Counts tens:\n\n```python\n`m.py`:\n{ONE}```\n- And the last.\n```\nm.py:5\n{TWO}```\n"
    )
    assert reasons_of(text, [CHANGE]) == {FIRST: "Counts tens:", SECOND: "And the last."}


def test_sentinels_and_blocks_that_quote_markers() -> None:
    quoted = FileChange(path="m.md", before=SourceText("x\n"), after=SourceText(ONE))
    (hunk,) = hunks_of(quoted)
    text = f"Intro.\n\nShow how.\n\n{block('x', ONE.rstrip(), ' k7f2')}"
    assert reasons_of(text, [quoted]) == {hunk.id: "Show how."}


def test_long_words_are_cut() -> None:
    text = f"Intro.\n\n{'why ' * 400}\n\n{ONE}"
    assert len(reasons_of(text, [CHANGE])[FIRST]) == LONGEST_REASON


@pytest.mark.parametrize(
    "text", ["", "Whole.\n\n```python\nx = 1\n```\n", "<<<<<<< SEARCH\n", "<<<<<<< SEARCH\n=======\n"]
)
def test_other_forms_have_none(text: str) -> None:
    assert reasons_of(text, [CHANGE]) == {}


@pytest.mark.parametrize(
    "name", ["cart.py", "**src/cart.py**", "### `cart.py`", "cart.py:4", "src\\cart.py:"]
)
def test_the_line_that_names_the_file_is_no_part_of_what_was_said(name: str) -> None:
    assert without_path(f"The loop forgets the sum.\n\n{name}\n") == "The loop forgets the sum."


@pytest.mark.parametrize("said", ["See cart.py", "It forgets\nthe sum.", "", "As in\ncart.py and order.py"])
def test_what_speaks_of_a_file_is_kept(said: str) -> None:
    assert without_path(said) == said
