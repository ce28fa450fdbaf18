"""The figures of a benchmark against values that others published, or that can be worked out by hand."""

from random import Random

import pytest

from ensemble_lsp.bench.figures.calibration import calibration
from ensemble_lsp.bench.figures.intervals import (
    bootstrap_interval,
    expanded_tail,
    no_events,
    share_interval,
    student,
    unanimous_interval,
    wilson,
)
from ensemble_lsp.bench.figures.resampling import Draws
from ensemble_lsp.bench.figures.significance import holm, mcnemar, swap_test
from ensemble_lsp.bench.figures.summaries import fix_summaries, review_summaries, roof
from ensemble_lsp.bench.figures.tally import Counts, f1, solved_share, tally
from ensemble_lsp.bench.outcomes import Claim, Outcome


def outcome(case: str, way: str = "panel", **given: object) -> Outcome:
    return Outcome.model_validate({"case": case, "group": case, "way": way, **given})


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        # Newcombe 1998 (Statistics in Medicine 17:857), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_a_share_is_the_one_of_newcombes_table(
    hits: int, of: int, low: float, high: float
) -> None:
    found = wilson(hits, of)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_a_share_of_nothing_can_be_anything() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_cases_on_their_own_have_wilsons_interval() -> None:
    assert share_interval([(1, 1)] * 13 + [(0, 1)] * 27) == wilson(13, 40)


def test_cases_of_one_function_that_succeed_together_count_as_few() -> None:
    together = share_interval([(4, 4)] * 5 + [(0, 4)] * 5)
    alone = share_interval([(1, 1)] * 5 + [(0, 1)] * 5)
    assert together.low <= alone.low
    assert together.high >= alone.high


def test_cases_of_one_function_that_differ_never_count_for_more_than_they_are() -> None:
    spread = share_interval([(2, 4)] * 10)
    assert spread.low <= wilson(20, 40).low


def test_all_solved_in_few_functions_leaves_room_for_the_next_one() -> None:
    assert share_interval([(5, 5)] * 4).low == pytest.approx(wilson(4, 4).low)


def test_of_nothing_seen_the_bound_is_the_poisson_one() -> None:
    assert no_events(1) == pytest.approx(3.6889, abs=1e-4)  # Garwood 1936: the upper limit of no events


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1, 12.706), (2, 4.303), (5, 2.571), (9, 2.262), (30, 2.042), (120, 1.980)]
)
def test_students_quantiles_are_those_of_the_tables(freedom: int, expected: float) -> None:
    assert student(0.975, freedom) == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize(("groups", "tail"), [(10, 0.0086), (20, 0.0159), (40, 0.0203), (100, 0.0231)])
def test_fewer_groups_cut_smaller_tails(groups: int, tail: float) -> None:
    # By hand: the normal share below -sqrt(n / (n - 1)) times the quantile of Student's table.
    assert expanded_tail(0.025, groups) == pytest.approx(tail, abs=6e-4)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        (12, 3, 0.0352),
        (5, 15, 0.0414),
        (4, 2, 0.6875),
        (0, 6, 0.03125),
        (7, 7, 1.0),
        (0, 0, 1.0),
    ],
)
def test_mcnemars_exact_test_is_the_binomial_tail(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == pytest.approx(p, abs=5e-5)


def test_mcnemars_test_of_agrestis_approval_ratings() -> None:
    # Agresti, Categorical Data Analysis: 150 and 86 changed their minds; z = 4.17, exact p 3.7e-5.
    assert 2e-5 < mcnemar(150, 86) < 5e-5


def test_holm_steps_down() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()


def test_swapping_single_cases_is_mcnemars_test() -> None:
    rows = (
        [(Counts(1, 1), Counts(1, 0))] * 6
        + [(Counts(1, 0), Counts(1, 1))] * 2
        + [(Counts(1, 1), Counts(1, 1))] * 9
    )
    assert swap_test(rows, solved_share, Draws(10, 1)) == pytest.approx(mcnemar(6, 2))


def test_swapping_whole_functions_is_less_sure_than_mcnemar() -> None:
    rows = [(Counts(5, 5), Counts(5, 0))] * 3
    assert swap_test(rows, solved_share, Draws(10, 1)) == 0.25
    assert mcnemar(15, 0) < 0.001


def test_many_swaps_are_drawn_and_never_give_zero() -> None:
    rows = [(Counts(1, 1), Counts(1, 0))] * 40
    assert swap_test(rows, solved_share, Draws(500, 1)) == pytest.approx(1 / 501)


def test_every_resample_has_as_many_groups_and_keeps_rows_whole() -> None:
    sums = Draws(200, 3).resampled([(1, 10), (2, 20), (3, 30)])
    assert all(3 <= one <= 9 and ten == 10 * one for one, ten in sums)
    assert len(set(sums)) > 4


def test_one_seed_draws_the_same() -> None:
    rows = [(place,) for place in range(30)]
    assert Draws(50, 3).resampled(rows) == Draws(50, 3).resampled(rows)
    assert Draws(50, 3).resampled(rows) != Draws(50, 4).resampled(rows)


def test_where_all_resamples_agree_unseen_groups_are_allowed_for() -> None:
    assert bootstrap_interval([1.0] * 50, 10) is None
    all_won = unanimous_interval(1.0, 10)
    assert 0 < all_won.low < 0.6
    assert all_won.high == 1.0
    no_difference = unanimous_interval(0.0, 10)
    assert no_difference.low == -no_difference.high


def test_a_difference_that_is_there_is_covered_by_19_of_20_intervals() -> None:
    """Two ways with success .6 and .45 on 30 functions of two cases, hardness shared within a function."""
    random = Random(20)  # noqa: S311  # made-up outcomes
    covered = trials = 0
    for _ in range(200):
        rows: list[tuple[int, int]] = []
        for _ in range(30):
            shift = random.uniform(-0.3, 0.3)
            first = sum(random.random() < 0.6 + shift for _ in range(2))
            second = sum(random.random() < 0.45 + shift for _ in range(2))
            rows.append((2 + first, 2 + second))
        drawn = [(one - two) / 60 for one, two in Draws(250, trials).resampled(rows)]
        found = bootstrap_interval(drawn, len(rows))
        assert found is not None
        covered += found.low <= 0.15 <= found.high
        trials += 1
    assert 0.90 <= covered / trials <= 0.99


def test_calibration_by_hand() -> None:
    said = [(0.9, True)] * 8 + [(0.9, False)] * 2 + [(0.3, True)] * 1 + [(0.3, False)] * 9
    outcomes = [
        outcome(str(place), claims=(Claim(probability=p, true=true),)) for place, (p, true) in enumerate(said)
    ]
    found = calibration("panel", outcomes, Draws(200, 1))
    assert found is not None
    assert [(point.claims, round(point.said, 3), round(point.was, 3)) for point in found.bins] == [
        (10, 0.3, 0.1),
        (10, 0.9, 0.8),
    ]
    assert found.ece == pytest.approx(0.5 * 0.2 + 0.5 * 0.1)
    assert found.brier == pytest.approx((8 * 0.01 + 2 * 0.81 + 0.49 + 9 * 0.09) / 20)


def test_claims_of_one_probability_share_a_bin() -> None:
    outcomes = [
        outcome(str(place), claims=(Claim(probability=0.5, true=place % 2 == 0),)) for place in range(40)
    ]
    found = calibration("panel", outcomes, Draws(100, 1))
    assert found is not None
    assert [point.claims for point in found.bins] == [40]
    assert found.ece == 0.0


def test_a_calibrated_speakers_error_is_what_chance_gives_and_a_boasters_is_not() -> None:
    random = Random(5)  # noqa: S311  # made-up outcomes
    honest = [
        outcome(str(place), claims=(Claim(probability=p, true=random.random() < p),))
        for place, p in enumerate(random.uniform(0.1, 0.9) for _ in range(600))
    ]
    boasting = [
        outcome(str(place), claims=(Claim(probability=0.95 - place % 5 / 100, true=place % 2 == 0),))
        for place in range(600)
    ]
    calm, loud = calibration("h", honest, Draws(300, 1)), calibration("b", boasting, Draws(300, 1))
    assert calm is not None
    assert loud is not None
    assert calm.ece < 2 * calm.chance
    assert calm.ece_interval is not None
    assert calm.ece_interval.low < calm.chance
    assert loud.ece_interval is not None
    assert loud.ece_interval.low > 5 * loud.chance


def test_a_way_that_claims_nothing_has_no_calibration() -> None:
    assert calibration("panel", [outcome("a")], Draws(100, 1)) is None


def test_a_wrong_fix_with_a_warning_is_no_false_accept() -> None:
    summary = fix_summaries(
        tally(
            [
                outcome(
                    "a", accepted=True, solved=True, calls=3, tokens_in=90, tokens_out=30, usd=0.2, seconds=1
                ),
                outcome("b", accepted=True, calls=2, right_among=True, seconds=2),
                outcome("c", accepted=True, weak=True, calls=1, seconds=9),
                outcome("d", failed="endpoint down", calls=50, seconds=99),
            ]
        )
    )[0]
    assert (summary.finished, summary.failed, summary.solved.hits) == (3, 1, 1)
    assert (summary.false_accepts, summary.weak_wrong, summary.right_among.hits) == (1, 1, 2)
    assert (summary.cost.calls, summary.cost.seconds_mean, summary.cost.seconds_median) == (6, 4, 2)
    assert (summary.cost.calls_per_solved, summary.cost.tokens_per_solved) == (6, 120)


def test_a_review_counts_duplicates_once_and_clean_cases_apart() -> None:
    summary = review_summaries(
        tally(
            [
                outcome("a", solved=True, accepted=True, false_alarms=1),
                outcome("b", accepted=True, false_alarms=2),
                outcome("c", clean=True, accepted=True, false_alarms=1),
                outcome("d", clean=True),
            ]
        ),
        Draws(200, 1),
    )[0]
    assert (summary.recall.hits, summary.recall.of) == (1, 2)
    assert (summary.precision.hits, summary.precision.of) == (1, 5)
    assert summary.f1.value == pytest.approx(2 * 0.2 * 0.5 / 0.7)
    assert (summary.clean, summary.alarms_per_clean.value, summary.clean_with_alarm.hits) == (2, 0.5, 1)


def test_without_clean_controls_false_alarms_on_them_are_unknown() -> None:
    summary = review_summaries(tally([outcome("a", solved=True)]), Draws(100, 1))[0]
    assert summary.alarms_per_clean.value is None
    assert summary.clean_with_alarm.value is None


def test_no_alarm_on_clean_controls_is_not_proof_of_none() -> None:
    summary = review_summaries(tally([outcome(str(n), clean=True) for n in range(20)]), Draws(100, 1))[0]
    assert summary.alarms_per_clean.value == 0
    assert summary.alarms_per_clean.interval is not None
    assert summary.alarms_per_clean.interval.high == pytest.approx(3.6889 / 20, abs=1e-4)
    assert summary.f1.value is None


def test_f1_of_a_way_that_finds_nothing_is_zero() -> None:
    assert f1(Counts(cases=4, solved=0, false_alarms=0)) == 0
    assert f1(Counts()) is None


def test_what_all_first_answers_missed_is_counted_on_the_cases_that_all_finished() -> None:
    known = tally(
        [
            outcome("a", "single:x", solved=True),
            outcome("b", "single:x"),
            outcome("c", "single:x"),
            outcome("a", "single:y"),
            outcome("b", "single:y"),
            outcome("c", "single:y", failed="timeout"),
        ]
    )
    found = roof(known, ("single:x", "single:y"))
    assert found is not None
    assert (found.missed.hits, found.missed.of, found.solvable.hits) == (1, 2, 1)
    assert roof(known, ("single:x",)) is None


def test_a_case_that_was_made_again_counts_once_and_a_later_failure_does_not_undo_it() -> None:
    known = tally([outcome("a", failed="down"), outcome("a", solved=True), outcome("a", failed="down again")])
    assert known.done["panel"]["a"].solved
    assert known.failed["panel"] == ()


def test_a_small_error_from_few_claims_has_a_wide_interval() -> None:
    """Reflected at both ends, the interval of an error of nearly 0 was nearly nothing wide."""
    outcomes = [outcome(str(place), claims=(Claim(probability=0.7, true=place < 5),)) for place in range(7)]
    found = calibration("panel", outcomes, Draws(400, 1))
    assert found is not None
    assert found.ece < 0.02
    assert found.ece_interval is not None
    assert found.ece_interval.high > 0.2
