"""`ensemble-lsp bench` with several cases at the same time, and with an end by the clock."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

from tests.bench.stage import Stage, knowing, program_in
from tests.support.fake_model_server import Answer, Recorded

AGREED = ("--yes", "--trust")


class Holding:
    """Holds every question, until so many cases have asked one side by side."""

    def __init__(self, cases: int) -> None:
        self._cases = cases
        self._asking: set[str] = set()
        self.together = threading.Event()

    def __call__(self, request: Recorded) -> Answer:
        """Never answer."""
        self._asking.add(program_in(request).name)
        if len(self._asking) >= self._cases:
            self.together.set()
        return Answer(hang="before")


def test_two_cases_are_asked_about_at_the_same_time_and_each_question_once(stage: Stage, tmp_path: Path):
    arguments = (
        "--ways",
        "single",
        "--out",
        str(tmp_path / "out"),
        "--at-once",
        "2",
        "--cases",
        "2",
        *AGREED,
    )
    holding = Holding(2)
    stage.says(holding)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "ensemble_lsp", "bench", "fix", str(stage.set), *arguments, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
        text=True,
    )
    try:
        assert holding.together.wait(120), "one case waited for the other"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert json.loads(out)["finished"] == 0

    stage.says(knowing)
    stage.forget()
    ran = stage.run("fix", *arguments)

    assert ran.code == 0, ran.err
    assert ran.report["finished"] == 4
    assert list(Counter(outcome["case"] for outcome in stage.record(tmp_path / "out")).values()) == [2, 2]
    asked = Counter(json.dumps(request.body, sort_keys=True) for request in stage.asked)
    assert set(asked.values()) == {1}


def test_a_run_ends_by_the_clock_and_goes_on_with_the_same_command(stage: Stage, tmp_path: Path):
    arguments = ("--ways", "single", "--out", str(tmp_path / "out"), *AGREED)
    stage.says(lambda _: Answer(hang="before"))
    ended = stage.run("review", "--seconds", "2", *arguments)

    assert ended.code == 4
    assert "the run's cap of 2 s is reached" in ended.err
    assert ended.report["finished"] == 0

    stage.says(knowing)
    whole = stage.run("review", *arguments)

    assert whole.code == 0, whole.err
    assert whole.report["finished"] == 12
