"""What a person gets wrong: each with a message, what to do next, and the right exit status."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import KEY, CommandLine, member_tables, panel
from tests.support.fake_model_server import FakeModelServer

pytestmark = pytest.mark.usefixtures("models")


@pytest.fixture
def odd_files(shop: Path, tmp_path: Path) -> Path:
    (shop / "folder").mkdir()
    (shop / "data.bin").write_bytes(b"\0\1\2\3")
    (shop / "empty.py").write_bytes(b"")
    (shop / ".gitignore").write_text("built.py\n")
    (shop / "built.py").write_text("a = 1\n")
    (shop / ".env").write_text("TOKEN=1\n")
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text("a = 1\n")
    (shop / "link.py").symlink_to(elsewhere)
    (shop / "pyproject.toml").write_text("")
    return shop


@pytest.mark.parametrize("command", ["fix", "review", "explain"])
@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("nope.py", "nope.py: no such file"),
        ("data.bin", "data.bin is not text"),
        ("empty.py", "empty.py is empty"),
        ("cart.py:90", "line 90 is outside cart.py, which has 9 lines"),
        ("cart.py:2-90", "lines 2-90 are outside cart.py, which has 9 lines"),
        ("cart.py:9-3", "the last line stands before the first"),
        ("cart.py:0", "lines count from 1"),
        ("link.py", "link.py is a link that leads out of"),
        ("built.py", "built.py is not sent to any model"),
        (".env", ".env is not sent to any model"),
        ("x" * 5000, "no such file"),
    ],
)
def test_a_file_that_cannot_be_worked_on(
    ensemble: CommandLine, odd_files: Path, command: str, file: str, message: str
):
    ran = ensemble(command, file, *panel("good"))

    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", ["fix", "explain"])
def test_a_folder_where_one_file_is_wanted(ensemble: CommandLine, odd_files: Path, command: str):
    ran = ensemble(command, "folder", *panel("good"))

    assert (ran.code, ran.out) == (2, "")
    assert "folder is a directory" in ran.err


def test_a_folder_without_anything_to_review(ensemble: CommandLine, odd_files: Path):
    ran = ensemble("review", "folder", *panel("good"))

    assert (ran.code, ran.out) == (0, "")
    assert "there is no file that could be reviewed" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fix",), "Missing argument"),
        (("fix", "cart.py", "--nonsense"), "No such option"),
        (("fix", "cart.py", "--mode", "wild"), "'wild' is not one of 'quick', 'panel', 'debate'"),
        (("fix", "cart.py", "--rounds", "9"), "less than or equal to 5"),
        (("fix", "cart.py", "--budget", "much"), "--budget"),
        (("fix", "cart.py", "--budget", "-1"), "--budget"),
        (("apply", "reply.txt"), "Missing option"),
        (("frobnicate",), "No such command"),
        (("debate", "  "), "the question is empty"),
        (("jobs", "purge"), "say which jobs"),
        (("jobs", "purge", "--all", "--older-than", "3"), "say which jobs"),
        (("trust", "nowhere"), "nowhere is not a folder"),
        (("show", "ffff"), "no job 'ffff'"),
        (("watch", "ffff"), "no job 'ffff'"),
        (("watch",), "no jobs yet"),
        (("review", "cart.py:1-2", "test_cart.py"), "lines can be given for one file only"),
        (("fix", "cart.py", "--check", " "), "the check's command is empty"),
        (("fix", "cart.py", "--check", "pytest 'oh"), "cannot be read"),
        (("fix", "cart.py", "--check", "nosuchprogram --x"), "was not found: nosuchprogram"),
        (("fix", "cart.py", "--check", "./nosuch.sh"), "was not found: ./nosuch.sh"),
    ],
)
def test_a_wrong_word_on_the_command_line(
    ensemble: CommandLine, shop: Path, models: FakeModelServer, arguments: tuple[str, ...], message: str
):
    ran = ensemble(*arguments)

    assert ran.code == 2
    assert message in ran.err + ran.out
    assert "Traceback" not in ran.err
    assert models.calls == []


def test_two_files_of_different_workspaces(ensemble: CommandLine, odd_files: Path, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "pyproject.toml").write_text("")
    (other / "a.py").write_text("a = 1\n")

    ran = ensemble("review", "cart.py", str(other / "a.py"), *panel("good"))

    assert ran.code == 2
    assert str(odd_files) in ran.err
    assert str(other) in ran.err


def test_a_name_that_is_no_model(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", "--panel", "banana")

    assert ran.code == 2
    assert "no member or model 'banana'" in ran.err
    assert "ensemble-lsp panel" in ran.err


def test_a_model_that_the_provider_does_not_know(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", *panel("unknown"))

    assert ran.code == 3
    assert "openai/unknown is not known there" in ran.err
    assert "ensemble-lsp panel" in ran.err


def test_a_wrong_key_names_the_variable_and_never_the_key(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", *panel("denied"))

    assert ran.code == 3
    assert "OPENAI_API_KEY" in ran.err
    job = ensemble("jobs").out.split()[7]
    kept = ensemble("show", job, "--answers", "--json")
    for said in (ran.out, ran.err, kept.out, kept.err):
        assert KEY not in said
        assert "0123456789abcdef" not in said


def test_a_key_that_is_missing_names_the_variable(ensemble: CommandLine, shop: Path):
    ran = ensemble("fix", "cart.py", "--panel", "anthropic/claude-sonnet-4-5")

    assert ran.code == 3
    assert "ANTHROPIC_API_KEY" in ran.err


def test_no_server_answers(ensemble: CommandLine, shop: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")

    ran = ensemble("fix", "cart.py", *panel("good"))

    assert ran.code == 3
    assert "nothing answers at http://127.0.0.1:9/v1" in ran.err
    assert "start the local server" in ran.err


def test_nobody_can_sit_and_it_says_what_to_set(
    ensemble: CommandLine, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_API_BASE")
    monkeypatch.setattr("ensemble_lsp.models.embedded.EmbeddedModels.available", lambda: False)

    def no_probes(_environment: object) -> tuple[()]:
        return ()

    monkeypatch.setattr("ensemble_lsp.models.discovery.usual_probes", no_probes)

    ran = ensemble("fix", "cart.py")

    assert ran.code == 3
    assert "no model can be reached" in ran.err
    assert "ensemble-lsp[embedded]" in ran.err


def test_without_consent_nothing_is_sent(ensemble: CommandLine, shop: Path, seated: Path):
    seated.write_text(member_tables("http://models.example.invalid/v1", "far"))

    ran = ensemble("fix", "cart.py")

    assert ran.code == 3
    assert "models.example.invalid" in ran.err
    assert "--yes agrees, --local sends nothing" in ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rounds = 99\n", "ensemble.toml, line 1: rounds"),
        ('mode = "panel\n', "ensemble.toml, line 1"),
        ('\n[budget]\nusd = "much"\n', "ensemble.toml, line 3: budget.usd"),
    ],
)
@pytest.mark.parametrize("command", [("fix", "cart.py"), ("panel",)])
def test_a_broken_settings_file_names_line_and_field(
    ensemble: CommandLine, shop: Path, command: tuple[str, ...], text: str, message: str
):
    (shop / "ensemble.toml").write_text(text)

    ran = ensemble(*command, "--trust", *panel("good"))

    assert ran.code == 3
    assert message in ran.err


@pytest.mark.parametrize("option", [("--budget", "0"), ("--budget-calls", "0"), ("--seconds", "0")])
def test_a_cap_of_nothing_sends_nothing(
    ensemble: CommandLine, shop: Path, seated: Path, models: FakeModelServer, option: tuple[str, str]
):
    ran = ensemble("fix", "cart.py", *option)

    assert ran.code == 4
    assert "cap of" in ran.err
    assert models.calls == []


def test_settings_of_a_folder_that_is_not_trusted_do_not_stop_a_job(ensemble: CommandLine, shop: Path):
    (shop / "ensemble.toml").write_text("[budget]\nseconds = 0\n")

    ran = ensemble("fix", "cart.py", *panel("good"))

    assert ran.code == 0
    assert "budget.seconds ignored, because this folder is not trusted" in ran.err


def test_a_range_that_only_the_engine_can_judge_is_still_a_usage_error(
    ensemble: CommandLine, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    def let_all_through(*_: object, **__: object) -> None:
        pass

    monkeypatch.setattr("ensemble_lsp.cli.running._refuse_early", let_all_through)

    ran = ensemble("fix", "cart.py:90", *panel("good"))

    assert ran.code == 2
    assert "outside cart.py" in ran.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_file_to_wait_for(ensemble: CommandLine, shop: Path):
    os.mkfifo(shop / "pipe.py")

    assert ensemble("fix", "pipe.py", *panel("good")).code == 2
