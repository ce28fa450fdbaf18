"""`ensemble-lsp dismissed`, and reviews that leave out what it lists."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, Ran
from tests.support.fake_model_server import FakeModelServer

pytestmark = pytest.mark.usefixtures("models", "seated")

PLACE = ".ensemble/dismissed.json"


def _reviewed(ensemble: CommandLine, *more: str) -> Ran:
    return ensemble("review", "cart.py", "--no-cache", *more)


def _id(ran: Ran) -> str:
    return ran.out.rsplit("id ", maxsplit=1)[1].split()[0]


def _dismiss(ensemble: CommandLine, *more: str) -> Ran:
    ran = ensemble("dismissed", "add", _id(_reviewed(ensemble))[:8], *more)
    assert ran.code == 0
    return ran


def _share(shop: Path) -> None:
    (shop / "ensemble.toml").write_text('[review]\ndismissals = "shared"\n', encoding="utf-8")


def test_a_dismissed_finding_is_left_out_of_the_next_review(ensemble: CommandLine, shop: Path):
    assert "dismissed: cart.py: The sum is overwritten" in _dismiss(ensemble, "--reason", "wontfix").err

    ran = _reviewed(ensemble, "--fail-on", "hint")

    assert ran.code == 0
    assert ran.out == ""
    assert "1 left out because you dismissed it" in ran.err
    assert not (shop / PLACE).exists()


def test_dismissed_findings_are_shown_and_counted_on_demand(ensemble: CommandLine, shop: Path):
    _dismiss(ensemble, "--reason", "wontfix")

    ran = _reviewed(ensemble, "--dismissed", "--fail-on", "critical")

    assert ran.code == 1
    assert "dismissed: wontfix; confidence" in ran.out


def test_json_keeps_what_was_left_out(ensemble: CommandLine, shop: Path):
    _dismiss(ensemble)

    (finding,) = json.loads(_reviewed(ensemble, "--json").out)["findings"]

    assert (finding["admitted"], finding["dismissed"], finding["reason"]) == (False, "", "dismissed")


def test_a_dismissal_is_listed_and_taken_back(ensemble: CommandLine, shop: Path):
    _dismiss(ensemble, "--reason", "callers check it")

    listed = ensemble("dismissed")
    header, row = listed.out.splitlines()
    ident = row.split("\t")[0]

    assert header.split("\t") == ["id", "date", "where", "category", "reason", "kept", "title"]
    assert row.split("\t")[2:6] == ["cart.py", "bug", "callers check it", "private"]
    assert "taken back: cart.py" in ensemble("dismissed", "restore", ident).err
    assert ensemble("dismissed").err == "nothing was dismissed here\n"
    assert "The sum is overwritten" in _reviewed(ensemble).out


def test_what_names_no_finding_is_refused(ensemble: CommandLine, shop: Path):
    _dismiss(ensemble)
    for arguments in (("add", "ffffffff"), ("restore", "ffffffff")):
        ran = ensemble("dismissed", *arguments)
        assert ran.code == 2
        assert "ffffffff" in ran.err


def test_a_team_shares_dismissals_in_a_file_of_a_trusted_folder(
    ensemble: CommandLine, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    # Its failing test would be a finding of its own.
    monkeypatch.setenv("ENSEMBLE_REVIEW_TESTS", "false")
    _share(shop)
    ensemble("trust")

    _dismiss(ensemble, "--reason", "wontfix")

    (entry,) = json.loads((shop / PLACE).read_text(encoding="utf-8"))["dismissed"]
    assert (entry["path"], entry["reason"]) == ("cart.py", "wontfix")
    assert _reviewed(ensemble).out == ""
    (listed,) = json.loads(ensemble("dismissed", "--json").out)["dismissals"]
    assert listed["kept"] == "shared"
    assert ensemble("dismissed", "restore", listed["id"]).code == 0
    assert json.loads((shop / PLACE).read_text(encoding="utf-8"))["dismissed"] == []


def test_a_file_in_a_folder_that_is_not_trusted_hides_nothing(ensemble: CommandLine, shop: Path):
    _share(shop)
    ensemble("trust")
    _dismiss(ensemble)
    ensemble("trust", "--remove", ".")

    ran = _reviewed(ensemble)

    assert "The sum is overwritten" in ran.out
    notes = json.loads(_reviewed(ensemble, "--json").out)["notes"]
    assert f"1 dismissal in {PLACE} left out nothing: the folder is not trusted" in notes
    assert "the folder is not trusted" in ensemble("dismissed").err


def test_a_workspace_that_is_not_trusted_cannot_make_us_write_into_it(ensemble: CommandLine, shop: Path):
    _share(shop)

    _dismiss(ensemble)

    assert not (shop / PLACE).exists()
    assert json.loads(ensemble("dismissed", "--json").out)["dismissals"][0]["kept"] == "private"


def test_a_broken_file_hides_nothing_is_warned_of_and_stays(ensemble: CommandLine, shop: Path):
    _share(shop)
    ensemble("trust")
    (shop / ".ensemble").mkdir()
    (shop / PLACE).write_text("{\n<<<<<<< HEAD\n", encoding="utf-8")

    ran = _reviewed(ensemble)
    refused = ensemble("dismissed", "add", _id(ran))

    assert "The sum is overwritten" in ran.out
    assert f"{PLACE} cannot be used: line 2 is not JSON (a merge is not finished)" in ran.err
    assert refused.code == 3
    assert (shop / PLACE).read_text(encoding="utf-8") == "{\n<<<<<<< HEAD\n"


def test_a_dismissal_survives_moved_lines_other_words_and_a_renamed_file(
    ensemble: CommandLine, shop: Path, models: FakeModelServer
):
    _dismiss(ensemble)
    source = (shop / "cart.py").read_text(encoding="utf-8")
    (shop / "cart.py").write_text(f"# moved\n# down\n{source}", encoding="utf-8")
    assert _reviewed(ensemble).out == ""

    (shop / "cart.py").rename(shop / "basket.py")

    assert ensemble("review", "basket.py", "--no-cache").out == ""


def test_dismissals_work_without_transcripts(ensemble: CommandLine, shop: Path, seated: Path):
    ident = _id(_reviewed(ensemble))
    seated.write_text(seated.read_text(encoding="utf-8") + "[store]\ntranscripts = false\n", encoding="utf-8")

    assert ensemble("dismissed", "add", ident).code == 0
    assert _reviewed(ensemble).out == ""
