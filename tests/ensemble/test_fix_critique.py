"""Evidence changes minds, agreement does not: what a critic's test can do, and what it cannot."""

from ensemble_lsp.core.events import CritiqueMade, Mode, PositionTaken, RevisionMade, Status
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.actions import fix
from ensemble_lsp.ensemble.checking import TargetState
from ensemble_lsp.ensemble.critique import Trial, Verdict, judge, read_attacks
from ensemble_lsp.ensemble.ports import ModelRequest
from tests.ensemble.fix_cases import (
    ALSO_RIGHT,
    BOTH_TESTS,
    BUGGY,
    ELEVEN,
    NO_LOWER,
    NO_UPPER,
    RIGHT,
    UPPER_TEST,
    WRONG_TEST,
    Room,
    Setting,
    attack,
    label_of,
    member,
    room,
    whole,
)
from tests.support.scripted_checks import WEAK

A, B, C = member("a"), member("b"), member("c")


def critiques(table: Room) -> list[CritiqueMade]:
    return [event for event in table.events if isinstance(event, CritiqueMade)]


def revisions(table: Room) -> list[RevisionMade]:
    return [event for event in table.events if isinstance(event, RevisionMade)]


def text_of(result: JobResult) -> str:
    assert result.proposal is not None
    (change,) = result.proposal.chosen.changes
    assert change.after is not None
    return change.after.text


async def test_critique_changes_the_proposal() -> None:
    """A wrong draft passes a weak check; a counter-example is run; the revision passes both."""
    without = room(
        {"a": [whole(NO_UPPER)], "b": [whole(NO_UPPER)]}, [A, B], Setting(test=None, mode=Mode.QUICK)
    )
    before = await fix.run(without.deliberation)
    assert text_of(before) == NO_UPPER

    lines = {
        "a": [whole(NO_UPPER), "NO FAULT", whole(RIGHT)],
        "b": [whole(ALSO_RIGHT), attack(UPPER_TEST), "KEEP: the test passes with it"],
    }
    table = room(lines, [A, B], Setting(strength=WEAK))
    result = await fix.run(table.deliberation)
    (hit,) = [event for event in critiques(table) if event.evidence.startswith("failed")]
    assert (hit.from_member, hit.against) == ("b", ("a",))
    assert next(event.outcome for event in revisions(table)) == "revised"
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert text_of(result) in {RIGHT, ALSO_RIGHT}
    assert "clamp(15, 0, 10)" in table.members.requests[-1].messages[-1].content


async def test_a_wrong_counter_example_does_not_kill_a_right_candidate() -> None:
    keep = "KEEP: the test expects the wrong value"
    lines = {"a": [whole(RIGHT), attack(WRONG_TEST), keep], "b": [whole(RIGHT), keep]}
    table = room(lines, [A, B], Setting(strength=WEAK))
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert not any(event.broke for event in critiques(table))
    assert {event.outcome for event in revisions(table)} == {"kept"}
    assert any("ignores the upper bound" in item.text for item in result.dissent)


async def test_one_author_that_gives_in_to_a_wrong_test_does_not_outweigh_the_other() -> None:
    lines = {
        "a": [whole(RIGHT), attack(WRONG_TEST), "KEEP: the test expects the wrong value"],
        "b": [whole(RIGHT), whole(ELEVEN)],
    }
    table = room(lines, [A, B], Setting(strength=WEAK))
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert text_of(result) == RIGHT
    assert [item.members for item in result.proposal.alternatives] == [("b",)]


async def test_all_authors_that_concede_to_a_counter_example_take_their_change_back() -> None:
    lines = {"a": [whole(NO_UPPER), attack(UPPER_TEST), whole(RIGHT)], "b": [whole(NO_UPPER), whole(RIGHT)]}
    table = room(lines, [A, B], Setting(strength=WEAK))
    result = await fix.run(table.deliberation)
    assert text_of(result) == RIGHT
    assert result.proposal is not None
    assert result.proposal.chosen.families == ("family-a", "family-b")
    assert result.proposal.chosen.revised_from is not None


async def test_a_check_that_is_not_weak_is_not_argued_with() -> None:
    lines = {
        "a": [whole(RIGHT), attack(WRONG_TEST), whole(ELEVEN)],
        "b": [whole(ALSO_RIGHT), attack(WRONG_TEST), whole(ELEVEN)],
    }
    table = room(lines, [A, B])
    result = await fix.run(table.deliberation)
    assert text_of(result) in {RIGHT, ALSO_RIGHT}
    assert not revisions(table)


async def test_a_test_that_does_not_even_import_is_no_evidence() -> None:
    broken = "from nowhere import clamp\n\ndef test_it():\n    assert clamp(1, 2, 3) == 2\n"
    table = room(
        {"a": [whole(NO_UPPER), attack(broken)], "b": [whole(NO_UPPER), attack(broken)]},
        [A, B],
        Setting(strength=WEAK),
    )
    await fix.run(table.deliberation)
    assert not any(event.broke for event in critiques(table))
    assert not revisions(table)


async def test_with_two_families_each_refutes_the_other() -> None:
    table = room(
        {"a": [whole(NO_UPPER), "NO FAULT"], "b": [whole(NO_LOWER), "NO FAULT"]}, [A, B], Setting(test=None)
    )
    await fix.run(table.deliberation)
    asked = {
        request.member.id: request.messages[-1].content
        for request in table.members.requests
        if request.purpose == "critique"
    }
    assert set(asked) == {"a", "b"}
    assert "min(value, high)" in asked["a"]
    assert "min(value, high)" not in asked["b"].replace("return min(low", "")


async def test_a_critic_is_not_told_who_wrote_what_and_sees_no_comments() -> None:
    lines = {
        "a": [whole(NO_UPPER.replace("\n    return", "  # certainly right\n    return")), "NO FAULT"],
        "b": [whole(NO_LOWER), "NO FAULT"],
    }
    table = room(lines, [A, B], Setting(test=None))
    await fix.run(table.deliberation)
    for request in table.members.requests:
        if request.purpose == "critique":
            said = request.messages[-1].content
            assert "family-" not in said
            assert "certainly right" not in said


def trial(name: str, outcome: Outcome, family: str, target: TargetState = TargetState.NONE) -> Trial:
    return Trial(name, outcome, target, frozenset({family}), frozenset({family}))


def judged(trials: list[Trial], critic: str = "critic") -> Verdict:
    return judge("x", trials, critic, frozenset({critic}))


def test_a_test_that_fails_everywhere_has_no_support() -> None:
    trials = [
        trial("x", Outcome.FAILED, "a", TargetState.GREEN),
        trial("y", Outcome.FAILED, "b", TargetState.GREEN),
    ]
    assert judged(trials) is Verdict.UNSUPPORTED


def test_a_test_that_only_its_authors_own_candidate_passes_is_contested() -> None:
    trials = [trial("x", Outcome.FAILED, "a"), trial("y", Outcome.PASSED, "critic")]
    assert judged(trials) is Verdict.CONTESTED


def test_a_test_that_somebody_elses_candidate_passes_breaks() -> None:
    trials = [trial("x", Outcome.FAILED, "a"), trial("y", Outcome.PASSED, "b")]
    assert judged(trials) is Verdict.BREAKS


def test_candidates_that_fail_the_real_check_cannot_speak_against_one_that_passes_it() -> None:
    trials = [
        trial("x", Outcome.FAILED, "a", TargetState.GREEN),
        trial("y", Outcome.PASSED, "b", TargetState.RED),
    ]
    assert judged(trials) is Verdict.UNSUPPORTED


def test_one_family_cannot_be_broken_by_what_a_minority_passes() -> None:
    trials = [
        trial("x", Outcome.FAILED, "a"),
        trial("z", Outcome.FAILED, "c"),
        trial("y", Outcome.PASSED, "b"),
    ]
    assert judged(trials) is Verdict.CONTESTED


def test_a_hanging_test_counts_only_when_it_ends_elsewhere() -> None:
    assert judged([trial("x", Outcome.TIMED_OUT, "a")]) is Verdict.NO_EVIDENCE
    assert judged([trial("x", Outcome.TIMED_OUT, "a"), trial("y", Outcome.PASSED, "b")]) is Verdict.BREAKS


def test_attacks_are_read_from_markdown_and_thinking_is_not() -> None:
    reply = (
        "<think>TARGET: B\nCLAIM: draft</think>\n**TARGET:** candidate A\n**CLAIM:** wrong at zero\n"
        "TEST:\n```python\ndef test_zero():\n    assert f(0) == 0\n```\nNO FAULT: B"
    )
    (found,) = read_attacks(reply, ["A", "B"])
    assert found.label == "A"
    assert found.claim == "wrong at zero"
    assert found.test.startswith("def test_zero")


def test_an_attack_on_a_candidate_that_was_not_shown_is_left_out() -> None:
    assert read_attacks(attack(UPPER_TEST, "D"), ["A", "B"]) == ()


async def test_a_debate_of_fifteen_members_and_three_rounds_stays_within_sixty_one_calls() -> None:
    panel = [member(f"m{number}") for number in range(15)]

    def restless(request: ModelRequest) -> str:
        seat = int(request.member.id[1:])
        count = sum(1 for earlier in table.members.requests if earlier.member.id == request.member.id)
        return "POSITION: REVISE\n" + whole(
            f"def clamp(value, low, high):\n    return {seat} + {count} * 100\n"
        )

    table = room(
        {item.id: [restless] for item in panel}, panel, Setting(test=None, mode=Mode.DEBATE, rounds=3)
    )
    await fix.run(table.deliberation)
    assert 45 < table.calls <= 61
    assert not table.members.cancelled


async def test_a_debate_stops_when_no_position_moves() -> None:
    keep = "NO FAULT\n\nPOSITION: KEEP it is right"
    table = room(
        {"a": [whole(NO_UPPER), keep], "b": [whole(NO_LOWER), keep]},
        [A, B],
        Setting(test=None, mode=Mode.DEBATE, rounds=5),
    )
    await fix.run(table.deliberation)
    assert table.calls == 4


async def test_conformity_without_evidence_does_not_count_as_support() -> None:
    def adopt(request: ModelRequest) -> str:
        return f"POSITION: ADOPT {label_of(request, 'return max(low, min(value, high))')} because the others think so"

    lines = {"a": [whole(RIGHT), "POSITION: KEEP"], "b": [whole(NO_LOWER), adopt]}
    table = room(lines, [A, B], Setting(test=None, mode=Mode.DEBATE))
    result = await fix.run(table.deliberation)
    moved = [event for event in table.events if isinstance(event, PositionTaken) and event.member == "b"]
    assert moved[0].moved
    assert moved[0].because == ""
    assert [event.conformity for event in revisions(table) if event.member == "b"] == [True]
    assert result.status is Status.ABSTAINED


async def test_a_move_on_evidence_counts_as_support() -> None:
    def adopt(request: ModelRequest) -> str:
        return f"POSITION: ADOPT {label_of(request, 'return max(low, min(value, high))')} as the log shows"

    lines = {"a": [whole(RIGHT), "POSITION: KEEP"], "b": [whole(NO_UPPER), adopt]}
    table = room(lines, [A, B], Setting(test=UPPER_TEST, mode=Mode.DEBATE))
    result = await fix.run(table.deliberation)
    assert result.proposal is not None
    assert result.proposal.chosen.families == ("family-a", "family-b")
    assert not any(event.conformity for event in revisions(table))


async def test_what_a_failing_log_brought_forth_is_criticised_like_any_other() -> None:
    lines = {
        "a": [whole(NO_LOWER), whole(RIGHT), "NO FAULT"],
        "b": [whole(BUGGY), "no change", attack(UPPER_TEST)],
    }
    table = room(lines, [A, B], Setting(test=BOTH_TESTS, strength=WEAK))
    result = await fix.run(table.deliberation)
    purposes = table.members.purposes()
    assert purposes.index("a: revise") < purposes.index("b: critique")
    assert text_of(result) == RIGHT
    assert table.calls <= 8


async def test_one_family_is_not_asked_to_refute_the_one_change_that_passes() -> None:
    alone = [member("a", "solo"), member("b", "solo")]
    table = room({"a": [whole(RIGHT)], "b": [whole(RIGHT)]}, alone, Setting(strength=WEAK))
    result = await fix.run(table.deliberation)
    assert table.calls == 2
    assert result.proposal is not None
    assert result.proposal.weak


async def test_a_strong_member_that_chooses_breaks_the_tie() -> None:
    def choose(request: ModelRequest) -> str:
        return f"CHOOSE: {label_of(request, 'return max(low, value)')}\nIt keeps the bound."

    lines = {"a": [whole(NO_UPPER), "NO FAULT"], "b": [whole(NO_LOWER), "NO FAULT"], "s": [choose]}
    table = room(lines, [A, B], Setting(test=None, strong=member("s")))
    result = await fix.run(table.deliberation)
    assert text_of(result) == NO_UPPER
    assert result.proposal is not None
    assert result.proposal.chosen.members == ("a", "s")
    assert {item.member for item in result.dissent} == {"b"}
