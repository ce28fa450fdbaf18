"""The ways of answering on reviews: what is reported, what counts as found, and what is a false alarm."""

import json
from pathlib import Path
from typing import cast

import pytest

from tests.bench.stage import BAD, GOOD, Stage, finding, knowing, program_in, schema_of
from tests.bench.test_ways_of_fixing import AGREED, calls, outcomes, solved
from tests.support.fake_model_server import Answer, Recorded

pytestmark = pytest.mark.timeout(400)

ALL = "single,samples,voting,panel,panel-no-revision"


def test_a_review_finds_bugs_and_is_silent_about_clean_code(stage: Stage, tmp_path: Path):
    ran = stage.run("review", "--ways", ALL, "-k", "2", "--out", str(tmp_path / "out"), *AGREED)
    ways = outcomes(stage, tmp_path / "out")

    assert ran.code == 0
    assert ran.report["finished"] == 6 * len(ways)
    for way in (f"single:{GOOD}", f"samples-union:{GOOD}", f"samples-plurality:{GOOD}", "voting", "panel"):
        bugs = [outcome for outcome in ways[way] if not outcome["clean"]]
        clean = [outcome for outcome in ways[way] if outcome["clean"]]
        assert solved(bugs) == [True] * 3
        assert not any(outcome["accepted"] for outcome in clean)
    assert not any(solved(ways[f"single:{BAD}"]))
    # The same tools and tests as on the panel, beside samples that see nothing.
    assert not any(solved(ways[f"samples-union:{BAD}"]))
    assert sum(solved(ways[f"samples-checked:{BAD}"])) == 3
    assert not any(outcome["accepted"] for outcome in ways[f"samples-checked:{BAD}"] if outcome["clean"])
    assert ways[f"single:{GOOD}"][0]["claims"] == [{"probability": 0.75, "true": True}]
    assert calls(ways[f"samples-union:{GOOD}"]) == calls(ways[f"samples-plurality:{GOOD}"]) == 12
    assert max(cast("int", outcome["calls"]) for outcome in ways["panel"]) <= 2 + 3

    left_out = cast("dict[str, object]", ran.report["head"])["leftOut"]
    assert left_out == [{"way": "panel-no-revision", "why": "a review in the mode panel has no revision"}]

    bodies = [json.dumps(request.body, sort_keys=True) for request in stage.asked]
    assert len(set(bodies)) == len(bodies)


@pytest.mark.parametrize(("way", "refutes"), [("debate", True), ("debate-no-critique", False)])
def test_a_debate_without_critique_puts_no_claim_to_a_challenger(
    stage: Stage, tmp_path: Path, way: str, refutes: bool
):
    stage.run("review", "--ways", way, "--cases", "1", "--out", str(tmp_path / "out"), *AGREED)

    assert any('"verdicts"' in schema_of(request) for request in stage.asked) is refutes


def test_what_is_said_elsewhere_is_a_false_alarm_and_what_one_sample_of_three_says_is_no_plurality(
    stage: Stage, tmp_path: Path
):
    sampled: dict[str, int] = {}

    def wavering(request: Recorded) -> Answer:
        if '"findings"' not in schema_of(request) or request.model == BAD:
            return knowing(request)
        program = program_in(request)
        number = sampled[program.name] = sampled.get(program.name, 0) + 1
        alarm = {
            **finding(program),
            "line": 1,
            "end_line": 1,
            "quote": '"""A small program."""',
            "title": "The module says too little of what it is for",
            "detail": "Nobody will know.",
            "severity": "info",
        }
        return Answer(text=json.dumps({"findings": [finding(program), *([alarm] if number == 1 else [])]}))

    stage.says(wavering)
    arguments = ("--ways", "single,samples", "-k", "3", "--cases", "1", "--out", str(tmp_path / "out"))
    stage.run("review", *arguments, *AGREED)
    ways = outcomes(stage, tmp_path / "out")

    def alarms(way: str) -> object:
        return next(outcome["falseAlarms"] for outcome in ways[way] if not outcome["clean"])

    assert alarms(f"single:{GOOD}") == 1
    assert alarms(f"samples-union:{GOOD}") == 1
    assert alarms(f"samples-plurality:{GOOD}") == 0
