"""The panel learns from what became of its work, and forgets again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.store.database import Database
from ensemble_lsp.store.outcomes import OutcomeStore, Verdict
from ensemble_lsp.store.reliability import (
    HALF_LIFE_DAYS,
    BetaCount,
    Reliabilities,
    fade,
)
from tests.store.conftest import Clock

HALF_LIFE = HALF_LIFE_DAYS * 86_400

counts = st.builds(BetaCount, st.floats(0, 1e4), st.floats(0, 1e4))
days = st.floats(0, 2000)


@pytest.fixture
def outcomes(database: Database, clock: Clock) -> OutcomeStore:
    return OutcomeStore(database, clock=clock)


async def say(
    outcomes: OutcomeStore, verdict: Verdict, *, subject: str = "c1", member: str = "a", reason: str = ""
) -> None:
    await outcomes.record(
        job="j1", subject=subject, members=[member], category="fix", verdict=verdict, reason=reason
    )


async def reliability(outcomes: OutcomeStore, member: str = "a", category: str = "fix") -> float:
    return (await outcomes.reliabilities()).reliability(member, category)


async def test_nothing_known_is_one_half(outcomes: OutcomeStore) -> None:
    assert await reliability(outcomes) == 0.5


async def test_accepting_raises_and_rejecting_lowers(outcomes: OutcomeStore) -> None:
    await say(outcomes, Verdict.ACCEPTED)
    assert await reliability(outcomes) == pytest.approx(2 / 3)
    await say(outcomes, Verdict.REJECTED, subject="c2")
    assert await reliability(outcomes) == 0.5
    assert await reliability(outcomes, category="review") == 0.5


async def test_the_persons_last_word_counts(outcomes: OutcomeStore) -> None:
    for verdict in (Verdict.ACCEPTED, Verdict.ACCEPTED, Verdict.REJECTED):
        await say(outcomes, verdict)
    assert await reliability(outcomes) == pytest.approx(1 / 3)


async def test_a_check_speaks_beside_the_person(outcomes: OutcomeStore) -> None:
    await say(outcomes, Verdict.CHECK_PASSED)
    await say(outcomes, Verdict.ACCEPTED)
    assert await reliability(outcomes) == pytest.approx(3 / 4)


@pytest.mark.parametrize(
    ("reason", "expected"), [("wrong", 1 / 3), ("style", 1 / 2.5), ("wontfix", 1 / 2), ("", 1 / 2.5)]
)
async def test_a_dismissal_weighs_by_its_reason(outcomes: OutcomeStore, reason: str, expected: float) -> None:
    await say(outcomes, Verdict.DISMISSED, reason=reason)
    assert await reliability(outcomes) == pytest.approx(expected)


async def test_all_members_behind_a_candidate_get_the_verdict(outcomes: OutcomeStore) -> None:
    await outcomes.record(
        job="j", subject="c", members=["a", "b", "a"], category="Fix", verdict=Verdict.ACCEPTED
    )
    stats = (await outcomes.reliabilities()).stats()
    assert [(line.member, line.category, line.successes) for line in stats] == [
        ("a", "fix", 1.0),
        ("b", "fix", 1.0),
    ]


async def test_a_verdict_weighs_half_after_the_half_life(outcomes: OutcomeStore, clock: Clock) -> None:
    await say(outcomes, Verdict.ACCEPTED)
    clock.now += HALF_LIFE
    assert await reliability(outcomes) == pytest.approx(1.5 / 2.5)


async def test_reset_forgets_one_member_or_all(outcomes: OutcomeStore) -> None:
    for member in ("a", "b", "c"):
        await say(outcomes, Verdict.ACCEPTED, member=member)
    assert await outcomes.reset("a") == 1
    assert await outcomes.reset() == 2
    assert (await outcomes.reliabilities()).stats() == ()


def learned(**members: tuple[float, float]) -> Reliabilities:
    return Reliabilities({(name, "fix"): BetaCount(*count) for name, count in members.items()})


def test_nobody_is_best_before_enough_is_known() -> None:
    assert learned(a=(4, 0)).best_member("fix", ["a", "b"]) is None


def test_a_long_good_record_beats_a_short_perfect_one() -> None:
    assert learned(new=(5, 0), old=(95, 5)).best_member("fix", ["new", "old"]) == "old"


def test_on_a_tie_the_earlier_candidate_stays() -> None:
    assert learned(a=(6, 1), b=(6, 1)).best_member("fix", ["b", "a"]) == "b"


def test_only_candidates_can_be_best() -> None:
    assert learned(a=(50, 0), b=(6, 4)).best_member("fix", ["b"]) == "b"


@given(counts, days)
def test_reliability_stays_between_0_and_1_and_fades_towards_one_half(count: BetaCount, later: float) -> None:
    faded = count.after(later)
    assert 0.0 < faded.mean < 1.0
    assert 0.0 <= faded.cautious <= faded.mean
    assert abs(faded.mean - 0.5) <= abs(count.mean - 0.5) + 1e-12


@given(counts, days, days)
def test_fading_twice_is_fading_for_the_sum(count: BetaCount, first: float, second: float) -> None:
    twice, once = count.after(first).after(second), count.after(first + second)
    assert twice.successes == pytest.approx(once.successes)
    assert twice.failures == pytest.approx(once.failures)


@given(st.lists(st.tuples(counts, days), max_size=8), days)
def test_adding_and_fading_can_change_places(history: list[tuple[BetaCount, float]], later: float) -> None:
    outcomes = [("m", "c", count, -at * 86_400) for count, at in history]
    then = fade(outcomes, later * 86_400).counts.get(("m", "c"), BetaCount())
    now_and_then = fade(outcomes, 0.0).counts.get(("m", "c"), BetaCount()).after(later)
    assert then.successes == pytest.approx(now_and_then.successes)
    assert then.failures == pytest.approx(now_and_then.failures)


def test_a_clock_that_was_set_back_gives_nothing_extra_weight() -> None:
    assert BetaCount(1, 2).after(-5) == BetaCount(1, 2)
