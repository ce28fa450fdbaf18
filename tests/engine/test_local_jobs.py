"""Whole jobs in this process: real settings, context, sandboxed pytest and litellm; only the models are scripted."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ensemble_lsp.core.events import Action, JobEvent, MemberFinished, MemberStarted, Mode, Status
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion, JobContinue, JobOptions, JobStart
from tests.support.fake_model_server import Answer, FakeModelServer
from tests.support.shop import BUGGY, FIXED, make_shop, members, whole_answer

WRONG = BUGGY.replace("result = price", "result = result")


class Panelist:
    """Records who was asked what and answers every question of consent alike."""

    def __init__(self, *, agree: bool = False) -> None:
        self.agree = agree
        self.questions: list[ConsentQuestion] = []

    async def __call__(self, question: ConsentQuestion) -> bool:
        self.questions.append(question)
        return self.agree


def fix_start(
    root: Path,
    panel: Sequence[dict[str, object]],
    *,
    mode: Mode = Mode.PANEL,
    job: str = "j1",
    **fields: object,
) -> JobStart:
    overrides: dict[str, object] = {"panel": list(panel), **fields}
    return JobStart(
        job=job,
        workspace=str(root),
        task=Task(action=Action.FIX, path="cart.py", mode=mode),
        trusted=True,
        options=JobOptions(overrides=overrides),
    )


async def run(start: JobStart, on_event: Callable[[JobEvent], None] = lambda _: None) -> JobResult:
    async with LocalEngine.open(Panelist()) as engine:
        return await engine.run(start, on_event)


async def test_two_members_that_agree_and_pass_cost_two_calls(tmp_path: Path):
    root = make_shop(tmp_path)
    async with FakeModelServer({"*": [Answer(text=whole_answer())]}) as server:
        result = await run(fix_start(root, members(server.openai_base, ["a", "b", "c"])))
        assert (result.status, len(server.calls)) == (Status.DONE, 2)
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert not result.proposal.weak
    assert len(result.proposal.chosen.families) == 2
    (change,) = result.proposal.chosen.changes
    assert change.after is not None
    assert change.after.text == FIXED
    assert (root / "cart.py").read_text(encoding="utf-8") == BUGGY


async def test_two_members_that_never_pass_end_in_an_honest_abstention_within_eight_calls(tmp_path: Path):
    root = make_shop(tmp_path)
    async with FakeModelServer({"*": [Answer(text=whole_answer(WRONG))]}) as server:
        panel = members(server.openai_base, ["a", "b"])
        result = await run(fix_start(root, panel, search={"repair": False}))
        assert result.status is Status.ABSTAINED
        assert 2 <= len(server.calls) <= 8
    assert result.proposal is None
    assert result.drafts


async def test_a_bug_of_one_token_that_no_member_mends_is_mended_by_search(tmp_path: Path):
    root = make_shop(tmp_path)
    (root / "cart.py").write_text(BUGGY.replace("result = price", "result -= price"), encoding="utf-8")
    async with FakeModelServer({"*": [Answer(text=whole_answer(WRONG))]}) as server:
        result = await run(fix_start(root, members(server.openai_base, ["a", "b"])))
        assert len(server.calls) <= 8
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert result.proposal.weak
    chosen = result.proposal.chosen
    assert [change.after.text for change in chosen.changes if change.after is not None] == [FIXED]
    assert chosen.authors == "no model, found by search"


async def test_search_that_is_turned_off_finds_nothing(tmp_path: Path):
    root = make_shop(tmp_path)
    (root / "cart.py").write_text(BUGGY.replace("result = price", "result -= price"), encoding="utf-8")
    async with FakeModelServer({"*": [Answer(text=whole_answer(WRONG))]}) as server:
        panel = members(server.openai_base, ["a", "b"])
        result = await run(fix_start(root, panel, search={"repair": False}))
        assert len(server.calls) > 2
    assert result.proposal is None


async def test_what_checks_say_of_a_candidate_is_learnt(tmp_path: Path):
    root = make_shop(tmp_path)
    script = {"a": [Answer(text=whole_answer())], "*": [Answer(text=whole_answer(WRONG))]}
    async with FakeModelServer(script) as server, LocalEngine.open(Panelist()) as engine:
        await engine.run(fix_start(root, members(server.openai_base, ["a", "b"])), lambda _: None)
        learnt = await engine.wiring.learner.outcomes.reliabilities()
    assert learnt.reliability("a", "fix", "python").mean > 0.5 > learnt.reliability("b", "fix", "python").mean


async def test_events_are_numbered_without_gaps_and_end_with_finished(tmp_path: Path):
    root = make_shop(tmp_path)
    events: list[JobEvent] = []
    async with FakeModelServer({"*": [Answer(text=whole_answer())]}) as server:
        await run(fix_start(root, members(server.openai_base, ["a", "b"])), events.append)
    assert [event.seq for event in events] == list(range(len(events)))
    kinds = [event.body.kind for event in events]
    assert kinds[-1] == "finished"
    assert kinds.count("finished") == 1
    assert kinds.index("started") < kinds.index("memberStarted")


async def test_cancelling_keeps_what_was_answered_and_aborts_the_rest(tmp_path: Path):
    root = make_shop(tmp_path)
    script = {"quick": [Answer(text=whole_answer())], "slow": [Answer(hang="within", text=whole_answer())]}
    async with FakeModelServer(script) as server, LocalEngine.open(Panelist()) as engine:
        answered = asyncio.Event()

        def on_event(event: JobEvent) -> None:
            if isinstance(event.body, MemberFinished) and event.body.member == "quick":
                answered.set()

        start = fix_start(root, members(server.openai_base, ["quick", "slow"]))
        job = asyncio.ensure_future(engine.run(start, on_event))
        await answered.wait()
        job.cancel()
        result = await job
        assert result.status is Status.CANCELLED
        assert [draft.member for draft in result.drafts] == ["quick"]
        slow = next(call for call in server.calls if call.model == "slow")
        await asyncio.wait_for(slow.ended.wait(), 10)
        assert slow.disconnected
        kept = await engine.runner.transcript("j1")
        assert kept.result == result


async def test_continue_goes_on_from_the_drafts_that_were_paid_for(tmp_path: Path):
    root = make_shop(tmp_path)
    asked: list[str] = []
    async with FakeModelServer({"*": [Answer(text=whole_answer(WRONG))]}) as server:
        panel = members(server.openai_base, ["a", "b"])
        async with LocalEngine.open(Panelist()) as engine:
            await engine.run(fix_start(root, panel, mode=Mode.QUICK), lambda _: None)

            def on_event(event: JobEvent) -> None:
                if isinstance(event.body, MemberStarted):
                    asked.append(event.body.purpose)

            await engine.go_on(JobContinue(job="j1", new_job="j2", mode=Mode.DEBATE, rounds=1), on_event)
    assert asked
    assert "draft" not in asked


async def test_a_budget_of_zero_sends_nothing(tmp_path: Path):
    root = make_shop(tmp_path)
    async with FakeModelServer({"*": [Answer(text=whole_answer())]}) as server:
        panel = members(server.openai_base, ["a", "b"])
        result = await run(fix_start(root, panel, budget={"usd": 0}, search={"repair": False}))
        assert (result.status, server.calls) == (Status.OVER_BUDGET, [])


async def test_a_budget_of_zero_still_finds_what_needs_no_call(tmp_path: Path):
    root = make_shop(tmp_path)
    async with FakeModelServer({"*": [Answer(text=whole_answer())]}) as server:
        result = await run(fix_start(root, members(server.openai_base, ["a", "b"]), budget={"usd": 0}))
        assert (result.status, server.calls, result.spend.calls) == (Status.DONE, [], 0)
    assert result.proposal is not None
    assert result.proposal.weak
    assert result.proposal.chosen.authors == "no model, found by search"


async def test_nothing_leaves_without_consent(tmp_path: Path):
    root = make_shop(tmp_path)
    panel = members("http://models.example.invalid/v1", ["a", "b"])
    asker = Panelist(agree=False)
    async with LocalEngine.open(asker) as engine:
        result = await engine.run(fix_start(root, panel), lambda _: None)
    assert result.status is Status.FAILED
    assert "models.example.invalid" in result.reason
    assert [question.kind for question in asker.questions] == ["send"]


async def test_a_folder_that_is_not_trusted_runs_no_tests(tmp_path: Path):
    root = make_shop(tmp_path)
    (root / "test_cart.py").write_text(
        "import pathlib\npathlib.Path('ran').write_text('x')\n", encoding="utf-8"
    )
    async with FakeModelServer({"*": [Answer(text=whole_answer())]}) as server:
        start = fix_start(root, members(server.openai_base, ["a", "b"]))
        result = await run(start.model_copy(update={"trusted": False}))
    assert not (root / "ran").exists()
    assert result.proposal is None or result.proposal.standing is not Standing.VERIFIED


async def test_unsaved_text_counts_not_the_file(tmp_path: Path):
    root = make_shop(tmp_path)
    (root / "cart.py").write_text("not python at all (", encoding="utf-8")
    async with FakeModelServer({"*": [Answer(text=whole_answer())]}) as server:
        start = fix_start(root, members(server.openai_base, ["a", "b"]))
        document = {"path": "cart.py", "text": BUGGY, "version": 3}
        result = await run(JobStart.model_validate({**start.to_wire(), "documents": [document]}))
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED


async def test_keys_reach_neither_transcript_nor_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    key = "sk-test-0123456789abcdef0123456789abcdef"
    monkeypatch.setenv("FAKE_KEY", key)
    root = make_shop(tmp_path)
    events: list[JobEvent] = []
    script = {"a": [Answer(status=401, error=f"bad key {key}")], "*": [Answer(text=whole_answer())]}
    async with FakeModelServer(script) as server, LocalEngine.open(Panelist()) as engine:
        panel = members(server.openai_base, ["a", "b"], api_key_env="FAKE_KEY")
        await engine.run(fix_start(root, panel), events.append)
        assert any(key in value for value in server.calls[0].headers.values())
        transcript = await engine.runner.transcript("j1")
    assert key not in repr(transcript)
    assert key not in repr(events)
