"""A refactoring with scripted members: what keeps behaviour survives, and critics' tests compare with the original."""

import dataclasses
from collections.abc import Sequence

from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.evidence import Strength
from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.actions import refactor
from ensemble_lsp.ensemble.ports import ModelRequest
from tests.ensemble.fix_cases import (
    ALSO_RIGHT,
    BUGGY,
    NO_LOWER,
    NO_UPPER,
    RIGHT,
    TEST,
    UPPER_TEST,
    Room,
    Setting,
    attack,
    member,
    room,
    whole,
)
from tests.support.scripted_checks import STRONG, WEAK
from tests.support.scripted_members import Line

LOW_TEST = "from clamp import clamp\n\ndef test_low():\n    assert clamp(-5, 0, 10) == 0\n"
WRONG_TEST = "from clamp import clamp\n\ndef test_low():\n    assert clamp(-5, 0, 10) == 1\n"


def laid_out(
    lines: dict[str, Sequence[Line]],
    *,
    test: str | None = TEST,
    strength: Strength | None = STRONG,
    code: str = RIGHT,
    mode: Mode = Mode.PANEL,
) -> Room:
    table = room(
        lines,
        [member(name) for name in lines],
        Setting(test=test, strength=strength, code=code, mode=mode),
    )
    task = table.deliberation.task.model_copy(
        update={"action": Action.REFACTOR, "instruction": "swap min and max"}
    )
    table.deliberation = dataclasses.replace(table.deliberation, task=task)
    return table


def chosen(result: JobResult) -> str:
    assert result.proposal is not None, result.reason
    (change,) = result.proposal.chosen.changes
    assert change.after is not None
    return change.after.text


async def test_two_members_that_write_the_same_and_keep_the_tests_cost_two_calls() -> None:
    table = laid_out({"a": [whole(ALSO_RIGHT)], "b": [whole(ALSO_RIGHT)], "c": ["never asked"]})
    result = await refactor.run(table.deliberation)

    assert result.proposal is not None
    assert (result.proposal.standing, result.proposal.weak) == (Standing.VERIFIED, False)
    assert table.calls == 2
    assert result.proposal.title == "Refactor clamp — 2 families, tests end as before"


async def test_a_test_of_a_critic_that_passes_on_the_original_breaks_a_change_that_fails_it() -> None:
    lines: dict[str, Sequence[Line]] = {
        "a": [whole(NO_LOWER), "NO FAULT: A"],
        "b": [whole(ALSO_RIGHT), attack(LOW_TEST), "NO FAULT: A"],
    }
    table = laid_out(lines, strength=WEAK)
    result = await refactor.run(table.deliberation)

    assert chosen(result) == ALSO_RIGHT
    broken = [item for item in result.dissent if "broken by a test" in item.text]
    assert [item.member for item in broken] == ["a"]


async def test_a_test_of_a_critic_that_fails_on_the_original_as_well_breaks_nothing() -> None:
    lines: dict[str, Sequence[Line]] = {
        "a": [whole(ALSO_RIGHT), "NO FAULT: A"],
        "b": [whole(ALSO_RIGHT.replace("value, low", "low, value")), attack(WRONG_TEST)],
    }
    table = laid_out(lines, strength=WEAK)
    result = await refactor.run(table.deliberation)

    assert result.proposal is not None
    assert not any("broken by a test" in item.text for item in result.dissent)


async def test_a_test_that_failed_and_passes_now_shows_that_behaviour_changed() -> None:
    table = laid_out({"a": [whole(RIGHT)], "b": [whole(RIGHT)]}, test=UPPER_TEST, code=BUGGY)
    result = await refactor.run(table.deliberation)

    assert result.status is Status.ABSTAINED
    assert any("changes behaviour" in item.text for item in result.dissent)


async def test_weak_tests_are_said_to_be_weak() -> None:
    table = laid_out({"a": [whole(ALSO_RIGHT)], "b": [whole(ALSO_RIGHT)]}, strength=WEAK)
    result = await refactor.run(table.deliberation)

    assert result.proposal is not None
    assert (result.proposal.standing, result.proposal.weak) == (Standing.VERIFIED, True)
    assert "they notice 10% of the changes tried here" in result.reason


async def test_without_a_test_two_families_agree_and_one_alone_is_unverified() -> None:
    both = await refactor.run(
        laid_out({"a": [whole(ALSO_RIGHT)], "b": [whole(ALSO_RIGHT)]}, test=None).deliberation
    )
    alone = await refactor.run(laid_out({"a": [whole(ALSO_RIGHT)], "b": ["no"]}, test=None).deliberation)

    assert both.proposal is not None
    assert alone.proposal is not None
    assert both.proposal.standing is Standing.AGREED
    assert alone.proposal.standing is Standing.UNVERIFIED


async def test_the_version_that_a_critic_of_another_family_prefers_comes_first() -> None:
    other = ALSO_RIGHT.replace("return ", "return 0 + ")
    vote = "NO FAULT: A\nNO FAULT: B\nBEST: {label}"

    def prefers(request: ModelRequest) -> str:
        said = request.messages[-1].content
        for part in said.split('what="candidate ')[1:]:
            if "return 0 +" in part.split("</data-", maxsplit=1)[0]:
                return vote.format(label=part[0])
        return "NO FAULT: A"

    lines: dict[str, Sequence[Line]] = {
        "a": [whole(ALSO_RIGHT), prefers],
        "b": [whole(other), "NO FAULT: A"],
        "c": ["no change", prefers],
    }
    result = await refactor.run(laid_out(lines, strength=WEAK).deliberation)

    assert chosen(result) == other


async def test_our_own_words_stay_under_two_thousand_tokens() -> None:
    for edit_format in EditFormat:
        table = room(
            {
                "a": [whole(NO_UPPER), attack(LOW_TEST), whole(ALSO_RIGHT)],
                "b": ["no", attack(UPPER_TEST), "KEEP: x"],
            },
            [member(name, edit_format=edit_format) for name in "ab"],
            Setting(test=UPPER_TEST, code=RIGHT),
        )
        task = table.deliberation.task.model_copy(update={"action": Action.REFACTOR})
        await refactor.run(dataclasses.replace(table.deliberation, task=task))
        asked = list(table.members.requests)
        assert {request.purpose for request in asked} >= {"draft", "revise"}
        assert all(sum(len(item.content) for item in request.messages) / 3 < 2_000 for request in asked)
