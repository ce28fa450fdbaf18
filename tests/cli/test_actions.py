"""`refactor`, `rewrite`, `secure`, `test` and `locate`: what is printed, what is written, and with what they end."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, panel
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded
from tests.support.shop import FIXED

Scripting = Callable[[Callable[[Recorded], str]], None]


@pytest.fixture
def says(models: FakeModelServer, monkeypatch: pytest.MonkeyPatch) -> Scripting:
    """Let all members say what a function makes of the question."""

    def script(answer: Callable[[Recorded], str]) -> None:
        def scripted(request: Recorded) -> Answer:
            return Answer(text=answer(request))

        monkeypatch.setattr(models, "_script", scripted)

    return script


@pytest.fixture
def fixed(shop: Path) -> Path:
    """The shop without its bug, as a project of its own."""
    (shop / "cart.py").write_text(FIXED, encoding="utf-8")
    return shop


SUM = (
    "cart.py\n<<<<<<< SEARCH\n    result = 0\n    for price in prices:\n        result += price\n"
    "    return result\n=======\n    return sum(prices)\n>>>>>>> REPLACE\n"
)


def test_a_refactoring_prints_its_plan_beside_the_diff(ensemble: CommandLine, fixed: Path, says: Scripting):
    says(lambda _: f"1. Use the built-in sum.\n\n{SUM}")
    ran = ensemble("refactor", "cart.py:4", "use sum", "--trust", *panel("one", "two"))

    assert ran.code == 0
    assert ran.out.startswith("diff --git a/cart.py b/cart.py\n")
    assert "1. Use the built-in sum." in ran.err
    assert "tests end as before" in ran.err
    subprocess.run(["git", "apply", "--check", "-"], input=ran.out.encode(), cwd=fixed, check=True)


def test_an_instruction_is_needed_for_a_refactoring(ensemble: CommandLine, fixed: Path):
    ran = ensemble("refactor", "cart.py", "  ")

    assert ran.code == 2
    assert "the instruction is empty" in ran.err


def test_a_rewriting_of_one_family_is_applied_only_with_yes(
    ensemble: CommandLine, shop: Path, says: Scripting
):
    (shop / "README.md").write_text("# Shop\n\nIt do sum.\n", encoding="utf-8")
    says(
        lambda request: "NO FAULT: A" if "Compare each version" in request.prompt else "```\nIt sums.\n```\n"
    )
    refused = ensemble("rewrite", "README.md:3", "--apply", *panel("one"))
    written = ensemble("rewrite", "README.md:3", "--apply", "--yes", *panel("one"))

    assert refused.code == 1
    assert "--yes applies it all the same" in refused.err
    assert written.code == 0
    assert (shop / "README.md").read_text(encoding="utf-8") == "# Shop\n\nIt sums.\n"


HOLE = '    return subprocess.run("ls " + name, shell=True).returncode\n'
SAFE = '    return subprocess.run(["ls", name], check=False).returncode\n'


def test_holes_are_shown_with_their_numbers_and_the_patch_is_the_output(
    ensemble: CommandLine, shop: Path, says: Scripting
):
    (shop / "shell.py").write_text(f"import subprocess\n\n\ndef show(name):\n{HOLE}", encoding="utf-8")
    block = f"shell.py\n<<<<<<< SEARCH\n{HOLE}=======\n{SAFE}>>>>>>> REPLACE\n"

    def answer(request: Recorded) -> str:
        if "review this code for security holes" in request.prompt:
            return json.dumps({"findings": []})
        return "NO FAULT: A" if "Try to break each candidate" in request.prompt else block

    says(answer)
    ran = ensemble("secure", "shell.py", "--trust", "--mode", "quick", *panel("one", "two"))

    assert ran.code == 0
    assert "shell.py:5: critical [CWE-78]" in ran.err
    assert f"+{SAFE}" in ran.out


def test_a_clean_file_ends_with_0_and_no_patch(ensemble: CommandLine, fixed: Path, says: Scripting):
    says(lambda _: json.dumps({"findings": []}))
    ran = ensemble("secure", "cart.py", *panel("one", "two"))

    assert (ran.code, ran.out) == (0, "")
    assert "nothing: no findings" in ran.err


TESTS = "```python\nfrom cart import total\n\n\ndef test_two():\n    assert total([2, 3]) == 5\n```\n"


def test_tests_are_written_into_the_file_that_is_there(ensemble: CommandLine, fixed: Path, says: Scripting):
    says(lambda _: TESTS)
    ran = ensemble("test", "cart.py:4", "--trust", "--mode", "quick", "--apply", *panel("one"))

    assert ran.code == 0
    assert "| `test_two` |" in ran.err
    text = (fixed / "test_cart.py").read_text(encoding="utf-8")
    assert text.count("def test_two") == 1
    assert text.count("from cart import total") == 1
    assert "def test_several" in text


def test_suspected_bugs_are_shown_where_no_test_passes(ensemble: CommandLine, shop: Path, says: Scripting):
    says(lambda _: TESTS)
    ran = ensemble("test", "cart.py:4", "--trust", "--mode", "quick", "--json", *panel("one"))

    assert ran.code == 0
    assert ran.out.count('"category": "suspected-bug"') == 1
    assert "diff" not in ran.document


PLACE = json.dumps(
    {
        "findings": [
            {
                "path": "cart.py",
                "line": 8,
                "end_line": 8,
                "quote": "result = price",
                "severity": "warning",
                "category": "fault",
                "title": "The sum is overwritten",
                "detail": "for [1, 2, 3]",
                "confidence": 0.9,
            }
        ]
    }
)


def test_places_stand_on_standard_output_the_most_likely_first(
    ensemble: CommandLine, shop: Path, says: Scripting
):
    says(lambda _: PLACE)
    ran = ensemble("locate", "test_cart.py:4", "--trust", "--mode", "quick", *panel("one", "two"))

    assert ran.code == 0
    assert ran.out.startswith("cart.py:8: warning [fault-location] Place 1: total\n")
    assert "coverage first" in ran.out


def test_a_traceback_is_read_from_a_file(ensemble: CommandLine, shop: Path, says: Scripting, tmp_path: Path):
    says(lambda _: json.dumps({"findings": []}))
    (tmp_path / "log").write_text("cart.py:8: AssertionError\n", encoding="utf-8")
    ran = ensemble(
        "locate", "cart.py", "--traceback", str(tmp_path / "log"), "--mode", "quick", *panel("one")
    )
    missing = ensemble("locate", "cart.py", "--traceback", str(tmp_path / "none"), *panel("one"))

    assert ran.out.startswith("cart.py:8: ")
    assert "traceback first" in ran.out
    assert missing.code == 2
