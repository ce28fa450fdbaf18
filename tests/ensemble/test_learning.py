"""Confidence moves with what became of findings: soon, not too far, and for each member by itself."""

import pytest

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Grounds, Refutation
from ensemble_lsp.ensemble.calibration import UNLEARNED, Support, calibration_error
from ensemble_lsp.ensemble.learning import MISTAKEN, MOST_WEIGHTS, Observation, learn

PAIR = Support(Grounds(families=2), ("a", "b"), "bug")
SINGLE = Support(Grounds(families=1, refutation=Refutation.SURVIVED), ("a",), "bug")


def outcomes(support: Support, *, right: int, wrong: int) -> list[Observation]:
    return [Observation(support, 1.0)] * right + [Observation(support, 0.0)] * wrong


def test_without_outcomes_the_prior_stands() -> None:
    assert learn([]) is UNLEARNED
    assert learn([Observation(PAIR, 1.0, weight=0.0)]) is UNLEARNED


def test_many_outcomes_bring_confidence_to_the_share_that_was_right_beside_the_persons_slips() -> None:
    learned = learn(outcomes(PAIR, right=240, wrong=60))
    # Heard right are those that are right and no slip, and the slips among the wrong ones.
    right = (0.8 - MISTAKEN) / (1 - 2 * MISTAKEN)
    assert learned.confidence(PAIR) == pytest.approx(right, abs=0.02)


def test_one_outcome_moves_confidence_a_little() -> None:
    before, after = UNLEARNED.confidence(PAIR), learn(outcomes(PAIR, right=0, wrong=1)).confidence(PAIR)
    assert before - 0.15 < after < before


def test_a_pattern_never_judged_follows_what_it_has_in_common_with_the_others() -> None:
    learned = learn(outcomes(PAIR, right=10, wrong=90))
    assert learned.confidence(SINGLE) < UNLEARNED.confidence(SINGLE)
    tested = Support(Grounds(families=1, witness=Rank.EXECUTED), ("c",), "bug")
    assert learned.confidence(tested) > 0.5


def test_a_member_that_imagines_things_lowers_confidence_in_its_own_findings_most() -> None:
    of = {name: Support(Grounds(families=1, refutation=Refutation.SURVIVED), (name,)) for name in "ab"}
    learned = learn([*outcomes(of["a"], right=2, wrong=28), *outcomes(of["b"], right=20, wrong=10)])
    assert learned.confidence(of["a"]) < 0.25
    assert learned.confidence(of["b"]) > 0.5


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_who_only_ever_gives_one_answer_teaches_next_to_nothing(right: float) -> None:
    few = learn([Observation(PAIR, right)] * 3)
    many = learn([Observation(PAIR, right)] * 300)
    assert many.confidence(PAIR) == pytest.approx(few.confidence(PAIR), abs=0.01)
    assert abs(many.confidence(PAIR) - UNLEARNED.confidence(PAIR)) < 0.2


def test_the_order_of_outcomes_and_of_members_does_not_matter() -> None:
    swapped = Support(PAIR.grounds, ("b", "a"), "bug")
    one = learn([*outcomes(PAIR, right=5, wrong=3), *outcomes(SINGLE, right=1, wrong=4)])
    other = learn([*outcomes(SINGLE, right=1, wrong=4), *outcomes(swapped, right=5, wrong=3)])
    assert one.confidence(SINGLE) == pytest.approx(other.confidence(SINGLE))


def test_however_many_members_and_categories_were_seen_the_work_is_bounded() -> None:
    many = [
        Observation(Support(Grounds(families=1), (f"m{number}",), f"c{number}"), float(number % 2))
        for number in range(200)
    ]
    learned = learn(many)
    assert len(learned.names) == MOST_WEIGHTS
    assert 0.0 < learned.confidence(many[150].support) < 1.0


def test_the_calibration_error_is_what_was_said_off_what_was_so() -> None:
    assert calibration_error([(0.8, 1.0)] * 8 + [(0.8, 0.0)] * 2) == pytest.approx(0.0)
    assert calibration_error([(0.95, 1.0)] * 5 + [(0.95, 0.0)] * 5) == pytest.approx(0.45)
    assert calibration_error([(0.25, 1.0), (0.75, 0.0)]) == pytest.approx(0.75)
