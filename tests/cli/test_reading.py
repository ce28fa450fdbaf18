"""`review`, `explain` and `debate`: what is printed and with what they end."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, panel
from tests.support.fake_model_server import FakeModelServer

pytestmark = pytest.mark.usefixtures("models", "seated")


def test_findings_stand_on_standard_output_with_place_and_reason(ensemble: CommandLine, shop: Path):
    ran = ensemble("review", "cart.py")

    assert ran.code == 0
    assert "cart.py:8: critical [bug] The sum is overwritten in each turn" in ran.out
    assert "confidence" in ran.out
    assert "done: " in ran.err


@pytest.mark.parametrize(("bar", "code"), [("critical", 1), ("warning", 1), ("hint", 1)])
def test_findings_at_or_above_the_bar_end_with_1(ensemble: CommandLine, shop: Path, bar: str, code: int):
    assert ensemble("review", "cart.py", "--fail-on", bar).code == code


def test_a_review_of_several_files_names_each_once(
    ensemble: CommandLine, shop: Path, models: FakeModelServer
):
    ran = ensemble("review", "cart.py", "test_cart.py", "./cart.py", "--json")

    assert ran.code == 0
    findings = json.loads(ran.out)["findings"]
    assert {item["path"] for item in findings} == {"cart.py"}
    assert len({call.prompt for call in models.calls}) == len(models.calls)


def test_a_range_is_reviewed_alone(ensemble: CommandLine, shop: Path):
    assert ensemble("review", "cart.py:4-9").code == 0


def test_format_json_is_the_json_option(ensemble: CommandLine, shop: Path):
    ran = ensemble("review", "cart.py", "--format", "json")

    assert (ran.code, ran.document["status"]) == (0, "done")


def test_an_explanation_is_a_markdown_document(ensemble: CommandLine, shop: Path):
    ran = ensemble("explain", "cart.py:4-9")

    assert ran.code == 0
    assert ran.out.startswith("#")
    assert "Returns only the last price" in ran.out


def test_a_debate_is_about_a_file_or_about_nothing(ensemble: CommandLine, shop: Path):
    about = ensemble("debate", "Is the loop right?", "cart.py")
    free = ensemble("debate", "Is += better?")

    assert (about.code, free.code) == (0, 0)
    assert "The loop is wrong" in about.out
    assert "debate (debate)" in about.err


def test_members_that_cannot_keep_to_the_form_end_with_3(ensemble: CommandLine, shop: Path):
    ran = ensemble("review", "cart.py", *panel("wrong"))

    assert ran.code == 3
    assert "not of the form asked for" in ran.err
    assert "ask a larger model" in ran.err
