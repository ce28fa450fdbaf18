"""Few calls first: what ends a fix early, what lets it go on, and where it ends for good."""

from ensemble_lsp.core.budget import Limits
from ensemble_lsp.core.events import Mode, Status
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import DraftRecord
from ensemble_lsp.ensemble.actions import fix
from tests.ensemble.fix_cases import (
    ALSO_RIGHT,
    BOTH_TESTS,
    BUGGY,
    NO_LOWER,
    NO_UPPER,
    RIGHT,
    UPPER_TEST,
    WRONG_TEST,
    Setting,
    attack,
    member,
    room,
    whole,
)
from tests.support.scripted_checks import WEAK

A, B, C = member("a"), member("b"), member("c")


async def test_two_that_agree_and_pass_make_exactly_two_calls() -> None:
    table = room({"a": [whole(RIGHT)], "b": [whole(RIGHT)]}, [A, B])
    result = await fix.run(table.deliberation)
    assert table.calls == 2
    assert result.status is Status.DONE
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert not result.proposal.weak
    assert result.proposal.chosen.families == ("family-a", "family-b")
    assert len(table.checks.checked) == 1


async def test_what_passes_beats_what_fails_without_further_calls() -> None:
    table = room({"a": [whole(NO_UPPER)], "b": [whole(RIGHT)]}, [A, B], Setting(test=UPPER_TEST))
    result = await fix.run(table.deliberation)
    assert table.calls == 2
    assert result.proposal is not None
    assert result.proposal.chosen.members == ("b",)
    assert any(item.member == "a" for item in result.dissent)


async def test_a_fix_that_never_agrees_ends_within_eight_calls_in_an_abstention() -> None:
    table = room({"a": [whole(NO_UPPER)], "b": [whole(NO_LOWER)]}, [A, B], Setting(test=None))
    result = await fix.run(table.deliberation)
    assert table.calls <= 8
    assert result.status is Status.ABSTAINED
    assert result.proposal is None
    assert "what would settle it" in result.reason
    assert {item.member for item in result.dissent} == {"a", "b"}


async def test_a_check_that_nobody_passes_ends_within_eight_calls_in_an_abstention() -> None:
    table = room({"a": [whole(NO_UPPER)], "b": [whole(BUGGY)]}, [A, B], Setting(test=WRONG_TEST))
    result = await fix.run(table.deliberation)
    assert table.calls <= 8
    assert result.status is Status.ABSTAINED
    assert "still fails" in result.dissent[0].text


async def test_the_failing_log_goes_back_to_the_author_who_then_repairs_it() -> None:
    table = room(
        {"a": [whole(NO_UPPER), whole(RIGHT)], "b": [whole(BUGGY)]}, [A, B], Setting(test=UPPER_TEST)
    )
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    revision = next(item for item in table.members.requests if item.purpose == "revise")
    assert "AssertionError" in revision.messages[-1].content


async def test_quick_makes_at_most_four_calls() -> None:
    table = room(
        {"a": [whole(NO_UPPER)], "b": [whole(NO_LOWER)]}, [A, B], Setting(test=None, mode=Mode.QUICK)
    )
    await fix.run(table.deliberation)
    assert table.calls <= 4


async def test_continuing_from_drafts_asks_nobody_for_a_draft() -> None:
    prior = (
        DraftRecord(member="a", family="family-a", text=whole(RIGHT)),
        DraftRecord(member="b", family="family-b", text=whole(RIGHT)),
    )
    table = room({}, [A, B], Setting(prior=prior))
    result = await fix.run(table.deliberation)
    assert table.calls == 0
    assert result.proposal is not None
    assert result.drafts == prior


async def test_an_answer_that_cannot_be_applied_is_repaired_once() -> None:
    nowhere = "```\n<<<<<<< SEARCH\n    return nothing\n=======\n    return 1\n>>>>>>> REPLACE\n```\n"
    table = room({"a": [nowhere, whole(RIGHT)], "b": [nowhere]}, [A, B])
    result = await fix.run(table.deliberation)
    assert table.members.purposes().count("a: repair") == 1
    assert table.calls == 3
    assert result.proposal is not None
    repair = table.members.requests[2].messages[-1].content
    assert "could not be applied" in repair


async def test_a_third_and_fourth_member_join_only_when_two_did_not_settle_it() -> None:
    lines = {"a": [whole(NO_UPPER)], "b": [whole(BUGGY)], "c": [whole(RIGHT)]}
    table = room(lines, [A, B, C], Setting(test=UPPER_TEST))
    result = await fix.run(table.deliberation)
    assert table.calls == 3
    assert result.proposal is not None
    assert result.proposal.chosen.members == ("c",)


async def test_a_weak_check_is_called_weak() -> None:
    table = room({"a": [whole(RIGHT)], "b": [whole(RIGHT), "NO FAULT: A"]}, [A, B], Setting(strength=WEAK))
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert result.proposal.weak
    assert "would miss most changes" in result.reason


async def test_two_families_that_agree_without_a_check_are_agreed_not_verified() -> None:
    table = room(
        {"a": [whole(RIGHT), "NO FAULT"], "b": [whole(RIGHT), "NO FAULT"]}, [A, B], Setting(test=None)
    )
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.standing is Standing.AGREED


async def test_one_family_alone_is_said_to_be_one_and_never_agrees_with_itself() -> None:
    alone = [member("a", "solo"), member("b", "solo")]
    table = room(
        {"a": [whole(RIGHT), "NO FAULT"], "b": [whole(RIGHT), "NO FAULT"]}, alone, Setting(test=None)
    )
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.single_family
    assert result.proposal.standing is Standing.UNVERIFIED


async def test_a_panel_of_one_member_speaks_twice_in_two_wordings() -> None:
    table = room({"a": [whole(NO_UPPER), whole(RIGHT)]}, [A], Setting(test=UPPER_TEST))
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert table.calls == 2
    first, second = (request.messages[-1].content for request in table.members.requests)
    assert first != second


async def test_free_members_go_on_sampling_until_something_passes() -> None:
    local = [member("a", "solo", local=True), member("b", "solo", local=True)]
    lines = {"a": [whole(NO_UPPER)], "b": [whole(NO_LOWER), whole(NO_LOWER), whole(BUGGY), whole(RIGHT)]}
    table = room(
        lines,
        local,
        Setting(test=BOTH_TESTS),
    )
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert table.calls <= 8


async def test_the_strong_member_is_asked_once_when_the_question_stays_open() -> None:
    strong = member("s", "strong")
    lines = {
        "a": [whole(NO_UPPER), "KEEP: it is right"],
        "b": [whole(NO_LOWER), "KEEP: so is mine"],
        "s": [whole(RIGHT)],
    }
    table = room(lines, [A, B], Setting(test=None, strong=strong))
    result = await fix.run(table.deliberation)
    assert table.members.purposes().count("s: escalate") == 1
    assert table.calls <= 8
    assert result.status in {Status.ABSTAINED, Status.DONE}


async def test_different_changes_that_both_pass_are_both_offered() -> None:
    table = room({"a": [whole(RIGHT), "NO FAULT"], "b": [whole(ALSO_RIGHT), "NO FAULT"]}, [A, B])
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert len(result.proposal.alternatives) == 1


async def test_a_budget_that_allows_no_call_ends_over_budget() -> None:
    table = room(
        {"a": [whole(RIGHT)], "b": [whole(RIGHT)]}, [A, B], Setting(limits=Limits(usd=0.0, seconds=None))
    )
    result = await fix.run(table.deliberation)
    assert table.calls == 0
    assert result.status is Status.OVER_BUDGET


async def test_a_contested_upper_bound_is_found_by_the_critic() -> None:
    lines = {"a": [whole(NO_UPPER), whole(RIGHT)], "b": [whole(RIGHT), attack(UPPER_TEST)]}
    table = room(lines, [A, B], Setting(strength=WEAK))
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.chosen.families == ("family-a", "family-b")
