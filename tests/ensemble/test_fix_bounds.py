"""Whatever members say: the bound holds, nothing is raised, and what is proposed was checked."""

import asyncio
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ensemble_lsp.core.budget import Limits
from ensemble_lsp.core.errors import ModelUnavailable
from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.evidence import Outcome, Strength
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.ensemble.deliberation import deliberate
from ensemble_lsp.ensemble.estimate import bound_on_calls
from tests.ensemble.fix_cases import (
    ALSO_RIGHT,
    BOTH_TESTS,
    BUGGY,
    ELEVEN,
    NO_LOWER,
    NO_UPPER,
    PATH,
    RIGHT,
    TEST,
    UPPER_TEST,
    WRONG_TEST,
    Setting,
    attack,
    member,
    room,
    whole,
)
from tests.support.scripted_checks import STRONG, WEAK, run_tests
from tests.support.scripted_members import Line

CODES = (RIGHT, ALSO_RIGHT, NO_UPPER, NO_LOWER, BUGGY, ELEVEN, "def clamp(:\n")
LINES: st.SearchStrategy[Line] = st.sampled_from(
    [
        *(whole(code) for code in CODES),
        *(attack(test, letter) for test in (UPPER_TEST, WRONG_TEST, "def test_x(:\n") for letter in "AB"),
        *(
            attack(UPPER_TEST) + "\n\nPOSITION: " + stance
            for stance in ("KEEP", "ADOPT A", "WITHDRAW it is wrong")
        ),
        *("POSITION: REVISE\n" + whole(code) for code in (RIGHT, NO_UPPER)),
        "KEEP: it is right",
        "WITHDRAW: it is wrong",
        "CHOOSE: A",
        "TARGET: A\nCLAIM: wrong\nCITE: clamp.py:2: return max(low, value)",
        "NO FAULT",
        "",
        ModelUnavailable("refused", member="a"),
    ]
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One panel with what its members say, and what it meets."""

    scripts: list[list[Line]]
    strong: list[Line] | None
    families: int
    """How many there are; members take them in turn."""
    local: bool
    mode: Mode
    rounds: int
    test: str | None
    strength: Strength | None
    calls: int | None


SCENES = st.builds(
    Scene,
    scripts=st.lists(st.lists(LINES, min_size=1, max_size=5), min_size=1, max_size=4),
    strong=st.none() | st.lists(LINES, min_size=1, max_size=1),
    families=st.integers(1, 4),
    local=st.booleans(),
    mode=st.sampled_from(list(Mode)),
    rounds=st.integers(1, 3),
    test=st.sampled_from([None, TEST, BOTH_TESTS]),
    strength=st.sampled_from([STRONG, WEAK, None]),
    calls=st.none() | st.integers(0, 6),
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scene=SCENES)
def test_any_panel_ends_within_its_bound(scene: Scene) -> None:
    panel = [
        member(f"m{number}", f"f{number % scene.families}", local=scene.local)
        for number in range(len(scene.scripts))
    ]
    lines = {item.id: script for item, script in zip(panel, scene.scripts, strict=True)}
    if scene.strong is not None:
        lines["s"] = scene.strong

    async def job() -> None:
        setting = Setting(
            test=scene.test,
            strength=scene.strength,
            mode=scene.mode,
            rounds=scene.rounds,
            strong=member("s") if scene.strong is not None else None,
            limits=Limits(usd=None, seconds=None, calls=scene.calls),
        )
        table = room(lines, panel, setting)
        result = await deliberate(table.deliberation)
        assert table.calls <= bound_on_calls(Action.FIX, scene.mode, len(panel), scene.rounds)
        assert list(result.drafts) == table.saved
        assert (result.proposal is not None) == (result.status is Status.DONE)
        if result.proposal is None:
            return
        (change,) = result.proposal.chosen.changes
        assert change.after is not None
        assert change.after.text in table.checks.checked
        if result.proposal.standing is Standing.VERIFIED:
            assert scene.test is not None
            assert run_tests(PATH, change.after.text, scene.test, "again").outcome is Outcome.PASSED
        if result.proposal.standing is Standing.AGREED:
            assert len(result.proposal.chosen.families) > 1 or result.proposal.alternatives

    asyncio.run(job())
