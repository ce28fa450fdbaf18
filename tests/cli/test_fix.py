"""`ensemble-lsp fix`: what is shown, what is written, and what it ends with."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, panel
from tests.support.fake_model_server import FakeModelServer, Recorded
from tests.support.shop import BUGGY, FIXED

pytestmark = pytest.mark.usefixtures("models")


def test_the_diff_stands_on_standard_output_and_applies(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", *panel("good", "good2"))

    assert ran.code == 0
    assert ran.out.startswith("diff --git a/cart.py b/cart.py\n")
    assert (shop / "cart.py").read_text() == BUGGY
    subprocess.run(["git", "apply", "-"], input=ran.out.encode(), cwd=shop, check=True)
    assert (shop / "cart.py").read_text() == FIXED


def test_quiet_leaves_the_progress_out(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", "-q", *panel("good"))

    assert ran.code == 0
    assert "gather" not in ran.err
    assert "done: " in ran.err


def test_apply_writes_the_file_shows_the_evidence_and_remembers_that_it_was_accepted(
    ensemble: CommandLine, shop: Path, seated: Path
):
    ran = ensemble("fix", "cart.py", "--trust", "--apply")

    assert ran.code == 0
    assert "verified: Fix total — 2 families, the check passes" in ran.err
    assert "✓ pytest: 3 passed" in ran.err
    assert "failed before and passes now (job " in ran.err
    assert (shop / "cart.py").read_text() == FIXED
    assert f"wrote {shop / 'cart.py'}" in ran.err
    learnt = json.loads(ensemble("panel", "stats", "--json").out)
    assert {line["member"] for line in learnt["members"]} == {"first", "second"}
    assert ensemble("trust", "--list").out == ""
    lines = ran.err.splitlines()
    assert [lines.count(phase) for phase in ("gather", "draft", "decide")] == [1, 1, 1]


def test_a_panel_that_never_passes_ends_with_1_and_says_what_would_settle_it(
    ensemble: CommandLine, shop: Path
):
    (shop / "ensemble.toml").write_text("[search]\nrepair = false\n", encoding="utf-8")
    ran = ensemble("fix", "cart.py", "--trust", *panel("wrong", "wrong2"))

    assert (ran.code, ran.out) == (1, "")
    assert "abstained: " in ran.err
    assert "what would settle it" in ran.err


def test_dissent_is_one_line_and_says_where_the_rest_is(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", "--trust", *panel("good", "wrong"))

    dissent = [line for line in ran.err.splitlines() if "dissent of wrong" in line]
    assert len(dissent) == 1
    assert "--answers" in ran.err
    assert "result -= price" not in ran.err


def test_a_patch_that_nothing_verified_is_not_applied_without_yes(ensemble: CommandLine, shop: Path):
    refused = ensemble("fix", "cart.py", "--apply", *panel("good"))

    assert refused.code == 1
    assert "nothing verified this patch" in refused.err
    assert (shop / "cart.py").read_text() == BUGGY
    assert ensemble("fix", "cart.py", "--apply", "--yes", *panel("good")).code == 0
    assert (shop / "cart.py").read_text() == FIXED


def test_apply_refuses_a_file_that_changed_while_the_panel_worked(
    ensemble: CommandLine, shop: Path, models: FakeModelServer, monkeypatch: pytest.MonkeyPatch
):
    def edit(request: Recorded) -> None:
        if request in models.calls:
            (shop / "cart.py").write_text("# mine\n")

    monkeypatch.setattr(models, "on_ended", edit)

    ran = ensemble("fix", "cart.py", "--apply", "--yes", *panel("good"))

    assert ran.code == 1
    assert "cart.py changed while the panel worked; nothing was written" in ran.err
    assert ran.out.startswith("diff --git")
    assert (shop / "cart.py").read_text() == "# mine\n"


def test_line_endings_stay_in_the_diff_and_in_the_file(ensemble: CommandLine, shop: Path):
    (shop / "cart.py").write_bytes(BUGGY.replace("\n", "\r\n").encode())

    ran = ensemble("fix", "cart.py", "--apply", "--yes", *panel("good"))

    assert ran.code == 0
    assert (shop / "cart.py").read_bytes() == FIXED.replace("\n", "\r\n").encode()


def test_a_check_typed_by_the_person_runs_in_a_folder_that_is_not_trusted(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", "--check", "python -m pytest -q test_cart.py", *panel("good"))

    assert ran.code == 0
    assert "verified: " in ran.err
    assert "✓ command: 3 passed" in ran.err


def test_without_trust_and_without_a_terminal_it_is_said_once_and_no_test_runs(
    ensemble: CommandLine, shop: Path
):
    (shop / "test_cart.py").write_text("import pathlib\npathlib.Path('ran').touch()\n")

    ran = ensemble("fix", "cart.py", *panel("good"))

    assert ran.err.count("is not trusted: its tests are not run") == 1
    assert "--trust" in ran.err
    assert not list(shop.rglob("ran"))
    assert "verified" not in ran.out


def test_the_settings_say_which_mode_when_the_command_does_not(
    ensemble: CommandLine, shop: Path, seated: Path
):
    seated.write_text('mode = "quick"\n' + seated.read_text())

    assert "fix (quick)" in ensemble("fix", "cart.py").err
    assert "fix (panel)" in ensemble("fix", "cart.py", "--mode", "panel").err


def test_a_folder_without_version_control_is_a_workspace(ensemble: CommandLine, tmp_path: Path):
    lonely = tmp_path / "lonely"
    lonely.mkdir()
    (lonely / "cart.py").write_text(BUGGY)

    ran = ensemble("fix", str(lonely / "cart.py"), *panel("good"))

    assert ran.code == 0
    assert "+        result += price" in ran.out
