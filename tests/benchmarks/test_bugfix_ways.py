"""The ways that the benchmark compares ask the same questions, judged alike, through the product's own parts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchmarks.bugfix import Options, Record, Run
from benchmarks.bugfix_cases import Judge, Seen
from benchmarks.bugfix_ways import Examination, ProductPanel
from ensemble_lsp.checks.detection import detect
from ensemble_lsp.core.events import Mode
from ensemble_lsp.engine.local import LocalEngine
from tests.benchmarks.test_bugfix import DOUBLE
from tests.support.fake_model_server import Answer, FakeModelServer

RIGHT = "```python\ndef double(n):\n    return n * 2\n```"
WRONG = "```python\ndef double(n):\n    return n + 3\n```"


@pytest.fixture
async def server() -> AsyncIterator[FakeModelServer]:
    script = {"right": [Answer(text=RIGHT)], "wrong": [Answer(text=WRONG)]}
    async with FakeModelServer(script) as server:
        yield server


def options(tmp_path: Path) -> Options:
    return Options(
        cases=Path("set.jsonl"),
        out=tmp_path / "out.jsonl",
        count=None,
        seed=1,
        model="none",
        members=2,
        mode=Mode.QUICK,
        seen=Seen.TESTS,
        best_of="wrong",
        most=2,
        at_once=2,
        mirror=False,
        ways=frozenset({"panel", "firsts", "best"}),
    )


async def run_over(tmp_path: Path, server: FakeModelServer) -> Record:
    panel = [
        {
            "id": name,
            "model": f"openai/{name}",
            "api_base": server.openai_base,
            "family": name,
            "edit_format": "whole",
        }
        for name in ("right", "wrong")
    ]
    record = Record(options(tmp_path))

    async def agree(_question: object) -> bool:
        return True

    async with LocalEngine.open(agree) as engine:
        examination = Examination(
            ProductPanel(engine, {"panel": panel}, Mode.QUICK),
            Judge(await detect()),
            Seen.TESTS,
            record.first_prices(),
        )
        await Run(options(tmp_path), record, examination).over([DOUBLE])
    return record


async def test_each_way_is_run_judged_and_kept_once(
    tmp_path: Path, server: FakeModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    record = await run_over(tmp_path, server)
    solved = {outcome.way: (outcome.accepted, outcome.solved) for outcome in record.outcomes}
    assert solved == {
        "panel": (True, True),
        "first of right": (True, True),
        "first of wrong": (False, False),
        "best of 2: wrong": (False, False),
    }
    assert all(outcome.output_tokens > 0 for outcome in record.outcomes)
    asked = len(server.calls)
    again = await run_over(tmp_path, server)
    assert again.outcomes == record.outcomes
    assert len(server.calls) == asked
