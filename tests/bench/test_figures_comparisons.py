"""When one way may be called better than another, and when the report has to say that no difference is shown."""

from collections.abc import Sequence
from random import Random

import pytest

from ensemble_lsp.bench.figures.comparisons import Comparison, Question, Verdict, compare
from ensemble_lsp.bench.figures.questions import questions
from ensemble_lsp.bench.figures.resampling import Draws
from ensemble_lsp.bench.figures.tally import tally
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.ways.catalogue import Kind
from tests.support.bench_runs import ways

_TURNS = 1_000


def solved(way: str, marks: str, *, group: int = 1, calls: int = 1) -> list[Outcome]:
    """Outcomes of a way, a character a case: `x` solved, `.` not, `?` failed, a space not run."""
    return [
        Outcome(
            case=f"{place:03}",
            group=f"{place // group:03}",
            way=way,
            solved=mark == "x",
            failed="endpoint down" if mark == "?" else "",
            calls=calls,
            tokens_in=100 * calls,
        )
        for place, mark in enumerate(marks)
        if mark != " "
    ]


def compared(
    outcomes: Sequence[Outcome], *rivals: str, first: str = "panel", subject: Subject = Subject.FIX
) -> Comparison:
    found = compare(tally(outcomes), [Question(first, rivals, "panel?")], subject, Draws(_TURNS, 1))
    assert len(found) == 1
    return found[0]


def test_a_clear_lead_is_called_better() -> None:
    found = compared([*solved("panel", "x" * 30 + "." * 10), *solved("b", "x" * 12 + "." * 28)], "b")
    assert found.verdict is Verdict.FIRST
    assert (found.only_first, found.only_second, found.both, found.neither) == (18, 0, 12, 10)
    assert found.interval is not None
    assert found.interval.low > 0
    assert found.difference == pytest.approx(18 / 40)


def test_a_clear_lag_is_called_worse() -> None:
    found = compared([*solved("panel", "." * 40), *solved("b", "x" * 20 + "." * 20)], "b")
    assert found.verdict is Verdict.SECOND


def test_an_interval_clear_of_zero_with_four_wins_and_no_loss_is_not_enough() -> None:
    """A bootstrap draws none of four in only 1% of resamples, yet four coins fall alike in one of eight."""
    found = compared([*solved("panel", "xxxx" + "." * 36), *solved("b", "." * 40)], "b")
    assert found.mcnemar == 0.125
    assert found.verdict is Verdict.NONE


def test_a_lead_within_one_function_is_not_enough() -> None:
    panel, other = "x" * 12 + "x." * 14, "." * 12 + "x." * 14
    found = compared([*solved("panel", panel, group=4), *solved("b", other, group=4)], "b")
    assert found.mcnemar < 0.001
    assert found.swapped == 0.25
    assert found.verdict is Verdict.NONE


def test_the_same_everywhere_shows_no_difference_and_still_has_an_interval() -> None:
    found = compared([*solved("panel", "x.x.x."), *solved("b", "x.x.x.")], "b")
    assert (found.difference, found.p, found.verdict) == (0, 1.0, Verdict.NONE)
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high


def test_all_against_none_is_better_though_every_resample_is_alike() -> None:
    found = compared([*solved("panel", "x" * 12), *solved("b", "." * 12)], "b")
    assert found.verdict is Verdict.FIRST
    assert found.interval is not None
    assert 0 < found.interval.low < 1


def test_one_case_shows_nothing() -> None:
    found = compared([*solved("panel", "x"), *solved("b", ".")], "b")
    assert (found.cases, found.verdict) == (1, Verdict.NONE)


def test_cases_that_one_did_not_finish_are_left_out_of_both() -> None:
    found = compared([*solved("panel", "xx?x "), *solved("b", ".xx x")], "b")
    assert (found.cases, found.left_out) == (2, 3)
    assert (found.first_value, found.second_value) == (1.0, 0.5)


def test_ways_without_a_common_case_are_not_compared() -> None:
    known = tally([*solved("panel", "x "), *solved("b", " x")])
    assert compare(known, [Question("panel", ("b",), "")], Subject.FIX, Draws(100, 1)) == ()


def test_unequal_costs_are_told() -> None:
    found = compared([*solved("panel", "x.", calls=6), *solved("b", ".x", calls=5)], "b")
    assert found.ratios.calls == pytest.approx(1.2)
    assert found.ratios.unequal == ("calls", "tokens")
    assert found.ratios.usd is None


def test_costs_within_a_tenth_count_as_equal() -> None:
    found = compared([*solved("panel", "x.", calls=10), *solved("b", ".x", calls=11)], "b")
    assert found.ratios.unequal == ()


def test_the_best_of_several_is_chosen_and_named() -> None:
    found = compared([*solved("panel", "xx.x"), *solved("b", "..x."), *solved("c", "xx..")], "b", "c")
    assert (found.second, found.among) == ("c", ("b", "c"))


def test_better_than_the_best_asks_to_be_better_than_each() -> None:
    """The chosen one is beaten clearly; another, hardly worse, is beaten on too few cases."""
    panel = "x" * 24 + "." * 16
    chosen = "." * 12 + "x" * 15 + "." * 13
    close = "x" * 11 + "." * 13 + "x" * 3 + "." * 13
    against_one = compared([*solved("panel", panel), *solved("b", close)], "b")
    both = compared([*solved("panel", panel), *solved("b", close), *solved("c", chosen)], "b", "c")
    assert both.second == "c"
    assert both.p >= against_one.p
    assert both.interval is not None
    assert against_one.interval is not None
    assert both.interval.low <= against_one.interval.low


def test_worse_than_the_best_of_many_asks_for_more_than_worse_than_one() -> None:
    """Five discordant cases more: enough against one rival, not against the luckiest of six."""
    panel, luckiest = "." * 6 + "x" * 20 + "." * 14, "x" * 26 + "." * 14
    others = [line for name in "bcdef" for line in solved(name, "x" * 13 + "." * 27)]
    alone = compared([*solved("panel", panel), *solved("a", luckiest)], "a")
    chosen = compared([*solved("panel", panel), *solved("a", luckiest), *others], *"abcdef")
    assert alone.verdict is Verdict.SECOND
    assert chosen.second == "a"
    assert chosen.p == pytest.approx(6 * alone.p)
    assert chosen.verdict is Verdict.NONE


def test_the_luck_of_a_winner_seldom_makes_equals_unequal() -> None:
    """Seven equal ways, one against the best of six: 100 runs, a verdict in at most one of twenty, and a bit."""
    random = Random(4)  # noqa: S311  # made-up outcomes
    wrong = 0
    for turn in range(100):
        outcomes = [
            line
            for name in ("panel", *"abcdef")
            for line in solved(name, "".join(random.choice("x.") for _ in range(40)))
        ]
        found = compare(
            tally(outcomes), [Question("panel", tuple("abcdef"), "")], Subject.FIX, Draws(120, turn)
        )
        wrong += found[0].verdict is not Verdict.NONE
    assert wrong <= 8


def test_functions_that_share_their_luck_seldom_make_equals_unequal() -> None:
    """Two equal ways on 20 functions of four cases, each with its own luck per function: 100 runs."""
    random = Random(9)  # noqa: S311  # made-up outcomes
    wrong = 0
    for turn in range(100):
        outcomes: list[Outcome] = []
        for way in ("panel", "b"):
            lucky = [chance for _ in range(20) for chance in [random.uniform(0.25, 0.75)] * 4]
            outcomes += solved(
                way, "".join("x" if random.random() < chance else "." for chance in lucky), group=4
            )
        found = compare(tally(outcomes), [Question("panel", ("b",), "")], Subject.FIX, Draws(200, turn))
        wrong += found[0].verdict is not Verdict.NONE
    assert wrong <= 9


def test_what_the_best_of_equals_owes_to_luck_is_told() -> None:
    random = Random(4)  # noqa: S311  # made-up outcomes
    names = ("panel", *"abcdef")
    marks = {name: "".join(random.choice("x.") for _ in range(40)) for name in names}
    outcomes = [line for name in names for line in solved(name, marks[name])]
    assert compared(outcomes, "a").luck is None
    several = compared(outcomes, *"abcdef").luck
    assert several is not None
    assert 0.02 < several < 0.2


def test_one_that_is_far_ahead_owes_nothing_to_luck() -> None:
    outcomes = [*solved("panel", "." * 40), *solved("a", "x" * 20 + "." * 20), *solved("b", "." * 40)]
    found = compared(outcomes, "a", "b")
    assert found.luck == pytest.approx(0, abs=0.02)


def test_a_candidate_that_hardly_ran_does_not_shrink_the_comparison() -> None:
    found = compared([*solved("panel", "xxxxxx"), *solved("b", "......"), *solved("c", "x.    ")], "b", "c")
    assert (found.cases, found.dropped, found.second) == (6, ("c",), "b")


def test_many_comparisons_are_corrected_for() -> None:
    known = tally(
        [*solved("panel", "x" * 7 + "." * 20), *(line for name in "abcd" for line in solved(name, "." * 27))]
    )
    asked = [Question("panel", (name,), name) for name in "abcd"]
    found = compare(known, asked, Subject.FIX, Draws(_TURNS, 1))
    assert [one.p for one in found] == pytest.approx([2 / 2**7] * 4)
    assert [one.p_holm for one in found] == pytest.approx([8 / 2**7] * 4)


def test_reviews_are_compared_by_f1_so_that_noise_costs() -> None:
    quiet = [Outcome(case=f"{n}", group=f"{n}", way="panel", solved=n < 20) for n in range(40)]
    noisy = [Outcome(case=f"{n}", group=f"{n}", way="b", solved=n < 22, false_alarms=3) for n in range(40)]
    found = compared([*quiet, *noisy], "b", subject=Subject.REVIEW)
    assert found.verdict is Verdict.FIRST
    assert (found.only_first, found.only_second) == (0, 2)


def test_clean_controls_alone_compare_nothing() -> None:
    outcomes = [
        Outcome(case=f"{n}", group=f"{n}", way=way, clean=True) for n in range(5) for way in ("panel", "b")
    ]
    found = compared(outcomes, "b", subject=Subject.REVIEW)
    assert (found.difference, found.interval, found.verdict) == (None, None, Verdict.NONE)


def test_the_panel_against_the_best_single_is_the_leading_question() -> None:
    asked = questions(
        ways(Subject.FIX, (Kind.SINGLE, Kind.SAMPLES, Kind.VOTING, Kind.PANEL, Kind.PANEL_NO_CRITIQUE))
    )
    assert [question.leading for question in asked] == [True, False, False, False]
    assert asked[0].rivals == ("samples:amber", "samples:birch", "samples:cedar")
    assert [question.about for question in asked] == [
        "panel against the best single member × k",
        "panel against the best single member's first answer",
        "panel against voting",
        "what critique adds to panel",
    ]


def test_one_way_alone_leaves_nothing_to_ask() -> None:
    assert questions(ways(Subject.FIX, (Kind.PANEL,))) == ()
