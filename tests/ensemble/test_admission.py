"""The rules of admission, one by one, without any panel."""

import pytest

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Refutation
from ensemble_lsp.ensemble.admission import Case, needs_challenge, needs_strong, rule

SMALL = "one small model alone says so, and no other family sits here"


def case(**fields: object) -> Case:
    told: dict[str, object] = {"families": 1, "by_anchor": False, "critical": False, **fields}
    return Case(**told)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("known", "admitted", "reason"),
    [
        (case(witness=Rank.STATIC, witness_name="ruff"), True, "ruff agrees"),
        (case(witness=Rank.STATIC, witness_name="bandit and semgrep"), True, "bandit and semgrep agree"),
        (case(witness=Rank.EXECUTED, witness_name="probe"), True, "probe confirms"),
        (case(families=2), True, "2 families"),
        (case(families=3, witness=Rank.STATIC, witness_name="ruff"), True, "3 families; ruff agrees"),
        (case(by_anchor=True), True, "anchor, not refuted"),
        (
            case(by_anchor=True, refutation=Refutation.SURVIVED),
            True,
            "anchor, an attempt to refute it failed",
        ),
        (case(by_anchor=True, refutation=Refutation.REFUTED_BY_CITATION), False, "refuted by a cited line"),
        (
            case(refutation=Refutation.NOT_ATTEMPTED),
            False,
            "one family only, and nobody was asked to refute it",
        ),
        (case(refutation=Refutation.SURVIVED), True, "one family; an attempt to refute it failed"),
        (case(refutation=Refutation.OBJECTED), True, "one family; the objection brought no evidence"),
        (case(refutation=Refutation.REFUTED_BY_EXECUTION), False, "refuted by a test that was run"),
        (case(by_anchor=True, only_small=True), False, SMALL),
        (case(only_small=True, critical=True), False, SMALL),
        (case(only_small=True, witness=Rank.EXECUTED, witness_name="probe"), True, "probe confirms"),
        (case(withdrawn=True), False, "withdrawn by its author"),
        (case(families=2, in_scope=False), False, "outside the selection"),
    ],
)
def test_each_case_has_its_ruling(known: Case, admitted: bool, reason: str) -> None:
    ruling = rule(known)
    assert (ruling.admitted, ruling.reason) == (admitted, reason)


@pytest.mark.parametrize(
    ("support", "against", "admitted"),
    [
        ({"families": 2}, Refutation.REFUTED_BY_CITATION, True),
        ({"families": 5}, Refutation.REFUTED_BY_EXECUTION, False),
        ({"witness": Rank.STATIC, "witness_name": "ruff"}, Refutation.REFUTED_BY_CITATION, True),
        ({"witness": Rank.STATIC, "witness_name": "ruff"}, Refutation.REFUTED_BY_EXECUTION, False),
        ({"witness": Rank.EXECUTED, "witness_name": "probe"}, Refutation.REFUTED_BY_EXECUTION, True),
    ],
)
def test_evidence_is_weighed_executed_over_tool_over_agreement_over_citation(
    support: dict[str, object], against: Refutation, admitted: bool
) -> None:
    ruling = rule(case(**support, refutation=against))
    assert ruling.admitted is admitted
    assert ruling.contested is admitted


def test_the_strong_members_word_on_a_contested_critical_counts() -> None:
    contested = {"critical": True, "families": 2, "refutation": Refutation.REFUTED_BY_CITATION}
    assert rule(case(**contested, upheld=True)).admitted
    assert not rule(case(**contested, upheld=False)).admitted


def test_lines_the_change_did_not_touch_are_off_and_say_what_they_would_have_been() -> None:
    ruling = rule(case(families=2, changed_lines=False))
    assert not ruling.admitted
    assert ruling.reason == "on lines that the change did not touch (else kept: 2 families)"


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        (case(), True),
        (case(by_anchor=True), True),
        (case(families=2), False),
        (case(witness=Rank.STATIC), False),
        (case(families=3, critical=True), True),
        (case(witness=Rank.EXECUTED, critical=True), True),
        (case(changed_lines=False), False),
        (case(only_small=True, critical=True), False),
        (case(in_scope=False, critical=True), False),
    ],
)
def test_singletons_and_criticals_are_challenged(known: Case, asked: bool) -> None:
    assert needs_challenge(known) is asked


def test_only_contradicted_criticals_go_to_the_strong_member() -> None:
    assert needs_strong(case(critical=True, refutation=Refutation.OBJECTED))
    assert needs_strong(case(critical=True, refutation=Refutation.REFUTED_BY_EXECUTION))
    assert not needs_strong(case(critical=True, refutation=Refutation.SURVIVED))
    assert not needs_strong(case(refutation=Refutation.REFUTED_BY_CITATION))
