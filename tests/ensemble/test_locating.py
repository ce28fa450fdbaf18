"""Ochiai, frames of tracebacks, and one ranked list out of several."""

import math

import pytest

from ensemble_lsp.core.evidence import COVERAGE, Evidence, Outcome, Rank
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.checking import is_test_path
from ensemble_lsp.ensemble.ports import Coverage
from ensemble_lsp.ensemble.ranking import Vote, ranked, ranked_lines
from ensemble_lsp.ensemble.suspiciousness import failing_tests_of, suspects_of
from ensemble_lsp.ensemble.traceback_frames import Frame, frames_in

RAN = Evidence(witness="pytest", rank=Rank.EXECUTED, target="t", outcome=Outcome.FAILED, summary="2 failed")


def coverage() -> Coverage:
    def ran(*lines: int) -> dict[str, frozenset[int]]:
        return {"m.py": frozenset(lines), "tests/t.py": frozenset({0})}

    return Coverage(
        outcomes={
            "t::a": Outcome.FAILED,
            "t::b": Outcome.FAILED,
            "t::c": Outcome.PASSED,
            "t::d": Outcome.PASSED,
        },
        lines={"t::a": ran(1, 2, 3), "t::b": ran(1, 5), "t::c": ran(1, 2), "t::d": ran(1)},
        evidence=RAN,
    )


def test_ochiai_is_the_cosine_of_failing_and_running():
    suspects = suspects_of(coverage(), {"t::a"}, is_test_path)
    scores = {item.line: item.score for item in suspects}

    assert scores == {3: 1.0, 2: pytest.approx(1 / math.sqrt(2)), 1: pytest.approx(1 / math.sqrt(3))}
    assert [item.line for item in suspects] == [3, 2, 1]
    assert all(item.path == "m.py" for item in suspects)


def test_other_failing_tests_count_for_nothing():
    assert {item.line for item in suspects_of(coverage(), {"t::b"}, is_test_path)} == {1, 5}
    assert failing_tests_of(coverage(), lambda _: True) == {"t::a", "t::b"}


FILES = {"shop/cart.py", "cart.py"}


def read(path: str) -> SourceText | None:
    return SourceText("x = 1\n") if path in FILES else None


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        (
            '  File "/w/shop/cart.py", line 3, in f\n  File "cart.py", line 9\n',
            [("cart.py", 8), ("shop/cart.py", 2)],
        ),
        ("shop/cart.py:7: AssertionError\n", [("shop/cart.py", 6)]),
        ('  File "/usr/lib/json.py", line 3, in f\n', []),
        ('  File "../../cart.py", line 3, in f\n', []),
        ("nothing of the kind: cart.py\n", []),
    ],
)
def test_the_innermost_frame_of_the_workspace_comes_first(text: str, frames: list[tuple[str, int]]):
    assert frames_in(text, read) == [Frame(path, line) for path, line in frames]


def symbol(path: str, line: int) -> tuple[str, int, int] | None:
    del path
    return None if line >= 100 else (f"f{line // 10}", line // 10 * 10, line // 10 * 10 + 9)


def test_places_are_ranked_by_who_puts_them_where():
    votes = [
        Vote("a", "m.py", 11, 0),
        Vote("a", "m.py", 21, 1),
        Vote("b", "m.py", 22, 0),
        Vote("coverage", "m.py", 22, 0),
        Vote("coverage", "m.py", 13, 4),
    ]
    places = ranked(votes, symbol, voters=3)

    assert [place.name for place in places] == ["f2", "f1"]
    assert places[0].score == pytest.approx((0.75 + 1 + 1) / 3)


def test_a_voter_counts_once_for_a_place():
    votes = [Vote("a", "m.py", line, rank) for rank, line in enumerate((11, 12, 13))] + [
        Vote("b", "m.py", 21, 0)
    ]
    places = {place.name: place.score for place in ranked(votes, symbol, voters=2)}

    assert places == {"f1": 0.5, "f2": 0.5}


def test_one_voter_alone_is_no_proof():
    (alone,) = ranked([Vote("coverage", "m.py", 11, 0)], symbol, voters=1)
    (both,) = ranked([Vote("coverage", "m.py", 11, 0), Vote("a", "m.py", 11, 0)], symbol, voters=2)

    assert (alone.confidence, both.confidence) == (0.5, 0.75)


def test_lines_outside_any_symbol_stand_for_themselves():
    places = ranked([Vote("a", "m.py", 100, 0), Vote("b", "m.py", 120, 0)], symbol, voters=2)

    assert [(place.name, place.first) for place in places] == [("", 100), ("", 120)]


def lines_of(votes: list[Vote], suspicion: dict[int, float], voters: int) -> list[int]:
    places = ranked(votes, symbol, voters=voters)
    return [
        item.line for item in ranked_lines(places, {("m.py", line): of for line, of in suspicion.items()})
    ]


def test_members_decide_among_lines_that_coverage_cannot_tell_apart():
    votes = [Vote("a", "m.py", 12, 0), Vote("b", "m.py", 14, 0), Vote("b", "m.py", 12, 1)]

    assert lines_of(votes, dict.fromkeys(range(11, 17), 0.8), 3) == [12, 14]


def test_coverage_decides_where_members_disagree():
    votes = [Vote("a", "m.py", 12, 0), Vote("b", "m.py", 14, 0), Vote(COVERAGE, "m.py", 14, 0)]

    assert lines_of(votes, {14: 1.0, 15: 1.0, 12: 0.5}, 3) == [14, 12]


def test_a_line_that_coverage_singles_out_comes_before_what_one_member_says():
    votes = [Vote("a", "m.py", 12, 0), Vote("b", "m.py", 13, 0), Vote(COVERAGE, "m.py", 14, 0)]

    assert lines_of(votes, {14: 1.0, 13: 0.5, 12: 0.5}, 3) == [14, 12, 13]


def test_two_members_who_agree_come_before_a_line_that_coverage_singles_out():
    votes = [Vote("a", "m.py", 12, 0), Vote("b", "m.py", 12, 0), Vote(COVERAGE, "m.py", 14, 0)]

    assert lines_of(votes, {14: 1.0, 12: 0.5}, 3) == [12, 14]


def test_a_line_that_the_failing_test_does_not_run_comes_after_one_that_it_runs():
    votes = [Vote("a", "m.py", 10, 0), Vote("a", "m.py", 12, 1), Vote(COVERAGE, "m.py", 12, 0)]

    assert lines_of(votes, {12: 0.7, 13: 0.7}, 2) == [12, 10]


def test_only_the_most_suspicious_line_stands_for_a_place_that_no_member_named():
    votes = [Vote("a", "m.py", 12, 0), Vote(COVERAGE, "m.py", 12, 0), Vote(COVERAGE, "m.py", 25, 1)]

    assert lines_of(votes, {12: 1.0, 13: 1.0, 25: 0.5, 26: 0.5}, 2) == [12, 25]


def test_a_second_line_of_the_likeliest_place_can_come_before_another_place():
    votes = [
        *(Vote(voter, "m.py", line, rank) for voter in ("a", "b") for rank, line in enumerate((12, 13))),
        Vote("b", "m.py", 21, 2),
    ]

    assert lines_of(votes, {}, 2) == [12, 13, 21]
