"""`ensemble-lsp locate` without a file: from a test's id, a traceback, or the text of an issue."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import FINDING, CommandLine, panel
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded

QUICK = ("--mode", "quick", *panel("one", "two"))


@pytest.fixture
def say(
    models: FakeModelServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, object] | None], None]:
    """Let every member name one place, or none."""

    def script(finding: dict[str, object] | None) -> None:
        def scripted(request: Recorded) -> Answer:
            del request
            return Answer(text=json.dumps({"findings": [] if finding is None else [finding]}))

        monkeypatch.setattr(models, "_script", scripted)

    script({**FINDING, "category": "fault"})
    return script


def test_a_test_is_named_by_its_id(ensemble: CommandLine, shop: Path, say: object):
    ran = ensemble("locate", "test_cart.py::test_several", "--trust", *QUICK)

    assert ran.code == 0, ran.err
    assert ran.out.startswith("cart.py:8: warning [fault-location] Place 1: total\n")
    assert "coverage first" in ran.out


def test_an_id_of_no_test_is_refused(ensemble: CommandLine, shop: Path, models: FakeModelServer):
    ran = ensemble("locate", "test_cart.py::test_unknown", *QUICK)

    assert ran.code == 2
    assert "test_cart.py has no test test_unknown" in ran.err
    assert not models.calls


def test_what_pytest_printed_is_enough(
    ensemble: CommandLine, shop: Path, say: Callable[[None], None], monkeypatch: pytest.MonkeyPatch
):
    say(None)
    printed = "E  assert 3 == 6\ntest_cart.py:5: AssertionError\nFAILED test_cart.py::test_several - assert 3 == 6\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(printed))

    ran = ensemble("locate", "--traceback", "-", "--trust", *QUICK)

    assert ran.code == 0, ran.err
    assert ran.out.startswith("cart.py:8: ")
    assert "coverage first" in ran.out


def test_an_issue_points_to_a_file_and_quickfix_lines_are_for_editors(
    ensemble: CommandLine, shop: Path, say: object, tmp_path: Path, models: FakeModelServer
):
    (tmp_path / "issue.md").write_text("The `total` of several prices is only the last price.\n")

    ran = ensemble("locate", "--issue", str(tmp_path / "issue.md"), "--format", "quickfix", *QUICK)

    assert ran.code == 0, ran.err
    (line,) = ran.out.splitlines()
    assert line.startswith("cart.py:8:9: Place 1: total: The sum is overwritten in each turn.")
    assert (
        "cart.py:4 (defines total)"
        in ensemble("locate", "--issue", str(tmp_path / "issue.md"), "--format", "json", *QUICK).out
    )
    assert "only the last price" in json.dumps(models.calls[0].body)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "there is nothing to go by"),
        (("-m", "It does not work."), "nothing in the report points to a file of this workspace"),
        (("--traceback", "-", "--issue", "-"), "standard input can be one of the two"),
    ],
)
def test_a_report_that_points_nowhere_asks_nobody(
    ensemble: CommandLine, shop: Path, models: FakeModelServer, arguments: tuple[str, ...], said: str
):
    ran = ensemble("locate", *arguments, *QUICK)

    assert ran.code == 2
    assert said in ran.err
    assert not models.calls
