"""The anchor: by record, per action and language, and not in turns."""

import random

import pytest

from ensemble_lsp.store.anchoring import choose_anchor
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.outcomes import OutcomeStore, Verdict
from ensemble_lsp.store.reliability import BetaCount, Reliabilities, unchanged
from tests.store.conftest import Clock


def learned(language: str = "python", action: str = "fix", **members: tuple[float, float]) -> Reliabilities:
    return Reliabilities(
        {(name, action, language, action): BetaCount(*count) for name, count in members.items()}
    )


def anchor(known: Reliabilities, *candidates: str, holder: str | None = None, action: str = "fix") -> str:
    return choose_anchor(known, candidates, action, "python", holder).member


def test_before_anything_is_known_the_first_seat_is_the_anchor() -> None:
    choice = choose_anchor(Reliabilities(), ["first", "second"], "fix", "python", None)
    assert (choice.member, choice.outcomes) == ("first", 0.0)


def test_a_few_lucky_outcomes_move_nobody() -> None:
    assert anchor(learned(second=(4, 0)), "first", "second") == "first"
    assert anchor(learned(first=(95, 5), second=(5, 0)), "first", "second") == "first"


def test_who_is_clearly_better_becomes_the_anchor_and_says_from_how_many_outcomes() -> None:
    choice = choose_anchor(
        learned(first=(20, 22), second=(34, 8)), ["first", "second"], "fix", "python", None
    )
    assert (choice.member, choice.outcomes) == ("second", 42.0)


def test_who_holds_the_place_keeps_it_against_an_equal() -> None:
    known = learned(a=(30, 12), b=(31, 11))
    assert anchor(known, "a", "b", holder="a") == "a"
    assert anchor(known, "a", "b", holder="b") == "b"


def test_a_holder_that_does_not_sit_here_holds_nothing() -> None:
    assert anchor(Reliabilities(), "a", "b", holder="gone") == "a"


def test_records_of_another_action_do_not_make_an_anchor() -> None:
    assert anchor(learned(action="review", a=(5, 50), b=(50, 5)), "a", "b", action="fix") == "a"


def test_a_record_in_another_language_counts_until_there_is_one_here() -> None:
    elsewhere = learned(language="go", a=(5, 45), b=(45, 5))
    assert anchor(elsewhere, "a", "b") == "b"
    here = Reliabilities({**elsewhere.counts, **learned(a=(45, 5), b=(5, 45)).counts})
    assert anchor(here, "a", "b") == "a"


def test_two_equal_members_hardly_ever_take_turns() -> None:
    randomness = random.Random(3)  # noqa: S311  (a simulation, not secrets)
    counts = {"a": BetaCount(), "b": BetaCount()}
    holder, changes = "a", 0
    for _ in range(200):
        for name in counts:
            good = randomness.random() < 0.6
            counts[name] += BetaCount(float(good), float(not good))
        known = Reliabilities({(name, "fix", "python", "fix"): count for name, count in counts.items()})
        chosen = anchor(known, "a", "b", holder=holder)
        changes += chosen != holder
        holder = chosen
    assert changes <= 2


def test_after_a_clear_change_only_what_came_since_counts() -> None:
    good, bad = BetaCount(1.0, 0.0), BetaCount(0.0, 1.0)
    steady = [good, good, bad, good] * 20
    assert unchanged(steady) == len(steady)
    assert unchanged([bad] * 12 + steady) == 12


@pytest.fixture
def outcomes(database: Database, clock: Clock) -> OutcomeStore:
    return OutcomeStore(database, clock=clock)


async def fixes(outcomes: OutcomeStore, member: str, *, passed: int, failed: int) -> None:
    for number in range(passed + failed):
        await outcomes.record(
            scope="w",
            subject=f"{member}{number}",
            members=[member],
            action="fix",
            language="python",
            verdict=Verdict.CHECK_PASSED if number < passed else Verdict.CHECK_FAILED,
        )


async def test_the_store_remembers_who_holds_the_place_until_it_is_reset(outcomes: OutcomeStore) -> None:
    await fixes(outcomes, "b", passed=12, failed=1)
    known = await outcomes.reliabilities()
    assert (await outcomes.anchor(known, ["a", "b"], "fix", "python", keep=False)).member == "b"
    assert await outcomes.anchors() == ()
    await outcomes.anchor(known, ["a", "b"], "fix", "python", keep=True)
    (held,) = await outcomes.anchors()
    assert (held.member, held.action, held.language, held.panel) == ("b", "fix", "python", ("a", "b"))
    await outcomes.reset("b")
    assert await outcomes.anchors() == ()
