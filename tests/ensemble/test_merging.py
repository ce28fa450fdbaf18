"""Merging statements: the three zones of similarity, and that nothing depends on the order of answers."""

import random

from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.ensemble.merging import SAME, UNSURE, Statement, group, overlap
from ensemble_lsp.ensemble.similarity import cosine, vectors_of, words_of


def said(
    ident: str, text: str, line: int = 10, end_line: int | None = None, path: str = "pay.py"
) -> Statement:
    return Statement(ident, text, path, line, line if end_line is None else end_line)


DIVISION = "Division by zero when the list of values is empty"
EMPTY = "An empty sequence is never handled by the caller"
LEAK = "File handle never closed"


def test_alike_statements_on_the_same_lines_are_one() -> None:
    assert group([said("a", DIVISION), said("b", "Empty list causes division by zero")]).groups == (
        ("a", "b"),
    )


def test_the_unsure_zone_is_reported_and_kept_apart_until_somebody_answers() -> None:
    statements = [said("a", DIVISION), said("b", EMPTY)]
    first, second = vectors_of([DIVISION, EMPTY])
    assert UNSURE <= cosine(first, second) < SAME
    asked = group(statements)
    assert (asked.groups, asked.unsure) == ((("a",), ("b",)), (("a", "b"),))
    answered = group(statements, {frozenset(("a", "b"))})
    assert (answered.groups, answered.unsure) == ((("a", "b"),), ())


def test_below_they_stay_apart_even_if_somebody_says_they_are_the_same() -> None:
    statements = [said("a", DIVISION), said("b", LEAK)]
    assert group(statements, {frozenset(("a", "b"))}).groups == (("a",), ("b",))
    assert group(statements).unsure == ()


def test_lines_up_to_three_apart_overlap_and_four_do_not() -> None:
    assert overlap(said("a", "", 10, 12), said("b", "", 15))
    assert not overlap(said("a", "", 10, 12), said("b", "", 16))
    assert group([said("a", DIVISION), said("b", DIVISION, 14)]).groups == (("a",), ("b",))


def test_other_files_are_never_merged() -> None:
    assert len(group([said("a", DIVISION), said("b", DIVISION, path="tax.py")]).groups) == 2


def test_a_chain_of_neighbours_does_not_pull_its_ends_together() -> None:
    chain = [said("a", DIVISION, 10), said("b", DIVISION, 13), said("c", DIVISION, 16)]
    assert all(not {"a", "c"} <= set(ids) for ids in group(chain).groups)


def test_function_words_do_not_make_texts_alike() -> None:
    first, second = vectors_of(["It is in the cache that this is", "It is in the lock that this is"])
    assert cosine(first, second) == 0


def test_compound_names_share_their_parts() -> None:
    assert {"total_price", "total", "price"} <= set(words_of("total_price"))
    assert {"totalprice", "total", "price"} <= set(words_of("totalPrice"))


_WORDS = st.sampled_from(
    [
        "division",
        "zero",
        "empty",
        "list",
        "file",
        "handle",
        "closed",
        "leak",
        "values",
        "total",
        "mean",
        "race",
    ]
)
_STATEMENTS = st.lists(
    st.tuples(st.lists(_WORDS, max_size=6).map(" ".join), st.integers(0, 12), st.integers(0, 3)), max_size=9
).map(lambda items: [said(f"{n:02}", text, line, line + span) for n, (text, line, span) in enumerate(items)])


@given(_STATEMENTS, st.randoms(use_true_random=False))
def test_the_order_of_answers_changes_nothing(statements: list[Statement], randomness: random.Random) -> None:
    shuffled = list(statements)
    randomness.shuffle(shuffled)
    assert group(shuffled) == group(statements)


@given(_STATEMENTS)
def test_merging_what_was_merged_changes_nothing(statements: list[Statement]) -> None:
    once = group(statements)
    agreed = {frozenset((one, other)) for ids in once.groups for one in ids for other in ids if one != other}
    assert group(statements, agreed).groups == once.groups


@given(_STATEMENTS)
def test_every_statement_is_in_exactly_one_group_and_no_group_holds_strangers(
    statements: list[Statement],
) -> None:
    groups = group(statements).groups
    assert sorted(ident for ids in groups for ident in ids) == sorted(item.id for item in statements)
    by_id = {item.id: item for item in statements}
    vectors = dict(
        zip([item.id for item in statements], vectors_of([item.text for item in statements]), strict=True)
    )
    for ids in groups:
        for one in ids:
            for other in ids:
                assert one == other or overlap(by_id[one], by_id[other])
                assert one == other or cosine(vectors[one], vectors[other]) >= UNSURE - 1e-9


@given(_STATEMENTS, st.data())
def test_a_pair_called_the_same_is_never_left_apart_when_it_is_the_only_one(
    statements: list[Statement], data: st.DataObject
) -> None:
    unsure = group(statements).unsure
    if unsure:
        pair = data.draw(st.sampled_from(unsure))
        groups = group(statements, {frozenset(pair)}).groups
        assert any(set(pair) <= set(ids) for ids in groups)
