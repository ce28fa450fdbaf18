"""The panel learns from what became of its work, and forgets again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.store.database import Database
from ensemble_lsp.store.outcomes import OutcomeStore, Verdict
from ensemble_lsp.store.reliability import (
    HALF_LIFE_DAYS,
    HALF_LIFE_OUTCOMES,
    BetaCount,
    MemberOutcome,
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
    outcomes: OutcomeStore,
    verdict: Verdict,
    *,
    subject: str = "c1",
    member: str = "a",
    reason: str = "",
    taken: float | None = None,
    scope: str = "w1",
) -> None:
    await outcomes.record(
        scope=scope,
        subject=subject,
        members=[member],
        action="fix",
        language="python",
        verdict=verdict,
        reason=reason,
        taken=taken,
    )


async def known(outcomes: OutcomeStore, member: str = "a", action: str = "fix") -> tuple[float, float]:
    count = (await outcomes.reliabilities()).known(member, action)
    return count.successes, count.failures


async def test_nothing_known_is_one_half(outcomes: OutcomeStore) -> None:
    assert (await outcomes.reliabilities()).reliability("a", "fix").mean == 0.5


async def test_accepting_raises_and_rejecting_lowers(outcomes: OutcomeStore) -> None:
    await say(outcomes, Verdict.ACCEPTED)
    assert (await outcomes.reliabilities()).reliability("a", "fix").mean > 0.5
    await say(outcomes, Verdict.REJECTED, subject="c2")
    await say(outcomes, Verdict.REJECTED, subject="c3")
    assert (await outcomes.reliabilities()).reliability("a", "fix").mean < 0.5


async def test_the_persons_last_word_counts(outcomes: OutcomeStore) -> None:
    for verdict in (Verdict.ACCEPTED, Verdict.ACCEPTED, Verdict.REJECTED):
        await say(outcomes, verdict)
    assert await known(outcomes) == (0.0, 1.0)


async def test_a_check_speaks_beside_the_person(outcomes: OutcomeStore) -> None:
    await say(outcomes, Verdict.CHECK_PASSED)
    await say(outcomes, Verdict.ACCEPTED)
    assert (await known(outcomes))[0] == pytest.approx(2.0, abs=0.02)


async def test_what_was_undone_says_nothing_until_the_person_says_more(outcomes: OutcomeStore) -> None:
    await say(outcomes, Verdict.ACCEPTED)
    await say(outcomes, Verdict.UNDONE)
    assert await known(outcomes) == (0.0, 0.0)
    await say(outcomes, Verdict.REJECTED)
    assert await known(outcomes) == (0.0, 1.0)


async def test_of_a_change_taken_in_part_each_part_counts(outcomes: OutcomeStore) -> None:
    await say(outcomes, Verdict.REJECTED, taken=0.75)
    assert await known(outcomes) == (0.75, 0.25)


@pytest.mark.parametrize(
    ("reason", "failures"),
    [
        ("wrong", 1),
        ("Wrong: callers check it", 1),
        ("style", 0),
        ("wontfix", 0),
        ("", 0),
        ("wrongly placed", 0),
    ],
)
async def test_of_dismissals_only_wrong_speaks_against_a_finding(
    outcomes: OutcomeStore, reason: str, failures: int
) -> None:
    await say(outcomes, Verdict.DISMISSED, reason=reason)
    assert await known(outcomes) == (0, failures)


async def test_the_same_change_counts_once_in_a_workspace_whichever_job_brings_it_up(
    outcomes: OutcomeStore,
) -> None:
    for _ in range(3):
        await say(outcomes, Verdict.CHECK_PASSED)
    assert (await known(outcomes))[0] == 1.0
    await say(outcomes, Verdict.CHECK_PASSED, scope="w2")
    assert (await known(outcomes))[0] == pytest.approx(2.0, abs=0.02)


async def test_a_report_that_arrives_twice_does_not_get_younger(outcomes: OutcomeStore, clock: Clock) -> None:
    await say(outcomes, Verdict.ACCEPTED)
    clock.now += HALF_LIFE
    await say(outcomes, Verdict.ACCEPTED)
    assert (await known(outcomes))[0] == pytest.approx(0.5)


async def test_two_engines_on_one_database_count_a_report_once(
    outcomes: OutcomeStore, database: Database, clock: Clock
) -> None:
    assert database.path is not None
    with Database(database.path.parent) as other:
        await say(outcomes, Verdict.ACCEPTED)
        await say(OutcomeStore(other, clock=clock), Verdict.ACCEPTED)
    assert await known(outcomes) == (1.0, 0.0)


async def test_all_members_behind_a_candidate_get_the_verdict(outcomes: OutcomeStore) -> None:
    await outcomes.record(
        scope="w", subject="c", members=["a", "b", "a"], action="fix", verdict=Verdict.ACCEPTED
    )
    stats = (await outcomes.reliabilities()).stats()
    assert [(line.member, line.action, line.category, line.successes) for line in stats] == [
        ("a", "fix", "fix", 1.0),
        ("b", "fix", "fix", 1.0),
    ]


async def test_a_verdict_weighs_half_after_the_half_life(outcomes: OutcomeStore, clock: Clock) -> None:
    await say(outcomes, Verdict.ACCEPTED)
    clock.now += HALF_LIFE
    assert (await known(outcomes))[0] == pytest.approx(0.5)


async def test_reset_forgets_one_member_or_all(outcomes: OutcomeStore) -> None:
    for member in ("a", "b", "c"):
        await say(outcomes, Verdict.ACCEPTED, member=member)
    assert await outcomes.reset("a") == 1
    assert await outcomes.reset() == 2
    assert (await outcomes.reliabilities()).stats() == ()


def outcome(good: bool, *, member: str = "a", action: str = "fix", language: str = "python") -> MemberOutcome:
    count = BetaCount(float(good), float(not good))
    return MemberOutcome(member, action, language, "bug", count, at=0.0)


def test_outcomes_weigh_half_after_as_many_later_ones_of_the_same_member() -> None:
    newer = [outcome(good=True) for _ in range(int(HALF_LIFE_OUTCOMES))]
    assert fade([*newer, outcome(good=False)], now=0.0).known("a").failures == pytest.approx(0.5)
    others = [outcome(good=True, member="b") for _ in range(int(HALF_LIFE_OUTCOMES))]
    assert fade([*others, outcome(good=False)], now=0.0).known("a").failures == 1.0


def test_what_a_member_did_elsewhere_lends_a_little_to_what_is_not_known_here() -> None:
    learned = fade([outcome(good=False, action="review") for _ in range(40)], now=0.0)
    lent = learned.reliability("a", "fix", "python")
    own = learned.reliability("a", "review", "python")
    assert lent.mean < 0.2
    assert own.variance < lent.variance


def test_its_own_record_soon_outweighs_what_was_lent() -> None:
    elsewhere = [outcome(good=False, language="go") for _ in range(100)]
    here = [outcome(good=True) for _ in range(40)]
    assert fade([*here, *elsewhere], now=0.0).reliability("a", "fix", "python").mean > 0.65


@given(counts)
def test_the_interval_holds_the_rate(count: BetaCount) -> None:
    (line,) = Reliabilities({("a", "fix", "", "bug"): count}).stats()
    assert 0.0 <= line.low <= line.reliability <= line.high <= 1.0


@given(counts, days, days)
def test_fading_twice_is_fading_for_the_sum(count: BetaCount, first: float, second: float) -> None:
    twice, once = count.after(first).after(second), count.after(first + second)
    assert twice.successes == pytest.approx(once.successes)
    assert twice.failures == pytest.approx(once.failures)


def test_a_clock_that_was_set_back_gives_nothing_extra_weight() -> None:
    assert BetaCount(1, 2).after(-5) == BetaCount(1, 2)
