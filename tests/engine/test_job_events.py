"""What a job tells while it runs and how it ends: few words for large things, one phase once, errors by their name."""

import json
from pathlib import Path

import pytest

from ensemble_lsp.core.events import (
    Action,
    JobEvent,
    MemberFinished,
    Phase,
    PhaseEntered,
    ProposalMade,
    Status,
)
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion, JobOptions, JobStart
from tests.support.fake_model_server import Answer, FakeModelServer
from tests.support.shop import BUGGY, FIXED, make_shop, members, whole_answer


async def _agree(_: ConsentQuestion) -> bool:
    return True


async def run(
    root: Path, answer: Answer, action: Action = Action.FIX, **overrides: object
) -> tuple[JobResult, list[JobEvent]]:
    """Run a job of two members that both say the same; its tests are not run."""
    events: list[JobEvent] = []
    async with FakeModelServer({"*": [answer]}) as server, LocalEngine.open(_agree) as engine:
        panel = members(server.openai_base, ["a", "b"])
        start = JobStart(
            job="j1",
            workspace=str(root),
            task=Task(action=action, path="cart.py"),
            options=JobOptions(overrides={"panel": panel, **overrides}),
        )
        return await engine.run(start, events.append), events


async def test_gathering_is_told_once(tmp_path: Path) -> None:
    _, events = await run(make_shop(tmp_path), Answer(text=whole_answer()))
    phases = [event.body.phase for event in events if isinstance(event.body, PhaseEntered)]
    assert phases.count(Phase.GATHER) == 1


async def test_proposal_is_told_in_few_words_whatever_its_files_hold(tmp_path: Path) -> None:
    root = make_shop(tmp_path)
    padding = "\n".join(f"value_{number} = {number}" for number in range(4_000))
    (root / "cart.py").write_text(f"{BUGGY}\n{padding}\n", encoding="utf-8")
    result, events = await run(root, Answer(text=whole_answer(FIXED)))
    (told,) = [event for event in events if isinstance(event.body, ProposalMade)]
    assert result.proposal is not None
    assert isinstance(told.body, ProposalMade)
    assert (told.body.proposal, told.body.paths) == (result.proposal.id, ("cart.py",))
    assert len(json.dumps(told.flat())) < 1_000


async def test_member_that_cannot_answer_says_why_by_the_name_of_the_error(tmp_path: Path) -> None:
    refused = Answer(status=401, error="no", error_code="invalid_api_key", error_type="invalid_request_error")
    _, events = await run(make_shop(tmp_path), refused)
    ended = [event.body for event in events if isinstance(event.body, MemberFinished)]
    assert {each.error_kind for each in ended} == {"AuthenticationFailed"}
    assert all(each.error and each.hint for each in ended)


@pytest.mark.parametrize("action", [Action.FIX, Action.REVIEW, Action.EXPLAIN])
async def test_time_that_ran_out_before_any_answer_is_a_cap_that_was_met(
    tmp_path: Path, action: Action
) -> None:
    result, _ = await run(make_shop(tmp_path), Answer(hang="before"), action, budget={"seconds": 1})
    assert result.status is Status.OVER_BUDGET
    assert "the time was up before any member had answered" in result.reason
