"""How fast the anchor is found and how far confidence can be believed, with members of known skill.

    python -m benchmarks.learning [--seeds N] [--processes N] [--json]

Each seed draws a world (`learning_world`): four members of three families, a person. Reviews and fixes are
drawn in it; what becomes of them goes through the product's own code into a real store in a temporary folder, and comes
back as the anchor and as confidence. A person judges two in three findings shown to them, and is wrong about one in
twenty. The calibration error (ECE) is measured on fresh findings of the same world whose truth is known, "unlearned" on
the same findings with the confidence of a machine that learned nothing.
"""

import argparse
import asyncio
import json
import random
import statistics
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.learning_world import Judged, World, make_world, passing, review, worse
from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.core.results import CheckVerdict, JobResult, Task
from ensemble_lsp.engine.learning import Learner, scope_of
from ensemble_lsp.ensemble.calibration import UNLEARNED, Calibration, band_of, calibration_error
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.jobs import JobStore

OUTCOMES = 300
DRIFT_AT = 150
JUDGED = 2 / 3
MISTAKEN = 0.05
FRESH = 3_000
"""Fresh findings per world: a perfect speaker would have an ECE of about .015."""
WORKSPACE = "/made-up"
LEARN_EVERY = 25
"""Findings judged between two looks at what was learned: more often only costs time."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One kind of world and person."""

    richness: float = 0.0
    """Log-odds by which the members are better than the prior takes them to be."""
    drifts: bool = False
    accepts_everything: bool = False


SCENARIOS = {
    "plain": Scenario(),
    "a member gets worse": Scenario(drifts=True),
    "far better than the prior": Scenario(richness=1.0),
    "far worse than the prior": Scenario(richness=-1.0),
    "accepts everything": Scenario(accepts_everything=True),
}


@dataclass(frozen=True, slots=True)
class Confidence:
    """ECE on fresh findings after so many outcomes, and their share that is right."""

    after_30: float
    after_100: float
    after_300: float
    unlearned: float
    right: float


@dataclass(frozen=True, slots=True)
class Anchoring:
    """`found_after`: check outcomes until the anchor was a best one for good, None if never; `changes` of the anchor.

    A best one is whose changes pass at most `EQUAL` less often, in log-odds, than the best one's.
    """

    best_at_end: bool
    found_after: int | None
    changes: int


async def confidence(seed: int, scenario: Scenario, directory: Path, *, fresh: int = FRESH) -> Confidence:
    """Let one person judge `OUTCOMES` findings of one world, and measure what was learned."""
    randomness = _drawn(f"confidence {seed}")
    before = make_world(randomness, richness=scenario.richness)
    after = worse(before) if scenario.drifts else before
    errors: dict[int, float] = {}
    clock = _Clock()
    with Database(directory) as database:
        learner = Learner(database, JobStore(database), clock=clock)
        calibration, done = UNLEARNED, 0
        while done < OUTCOMES:
            world = before if done < DRIFT_AT else after
            for judged in review(world, randomness):
                if randomness.random() >= JUDGED or done == OUTCOMES:
                    continue
                done += 1
                said = judged.right if randomness.random() >= MISTAKEN else not judged.right
                sure = calibration.confidence(judged.support)
                finding = judged.finding(f"f{done}", sure, band_of(sure))
                right = said or scenario.accepts_everything
                await learner.judged(scope_of(WORKSPACE), finding, Action.REVIEW, right=right)
                if done % LEARN_EVERY == 0 or done in {30, 100}:
                    calibration = await learner.claims.calibration()
                    if done in {30, 100, OUTCOMES}:
                        errors[done] = error(calibration, world, seed, fresh)
            clock.now += 3_600
    return Confidence(
        errors[30],
        errors[100],
        errors[OUTCOMES],
        error(UNLEARNED, after, seed, fresh),
        _right(after, seed, fresh),
    )


async def anchoring(seed: int, scenario: Scenario, directory: Path) -> Anchoring:
    """Let members fix things until `OUTCOMES` checks have spoken, and see who is the anchor."""
    randomness = _drawn(f"anchoring {seed}")
    before = make_world(randomness)
    after = worse(before) if scenario.drifts else before
    names = [member.id for member in before.members]
    clock, done, changes = _Clock(), 0, 0
    found: int | None = None
    anchor = names[0]
    with Database(directory) as database:
        learner = Learner(database, JobStore(database), clock=clock)
        while done < OUTCOMES:
            world = before if done < DRIFT_AT else after
            told = passing(world, randomness)
            verdicts = tuple(
                CheckVerdict(candidate=f"{done}-{name}", members=(name,), passed=passed)
                for name, passed in told.items()
            )
            result = JobResult(status=Status.DONE, reason="", verdicts=verdicts)
            await learner.checked(WORKSPACE, Task(action=Action.FIX, path="code.py"), result)
            done += len(verdicts)
            clock.now += 3_600
            learned = await learner.outcomes.reliabilities()
            choice = await learner.outcomes.anchor(learned, names, "fix", "python", keep=True)
            changes += choice.member != anchor
            anchor = choice.member
            if anchor not in world.best_at_fixing:
                found = None
            elif found is None:
                found = done
    return Anchoring(found is not None, found, changes)


def error(calibration: Calibration, world: World, seed: int, fresh: int) -> float:
    """Return the ECE of a calibration on fresh findings of a world."""
    said: dict[object, float] = {}

    def confidence_in(judged: Judged) -> float:
        key = (judged.grounds, judged.members, judged.category)
        if key not in said:
            said[key] = calibration.confidence(judged.support)
        return said[key]

    return calibration_error(
        [(confidence_in(each), float(each.right)) for each in _fresh(world, seed, fresh)]
    )


def _right(world: World, seed: int, fresh: int) -> float:
    return statistics.fmean(each.right for each in _fresh(world, seed, fresh))


@cache
def _fresh(world: World, seed: int, count: int) -> list[Judged]:
    randomness = _drawn(f"fresh {seed}")
    found: list[Judged] = []
    while len(found) < count:
        found.extend(review(world, randomness))
    return found[:count]


def _drawn(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311  (a simulation, not secrets)


@dataclass
class _Clock:
    now: float = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now


def _run(seed: int, name: str) -> tuple[Confidence, Anchoring]:
    scenario = SCENARIOS[name]
    with tempfile.TemporaryDirectory() as folder:
        sure = asyncio.run(confidence(seed, scenario, Path(folder) / "confidence"))
        anchor = asyncio.run(anchoring(seed, scenario, Path(folder) / "anchor"))
    return sure, anchor


def figures(name: str, runs: list[tuple[Confidence, Anchoring]]) -> dict[str, float]:
    """Return what is reported of one scenario."""

    def of(pick: Callable[[Confidence], float]) -> list[float]:
        return sorted(pick(sure) for sure, _ in runs)

    after = of(lambda sure: sure.after_300)
    found: dict[str, float] = {
        "ece after 30": statistics.fmean(of(lambda sure: sure.after_30)),
        "ece after 100": statistics.fmean(of(lambda sure: sure.after_100)),
        "ece after 300": statistics.fmean(after),
        "ece after 300, 5th percentile": after[len(after) // 20],
        "ece after 300, 95th percentile": after[-1 - len(after) // 20],
        "ece unlearned": statistics.fmean(of(lambda sure: sure.unlearned)),
        "share of findings right": statistics.fmean(of(lambda sure: sure.right)),
    }
    if SCENARIOS[name] in {SCENARIOS["plain"], SCENARIOS["a member gets worse"]}:
        anchors = [anchor for _, anchor in runs]
        spans = sorted(anchor.found_after or OUTCOMES for anchor in anchors)
        found |= {
            "anchor is the best at the end, share": statistics.fmean(each.best_at_end for each in anchors),
            "outcomes until it is for good, median": spans[len(spans) // 2],
            "changes of the anchor, mean": statistics.fmean(each.changes for each in anchors),
        }
    return found


def main() -> None:
    """Run all scenarios and print their figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    told: dict[str, dict[str, float]] = {}
    with ProcessPoolExecutor(arguments.processes) as pool:
        for name in SCENARIOS:
            seeds = range(arguments.seeds)
            told[name] = figures(name, list(pool.map(_run, seeds, [name] * len(seeds))))
            if not arguments.json:
                print(name)
                for figure, value in told[name].items():
                    print(f"  {figure:44} {value:8.3f}", flush=True)
    if arguments.json:
        print(json.dumps(told))


if __name__ == "__main__":
    main()
