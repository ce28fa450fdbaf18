"""A change found by search, without a model: when it is looked for, what it counts, and how it is named."""

import asyncio

from ensemble_lsp.core.events import CheckFinished, Mode, Status
from ensemble_lsp.core.evidence import SEARCH, Outcome
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.ensemble.actions import fix
from ensemble_lsp.ensemble.ports import Coverage
from tests.ensemble.fix_cases import (
    ALSO_RIGHT,
    BOTH_TESTS,
    NO_LOWER,
    NO_UPPER,
    PATH,
    RIGHT,
    UPPER_TEST,
    Room,
    Setting,
    member,
    room,
    whole,
)
from tests.support.scripted_checks import WEAK, run_tests

A, B = member("a"), member("b")
FOUND = "line 2: high and low were exchanged"


def _stuck(setting: Setting | None = None, answer: str = NO_UPPER) -> Room:
    """Seat two members whose first answers do not pass, over a bug that a small change repairs."""
    table = room({"a": [whole(answer)], "b": [whole(answer)]}, [A, B], setting or Setting(test=BOTH_TESTS))
    table.checks.versions = {"line 2: min became max": NO_LOWER, FOUND: ALSO_RIGHT}
    return table


def _told(table: Room) -> list[CheckFinished]:
    return [item for item in table.events if isinstance(item, CheckFinished) and item.witness == "search"]


async def test_where_no_draft_passes_a_small_change_is_found() -> None:
    table = _stuck()
    result = await fix.run(table.deliberation)
    assert table.calls <= 8
    assert result.status is Status.DONE
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert [change.after.text for change in result.proposal.chosen.changes if change.after] == [ALSO_RIGHT]


async def test_the_proposal_says_that_no_model_wrote_it() -> None:
    result = await fix.run(_stuck().deliberation)
    assert result.proposal is not None
    chosen = result.proposal.chosen
    assert (chosen.members, chosen.families) == ((), ())
    assert "found by search" in result.proposal.title
    assert chosen.rationale == f"Found by search, not by a model: {FOUND}"
    said = next(item for item in chosen.evidence if item.witness == "search")
    assert "not by a model" in said.summary
    assert not any(verdict.candidate == chosen.id for verdict in result.verdicts)


async def test_a_found_change_passes_weakly_since_one_of_many_passes_by_chance() -> None:
    result = await fix.run(_stuck().deliberation)
    assert result.proposal is not None
    assert result.proposal.weak
    assert "may pass by chance" in result.reason


async def test_members_go_on_after_a_found_change_and_theirs_is_preferred() -> None:
    table = room(
        {"a": [whole(NO_UPPER), whole(RIGHT)], "b": [whole(NO_UPPER), whole(RIGHT)]},
        [A, B],
        Setting(test=BOTH_TESTS),
    )
    table.checks.versions = {FOUND: ALSO_RIGHT}
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.chosen.members != ()
    assert not result.proposal.weak


async def test_the_drafts_that_failed_stay_in_the_dissent() -> None:
    result = await fix.run(_stuck().deliberation)
    assert {item.member for item in result.dissent} == {"a", "b"}


async def test_what_was_tried_is_told_as_a_check() -> None:
    table = _stuck()
    await fix.run(table.deliberation)
    (told,) = _told(table)
    assert told.outcome is Outcome.PASSED
    assert told.summary == f"2 small changes tried, one passes: {FOUND}"


async def test_a_search_that_finds_nothing_says_so_and_the_panel_goes_on() -> None:
    table = room(
        {"a": [whole(NO_UPPER), whole(RIGHT)], "b": [whole(NO_UPPER)]}, [A, B], Setting(test=BOTH_TESTS)
    )
    table.checks.versions = {"line 2: min became max": NO_LOWER}
    result = await fix.run(table.deliberation)
    (told,) = _told(table)
    assert (told.outcome, told.summary) == (Outcome.FAILED, "1 small changes tried, none passes")
    assert result.proposal is not None
    assert result.proposal.chosen.members == ("a",)


async def test_a_draft_that_passes_leaves_nothing_to_search() -> None:
    table = room({"a": [whole(RIGHT)], "b": [whole(NO_UPPER)]}, [A, B], Setting(test=BOTH_TESTS))
    table.checks.versions = {FOUND: ALSO_RIGHT}
    result = await fix.run(table.deliberation)
    assert table.checks.searched == []
    assert result.proposal is not None
    assert result.proposal.chosen.members == ("a",)


async def test_nothing_is_searched_without_a_test_that_fails() -> None:
    table = _stuck(Setting(test=None))
    await fix.run(table.deliberation)
    assert table.checks.searched == []


async def test_it_is_searched_once_only() -> None:
    table = _stuck(Setting(test=BOTH_TESTS))
    table.checks.versions = {}
    await fix.run(table.deliberation)
    assert table.calls > 2
    assert len(table.checks.searched) == 1


async def test_a_found_change_under_a_weak_check_is_marked_weak_and_a_member_that_passes_is_preferred() -> (
    None
):
    table = room(
        {"a": [whole(NO_UPPER), whole(RIGHT)], "b": [whole(NO_UPPER), whole(RIGHT)]},
        [A, B],
        Setting(test=BOTH_TESTS, strength=WEAK),
    )
    table.checks.versions = {FOUND: ALSO_RIGHT}
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.weak
    assert result.proposal.chosen.members != ()
    assert [item.members for item in result.proposal.alternatives if not item.rejected] == [()]


async def test_only_lines_that_the_failing_test_runs_are_changed_the_suspicious_first() -> None:
    table = _stuck(Setting(test=UPPER_TEST))
    failing = run_tests(PATH, table.deliberation.dossier.files[PATH].text, UPPER_TEST, "pytest").tests
    name = next(iter(failing))
    table.checks.covered = Coverage(
        outcomes={name: Outcome.FAILED, "other": Outcome.PASSED},
        lines={name: {PATH: frozenset({1})}, "other": {PATH: frozenset({0, 1})}},
        evidence=run_tests(PATH, NO_UPPER, UPPER_TEST, "pytest"),
    )
    await fix.run(table.deliberation)
    ((path, suspicion, named),) = table.checks.searched
    assert (path, named) == (PATH, frozenset({name}))
    assert list(suspicion) == [1]
    assert 0.0 < suspicion[1] < 1.0


async def test_a_debate_puts_what_was_found_on_the_table() -> None:
    table = _stuck(Setting(test=BOTH_TESTS, mode=Mode.DEBATE))
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.chosen.families == ()


async def test_cancelling_ends_the_search() -> None:
    table = _stuck()
    table.checks.hold_search = asyncio.Event()
    job = asyncio.create_task(fix.run(table.deliberation))
    await table.checks.entered_search.wait()
    job.cancel()
    (ended,) = await asyncio.gather(job, return_exceptions=True)
    assert isinstance(ended, asyncio.CancelledError)
    assert table.checks.cancelled == 1


async def test_deciding_now_ends_the_search_with_what_is_there() -> None:
    table = _stuck()
    table.checks.hold_search = asyncio.Event()
    job = asyncio.create_task(fix.run(table.deliberation))
    await table.checks.entered_search.wait()
    table.deliberation.answer_now.set()
    result = await job
    assert result.status is Status.ABSTAINED
    assert table.calls == 2


async def test_who_is_behind_a_change_is_said_in_words() -> None:
    found = await fix.run(_stuck().deliberation)
    written = await fix.run(room({"a": [whole(RIGHT)], "b": [whole(RIGHT)]}, [A, B]).deliberation)
    assert found.proposal is not None
    assert written.proposal is not None
    assert found.proposal.chosen.authors == "no model, found by search"
    assert written.proposal.chosen.authors == "family-a, family-b"
    withdrawn = written.proposal.chosen.model_copy(update={"families": ()})
    assert withdrawn.authors == "nobody any more"


async def test_a_benchmark_can_leave_it_out() -> None:
    table = _stuck()
    table.deliberation.leaves_out = frozenset({SEARCH})
    result = await fix.run(table.deliberation)
    assert table.checks.searched == []
    assert result.proposal is None


async def test_a_debate_without_it_is_a_debate_like_any() -> None:
    table = _stuck(Setting(test=BOTH_TESTS, mode=Mode.DEBATE))
    table.deliberation.leaves_out = frozenset({SEARCH})
    await fix.run(table.deliberation)
    assert any("POSITION" in request.messages[-1].content for request in table.members.requests)
