"""How a fix ends when something else ends it: budget, deadline, "decide now", cancel, silent members."""

import asyncio
from collections.abc import Callable

import pytest

from ensemble_lsp.core.budget import Limits
from ensemble_lsp.core.errors import AuthenticationFailed, ModelUnavailable, SandboxUnavailable
from ensemble_lsp.core.events import Mode, Status
from ensemble_lsp.core.evidence import CheckReport
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.ensemble.deliberation import deliberate
from tests.ensemble.fix_cases import (
    NO_LOWER,
    NO_UPPER,
    RIGHT,
    UPPER_TEST,
    Room,
    Setting,
    attack,
    member,
    room,
    whole,
)
from tests.support.scripted_checks import WEAK
from tests.support.scripted_members import Line

A, B = member("a"), member("b")


def restless(mode: Mode, limits: Limits) -> Room:
    """A panel that would use every phase: two changes, an attack each, revisions, escalation."""
    lines: dict[str, list[Line]] = {
        "a": [whole(NO_UPPER), attack(UPPER_TEST), whole(RIGHT)],
        "b": [whole(NO_LOWER), attack(UPPER_TEST), "KEEP: it is right"],
        "s": [whole(RIGHT)],
    }
    return room(
        lines,
        [A, B],
        Setting(test=UPPER_TEST, strength=WEAK, mode=mode, limits=limits, strong=member("s")),
    )


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("calls", range(8))
async def test_a_budget_that_ends_at_any_call_ends_the_job_with_what_it_has(mode: Mode, calls: int) -> None:
    table = restless(mode, Limits(usd=None, seconds=None, calls=calls))
    result = await deliberate(table.deliberation)
    assert table.calls <= calls
    if result.proposal is None:
        assert result.status in {Status.OVER_BUDGET, Status.ABSTAINED}
    else:
        assert result.status is Status.DONE
    if calls < 2:
        assert "cap" in result.reason
    assert len(result.drafts) == len(table.saved)


async def test_a_budget_that_stopped_everything_is_over_budget() -> None:
    table = restless(Mode.PANEL, Limits(usd=0.005, seconds=None))
    result = await deliberate(table.deliberation)
    assert result.status is Status.OVER_BUDGET
    assert result.proposal is None


async def test_a_budget_that_stops_later_leaves_a_proposal_that_says_so() -> None:
    lines: dict[str, list[Line]] = {"a": [whole(RIGHT)], "b": [whole(RIGHT)]}
    table = room(lines, [A, B], Setting(limits=Limits(usd=0.015, seconds=None), strength=WEAK))
    result = await deliberate(table.deliberation)
    assert result.status is Status.DONE
    assert "cap" in result.reason
    assert result.proposal is not None


async def test_at_the_deadline_the_slow_member_is_left_behind() -> None:
    never = asyncio.Event()
    table = room({"a": [whole(RIGHT)], "b": [never]}, [A, B], Setting(strength=WEAK))
    table.deliberation.deadline = table.deliberation.clock() + 0.2
    result = await deliberate(table.deliberation)
    assert table.members.cancelled == ["b"]
    assert result.proposal is not None
    assert "time was up" in result.reason


async def test_decide_now_answers_with_what_is_there() -> None:
    never = asyncio.Event()
    table = room({"a": [whole(RIGHT)], "b": [never]}, [A, B])
    job = asyncio.create_task(deliberate(table.deliberation))
    await until(lambda: bool(table.checks.fixed))
    table.deliberation.answer_now.set()
    result = await job
    assert table.members.cancelled == ["b"]
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED


async def test_decide_now_while_a_check_runs_offers_the_change_as_unverified() -> None:
    table = room({"a": [whole(RIGHT)], "b": [whole(RIGHT)]}, [A, B])
    table.checks.hold = asyncio.Event()
    job = asyncio.create_task(deliberate(table.deliberation))
    await table.checks.entered.wait()
    table.deliberation.answer_now.set()
    result = await job
    assert table.checks.cancelled == 1
    assert result.proposal is not None
    assert result.proposal.standing is not Standing.VERIFIED


PHASES: dict[str, dict[str, list[Line]]] = {
    "draft": {},
    "critique": {"a": [whole(NO_UPPER)], "b": [whole(NO_LOWER)]},
    "revise": {"a": [whole(NO_UPPER), attack(UPPER_TEST)], "b": [whole(NO_LOWER), attack(UPPER_TEST)]},
    "escalate": {
        "a": [whole(NO_UPPER), "NO FAULT", "KEEP: right"],
        "b": [whole(NO_LOWER), "NO FAULT", "KEEP: right"],
    },
}


@pytest.mark.parametrize("phase", PHASES)
async def test_cancel_aborts_the_calls_in_flight_and_keeps_the_drafts(phase: str) -> None:
    never = asyncio.Event()
    lines = {name: [*PHASES[phase].get(name, []), never] for name in ("a", "b", "s")}
    table = room(lines, [A, B], Setting(test=None, strong=member("s")))
    job = asyncio.create_task(deliberate(table.deliberation))
    await until(lambda: any(request.purpose == phase for request in table.members.requests))
    await asyncio.sleep(0)
    waiting = sum(1 for request in table.members.requests if request.purpose == phase)
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job
    assert len(table.members.cancelled) == waiting
    assert len(table.saved) == (0 if phase == "draft" else 2)
    assert table.deliberation.budget.held_usd == 0


async def test_cancel_ends_a_check_that_runs() -> None:
    table = room({"a": [whole(RIGHT)], "b": [whole(RIGHT)]}, [A, B])
    table.checks.hold = asyncio.Event()
    job = asyncio.create_task(deliberate(table.deliberation))
    await table.checks.entered.wait()
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job
    assert table.checks.cancelled == 1
    assert {record.member for record in table.saved} <= {"a", "b"}


async def test_a_draft_is_kept_even_when_the_job_is_cancelled_while_it_is_being_saved() -> None:
    table = room({"a": [whole(RIGHT)], "b": [asyncio.Event()]}, [A, B])
    saving, go_on = asyncio.Event(), asyncio.Event()
    saved: list[str] = []

    async def slow_save(record: object) -> None:
        saving.set()
        await go_on.wait()
        saved.append("kept")

    table.deliberation.save_draft = slow_save
    job = asyncio.create_task(deliberate(table.deliberation))
    await saving.wait()
    job.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await job
    assert saved == ["kept"]


async def test_a_member_that_fails_does_not_end_the_job() -> None:
    table = room({"a": [ModelUnavailable("connection refused", member="a")], "b": [whole(RIGHT)]}, [A, B])
    result = await deliberate(table.deliberation)
    assert result.proposal is not None
    assert any("connection refused" in note for note in result.notes)


async def test_when_all_members_fail_the_first_error_is_the_reason() -> None:
    problem = AuthenticationFailed("the key was refused", hint="set OPENAI_API_KEY")
    table = room({"a": [problem], "b": [problem]}, [A, B])
    result = await deliberate(table.deliberation)
    assert result.status is Status.FAILED
    assert "the key was refused" in result.reason
    assert "OPENAI_API_KEY" in result.reason


async def test_a_check_that_cannot_run_is_a_note_and_nothing_is_verified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = room({"a": [whole(RIGHT), "NO FAULT"], "b": [whole(RIGHT), "NO FAULT"]}, [A, B])

    async def refuse(*_: object, **__: object) -> CheckReport:
        raise SandboxUnavailable("no sandbox here")

    monkeypatch.setattr(table.checks, "baseline", refuse)
    monkeypatch.setattr(table.checks, "check", refuse)
    monkeypatch.setattr(table.checks, "probe", refuse)
    result = await deliberate(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.standing is Standing.AGREED
    assert "no sandbox here" in result.notes


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, a turn of the loop at a time."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to that")
