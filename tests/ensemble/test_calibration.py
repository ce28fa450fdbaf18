"""Confidence before anything was learned: the figures it starts from, and the order it must keep."""

import math

import pytest

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Band, Grounds, Refutation
from ensemble_lsp.ensemble.calibration import (
    FAMILIES,
    GROUNDED,
    PRIOR_WEIGHTS,
    START,
    UNLEARNED,
    Calibration,
    Support,
    band_of,
    features,
    sigmoid,
)


def sure(
    families: int = 1, witness: Rank | None = None, refutation: Refutation = Refutation.NOT_ATTEMPTED
) -> float:
    grounds = Grounds(families=families, witness=witness, refutation=refutation)
    return UNLEARNED.confidence(Support(grounds, [f"m{number}" for number in range(families)], "bug"))


@pytest.mark.parametrize(("families", "listed"), [(1, 0.09), (2, 0.23), (3, 0.32), (4, 0.54), (5, 0.77)])
def test_the_prior_is_the_published_precision_over_the_share_of_what_was_listed(
    families: int, listed: float
) -> None:
    mean = PRIOR_WEIGHTS[START].mean - GROUNDED + families * PRIOR_WEIGHTS[FAMILIES].mean
    assert sigmoid(mean) == pytest.approx(listed / 0.81, abs=0.09)


def test_two_families_are_about_as_likely_right_as_not_and_one_that_nobody_checked_is_not() -> None:
    assert 0.35 < sure(2) < 0.5
    assert sure(1) < 1 / 3 < sure(1, refutation=Refutation.SURVIVED) < sure(2) < sure(3) < sure(4) < sure(5)


def test_evidence_outranks_agreement_in_the_order_of_the_design() -> None:
    assert sure(2, Rank.EXECUTED) > sure(2, Rank.STATIC) > sure(4) > sure(2)
    assert sure(1, Rank.EXECUTED) > sure(1, Rank.STATIC) > sure(3)


def test_a_refutation_attempt_moves_confidence_by_what_it_brought() -> None:
    order = [
        Refutation.REFUTED_BY_EXECUTION,
        Refutation.REFUTED_BY_CITATION,
        Refutation.OBJECTED,
        Refutation.NOT_ATTEMPTED,
        Refutation.SURVIVED_SAME_FAMILY,
        Refutation.SURVIVED,
    ]
    values = [sure(2, refutation=each) for each in order]
    assert values == sorted(values)
    assert len(set(values)) == len(values)


def test_what_is_uncertain_is_drawn_towards_one_half() -> None:
    support = Support(Grounds(families=5), ["a"])
    mean, variance = UNLEARNED.log_odds(support)
    assert mean > 0
    assert variance > 0
    assert 0.5 < UNLEARNED.confidence(support) < sigmoid(mean)


def test_a_weight_that_was_learned_replaces_its_prior() -> None:
    learned = Calibration(names=(START,), means=(0.0,), covariance=((0.0,),))
    support = Support(Grounds(families=1), ["a"])
    difference = learned.log_odds(support)[0] - UNLEARNED.log_odds(support)[0]
    assert difference == pytest.approx(-PRIOR_WEIGHTS[START].mean)


def test_members_share_one_effect_however_many_they_are() -> None:
    found = features(Support(Grounds(families=2), ["a", "b", "a"], "Bug"))
    assert found["member a"] == found["member b"] == 0.5
    assert found["category bug"] == 1.0


def test_log_odds_out_of_range_are_certain_and_no_error() -> None:
    assert (sigmoid(-1e9), sigmoid(1e9)) == (pytest.approx(0.0), pytest.approx(1.0))
    assert math.isclose(sigmoid(2.0) + sigmoid(-2.0), 1.0)


def test_bands_say_it_in_words() -> None:
    assert [band_of(value) for value in (2 / 3, 0.66, 1 / 3, 0.33)] == [
        Band.HIGH,
        Band.MEDIUM,
        Band.MEDIUM,
        Band.LOW,
    ]
