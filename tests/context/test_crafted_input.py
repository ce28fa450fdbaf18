"""Input that somebody crafted to keep the product busy: each took minutes or for ever when it was found."""

from pathlib import Path

import pytest

from ensemble_lsp.context.definition_index import DefinitionIndex
from ensemble_lsp.context.gather import gather
from ensemble_lsp.context.ignore import IgnoreRules
from ensemble_lsp.context.name_uses import names_to_look_up
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import Task
from ensemble_lsp.settings import ContextTable
from tests.context.repository import repository, words, write_files

pytestmark = pytest.mark.timeout(20)

N = 400_000


@pytest.mark.parametrize(
    "text",
    [
        "password =" + " " * N,
        "password" + " " * N,
        "//" * (N // 2) + ":_authToken",
        "sk-" * (N // 3) + " T3BlbkFJ",
        "eyJ-" * (N // 4),
        "a://" * (N // 4) + "@",
        "token " * (N // 6),
        "'" * N,
        "\"aA1'" * (N // 5),
        "-----BEGIN PRIVATE KEY-----" + "+" * N,
        "-----BEGIN PRIVATE KEY-----\n" * (N // 27),
        "aws key aws key " * (N // 16),
        "ENSEMBLE_REDACTED_" * (N // 18),
    ],
    ids=range(13),
)
def test_no_line_keeps_the_redaction_busy(text: str) -> None:
    redactor = Redactor()

    assert redactor.restore(redactor.redact("a.yaml", text)) == text


def test_a_file_of_very_many_secrets_is_redacted_in_time() -> None:
    text = "".join(f"token = 'aB3{n:05}xY9z'\n" for n in range(12_000))
    redactor = Redactor()

    redacted = redactor.redact("a.py", text)

    assert "xY9z" not in redacted
    assert redactor.restore(redacted) == text


@pytest.mark.parametrize("name", ["a.java", "a.lua", "a.ts", "a.go", "a.py", "a.rb", "a.rs"])
def test_no_line_keeps_the_index_busy(tmp_path: Path, name: str) -> None:
    write_files(tmp_path, {name: "a" * 140_000 + " " * 100_000 + "f(" * 20_000})

    view = DefinitionIndex().refresh(tmp_path, [name], {})

    assert view.files_defining("missing") == ()


def test_no_line_keeps_the_search_for_names_busy() -> None:
    assert names_to_look_up("." + " " * N + "a" * N + " " * N, imports_name_files=False) == frozenset()


def test_no_ignore_file_keeps_the_rules_busy(tmp_path: Path) -> None:
    write_files(tmp_path, {".gitignore": "a" + "*a" * 30 + "b\n!x" + "*x" * 30 + "y\n*.log\n"})
    rules = IgnoreRules.load(tmp_path, ContextTable(), trusted=False)

    assert rules.ignored("a" * 250) is not None
    assert rules.ignored("x" * 250 + ".log") == ".gitignore names it"


def test_a_path_of_very_many_folders_is_no_problem(tmp_path: Path) -> None:
    rules = IgnoreRules.load(tmp_path, ContextTable(), trusted=False)

    assert rules.ignored("a/" * 1_900 + "b.py") is None


async def test_deeply_nested_code_is_no_problem(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "x = " + "(" * 4_000 + "1" + ")" * 4_000 + "\n"})

    dossier = await gather(
        Task(action=Action.FIX, path="a.py"),
        tmp_path,
        settings=ContextTable(),
        trusted=False,
        count_tokens=words,
    )

    assert dossier.focus is not None
