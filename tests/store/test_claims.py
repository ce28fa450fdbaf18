"""What was claimed with which confidence, kept once for each finding, and learned from."""

import asyncio

import pytest

from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.findings import Band, Finding, Grounds
from ensemble_lsp.ensemble.calibration import UNLEARNED, Support
from ensemble_lsp.store.claims import ENOUGH_CLAIMS, HALF_LIFE_CLAIMS, ClaimStore, judged, observations
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.reliability import HALF_LIFE_DAYS
from tests.store.conftest import Clock

GROUNDS = Grounds(families=2)


def finding(ident: str = "f1", *, confidence: float = 0.4, grounds: Grounds | None = GROUNDS) -> Finding:
    return Finding(
        id=ident,
        path="a.py",
        line=0,
        end_line=0,
        quote="",
        severity=Severity.WARNING,
        category="Bug",
        title="t",
        detail="d",
        confidence=confidence,
        band=Band.MEDIUM,
        members=("b", "a"),
        families=("x", "y"),
        grounds=grounds,
    )


@pytest.fixture
def claims(database: Database, clock: Clock) -> ClaimStore:
    return ClaimStore(database, clock=clock)


async def test_a_claim_comes_back_with_its_grounds(claims: ClaimStore, clock: Clock) -> None:
    await claims.record(scope="w", finding=finding(), action="review", right=1.0)
    (claim,) = await claims.claims()
    assert claim.support == Support(GROUNDS, ("a", "b"), "bug", "review")
    assert (claim.shown, claim.right, claim.weight, claim.at) == (0.4, 1.0, 1.0, clock.now)


async def test_a_later_word_replaces_the_earlier_and_the_first_confidence_stays(claims: ClaimStore) -> None:
    await claims.record(scope="w", finding=finding(), action="review", right=1.0)
    await claims.record(scope="w", finding=finding(confidence=0.7), action="review", right=0.0)
    (claim,) = await claims.claims()
    assert (claim.right, claim.shown) == (0.0, 0.4)


async def test_a_word_said_again_does_not_get_younger(claims: ClaimStore, clock: Clock) -> None:
    await claims.record(scope="w", finding=finding(), action="review", right=1.0)
    then = clock.now
    clock.now += 1_000
    await claims.record(scope="w", finding=finding(), action="review", right=1.0)
    assert [claim.at for claim in await claims.claims()] == [then]


async def test_a_finding_without_grounds_claims_nothing(claims: ClaimStore) -> None:
    await claims.record(scope="w", finding=finding(grounds=None), action="locate", right=1.0)
    assert await claims.claims() == ()


async def test_two_engines_that_report_at_once_count_once(
    claims: ClaimStore, database: Database, clock: Clock
) -> None:
    assert database.path is not None
    with Database(database.path.parent) as other:
        second = ClaimStore(other, clock=clock)
        await asyncio.gather(
            *(
                store.record(scope="w", finding=finding(), action="review", right=1.0)
                for store in (claims, second)
            )
        )
    assert len(await claims.claims()) == 1


async def test_confidence_is_learned_from_them_and_forgotten_with_them(claims: ClaimStore) -> None:
    support = Support(GROUNDS, ("a", "b"), "bug")
    for number in range(20):
        await claims.record(
            scope="w", finding=finding(f"f{number}"), action="review", right=float(number < 18)
        )
    assert (await claims.calibration()).confidence(support) > UNLEARNED.confidence(support) + 0.2
    assert await claims.reset("c") == 0
    assert await claims.reset("a") == 20
    assert await claims.calibration() is UNLEARNED


async def test_claims_fade_with_days_and_with_later_claims(claims: ClaimStore, clock: Clock) -> None:
    await claims.record(scope="w", finding=finding(), action="review", right=1.0)
    (claim,) = await claims.claims()
    (later,) = observations([claim], clock.now + HALF_LIFE_DAYS * 86_400)
    assert later.weight == pytest.approx(0.5)
    many = observations([claim] * (int(HALF_LIFE_CLAIMS) + 1), clock.now)
    assert many[-1].weight == pytest.approx(0.5)


async def test_how_far_confidence_held_is_said_once_there_are_enough_claims(claims: ClaimStore) -> None:
    for number in range(ENOUGH_CLAIMS):
        assert judged(await claims.claims()) is None
        await claims.record(
            scope="w", finding=finding(f"f{number}"), action="review", right=float(number % 2)
        )
    shown = judged(await claims.claims())
    assert shown is not None
    assert (shown.claims, shown.said, shown.right) == (ENOUGH_CLAIMS, pytest.approx(0.4), 0.5)
    assert (shown.ece, shown.brier) == (pytest.approx(0.1), pytest.approx(0.26))
