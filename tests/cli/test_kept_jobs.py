"""`jobs`, `show`, `watch` and `panel`: what was kept, and who would sit."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, panel
from tests.support.shop import whole_answer

pytestmark = pytest.mark.usefixtures("models")


def only_job(ensemble: CommandLine) -> str:
    (line,) = json.loads(ensemble("jobs", "--json").out)
    return line["job"]


def test_jobs_are_listed_as_a_table_and_as_json(ensemble: CommandLine, shop: Path):
    assert ensemble("jobs").err == "no jobs yet: ensemble-lsp fix FILE starts one\n"
    ensemble("fix", "cart.py:4-9", *panel("good"))
    ensemble("explain", "cart.py", *panel("good"))

    heading, newest, oldest = ensemble("jobs").out.splitlines()
    assert heading.split("\t") == ["job", "started", "what", "status", "time", "calls", "cost"]
    assert "explain cart.py" in newest
    assert "fix cart.py:4" in oldest
    assert len(json.loads(ensemble("jobs", "-n", "1", "--json").out)) == 1


def test_show_takes_the_beginning_of_an_id(ensemble: CommandLine, shop: Path):
    ensemble("fix", "cart.py", *panel("good", "wrong"))
    job = only_job(ensemble)

    ran = ensemble("show", job[:6])

    assert ran.code == 0
    assert job in ran.err
    assert "--- good" not in ran.out


def test_answers_are_shown_word_for_word(ensemble: CommandLine, shop: Path):
    ensemble("fix", "cart.py", *panel("good", "wrong"))

    ran = ensemble("show", only_job(ensemble), "--answers")

    assert whole_answer().strip() in ran.out
    assert "--- wrong (wrong): draft ---" in ran.out
    assert "dissent of" in ran.err


def test_show_json_is_the_whole_transcript(ensemble: CommandLine, shop: Path):
    ensemble("fix", "cart.py", *panel("good"))

    document = ensemble("show", only_job(ensemble), "--json").document

    assert document.keys() >= {"summary", "task", "events", "result"}


def test_purge_deletes_and_counts(ensemble: CommandLine, shop: Path):
    ensemble("fix", "cart.py", *panel("good"))

    assert ensemble("jobs", "purge", "--older-than", "1").err == "there is nothing to delete\n"
    refused = ensemble("jobs", "purge", "--workspace", str(shop))
    assert (refused.code, "not deleted: 1 job" in refused.err) == (2, True), "nobody could be asked"
    assert ensemble("jobs", "purge", "--workspace", str(shop), "--yes").err == "deleted 1 job\n"
    assert ensemble("jobs").out == ""


def test_purging_everything_takes_answers_and_opened_documents_along(
    ensemble: CommandLine, shop: Path, own_directories: Path
):
    ensemble("fix", "cart.py", *panel("good"))
    opened = own_directories / "state" / "documents" / "explanation.md"
    opened.parent.mkdir(exist_ok=True)
    opened.write_text("It sums up.", encoding="utf-8")
    opened.chmod(0o400)

    told = ensemble("jobs", "purge", "--all", "--yes").err

    assert re.fullmatch(r"deleted 1 job, [1-9]\d* answers?, 1 document\n", told)
    assert not opened.exists()
    assert ensemble("jobs", "purge", "--all", "--yes").err == "deleted nothing\n"


def test_watching_a_job_that_ended_tells_it_from_the_start(ensemble: CommandLine, shop: Path):
    ensemble("fix", "cart.py", *panel("good"))
    job = only_job(ensemble)

    ran = ensemble("watch")

    assert ran.code == 0
    assert "fix (panel): 1 member" in ran.err
    assert f"ensemble-lsp show {job} shows the result" in ran.err


def test_the_panel_is_readable_in_eighty_columns(ensemble: CommandLine, shop: Path, seated: Path):
    ran = ensemble("panel")

    assert ran.code == 0
    assert ran.out.splitlines()[0] == "first  family-first  anchor  $1.00 in, $2.00 out a million tokens"
    assert all(len(line) <= 100 for line in ran.out.splitlines())
    assert "openai/first" in ran.out
    assert "spent today: $0.0000 of $5.00" in ran.err
    assert len(json.loads(ensemble("panel", "--json").out)["seats"]) == 2


def test_what_was_learnt_can_be_forgotten(ensemble: CommandLine, shop: Path, seated: Path):
    ensemble("fix", "cart.py", "--apply", "--yes")
    stats = ensemble("panel", "stats")

    assert stats.out.splitlines()[0].split("\t")[:3] == ["member", "action", "category"]
    assert "forgot" in ensemble("panel", "reset", "first").err
    assert "first" not in ensemble("panel", "stats").out
    ensemble("panel", "reset")
    assert "nothing was learnt yet" in ensemble("panel", "stats").err


def test_trust_is_given_listed_and_taken_back(ensemble: CommandLine, shop: Path):
    assert ensemble("trust").err == f"{shop} is trusted\n"
    assert ensemble("trust", "--list").out == f"{shop}\n"
    assert "is not trusted" not in ensemble("fix", "cart.py", *panel("wrong")).err
    assert "not trusted any more" in ensemble("trust", "--remove", ".").err
    assert ensemble("trust", "--list").out == ""


def test_doctor_says_what_works_and_never_a_key(ensemble: CommandLine, shop: Path, seated: Path):
    ran = ensemble("doctor")

    assert "member first" in ran.out
    assert "sandbox" in ran.out
    assert "sk-test" not in ran.out
    names = [item["name"] for item in json.loads(ensemble("doctor", "--json").out)]
    assert names[:2] == ["version", "folders"]


def test_doctor_speaks_of_the_folder_that_it_is_given(ensemble: CommandLine, shop: Path, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "ensemble.toml").write_text("rounds = 2\n")

    items = json.loads(ensemble("doctor", "--workspace", str(other), "--json").out)

    said = {item["name"]: item["text"] for item in items}
    assert str(other / "ensemble.toml") in said["settings"]
    assert said["trust"].startswith(f"{other} is not trusted")


def test_doctor_ends_with_3_where_something_is_broken(ensemble: CommandLine, shop: Path):
    (shop / "ensemble.toml").write_text("rounds = \n")

    ran = ensemble("doctor")

    assert ran.code == 3
    assert "ensemble.toml, line 1" in ran.out
