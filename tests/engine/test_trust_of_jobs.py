"""A folder that the person trusts in the terminal is trusted for editors that have no say in it, and for no others."""

from pathlib import Path

import pytest

from ensemble_lsp.core.events import CheckFinished, JobEvent
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import PanelQuery
from tests.engine.test_local_jobs import Panelist, fix_start
from tests.support.fake_model_server import Answer, FakeModelServer
from tests.support.shop import make_shop, members, whole_answer


@pytest.mark.parametrize(
    ("kept", "asks", "runs"), [(True, True, True), (False, True, False), (True, False, False)]
)
async def test_tests_run_where_the_terminals_word_counts(tmp_path: Path, kept: bool, asks: bool, runs: bool):
    root = make_shop(tmp_path)
    outcomes: set[Outcome] = set()

    def on_event(event: JobEvent) -> None:
        if isinstance(event.body, CheckFinished) and event.body.witness == "pytest":
            outcomes.add(event.body.outcome)

    async with (
        FakeModelServer({"*": [Answer(text=whole_answer())]}) as server,
        LocalEngine.open(Panelist()) as engine,
    ):
        if kept:
            await engine.wiring.trust.trust(root)
        start = fix_start(root, members(server.openai_base, ["a", "b"]))
        await engine.run(start.model_copy(update={"trusted": False, "trust_kept": asks}), on_event)
    assert (Outcome.PASSED in outcomes) is runs
    assert (outcomes == {Outcome.NOT_RUN}) is not runs


async def test_panel_is_described_under_the_same_trust(tmp_path: Path):
    (tmp_path / "ensemble.toml").write_text("[budget]\nday_usd = 0.5\n", encoding="utf-8")
    editor: dict[str, object] = {"panel": [{"model": "openai/a", "api_base": "http://127.0.0.1:9"}]}
    query = PanelQuery(workspace=str(tmp_path), settings=editor, trust_kept=True)
    async with LocalEngine.open(Panelist()) as engine:
        assert (await engine.wiring.describe_panel(query)).day_usd == 5.0
        await engine.wiring.trust.trust(tmp_path)
        assert (await engine.wiring.describe_panel(query)).day_usd == 0.5
