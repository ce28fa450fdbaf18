"""How a review ends when it is stopped, capped, cancelled or gone on with; and its debate mode."""

import asyncio

import pytest

from ensemble_lsp.core.budget import Limits, Reservation
from ensemble_lsp.core.errors import BudgetExceeded
from ensemble_lsp.core.events import MemberFinished, Mode, Phase, PhaseEntered, RevisionMade, Status
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.actions.review import merge_results, run
from ensemble_lsp.ensemble.allowance import BoundedPurse, BoundReached
from ensemble_lsp.ensemble.ports import ModelRequest
from tests.ensemble.reading_panel import (
    Answer,
    JobPurse,
    ToldChecks,
    by_purpose,
    diagnostic,
    draft,
    findings,
    leak,
    member,
    table,
    verdict,
    verdicts,
)

SILENT = findings()
STANDS = verdicts(*(verdict(number, "stands") for number in range(1, 5)))
REFUTES = verdicts(verdict(line=4, quote="def mean(values):"))


@pytest.mark.parametrize("calls", [0, 1, 2, 3, 4])
async def test_a_budget_that_ends_in_any_phase_gives_what_is_there(calls: int) -> None:
    at = table(
        {
            "a": by_purpose(draft=findings(draft(severity="critical"))),
            "b": by_purpose(draft=SILENT, refute=REFUTES),
            "s": by_purpose(escalate=verdicts(verdict(1, "stands"))),
        },
        strong=member("s"),
        limits=Limits(calls=calls),
    )
    result = await run(at.deliberation)
    assert result.spend.calls == min(calls, 4)
    assert result.status is (Status.DONE if calls == 4 else Status.OVER_BUDGET)
    assert len(result.findings) == (calls > 0)
    assert len(result.drafts) == min(calls, 2)


async def test_decide_now_uses_the_answers_that_are_there() -> None:
    at = table({"a": by_purpose(draft=findings(draft())), "b": by_purpose()})
    at.members.hanging.add("b")
    running = asyncio.ensure_future(run(at.deliberation))
    await at.members.asked.wait()
    at.deliberation.answer_now.set()
    result = await running
    assert [finding.reason for finding in result.findings] == ["anchor, not refuted"]
    assert result.status is Status.DONE
    assert "decided early, as asked" in result.reason
    assert [event.cancelled for event in at.of_kind(MemberFinished)] == [False, True]


async def test_decide_now_before_any_answer_abstains_but_keeps_what_tools_say() -> None:
    checks = ToldChecks(diagnostics=[diagnostic(17, "S605", "Starting a process with a shell")])
    at = table({"a": by_purpose(), "b": by_purpose()}, checks=checks)
    at.members.hanging.update(("a", "b"))
    running = asyncio.ensure_future(run(at.deliberation))
    await at.members.asked.wait()
    at.deliberation.answer_now.set()
    result = await running
    assert result.status is Status.ABSTAINED
    assert "1 finding from tools alone" in result.reason


async def test_no_findings_of_a_review_cut_short_is_not_called_nothing() -> None:
    at = table({"a": by_purpose(draft=SILENT), "b": by_purpose()})
    at.members.hanging.add("b")
    running = asyncio.ensure_future(run(at.deliberation))
    await at.members.asked.wait()
    at.deliberation.answer_now.set()
    assert (await running).status is Status.ABSTAINED


async def test_the_deadline_ends_the_review_with_what_is_there() -> None:
    at = table({"a": by_purpose(draft=findings(draft())), "b": by_purpose()})
    at.members.hanging.add("b")
    at.deliberation.deadline = asyncio.get_running_loop().time() + 0.05
    result = await run(at.deliberation)
    assert len(result.findings) == 1
    assert "the time was up" in result.reason


async def test_cancelling_ends_every_call_and_keeps_what_was_answered() -> None:
    at = table({"a": by_purpose(draft=findings(draft())), "b": by_purpose()})
    at.members.hanging.add("b")
    running = asyncio.ensure_future(run(at.deliberation))
    await at.members.asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [record.member for record in at.saved] == ["a"]
    assert at.deliberation.budget.held_usd == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_going_on_from_earlier_drafts_asks_nobody_twice() -> None:
    first = table({"a": by_purpose(draft=findings(draft())), "b": by_purpose(draft=SILENT, refute=STANDS)})
    earlier = await run(first.deliberation)
    second = table(
        {"a": by_purpose(critique=STANDS), "b": by_purpose(critique=STANDS)},
        mode=Mode.DEBATE,
        prior=earlier.drafts,
    )
    result = await run(second.deliberation)
    assert "draft" not in {purpose for _, purpose in second.members.purposes()}
    assert len(result.findings) == 1
    assert result.drafts == earlier.drafts


async def test_drafts_about_another_file_or_that_cannot_be_read_are_asked_for_again() -> None:
    first = table({"a": by_purpose(draft=findings(draft())), "b": by_purpose(draft=SILENT, refute=STANDS)})
    other, unreadable = (await run(first.deliberation)).drafts
    prior = [
        other.model_copy(update={"text": other.text.replace('"pay.py", "sample"', '"tax.py", "sample"')}),
        unreadable.model_copy(update={"text": "no JSON"}),
    ]
    scripts = {"a": by_purpose(draft=findings(draft())), "b": by_purpose(draft=SILENT, refute=STANDS)}
    again = table(scripts, prior=prior)
    await run(again.deliberation)
    assert again.members.purposes()[:2] == [("a", "draft"), ("b", "draft")]


async def test_quick_stays_within_its_four_calls() -> None:
    unsure = draft(title="Empty input is not handled", detail="With no values the quotient is undefined.")
    at = table(
        {
            "a": by_purpose(draft=findings(draft()), compare={"same": []}, refute=STANDS),
            "b": by_purpose(draft=findings(unsure), refute=STANDS),
        },
        mode=Mode.QUICK,
    )
    assert (await run(at.deliberation)).spend.calls == 4


async def test_panel_stays_within_finders_plus_three() -> None:
    unsure = draft(
        title="Empty input is not handled",
        detail="With no values the quotient is undefined.",
        severity="critical",
    )
    at = table(
        {
            "a": by_purpose(draft=findings(draft(severity="critical")), compare={"same": []}, refute=REFUTES),
            "b": by_purpose(draft=findings(unsure), refute=REFUTES),
            "s": by_purpose(escalate=STANDS),
        },
        strong=member("s"),
    )
    result = await run(at.deliberation)
    assert result.spend.calls == 2 + 3
    assert [purpose for _, purpose in at.members.purposes()] == [
        "draft",
        "draft",
        "compare",
        "refute",
        "escalate",
    ]


async def test_four_of_many_members_find_in_panel() -> None:
    at = table({f"m{number}": by_purpose(draft=SILENT) for number in range(9)})
    assert (await run(at.deliberation)).spend.calls == 4


async def test_the_modes_bound_holds_for_repairs_and_retries_too() -> None:
    at = table({"a": by_purpose()})
    seat = at.deliberation.panel.members[0]
    purse = BoundedPurse(JobPurse(at.deliberation.budget), 2)
    held: list[Reservation] = [await purse.reserve(seat, 0.01), await purse.reserve(seat, 0.01)]
    with pytest.raises(BoundReached):
        await purse.reserve(seat, 0.01)
    await purse.release(seat, held[0])
    await purse.reserve(seat, 0.01)
    assert purse.left == 0


async def test_a_call_that_the_job_refuses_does_not_use_up_the_modes_bound() -> None:
    at = table({"a": by_purpose()}, limits=Limits(calls=0))
    purse = BoundedPurse(JobPurse(at.deliberation.budget), 2)
    with pytest.raises(BudgetExceeded):
        await purse.reserve(at.deliberation.panel.members[0], 0.01)
    assert purse.left == 2


# Debate mode.


async def test_in_a_debate_evidence_makes_an_author_withdraw() -> None:
    rounds = {"a": 0}

    def author(request: ModelRequest) -> Answer:
        rounds["a"] += 1
        own = "evidence was brought against them" in request.messages[-1].content
        return verdicts(verdict(1, "refuted", reason="I misread it.")) if own else verdicts()

    at = table(
        {
            "a": by_purpose(draft=findings(draft()), critique=author),
            "b": by_purpose(draft=SILENT, critique=REFUTES),
        },
        mode=Mode.DEBATE,
        rounds=3,
    )
    result = await run(at.deliberation)
    assert [event.outcome for event in at.of_kind(RevisionMade)] == ["withdrawn"]
    assert [finding.reason for finding in result.findings] == ["withdrawn by its author"]


async def test_in_a_debate_support_with_evidence_counts_and_support_without_does_not() -> None:
    cites = verdicts(verdict(1, "stands", line=5, quote="    total = 0"))
    seconded = table(
        {"a": by_purpose(draft=findings(draft())), "b": by_purpose(draft=SILENT, critique=cites)},
        mode=Mode.DEBATE,
    )
    agreed = table(
        {"a": by_purpose(draft=findings(draft())), "b": by_purpose(draft=SILENT, critique=STANDS)},
        mode=Mode.DEBATE,
    )
    assert (await run(seconded.deliberation)).findings[0].families == ("a", "b")
    assert (await run(agreed.deliberation)).findings[0].families == ("a",)


async def test_a_debate_ends_when_a_round_adds_no_evidence() -> None:
    at = table(
        {
            "a": by_purpose(draft=findings(draft()), critique=STANDS),
            "b": by_purpose(draft=findings(leak()), critique=STANDS),
        },
        mode=Mode.DEBATE,
        rounds=5,
    )
    await run(at.deliberation)
    assert [event.round for event in at.of_kind(PhaseEntered) if event.phase is Phase.CRITIQUE] == [1]


async def test_a_debate_of_fifteen_reviewers_and_three_rounds_stays_within_61_calls() -> None:
    quotes = ["import os", "def mean(values):", "total = 0", "for value in values:", "total += value"]

    def script(number: int) -> dict[str, Answer]:
        words = f"{chr(97 + number) * 4} {chr(98 + number) * 5}"
        own = draft(1 + number % 16, quotes[number % 5], title=words, detail=words, severity="critical")
        return {
            "draft": findings(own),
            "critique": verdicts(*(verdict(n, line=1, quote="import os") for n in range(1, 5))),
        }

    at = table(
        {f"m{number:02}": by_purpose(**script(number), compare={"same": []}) for number in range(15)},
        mode=Mode.DEBATE,
        rounds=3,
        limits=Limits(usd=None),
    )
    result = await run(at.deliberation)
    assert 45 <= result.spend.calls <= 61


# Several files.


def result(status: Status, **fields: object) -> JobResult:
    return JobResult.model_validate({"status": status, "reason": status.value, **fields})


async def test_results_of_several_files_become_one() -> None:
    two = {"a": by_purpose(draft=findings(draft())), "b": by_purpose(draft=findings(draft()))}
    one = await run(table(two).deliberation)
    other = await run(table({"a": by_purpose(draft=SILENT), "b": by_purpose(draft=SILENT)}).deliberation)
    merged = merge_results([other, one, one])
    assert merged.status is Status.DONE
    assert merged.findings == one.findings
    assert merged.spend.calls == 6
    assert merge_results([one]) is one


@pytest.mark.parametrize(
    ("statuses", "merged"),
    [
        ([Status.NOTHING, Status.NOTHING], Status.NOTHING),
        ([Status.NOTHING, Status.FAILED], Status.FAILED),
        ([Status.DONE, Status.FAILED], Status.DONE),
        ([Status.DONE, Status.OVER_BUDGET], Status.OVER_BUDGET),
        ([Status.ABSTAINED, Status.NOTHING], Status.ABSTAINED),
        ([Status.OVER_BUDGET, Status.CANCELLED], Status.CANCELLED),
        ([], Status.NOTHING),
    ],
)
def test_the_status_that_matters_most_is_the_merged_one(statuses: list[Status], merged: Status) -> None:
    assert merge_results([result(status) for status in statuses]).status is merged
