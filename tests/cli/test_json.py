"""`--json`: one document on standard output and nothing else, in success and in failure."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, panel
from tests.support.fake_model_server import FakeModelServer, Recorded
from tests.support.shop import BUGGY, FIXED

pytestmark = pytest.mark.usefixtures("models")


def test_a_fix_with_its_diff_and_its_exit_status(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", "--json", "--apply", "--yes", *panel("good"))

    document = ran.document
    assert (ran.code, document["exitCode"], document["status"]) == (0, 0, "done")
    assert "+        result += price" in str(document["diff"])
    assert document["written"] == [str(shop / "cart.py")]
    assert "error" not in document
    assert (shop / "cart.py").read_text() == FIXED


def test_an_abstention_is_no_error_and_ends_with_1(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", "--json", "--check", "python -m pytest -q", *panel("wrong", "wrong2"))

    assert (ran.code, ran.document["exitCode"], ran.document["status"]) == (1, 1, "abstained")
    assert "error" not in ran.document


@pytest.mark.parametrize(
    ("arguments", "kind", "code"),
    [
        (("fix", "nope.py"), "UsageError", 2),
        (("fix", "cart.py", "--nonsense"), "UsageError", 2),
        (("review", "nope.py", "--format", "json"), "UsageError", 2),
        (("show", "ffff"), "UnknownItem", 2),
        (("fix", "cart.py", "--seconds", "0"), "BudgetExceeded", 4),
        (("fix", "cart.py", "--panel", "banana"), "UnknownItem", 2),
        (("fix", "cart.py", *panel("denied")), "JobFailed", 3),
        (("panel", "--panel", "banana"), "UnknownItem", 2),
    ],
)
def test_a_failure_is_a_document_with_its_exit_status(
    ensemble: CommandLine, shop: Path, arguments: tuple[str, ...], kind: str, code: int
):
    ran = ensemble(*arguments, *(() if "--format" in arguments else ("--json",)))

    error = ran.document["error"]
    assert isinstance(error, dict)
    assert (ran.code, error["kind"], error["exitCode"]) == (code, kind, code)
    assert error["message"]


def test_a_broken_settings_file_has_source_line_and_field(ensemble: CommandLine, shop: Path):
    (shop / "ensemble.toml").write_text("\nrounds = 99\n")

    error = ensemble("fix", "cart.py", "--json", "--trust").document["error"]

    assert isinstance(error, dict)
    assert (error["line"], error["field"]) == (2, "rounds")
    assert error["source"] == str(shop / "ensemble.toml")


def test_an_apply_that_was_refused_is_in_the_same_document(
    ensemble: CommandLine, shop: Path, models: FakeModelServer, monkeypatch: pytest.MonkeyPatch
):
    def edit(request: Recorded) -> None:
        if request in models.calls:
            (shop / "cart.py").write_text("# mine\n")

    monkeypatch.setattr(models, "on_ended", edit)

    ran = ensemble("fix", "cart.py", "--json", "--apply", "--yes", *panel("good"))

    error = ran.document["error"]
    assert isinstance(error, dict)
    assert (ran.code, ran.document["exitCode"], error["kind"]) == (1, 1, "NotApplied")
    assert "diff" in ran.document


def test_what_a_library_prints_does_not_get_in_between(
    ensemble: CommandLine, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    from ensemble_lsp.engine.seating import Seating

    seat = Seating.seat

    async def noisy(*arguments: object, **options: object) -> object:
        print("Give Feedback / Get Help")
        return await seat(*arguments, **options)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Seating, "seat", noisy)

    ran = ensemble("fix", "cart.py", "--json", *panel("good"))

    assert ran.document["status"] == "done"
    assert "Give Feedback" in ran.err


def test_an_internal_error_is_a_document_too(
    ensemble: CommandLine, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    def broken(_text: str) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("ensemble_lsp.cli.commands.fix.parse_target", broken)

    ran = ensemble("fix", "cart.py", "--json")

    assert ran.code == 1
    assert "internal error: ZeroDivisionError: oh" in json.dumps(ran.document["error"])
    assert (shop / "cart.py").read_text() == BUGGY
