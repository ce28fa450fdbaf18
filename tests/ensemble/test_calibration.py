"""Confidence: the figures it starts from, and the order it must keep."""

import pytest

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Band
from ensemble_lsp.ensemble.calibration import Refutation, Support, band_of, confidence


def sure(
    families: int = 1,
    witness: Rank | None = None,
    refutation: Refutation = Refutation.NOT_ATTEMPTED,
    reliabilities: tuple[float, ...] = (),
) -> float:
    return confidence(Support(families, witness, refutation, reliabilities))


@pytest.mark.parametrize(("families", "measured"), [(1, 0.09), (2, 0.23), (3, 0.32), (4, 0.54), (5, 0.77)])
def test_agreement_alone_gives_the_measured_precision(families: int, measured: float) -> None:
    assert sure(families) == pytest.approx(measured, abs=0.045)


def test_evidence_outranks_agreement_in_the_order_of_the_design() -> None:
    assert sure(1, Rank.EXECUTED) > sure(1, Rank.STATIC) > sure(5) > sure(1)


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


def test_measured_reliability_counts_and_an_unknown_one_does_not() -> None:
    assert sure(2, reliabilities=(0.5, 0.5)) == sure(2)
    assert sure(2, reliabilities=(0.8, 0.8)) > sure(2) > sure(2, reliabilities=(0.2, 0.2))


def test_a_reliability_of_one_or_zero_proves_no_more_than_nine_in_ten() -> None:
    assert sure(2, reliabilities=(1.0,)) == sure(2, reliabilities=(0.9,))
    assert sure(2, reliabilities=(0.0,)) == sure(2, reliabilities=(0.1,))


def test_bands_say_it_in_words() -> None:
    assert [band_of(value) for value in (0.6, 0.59, 0.3, 0.29)] == [
        Band.HIGH,
        Band.MEDIUM,
        Band.MEDIUM,
        Band.LOW,
    ]
