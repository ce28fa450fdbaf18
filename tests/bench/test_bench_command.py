"""`ensemble-lsp bench`: what is asked first, what is refused, where a run ends and how it goes on."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from filelock import FileLock

from ensemble_lsp.bench.runner import HOPELESS
from ensemble_lsp.cli.app import invoke
from tests.bench.stage import BAD, GOOD, Gate, Stage, knowing
from tests.cli.conftest import CommandLine
from tests.support.fake_model_server import Answer

AGREED = ("--yes", "--trust")


def questions(stage: Stage) -> Counter[str]:
    """Return each question with how often it was asked."""
    return Counter(json.dumps(request.body, sort_keys=True) for request in stage.asked)


def test_nothing_is_asked_before_somebody_agreed_to_the_estimate(stage: Stage):
    ran = stage.run("review", "--ways", "single", "--trust")

    assert ran.code == 3
    assert "about 12 calls (at most 12)" in ran.err
    assert ran.report["error"] == {
        "kind": "ConsentRequired",
        "message": "nothing was asked: nobody agreed to the estimate",
        "hint": "--yes agrees without being asked",
        "exitCode": 3,
    }
    assert not stage.asked


def test_nothing_is_run_in_a_folder_that_is_not_trusted(stage: Stage):
    ran = stage.run("review", "--ways", "single", "--yes")

    assert ran.code == 3
    assert "the folder is not trusted" in ran.err
    assert not stage.asked


def test_a_cap_on_calls_holds_over_several_parts_of_one_run(stage: Stage):
    capped = stage.run("review", "--ways", "single", "--budget-calls", "4", *AGREED)
    again = stage.run("review", "--ways", "single", "--budget-calls", "4", *AGREED)

    assert capped.code == again.code == 4
    assert "the run's cap of 4 calls is reached" in capped.err
    assert len(stage.asked) == 4
    assert capped.report["head"]["interrupted"]  # pyright: ignore[reportIndexIssue]

    whole = stage.run("review", "--ways", "single", *AGREED)

    assert whole.code == 0
    assert set(questions(stage).values()) == {1}
    assert len(stage.asked) == 12


def test_a_cap_on_money_is_never_passed(stage: Stage):
    ran = stage.run("review", "--ways", "single", "--budget", "0.001", *AGREED)

    assert ran.code == 4
    assert "the next call may cost more than is left of the run's cap of $0.0010" in ran.err
    assert not stage.asked  # one answer of 1,000 tokens could cost $0.002


def test_a_record_of_other_inputs_is_refused(stage: Stage, tmp_path: Path):
    stage.run("review", "--ways", "single", "--out", str(tmp_path / "out"), "--cases", "1", *AGREED)
    asked = len(stage.asked)
    ran = stage.run(
        "review", "--ways", "single", "--out", str(tmp_path / "out"), "--cases", "1", "-k", "2", *AGREED
    )

    assert ran.code == 2
    assert "holds the record of another run: it differs in k" in ran.err
    assert len(stage.asked) == asked


def test_further_ways_go_into_the_same_record(stage: Stage, tmp_path: Path):
    out = ("--out", str(tmp_path / "out"), "--cases", "1", *AGREED)
    stage.run("review", "--ways", "single", *out)
    ran = stage.run("review", "--ways", "single,voting", *out)

    assert ran.code == 0
    assert Counter(outcome["way"] for outcome in stage.record(tmp_path / "out")) == {
        f"single:{GOOD}": 2,
        f"single:{BAD}": 2,
        "voting": 2,
    }


@pytest.mark.parametrize(("ending", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_a_run_that_was_ended_goes_on_without_asking_anything_twice(
    stage: Stage, tmp_path: Path, ending: signal.Signals, code: int
):
    arguments = ("--ways", "single", "--out", str(tmp_path / "out"), *AGREED)
    gate = Gate(knowing, 5)
    stage.says(gate)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "ensemble_lsp", "bench", "review", str(stage.set), *arguments, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
        text=True,
    )
    assert gate.shut.wait(120)
    process.send_signal(ending)
    out, err = process.communicate(timeout=60)

    assert process.returncode == code
    assert len(stage.record(tmp_path / "out")) == 5
    if ending is signal.SIGINT:
        assert "interrupted; go on with the same command" in err
        assert json.loads(out)["finished"] == 5
    held = questions(stage)
    with (tmp_path / "out" / "record.jsonl").open("a", encoding="utf-8") as record:
        record.write('{"outcome": {"case": "toy/tot')  # what a kill in the middle of a line leaves

    stage.says(knowing)
    ran = stage.run("review", *arguments)

    assert ran.code == 0
    assert ran.report["finished"] == 12
    unanswered = stage.asked[5].body
    repeated = [json.loads(body) for body, count in questions(stage).items() if count > 1]
    assert repeated == [unanswered]
    assert len(held) == 6


def test_members_that_cannot_be_reached_end_a_run_and_are_no_outcome(stage: Stage):
    stage.says(
        lambda _: Answer(
            status=401, error="no", error_code="invalid_api_key", error_type="invalid_request_error"
        )
    )
    ran = stage.run("review", "--ways", "single", *AGREED)

    assert ran.code == 1
    assert f"{HOPELESS} times in a row there was no outcome" in ran.err
    assert ran.report["finished"] == 0

    stage.says(knowing)
    assert stage.run("review", "--ways", "single", *AGREED).report["finished"] == 12


def test_two_processes_never_write_one_record(stage: Stage, tmp_path: Path):
    (tmp_path / "out").mkdir()
    with FileLock(tmp_path / "out" / "lock"):
        ran = stage.run("review", "--ways", "single", "--out", str(tmp_path / "out"), *AGREED)

    assert ran.code == 2
    assert "this benchmark runs elsewhere" in ran.err


def test_the_ways_are_listed_without_a_set(capsys: pytest.CaptureFixture[str]):
    ran = CommandLine(capsys)("bench", "fix", "--ways", "list")

    assert ran.code == 0
    assert "panel-no-critique" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--ways", "panels"), "no way 'panels'"),
        (("--mutants",), "two kinds of cases"),
        (("--only", "src"), "--only limits mutants"),
        (("--markdown", "nowhere/report.md"), "nowhere/report.md cannot be written"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_done(
    stage: Stage, arguments: tuple[str, ...], words: str
):
    ran = stage.run("review", *arguments, *AGREED)

    assert ran.code == 2
    assert words in ran.err
    assert not (stage.home / "state").exists() or not stage.asked


def test_a_report_is_written_in_every_form(stage: Stage, tmp_path: Path):
    files = [tmp_path / "report.md", tmp_path / "report.html"]
    code = invoke(
        [
            *("bench", "review", str(stage.set), "--cases", "1", "--ways", "single", "--quiet"),
            *("--markdown", str(files[0]), "--html", str(files[1]), *AGREED),
        ]
    )

    assert code == 0
    assert files[0].read_text(encoding="utf-8").startswith("# Benchmark: review, toy.jsonl")
    assert files[1].read_text(encoding="utf-8").startswith("<!doctype html>")
