"""The search for small changes as a way of its own, beside the panel that has it as one part."""

import pytest

from tests.bench.stage import set_stage
from tests.cli.conftest import ServerThread

pytestmark = pytest.mark.timeout(400)


def test_search_alone_asks_no_member_and_mends_what_one_operator_mends(
    model_server: ServerThread, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("searching")
    with pytest.MonkeyPatch.context() as patch:
        stage = set_stage(model_server, home, patch)
        ran = stage.run("fix", "--ways", "search", "--out", str(home / "out"), "--yes", "--trust", "--quiet")
        assert ran.code == 0, ran.err
        assert stage.asked == []
        record = {str(outcome["case"]): outcome for outcome in stage.record(home / "out")}
    assert {case: outcome["solved"] for case, outcome in record.items()} == {
        "toy/total": False,
        "toy/largest": True,
        "toy/count_even": True,
    }
    assert {outcome["calls"] for outcome in record.values()} == {0}
