"""A debate, from blind positions to a recommendation with its dissent."""

import re
from collections.abc import Callable

from ensemble_lsp.core.budget import Limits
from ensemble_lsp.core.errors import ModelUnavailable
from ensemble_lsp.core.events import Action, CritiqueMade, Mode, PositionTaken, RevisionMade, Status
from ensemble_lsp.ensemble.actions.debate import run
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.ports import ModelRequest
from tests.ensemble.reading_panel import Answer, Script, Table, ToldChecks, by_purpose, table

QUESTION = "Should mean return 0 or raise for an empty list?"
RAISES_TEST = "from pay import mean\n\ndef test_it():\n    assert mean([1]) == 1\n"
SUMMARY: dict[str, object] = {"summary": "The panel weighed it.", "would_settle": ""}


def position(stance: str, argument: str = "Because.", line: int = 0, quote: str = "") -> dict[str, object]:
    return {"stance": stance, "argument": argument, "line": line, "quote": quote}


def turn(**fields: object) -> dict[str, object]:
    """A turn that objects to position 1 without evidence, and keeps."""
    return {
        "target": 1,
        "objection": "That hides errors.",
        "line": 0,
        "quote": "",
        "test": "",
        "decision": "keep",
        "adopt": 0,
        "stance": "",
        "argument": "",
        "because": "",
        **fields,
    }


def speaker(stance: str, *turns: dict[str, object], **fields: object) -> Script:
    """A member with a stance, and what it says in each round (the last turn again when there are more)."""
    left = list(turns) or [turn()]

    def critique(_: ModelRequest) -> Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    return by_purpose(position=position(stance, **fields), critique=critique, synthesis=SUMMARY)  # pyright: ignore[reportArgumentType]


def debating(scripts: dict[str, Script], mode: Mode = Mode.DEBATE, **fields: object) -> Table:
    told: dict[str, object] = {"instruction": QUESTION, **fields}
    return table(scripts, action=Action.DEBATE, mode=mode, **told)  # pyright: ignore[reportArgumentType]


def number_of(stance: str, request: ModelRequest) -> int | None:
    """The number under which a member is shown a position."""
    _, found, _ = request.messages[-1].content.rpartition(stance)
    before = request.messages[-1].content.split(stance)[0]
    number = re.search(r'what="position (\d+)"[^"]*$', before)
    return int(number[1]) if found and number else None


async def test_positions_objections_and_a_recommendation_are_in_the_report() -> None:
    at = debating(
        {"a": speaker("Raise an error."), "b": speaker("Raise an error."), "c": speaker("Return zero.")}
    )
    result = await run(at.deliberation)
    assert result.status is Status.DONE
    assert "**Recommendation: A. Raise an error.**" in result.document
    assert "families are 2 to 1" in result.document
    assert "Strongest objection: That hides errors. (no evidence)" in result.document
    assert "## Dissent from the recommendation\n\n- `c` (c): Return zero." in result.document
    assert "The panel weighed it. *(in the words of `a`)*" in result.document


async def test_a_move_without_new_evidence_is_conformity_and_does_not_count() -> None:
    conforms = turn(decision="move", adopt=1, because="The others say so.")
    at = debating({"a": speaker("Raise an error."), "b": speaker("Return zero.", conforms, turn())})
    result = await run(at.deliberation)
    (moved,) = [event for event in at.of_kind(PositionTaken) if event.moved]
    assert (moved.member, moved.because) == ("b", "")
    assert [event.conformity for event in at.of_kind(RevisionMade)] == [True]
    assert "**without new evidence** (conformity, not counted as support)" in result.document
    assert "held by one family" in result.document


async def test_a_cited_line_decides_between_positions_that_are_equal_otherwise() -> None:
    cites = turn(objection="The divisor is zero.", line=8, quote="return total / len(values)")
    at = debating({"a": speaker("Raise an error.", cites), "b": speaker("Return zero.")})
    result = await run(at.deliberation)
    assert "Decided by rule: lines of the code speak against the others, none against it." in result.document


async def test_evidence_of_one_round_moves_a_member_in_the_next_and_is_named() -> None:
    def first(request: ModelRequest) -> Answer:
        target = number_of("Return zero.", request)
        if target is None:
            return turn(target=1)
        return turn(target=target, objection="It is zero.", line=8, quote="return total / len(values)")

    def second(request: ModelRequest) -> Answer:
        adopt = number_of("Raise an error.", request)
        if "evidence brought against your position" not in request.messages[-1].content:
            return turn()
        return turn(decision="move", adopt=adopt, because="The line is plain.")

    restless = turn(decision="move", stance="Let the caller decide.", argument="It knows.")
    at = debating(
        {
            "a": by_purpose(position=position("Raise an error."), critique=first, synthesis=SUMMARY),
            "b": by_purpose(position=position("Return zero."), critique=second, synthesis=SUMMARY),
            "c": speaker("Log a warning first.", restless, turn()),
        },
        rounds=3,
    )
    result = await run(at.deliberation)
    (moved,) = [event for event in at.of_kind(PositionTaken) if event.moved and event.member == "b"]
    assert moved.because == "line 8: return total / len(values)"
    assert any(event.from_member == "a" and event.against == ("b",) for event in at.of_kind(CritiqueMade))
    assert "moved from B to A because of line 8" in result.document


async def test_a_probe_that_is_run_decides_against_a_majority() -> None:
    breaks = turn(objection="It does not.", test=RAISES_TEST)
    at = debating(
        {
            "a": speaker("It is broken for all."),
            "b": speaker("It is broken for all."),
            "c": speaker("Single values work.", breaks),
        },
        checks=ToldChecks(passing=[RAISES_TEST]),
    )
    result = await run(at.deliberation)
    assert "**Recommendation: B. Single values work.**" in result.document
    assert any(event.broke for event in at.of_kind(CritiqueMade))


async def test_a_debate_of_fifteen_members_and_three_rounds_stays_within_61_calls() -> None:
    def word(number: int, turn_number: int) -> str:
        return chr(97 + number) * 3 + chr(97 + turn_number) * 3

    def restless(number: int) -> Script:
        count = iter(range(100))

        def critique(_: ModelRequest) -> Answer:
            round_number = next(count)
            return turn(decision="move", stance=f"{word(number, round_number)} it is.", argument="New.")

        return by_purpose(
            position=position(f"{word(number, 9)} it is."), critique=critique, synthesis=SUMMARY
        )

    at = debating({f"m{number}": restless(number) for number in range(15)}, rounds=3, limits=Limits(usd=None))
    result = await run(at.deliberation)
    assert bound_on_calls(Action.DEBATE, Mode.DEBATE, 15, 3) == 61
    assert result.spend.calls == 61


async def test_members_see_at_most_four_positions_nameless_and_without_their_own() -> None:
    names = ["alfa", "bravo", "charlie", "delta", "echo", "foxtrot"]
    at = debating({f"member-{name}": speaker(f"Choose {name} {name}.") for name in names})
    await run(at.deliberation)
    for request in at.members.requests:
        if request.purpose != "critique":
            continue
        text = request.messages[-1].content
        own = request.member.id.removeprefix("member-")
        shown = text.split("your position", maxsplit=1)[1].split("</data-", maxsplit=1)[1]
        assert own not in shown
        assert "member-" not in text
        assert text.count('what="position') == 4


async def test_the_debate_ends_when_no_position_moves() -> None:
    at = debating({"a": speaker("Raise an error."), "b": speaker("Return zero.")}, rounds=5)
    assert (await run(at.deliberation)).spend.calls == 2 + 2 + 1


async def test_when_all_agree_each_still_attacks_the_common_position() -> None:
    at = debating(
        {"a": speaker("Raise an error.", turn(target=0)), "b": speaker("Raise an error.", turn(target=0))}
    )
    result = await run(at.deliberation)
    assert "everybody holds your position: attack it" in at.members.tasks("critique")[0]
    assert "2 families hold it and no evidence was brought against it" in result.document


async def test_a_tie_is_called_a_split() -> None:
    at = debating({"a": speaker("Raise an error."), "b": speaker("Return zero.")})
    result = await run(at.deliberation)
    assert "**No recommendation:**" in result.document
    assert result.reason.startswith("split: ")
    assert len(result.dissent) == 2


async def test_quick_objects_once_without_moves_and_only_on_disagreement() -> None:
    moves = turn(decision="move", adopt=1)
    differ = debating(
        {"a": speaker("Raise an error.", moves), "b": speaker("Return zero.", moves)}, Mode.QUICK
    )
    result = await run(differ.deliberation)
    assert result.spend.calls == 4
    assert "Nobody moved." in result.document
    agree = debating({"a": speaker("Raise an error."), "b": speaker("Raise an error.")}, Mode.QUICK)
    assert (await run(agree.deliberation)).spend.calls == 2


async def test_panel_holds_one_round() -> None:
    at = debating({"a": speaker("Raise an error."), "b": speaker("Return zero.")}, Mode.PANEL, rounds=5)
    assert (await run(at.deliberation)).spend.calls == 2 + 2 + 1


async def test_a_question_without_code_can_be_debated() -> None:
    at = debating({"a": speaker("Use tabs."), "b": speaker("Use spaces.")}, code=None)
    result = await run(at.deliberation)
    assert result.status is Status.DONE
    assert "test = a short pytest module" not in at.members.tasks("critique")[0]


async def test_a_budget_that_ends_after_the_positions_still_gives_a_report() -> None:
    at = debating({"a": speaker("Raise an error."), "b": speaker("Return zero.")}, limits=Limits(calls=2))
    result = await run(at.deliberation)
    assert result.status is Status.OVER_BUDGET
    assert "### A. " in result.document


async def test_decide_now_after_the_positions_ends_without_rounds() -> None:
    at = debating({"a": speaker("Raise an error."), "b": speaker("Return zero.")})

    def stop_after(inner: Script) -> Callable[[ModelRequest], Answer]:
        def script(request: ModelRequest) -> Answer:
            if len(at.members.requests) == 2:
                at.deliberation.answer_now.set()
            return inner(request)

        return script

    at.members.scripts = {ident: stop_after(inner) for ident, inner in at.members.scripts.items()}
    result = await run(at.deliberation)
    assert result.spend.calls == 2
    assert "decided early, as asked" in result.reason
    assert "### A. " in result.document


async def test_nobody_answering_is_a_failure() -> None:
    down = by_purpose(position=ModelUnavailable("connection refused"))
    result = await run(debating({"a": down, "b": down}).deliberation)
    assert (result.status, result.document) == (Status.FAILED, "")
