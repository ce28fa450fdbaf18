"""The made edits say what they claim, and what a matcher did with them is told apart."""

import random
from collections import Counter

import pytest

from benchmarks.aider import Placed, counted, ours, with_the_line
from benchmarks.edit_cases import KINDS, OTHER, PATH, Block, EditCase, Outcome, cases, judged

FILE = "a = 1\nb = 2\n\na = 1\nb = 3\n"
CASE = EditCase(
    "twice", {PATH: FILE}, [Block(["a = 1"], ["a = 9"])], "a = 1\nb = 2\n\na = 9\nb = 3\n", (3, 4)
)


def test_the_same_seed_makes_the_same_cases() -> None:
    assert cases(2, 3) == cases(2, 3)
    assert cases(2, 3) != cases(2, 4)


def test_every_kind_is_made_as_often_as_asked() -> None:
    made = Counter(case.kind for case in cases(3))
    assert len(made) == len(KINDS)
    assert set(made.values()) == {3}


def test_what_occurs_once_and_what_occurs_several_times_is_so() -> None:
    for case in cases(3):
        found = _occurrences(case)
        if case.kind.startswith("occurs once"):
            assert found == 1, case.kind
        if case.kind.startswith("occurs several times"):
            assert found > 1, case.kind


def _occurrences(case: EditCase) -> int:
    lines, search = case.files[PATH].split("\n"), list(case.blocks[0].search)
    return sum(lines[start : start + len(search)] == search for start in range(len(lines)))


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        pytest.param("a = 1\nb = 2\n\na = 9\nb = 3\n", Outcome.RIGHT, id="as meant"),
        pytest.param(FILE, Outcome.NOT_PLACED, id="untouched"),
        pytest.param("a = 9\nb = 2\n\na = 1\nb = 3\n", Outcome.WRONG_PLACE, id="first of two places"),
        pytest.param("a = 1\nb = 2\n\na = 8\nb = 3\n", Outcome.WRONG_TEXT, id="other text there"),
        pytest.param("a = 1\nb = 2\n\nb = 3\n", Outcome.WRONG_TEXT, id="line lost there"),
        pytest.param("a = 1\r\nb = 2\r\n\r\na = 9\r\nb = 3\r\n", Outcome.OTHER_BYTES, id="endings changed"),
        pytest.param("a = 1\nb = 2\n\na = 9\nb = 3", Outcome.OTHER_BYTES, id="last newline lost"),
    ],
)
def test_what_became_of_an_edit_is_told_apart(after: str, outcome: Outcome) -> None:
    assert judged(CASE, {PATH: after}) is outcome


def test_writing_into_another_file_is_a_wrong_place_also_when_nothing_was_to_be_written() -> None:
    case = EditCase("stale", {PATH: FILE, OTHER: FILE}, [Block(["x"], ["y"])], None, (0, 1))
    assert judged(case, {PATH: FILE, OTHER: "y\n"}) is Outcome.WRONG_PLACE
    assert judged(case, {PATH: FILE, OTHER: FILE}) is Outcome.REFUSED


def test_a_copy_that_is_edited_instead_of_the_original_is_a_wrong_place() -> None:
    case = KINDS["copy-first"](_randomness(), 0)
    lines = case.files[PATH].split("\n")
    added = list(case.blocks[0].replace)
    searched = list(case.blocks[1].search)
    at = next(n for n in range(len(added)) if added[n : n + len(searched)] == searched)
    edited = [*added[:at], *case.blocks[1].replace, *added[at + len(searched) :]]
    head = lines.index(case.blocks[0].search[0])
    after = "\n".join([*lines[:head], *edited, *lines[head + 1 :]])
    assert judged(case, {PATH: after}) is Outcome.WRONG_PLACE


def test_the_product_writes_nothing_wrong() -> None:
    found = [(case.kind, ours(case).outcome) for case in cases(2)]
    wrong = (Outcome.WRONG_PLACE, Outcome.WRONG_TEXT, Outcome.OTHER_BYTES)
    assert [each for each in found if each[1] in wrong] == []


def test_the_line_in_the_block_settles_what_occurs_several_times() -> None:
    several = [case for case in cases(3) if "several times" in case.kind]
    assert {ours(case).outcome for case in several} == {Outcome.NOT_PLACED}
    assert {ours(case, with_the_line(case)).outcome for case in several} == {Outcome.RIGHT}


def test_outcomes_are_counted_by_kind_and_times_by_length() -> None:
    all_cases = cases(1)
    placed = [Placed(Outcome.RIGHT, 0.002 if case.is_long else 0.001) for case in all_cases]
    placed[0] = Placed(Outcome.WRONG_PLACE, 0.001)
    figures = counted(all_cases, placed)
    assert figures["cases"] == len(all_cases)
    assert figures["wrong place"] == 1
    assert figures["right"] == len(all_cases) - 1
    assert (figures["ms, 110 lines"], figures["ms, 3,000 lines"]) == (1.0, 2.0)
    kinds = figures["kinds"]
    assert isinstance(kinds, dict)
    assert kinds[all_cases[0].kind] == {"wrong place": 1}


def _randomness() -> random.Random:
    return random.Random(1)  # noqa: S311
