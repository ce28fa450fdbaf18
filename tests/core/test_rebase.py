"""A proposal on a text that moved on."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.core.diff import apply_hunks, hunks_of
from ensemble_lsp.core.errors import UnknownItem, UsageError
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.rebase import rebase
from ensemble_lsp.core.text import SourceText, split_lines
from tests.core.strategies import short_line, texts

BASE = "one\ntwo\nthree\nfour\nfive\nsix\n"


def change_of(before: str | None, after: str | None) -> FileChange:
    return FileChange(
        path="app.py",
        before=None if before is None else SourceText(before),
        after=None if after is None else SourceText(after),
    )


def test_a_hunk_moves_along_with_lines_added_above() -> None:
    rebased = rebase(change_of(BASE, BASE.replace("four", "4")), SourceText("zero\n" + BASE))

    assert [(hunk.old_start, hunk.old_lines, hunk.conflict) for hunk in rebased.hunks] == [
        (4, ("four\n",), False)
    ]
    assert rebased.text().text == "zero\n" + BASE.replace("four", "4")


def test_a_hunk_whose_lines_the_person_changed_is_a_conflict_and_is_not_applied() -> None:
    live = SourceText(BASE.replace("four", "vier"))
    rebased = rebase(change_of(BASE, BASE.replace("four", "4").replace("one", "1")), live)

    assert [hunk.conflict for hunk in rebased.hunks] == [False, True]
    assert rebased.conflicts[0].old_lines == ("vier\n",)
    assert rebased.text().text == BASE.replace("four", "vier").replace("one", "1")


def test_a_hunk_that_the_person_made_already_is_gone() -> None:
    rebased = rebase(
        change_of(BASE, BASE.replace("four", "4").replace("one", "1")), SourceText(BASE.replace("four", "4"))
    )

    assert [hunk.new_lines for hunk in rebased.hunks] == [("1\n",)]


def test_an_insertion_whose_neighbour_changed_is_a_conflict() -> None:
    change = change_of(BASE, BASE.replace("three\n", "three\nnew\n"))

    assert rebase(change, SourceText(BASE.replace("three\n", "drei\n"))).conflicts


def test_one_hunk_of_several_can_be_asked_for() -> None:
    change = change_of(BASE, BASE.replace("six", "6").replace("one", "1"))
    rebased = rebase(change, SourceText(BASE))

    assert rebased.text([rebased.hunks[1].id]).text == BASE.replace("six", "6")
    assert rebased.text([]).text == BASE


def test_an_unknown_hunk_and_one_in_conflict_are_refused_by_name() -> None:
    rebased = rebase(change_of(BASE, BASE.replace("four", "4")), SourceText(BASE.replace("four", "vier")))

    with pytest.raises(UnknownItem, match="no hunk nope"):
        rebased.text(["nope"])
    with pytest.raises(UsageError, match="changed since"):
        rebased.text([rebased.hunks[0].id])


def test_a_new_file_that_meanwhile_exists_is_a_conflict() -> None:
    assert rebase(change_of(None, "a\n"), SourceText("other\n")).conflicts
    assert not rebase(change_of(None, "a\n"), SourceText("")).conflicts


def test_a_file_to_be_deleted_that_changed_is_a_conflict() -> None:
    assert rebase(change_of("a\nb\n", None), SourceText("a\nc\n")).conflicts


def test_a_missing_final_newline_is_not_glued_to_lines_added_below() -> None:
    rebased = rebase(change_of("a\nb\n", "a\nB"), SourceText("a\nb\nc\n"))

    assert rebased.conflicts
    assert rebased.text().text == "a\nb\nc\n"


def test_bytes_of_the_live_text_stay_in_its_own_encoding() -> None:
    live = SourceText.from_bytes(b"\xef\xbb\xbfzero\r\none\r\ntwo\xe9\r\n")
    change = FileChange(
        path="a", before=live.with_text("one\r\ntwo\udce9\r\n"), after=live.with_text("1\r\ntwo\udce9\r\n")
    )

    assert rebase(change, live).text().to_bytes() == b"\xef\xbb\xbfzero\r\n1\r\ntwo\xe9\r\n"


@given(texts(short_line), texts(short_line), texts(short_line))
def test_any_three_texts_merge_without_losing_a_live_line(base: str, after: str, live: str) -> None:
    rebased = rebase(change_of(base, after), SourceText(live))

    untouched = set(range(len(split_lines(live))))
    for hunk in rebased.hunks:
        if not hunk.conflict:
            untouched -= set(range(hunk.old_start, hunk.old_end))
    kept = [split_lines(live)[number] for number in sorted(untouched)]
    result = iter(split_lines(rebased.text().text))
    assert all(line in result for line in kept)  # a subsequence: `in` advances the iterator


@given(texts(short_line), texts(short_line))
def test_nothing_changed_gives_the_proposal_and_all_applied_gives_nothing(base: str, after: str) -> None:
    change = change_of(base, after)

    assert rebase(change, SourceText(base)).text().text == after
    assert rebase(change, SourceText(after)).hunks == ()


@given(texts(short_line), texts(short_line), st.randoms())
def test_after_accepting_some_hunks_the_others_are_left(base: str, after: str, choice: random.Random) -> None:
    change = change_of(base, after)
    hunks = hunks_of(change)
    accepted = [hunk for hunk in hunks if choice.random() < 0.5]

    rebased = rebase(change, apply_hunks(SourceText(base), accepted))

    assert [hunk.id for hunk in rebased.hunks] == [hunk.id for hunk in hunks if hunk not in accepted]
    assert not rebased.conflicts
    assert rebased.text().text == after


@given(st.lists(st.integers(0, 3), min_size=2, max_size=12), st.data())
def test_rebasing_equals_applying_first_and_changing_later(sizes: list[int], data: st.DataObject) -> None:
    """Odd stretches are changed by the proposal, even ones by the person; unchanged lines stand between."""
    base: list[str] = []
    proposed: list[str] = []
    live: list[str] = []
    both: list[str] = []
    for number, size in enumerate(sizes):
        old = [f"line {number}.{i}\n" for i in range(size)]
        new = [f"new {number}.{i}\n" for i in range(data.draw(st.integers(0, 3)))]
        by_proposal = number % 2 == 1
        between = [f"between {number}\n", f"also between {number}\n"]
        base += old + between
        proposed += (new if by_proposal else old) + between
        live += (old if by_proposal else new) + between
        both += new + between
    rebased = rebase(change_of("".join(base), "".join(proposed)), SourceText("".join(live)))

    assert not rebased.conflicts
    assert rebased.text().text == "".join(both)
