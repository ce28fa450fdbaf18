"""The ways of answering on fixes: what each asks, what it accepts, and what it is charged."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.bench.stage import (
    BAD,
    GOOD,
    HARD,
    Ran,
    Stage,
    knowing,
    program_in,
    schema_of,
    set_stage,
    write_set,
)
from tests.cli.conftest import ServerThread
from tests.support.fake_model_server import Answer, Recorded

AGREED = ("--yes", "--trust", "--quiet")

pytestmark = pytest.mark.timeout(400)
"""Every answer is checked by running tests in a sandbox, several times: long on a busy machine."""

Outcome = dict[str, object]


def outcomes(stage: Stage, directory: Path) -> dict[str, list[Outcome]]:
    """Return the outcomes of each way."""
    found: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in stage.record(directory):
        found[str(outcome["way"])].append(outcome)
    return found


def calls(mine: list[Outcome]) -> int:
    """Return the calls that a way was charged."""
    return sum(cast("int", outcome["calls"]) for outcome in mine)


def solved(mine: list[Outcome]) -> list[bool]:
    """Return which cases a way solved."""
    return [bool(outcome["solved"]) for outcome in mine]


class Finished:
    """One run over all three programs, shared by the tests that look at it."""

    def __init__(self, stage: Stage, ran: Ran, directory: Path) -> None:
        self.stage = stage
        self.ran = ran
        self.asked = stage.asked
        self.ways = outcomes(stage, directory)


@pytest.fixture(scope="module")
def finished(model_server: ServerThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    """Run single answers, samples and the panel over three programs."""
    home = tmp_path_factory.mktemp("fixing")
    with pytest.MonkeyPatch.context() as patch:
        stage = set_stage(model_server, home, patch)
        ran = stage.run(
            "fix", "--ways", "single,samples,panel,strong", "-k", "3", "--out", str(home / "out"), *AGREED
        )
        yield Finished(stage, ran, home / "out")


def test_each_way_answers_every_case(finished: Finished):
    assert finished.ran.code == 0
    assert {way: len(mine) for way, mine in finished.ways.items()} == {
        "panel": 3,
        f"single:{GOOD}": 3,
        f"single:{BAD}": 3,
        f"samples:{GOOD}": 3,
        f"samples:{BAD}": 3,
    }


def test_what_passes_the_checks_is_accepted_and_judged(finished: Finished):
    for way in ("panel", f"single:{GOOD}", f"samples:{GOOD}"):
        assert solved(finished.ways[way]) == [True] * 3
    for way in (f"single:{BAD}", f"samples:{BAD}"):
        assert not any(outcome["accepted"] or outcome["rightAmong"] for outcome in finished.ways[way])


def test_samples_end_with_the_first_that_passes(finished: Finished):
    assert calls(finished.ways[f"samples:{GOOD}"]) == 3
    assert calls(finished.ways[f"samples:{BAD}"]) == 9  # k of 3 on each case


def test_a_first_answer_is_asked_for_once_and_charged_to_every_way(finished: Finished):
    asked = Counter(json.dumps(request.body, sort_keys=True) for request in finished.asked)
    charged = sum(calls(mine) for mine in finished.ways.values())

    assert set(asked.values()) == {1}
    assert len(finished.asked) == 3 * 2 + 3 * 2  # two first answers and two more samples of the bad member
    assert charged == 6 + 3 + 3 + 3 + 9
    for outcome in finished.ways[f"single:{GOOD}"]:
        assert cast("float", outcome["usd"]) > 0
        assert cast("int", outcome["tokensOut"]) > 0


def test_a_way_without_its_member_is_left_out_and_the_report_says_why(finished: Finished):
    head = cast("dict[str, object]", finished.ran.report["head"])

    assert head["leftOut"] == [{"way": "strong", "why": "no strong member is configured"}]


def test_the_report_names_the_command_and_the_members(finished: Finished):
    head = cast("dict[str, object]", finished.ran.report["head"])
    inputs = cast("dict[str, object]", head["inputs"])

    assert cast("list[str]", head["command"])[:3] == ["ensemble-lsp", "bench", "fix"]
    assert "--yes" not in cast("list[str]", head["command"])
    assert [member["id"] for member in cast("list[dict[str, object]]", inputs["members"])] == [GOOD, BAD]


def test_the_strong_member_answers_once(stage: Stage, tmp_path: Path):
    stage.seat(BAD)
    stage.seat_strong(GOOD)
    stage.run("fix", "--ways", "strong", "--cases", "1", "--out", str(tmp_path / "out"), *AGREED)
    (strong,) = outcomes(stage, tmp_path / "out")["strong"]

    assert strong["solved"]
    assert [request.model for request in stage.asked] == [GOOD]


def asks_for_critique(request: Recorded) -> bool:
    """Whether a question wants other people's changes attacked."""
    return "These changes were proposed:" in request.prompt or "Others propose:" in request.prompt


def asks_for_revision(request: Recorded) -> bool:
    """Whether a question shows an author what was found against its change."""
    return "You changed the code like this:" in request.prompt or "POSITION:" in request.prompt


@pytest.fixture
def argued(stage: Stage, tmp_path: Path) -> dict[str, list[Recorded]]:
    """Run panel and debate, whole and in parts, on a case that no member solves: the questions of each way."""
    found: dict[str, list[Recorded]] = {}
    write_set(stage.set.parent, [HARD])

    def stubborn(request: Recorded) -> Answer:
        program = program_in(request)
        other = program.wrong if request.model == BAD else program.wrong.replace("[result]", "(result, 1)")
        return Answer(text=f"So it is.\n\n```python\n{other}```\n")

    stage.says(stubborn)
    for way in ("panel", "panel-no-critique", "panel-no-revision"):
        stage.forget()
        stage.run("fix", "--ways", way, "--cases", "1", "--out", str(tmp_path / way), *AGREED)
        found[way] = stage.asked
    stage.says(knowing)
    for way in ("debate", "debate-no-critique", "debate-no-revision"):
        stage.forget()
        stage.run("fix", "--ways", way, "--cases", "1", "--out", str(tmp_path / way), *AGREED)
        found[way] = stage.asked
    return found


def test_an_ablation_makes_no_calls_of_what_it_leaves_out(argued: dict[str, list[Recorded]]):
    assert any(map(asks_for_revision, argued["panel"]))
    assert any(map(asks_for_revision, argued["panel-no-critique"]))
    assert not any(map(asks_for_revision, argued["panel-no-revision"]))
    assert not any(map(asks_for_critique, argued["panel-no-critique"]))
    # In a debate both are one call.
    assert any(map(asks_for_revision, argued["debate"]))
    assert not any(map(asks_for_revision, argued["debate-no-revision"]))
    assert any(map(asks_for_critique, argued["debate-no-revision"]))
    assert not any(map(asks_for_critique, argued["debate-no-critique"]))


def test_a_panel_never_makes_more_calls_than_its_bound(argued: dict[str, list[Recorded]]):
    assert len(argued["panel"]) <= 3 * 2 + 2
    assert len(argued["debate"]) <= 2 * 2 + 1


def test_a_vote_is_held_over_answers_without_names_and_its_winner_rewrites(stage: Stage, tmp_path: Path):
    def voting(request: Recorded) -> Answer:
        if '"choice"' in schema_of(request):
            (ours,) = set(program_in(request).fixed.split("\n")) - set(program_in(request).buggy.split("\n"))
            blocks = request.prompt.split('what="answer ')[1:]
            letter = next(block[0] for block in blocks if ours in block)
            return Answer(text=json.dumps({"choice": letter, "reason": "It is right."}))
        return knowing(request)

    stage.says(voting)
    stage.run("fix", "--ways", "voting", "--cases", "1", "--out", str(tmp_path / "out"), *AGREED)
    (outcome,) = outcomes(stage, tmp_path / "out")["voting"]
    votes = [request for request in stage.asked if '"choice"' in schema_of(request)]

    assert outcome["solved"]
    assert outcome["note"] == f"votes: {GOOD} 2, {BAD} 0"
    assert len(votes) == 2
    assert all(GOOD not in request.prompt and BAD not in request.prompt for request in votes)
    assert stage.asked[-1].model == GOOD
    assert "Your answer won the vote" in stage.asked[-1].prompt
    assert outcome["calls"] == len(stage.asked) == 5


def test_a_vote_for_what_is_wrong_is_a_false_accept(stage: Stage, tmp_path: Path):
    def misled(request: Recorded) -> Answer:
        if '"choice"' in schema_of(request):
            blocks = request.prompt.split('what="answer ')[1:]
            letter = next(block[0] for block in blocks if "[result]" in block)
            return Answer(text=json.dumps({"choice": letter, "reason": "It is shorter."}))
        return knowing(request)

    stage.says(misled)
    stage.run("fix", "--ways", "voting", "--cases", "1", "--out", str(tmp_path / "out"), *AGREED)
    (outcome,) = outcomes(stage, tmp_path / "out")["voting"]

    assert outcome["accepted"]
    assert not outcome["solved"]
    assert outcome["rightAmong"]


def test_votes_that_name_nothing_leave_the_first_answer(stage: Stage, tmp_path: Path):
    def abstaining(request: Recorded) -> Answer:
        if '"choice"' in schema_of(request):
            return Answer(text=json.dumps({"choice": "Z", "reason": "None."}))
        return knowing(request)

    stage.says(abstaining)
    stage.run("fix", "--ways", "voting", "--cases", "1", "--out", str(tmp_path / "out"), *AGREED)
    (outcome,) = outcomes(stage, tmp_path / "out")["voting"]

    assert outcome["note"] == f"votes: {GOOD} 0, {BAD} 0"
    assert outcome["solved"]
