"""The search for small changes as a way of its own, beside the panel that has it as one part."""

import pytest

from tests.bench.stage import BAD, set_stage
from tests.cli.conftest import ServerThread
from tests.support.fake_model_server import Answer

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
        "toy/total": True,
        "toy/largest": True,
        "toy/count_even": True,
    }
    assert {outcome["calls"] for outcome in record.values()} == {0}


@pytest.mark.parametrize(("way", "right"), [("search", 3), ("panel", 3), ("panel-no-search", 0)])
def test_what_failing_tests_point_to_in_a_review_needs_no_member_that_sees_it(
    model_server: ServerThread, tmp_path_factory: pytest.TempPathFactory, way: str, right: int
) -> None:
    home = tmp_path_factory.mktemp("reviewing")
    with pytest.MonkeyPatch.context() as patch:
        stage = set_stage(model_server, home, patch)
        stage.seat(BAD, "blind")
        stage.says(lambda request: Answer(text='{"findings": []}'))
        ran = stage.run("review", "--ways", way, "--out", str(home / "out"), "--yes", "--trust", "--quiet")
        assert ran.code == 0, ran.err
        record = stage.record(home / "out")
    assert sum(bool(outcome["solved"]) for outcome in record if not outcome["clean"]) == right
    assert [outcome["falseAlarms"] for outcome in record if outcome["clean"]] == [0, 0, 0]
    assert {outcome["calls"] for outcome in record} == {0 if way == "search" else 2}
