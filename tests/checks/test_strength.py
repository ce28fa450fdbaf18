"""Measuring how much a check would catch, without more runs than the question takes."""

from pathlib import Path

import pytest

from ensemble_lsp.checks.mutants import Mutant
from ensemble_lsp.checks.strength import StrengthCache, measure
from ensemble_lsp.core.evidence import Strength

MUTANTS = [Mutant(str(number), number, f"change {number}") for number in range(12)]


@pytest.mark.parametrize(
    ("killed", "runs", "weak"),
    [
        (range(12), 6, False),
        (range(0), 7, True),
        (range(0, 12, 2), 11, False),
        (range(5), 12, True),
    ],
)
async def test_it_stops_when_the_question_is_decided(killed: range, runs: int, weak: bool) -> None:
    asked: list[int] = []

    async def kills(mutant: Mutant) -> bool:
        asked.append(mutant.line)
        return mutant.line in killed

    strength = await measure(MUTANTS, kills, together=1)
    assert strength is not None
    assert (len(asked), strength.total, strength.weak) == (runs, runs, weak)


async def test_survivors_are_named() -> None:
    async def kills(_: Mutant) -> bool:
        return False

    strength = await measure(MUTANTS[:2], kills, together=2)
    assert strength == Strength(killed=0, total=2, survivors=("line 1: change 0", "line 2: change 1"))


async def test_what_cannot_be_run_does_not_count() -> None:
    async def kills(_: Mutant) -> None:
        return None

    assert await measure(MUTANTS, kills, together=2) is None


def test_strengths_are_kept(tmp_path: Path) -> None:
    cache = StrengthCache(tmp_path / "strengths")
    key = cache.key("text", "tests")
    assert cache.get(key) is None
    cache.put(key, Strength(killed=3, total=4, survivors=("line 1: < became <=",)))
    assert cache.get(key) == Strength(killed=3, total=4, survivors=("line 1: < became <=",))
    assert cache.get(cache.key("textt", "ests")) is None


def test_a_spoiled_cache_is_none(tmp_path: Path) -> None:
    cache = StrengthCache(tmp_path)
    (tmp_path / cache.key("x")).write_text("{")
    assert cache.get(cache.key("x")) is None
