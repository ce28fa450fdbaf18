"""What a debate recommends, rule by rule."""

import pytest

from ensemble_lsp.core.evidence import Evidence, Outcome, Rank
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.positions import (
    Floor,
    Objection,
    Position,
    PositionDraft,
    letter,
    opened,
    same_stance,
)
from ensemble_lsp.ensemble.recommending import recommend
from tests.ensemble.reading_panel import member


def floor(**stances: str) -> Floor:
    """A floor on which each named member holds a stance."""
    drafts = [
        (Voice(member(name), 0), PositionDraft(stance=stance, argument="", line=0, quote=""))
        for name, stance in stances.items()
    ]
    return opened(drafts)


def against(position: Position, rank: Rank | None) -> None:
    evidence: Evidence | None = None
    if rank is not None:
        evidence = Evidence(witness="w", rank=rank, target="t", outcome=Outcome.PASSED, summary="s")
    position.objections.append(Objection(member("x"), "no", evidence, 1))


def test_a_test_that_was_run_beats_any_number_of_families() -> None:
    held = floor(a="Use tabs.", b="Use tabs.", c="Prefer spaces.")
    against(held.seats[0].position, Rank.EXECUTED)
    assert recommend(held).position is held.seats[2].position


def test_when_tests_break_every_position_none_is_recommended() -> None:
    held = floor(a="Use tabs.", c="Prefer spaces.")
    for position in held.positions:
        against(position, Rank.EXECUTED)
    assert recommend(held).position is None


def test_an_objection_without_evidence_changes_nothing() -> None:
    held = floor(a="Use tabs.", b="Use tabs.", c="Prefer spaces.")
    against(held.seats[0].position, None)
    assert recommend(held).position is held.seats[0].position


def test_when_lines_speak_against_all_families_decide() -> None:
    held = floor(a="Use tabs.", b="Use tabs.", c="Prefer spaces.")
    against(held.seats[0].position, Rank.OPINION)
    against(held.seats[2].position, Rank.OPINION)
    assert recommend(held).position is held.seats[0].position


def test_those_who_only_conformed_do_not_count() -> None:
    held = floor(a="Use tabs.", b="Use tabs.", c="Prefer spaces.")
    held.seats[1].conformed = True
    assert recommend(held).position is None


def test_positions_that_nobody_earned_are_not_recommended() -> None:
    held = floor(a="Use tabs.", b="Use tabs.")
    held.seats[0].conformed = held.seats[1].conformed = True
    assert recommend(held).position is None


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Use Decimal for money.", "Use decimal for the money", True),
        ("Rename the function.", "Do not rename the function.", False),
        ("The cache is safe.", "The cache is unsafe.", False),
        ("Return 0 for an empty list.", "Return None for an empty list.", False),
        ("Yes.", "No.", False),
    ],
)
def test_stances_are_one_position_only_when_they_say_the_same(first: str, second: str, same: bool) -> None:
    assert same_stance(first, second) is same


def test_positions_are_lettered() -> None:
    assert [letter(number) for number in (0, 25, 26)] == ["A", "Z", "A2"]
