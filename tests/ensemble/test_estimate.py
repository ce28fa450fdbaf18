"""What a job may use, told before it starts."""

import pytest

from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.panel import Panel
from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.estimate import bound_on_calls, estimate, expected_calls
from tests.ensemble.fix_cases import member
from tests.support.scripted_members import ScriptedMembers


@pytest.mark.parametrize(
    ("action", "mode", "members", "rounds", "calls"),
    [
        (Action.FIX, Mode.QUICK, 3, 1, 4),
        (Action.FIX, Mode.PANEL, 2, 1, 8),
        (Action.FIX, Mode.PANEL, 4, 1, 14),
        (Action.REVIEW, Mode.PANEL, 3, 1, 6),
        (Action.FIX, Mode.DEBATE, 15, 3, 61),
        (Action.DEBATE, Mode.DEBATE, 2, 5, 13),
        (Action.REFACTOR, Mode.PANEL, 2, 1, 8),
        (Action.TEST, Mode.QUICK, 3, 1, 4),
        (Action.SECURE, Mode.QUICK, 3, 1, 8),
        (Action.SECURE, Mode.PANEL, 2, 1, 14),
    ],
)
def test_the_bound_on_calls(action: Action, mode: Mode, members: int, rounds: int, calls: int) -> None:
    assert bound_on_calls(action, mode, members, rounds) == calls


@pytest.mark.parametrize("action", list(Action))
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("members", [1, 2, 5, 15])
def test_no_more_is_expected_than_allowed(action: Action, mode: Mode, members: int) -> None:
    assert 1 <= expected_calls(action, mode, members, 3) <= bound_on_calls(action, mode, members, 3)


def test_the_price_of_the_bound_counts_every_call_at_its_worst() -> None:
    panel = Panel(members=(member("a"), member("b")), anchor="a")
    made = estimate(Task(action=Action.FIX, path="m.py"), panel, ScriptedMembers({}, usd=0.01), 1_000)
    assert made.calls_bound == 8
    assert made.usd_bound == pytest.approx(0.08)
    assert made.usd_expected <= made.usd_bound
