"""`test` and `locate` beside one member's first answer: a small run on a fake server, and how it is judged."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from benchmarks.actions_eval import main
from tests.bench.stage import GOOD, Stage, finding, program_in, schema_of, set_stage
from tests.cli.conftest import ServerThread
from tests.support.fake_model_server import Answer, Recorded

pytestmark = pytest.mark.timeout(400)

Entry = dict[str, object]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    """The members' server, on a loop of its own."""
    thread = ServerThread()
    thread.start()
    yield thread
    thread.stop()


@pytest.fixture
def stage(server: ServerThread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Three programs with one bug each, a member that knows them and one that does not."""
    return set_stage(server, tmp_path / "stage", monkeypatch)


def answering(request: Recorded) -> Answer:
    """Point at the bug or at the head of the function; write tests that are right, or one right and one wrong."""
    program, schema = program_in(request), schema_of(request)
    if '"verdicts"' in schema:
        return Answer(text=json.dumps({"verdicts": []}))
    if '"findings"' in schema:
        here = {**finding(program), "path": f"{program.name}.py"}
        head = {**here, "line": 4, "end_line": 4, "quote": f"def {program.name}(values):"}
        return Answer(text=json.dumps({"findings": [here if request.model == GOOD else head]}))
    right = f"def test_right():\n    assert {program.tests.rpartition('assert ')[2].strip()}\n"
    wrong = f"\n\ndef test_wrong():\n    assert {program.name}([1]) == 'nothing'\n"
    code = right if request.model == GOOD else right.replace("test_right", "test_one") + wrong
    return Answer(text=f"Tests:\n\n```python\nfrom {program.name} import {program.name}\n\n\n{code}```\n")


def ran(
    stage: Stage, capsys: pytest.CaptureFixture[str], subject: str, out: Path, *more: str
) -> dict[str, dict[str, Entry]]:
    """Run the benchmark; way → case → what became of it."""
    words = [
        subject,
        str(stage.set),
        "--cases",
        "2",
        "--out",
        str(out),
        "--budget",
        "1",
        "--yes",
        "--json",
        *more,
    ]
    main(words)
    ways = cast("dict[str, list[Entry]]", json.loads(capsys.readouterr().out))
    return {way: {str(entry["case"]): entry for entry in entries} for way, entries in ways.items()}


def test_locating_compares_the_panel_its_members_and_coverage(
    stage: Stage, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    stage.says(answering)
    ways = ran(stage, capsys, "locate", tmp_path / "out")

    assert set(ways) == {"panel", "first answer:good", "first answer:bad", "Ochiai alone"}
    assert {len(of) for of in ways.values()} == {2}
    for case in ways["panel"]:
        (bug,) = cast("list[int]", ways["panel"][case]["bug"])
        assert ways["first answer:good"][case]["lines"] == [bug]
        assert ways["first answer:bad"][case]["lines"] == [3]
        assert cast("list[int]", ways["panel"][case]["lines"])[0] == bug
        assert bug in cast("list[int]", ways["Ochiai alone"][case]["lines"])
        assert ways["panel"][case]["calls"] == 2

    stage.forget()
    assert ran(stage, capsys, "locate", tmp_path / "out") == ways
    (tmp_path / "out" / "locate.jsonl").unlink()
    again = ran(stage, capsys, "locate", tmp_path / "out")
    assert {way: {case: entry["lines"] for case, entry in of.items()} for way, of in again.items()} == {
        way: {case: entry["lines"] for case, entry in of.items()} for way, of in ways.items()
    }
    assert stage.asked == []


def test_coverage_can_be_measured_without_asking_anybody(
    stage: Stage, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    stage.says(answering)
    stage.forget()
    ways = ran(stage, capsys, "locate", tmp_path / "out", "--cases", "1", "--coverage-alone")

    assert list(ways) == ["Ochiai alone"]
    assert stage.asked == []


def test_writing_compares_what_is_proposed_with_first_answers_as_they_came(
    stage: Stage, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    stage.says(answering)
    ways = ran(stage, capsys, "test", tmp_path / "out", "--cases", "1")

    for case in ways["panel"]:
        panel, good, bad = (ways[way][case] for way in ("panel", "first answer:good", "first answer:bad"))
        assert [good[name] for name in ("generated", "shown", "passed", "alarms")] == [1, 1, 1, 0]
        assert [bad[name] for name in ("generated", "shown", "passed", "alarms")] == [2, 2, 1, 1]
        assert panel["shown"] == panel["passed"] == 1
        assert cast("int", panel["mutants"]) > 0
        assert panel["killed"] == good["killed"] == bad["killed"] == panel["mutants"]


def test_a_record_of_other_inputs_is_refused(
    stage: Stage, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    stage.says(answering)
    ran(stage, capsys, "locate", tmp_path / "out", "--cases", "1")

    with pytest.raises(SystemExit, match="is a record of other inputs"):
        ran(stage, capsys, "locate", tmp_path / "out", "--cases", "1", "--seed", "2")


def test_nothing_is_sent_past_the_cap_on_the_whole_run(stage: Stage, tmp_path: Path):
    stage.says(answering)

    with pytest.raises(SystemExit, match="the run's cap of"):
        main(["locate", str(stage.set), "--out", str(tmp_path), "--yes"])
    assert stage.asked == []
