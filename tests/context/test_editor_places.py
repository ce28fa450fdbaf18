"""What an editor's language servers told: where it goes in a dossier, how much, and what it can never bring in."""

from pathlib import Path
from typing import Literal

import pytest

from ensemble_lsp.context.editor_places import (
    DEPENDENCY_LINES,
    HOVER_CHARACTERS,
    REFERENCES,
    with_editor_diagnostics,
)
from ensemble_lsp.context.gather import gather
from ensemble_lsp.context.withheld import dependency_name
from ensemble_lsp.core.editor_context import EditorContext, EditorPassage
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Diagnostic, Severity
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.settings import ContextTable
from tests.context.repository import words, write_files

CART = "from tax import rate\n\n\ndef total(articles):\n    return sum(map(price, articles)) * rate()\n"
TAX = "def rate():\n    return 1.07\n"
HIDDEN = "class Shop:\n    def price(self, article):\n        return article.cents\n"

FILES = {"cart.py": CART, "tax.py": TAX, "hidden.py": HIDDEN}

TASK = Task(action=Action.FIX, path="cart.py", range=LineRange(start=3, end=5))


def passage(
    path: str,
    line: int,
    end: int | None = None,
    kind: Literal["definition", "reference"] = "definition",
    text: str = "",
) -> EditorPassage:
    return EditorPassage(
        kind=kind, path=path, line=line, end_line=line if end is None else end, text=text or None
    )


async def dossier(
    folder: Path, told: EditorContext, *, exclude: tuple[str, ...] = (), task: Task = TASK
) -> Dossier:
    write_files(folder, FILES)
    table = ContextTable(exclude=exclude)
    return await gather(task, folder, settings=table, trusted=False, count_tokens=words, editor=told)


def _lines_of(result: Dossier) -> list[tuple[str, str]]:
    return [(excerpt.path, excerpt.why) for excerpt in result.related]


async def test_definition_that_is_told_comes_before_those_that_are_found(tmp_path: Path) -> None:
    result = await dossier(tmp_path, EditorContext(passages=(passage("hidden.py", 1),)))
    assert _lines_of(result)[:2] == [("hidden.py", "definition of price"), ("tax.py", "definition of rate")]
    assert result.related[0].text == "    def price(self, article):\n        return article.cents\n"
    assert "hidden.py" in result.files, "a definition may have to change with its use"


async def test_definition_that_is_found_anyway_stands_once(tmp_path: Path) -> None:
    result = await dossier(tmp_path, EditorContext(passages=(passage("tax.py", 0), passage("tax.py", 0, 1))))
    assert [path for path, _ in _lines_of(result)].count("tax.py") == 1


async def test_range_that_begins_with_the_comment_above_a_definition(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {"noted.py": "# Price of one.\n# In cents.\ndef price(article):\n    return article.cents\n"},
    )
    result = await dossier(tmp_path, EditorContext(passages=(passage("noted.py", 0, 3),)))
    assert _lines_of(result)[0] == ("noted.py", "definition of price")


async def test_variable_inside_a_function_is_not_the_function(tmp_path: Path) -> None:
    write_files(tmp_path, {"local.py": "def setup():\n    price = 3\n    return price\n"})
    result = await dossier(tmp_path, EditorContext(passages=(passage("local.py", 1),)))
    assert result.related[0].text == "    price = 3\n"


async def test_what_is_in_the_focus_is_not_said_again(tmp_path: Path) -> None:
    told = EditorContext(passages=(passage("cart.py", 3), passage("cart.py", 4, kind="reference")))
    assert "cart.py" not in [path for path, _ in _lines_of(await dossier(tmp_path, told))]


async def test_no_more_uses_than_are_allowed(tmp_path: Path) -> None:
    users = {f"user_{n}.py": f"def use_{n}():\n    return total([{n}])\n" for n in range(9)}
    write_files(tmp_path, users)
    told = EditorContext(passages=tuple(passage(path, 1, kind="reference") for path in users))
    uses = [path for path, why in _lines_of(await dossier(tmp_path, told)) if why == "use of total"]
    assert uses == [f"user_{n}.py" for n in range(REFERENCES)]


@pytest.mark.parametrize(
    "place",
    [
        passage("hidden.py", 10**9),
        passage("hidden.py", -5),
        passage("gone.py", 0),
        passage("", 0),
        passage("../outside.py", 0, text="outside = 1\n"),
        passage("/etc/passwd", 0, text="root:x\n"),
        passage("sub/../../outside.py", 0, text="outside = 1\n"),
        passage(".git/config", 0, text="url = secret\n"),
        passage(".env", 0, text="A = 1\n"),
    ],
    ids=lambda place: f"{place.path}:{place.line}",
)
async def test_place_that_cannot_or_must_not_be_read(tmp_path: Path, place: EditorPassage) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    write_files(tmp_path, {"outside.py": "outside = 1\n"})
    write_files(folder, {".env": "A = 1\n"})
    result = await dossier(folder, EditorContext(passages=(place,)))
    assert _lines_of(result) == [("tax.py", "definition of rate")]


SITE = "/usr/lib/python3.12/site-packages/money/core.py"


async def test_dependency_is_quoted_but_cannot_be_edited(tmp_path: Path) -> None:
    text = "".join(f"line_{n} = {n}\n" for n in range(500))
    result = await dossier(tmp_path, EditorContext(passages=(passage(SITE, 40, text=text),)))
    quoted = result.related[0]
    assert (quoted.path, quoted.start_line) == ("dependency: money/core.py", 40)
    assert quoted.text.count("\n") == DEPENDENCY_LINES
    assert set(result.files) == {"cart.py", "tax.py"}


async def test_dependency_installed_in_the_workspace_is_read_there(tmp_path: Path) -> None:
    place = ".venv/lib/python3.12/site-packages/money.py"
    write_files(
        tmp_path,
        {place: "import os\n\n\ndef price(article):\n    key = 'AKIAIOSFODNN7EXAMPLF'\n    return key\n"},
    )
    (quoted, *_) = (await dossier(tmp_path, EditorContext(passages=(passage(place, 3),)))).related
    assert (quoted.path, quoted.start_line) == ("dependency: money.py", 3)
    assert "return key" in quoted.text
    assert "AKIAIOSFODNN7EXAMPLF" not in quoted.text


async def test_installed_file_that_is_a_link_out_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "diary.py").write_text("dear = 'diary'\n", encoding="utf-8")
    folder = tmp_path / "work"
    site = folder / ".venv" / "lib" / "python3.12" / "site-packages"
    site.mkdir(parents=True)
    (site / "money.py").symlink_to(tmp_path / "diary.py")
    told = EditorContext(passages=(passage(".venv/lib/python3.12/site-packages/money.py", 0),))
    assert not [path for path, _ in _lines_of(await dossier(folder, told)) if path.startswith("dependency")]


@pytest.mark.parametrize("exclude", ["money/", "money/*.py", "core.py"])
async def test_excluded_dependency_is_not_quoted(tmp_path: Path, exclude: str) -> None:
    told = EditorContext(passages=(passage(SITE, 0, text="def price(): ...\n"),))
    shown = _lines_of(await dossier(tmp_path, told, exclude=(exclude,)))
    assert not [path for path, _ in shown if path.startswith("dependency")]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (SITE, "money/core.py"),
        ("/home/a/shop/.venv/lib/python3.11/site-packages/attr/_make.py", "attr/_make.py"),
        (".venv/lib/python3.11/site-packages/attr/_make.py", "attr/_make.py"),
        ("/usr/lib/python3.11/json/decoder.py", "json/decoder.py"),
        ("/w/node_modules/a/node_modules/b/index.js", "b/index.js"),
        ("/root/go/pkg/mod/github.com/x/y@v1/z.go", "github.com/x/y@v1/z.go"),
        ("/root/.cargo/registry/src/index.crates.io-6f17/serde-1.0/src/lib.rs", "serde-1.0/src/lib.rs"),
        ("/home/a/diary/notes.py", None),
        ("/home/a/lib/python/mine.py", None),
    ],
)
def test_which_files_are_dependencies(path: str, name: str | None) -> None:
    assert dependency_name(path) == name


async def test_hovers_are_plain_short_and_without_secrets(tmp_path: Path) -> None:
    key = "AKIAIOSFODNN7EXAMPLF"
    long = "x" * 10_000
    told = EditorContext(hovers=(f"```python\n(constant) KEY = '{key}'\n```", long, "```\n```", long))
    (hover,) = [
        excerpt for excerpt in (await dossier(tmp_path, told)).related if excerpt.path == "the editor"
    ]
    assert key not in hover.text
    assert "```" not in hover.text
    assert hover.text.count("x" * HOVER_CHARACTERS) == 1
    assert len(hover.text) < 2 * HOVER_CHARACTERS


def _said(line: int, path: str = "cart.py") -> Diagnostic:
    return Diagnostic(
        path=path,
        line=line,
        end_line=line,
        severity=Severity.WARNING,
        source="pyright",
        code="",
        message=f"at {line}",
    )


def test_messages_in_the_range_join_the_task() -> None:
    told = EditorContext(diagnostics=(_said(0), _said(3), _said(4), _said(5), _said(4, "tax.py")))
    assert [item.line for item in with_editor_diagnostics(TASK, told).diagnostics] == [3, 4]


@pytest.mark.parametrize(
    "task", [TASK.model_copy(update={"diagnostics": (_said(9),)}), TASK.model_copy(update={"range": None})]
)
def test_task_that_says_what_is_to_be_done_stays_as_it_is(task: Task) -> None:
    assert with_editor_diagnostics(task, EditorContext(diagnostics=(_said(4),))) == task


async def test_messages_of_a_whole_file_are_shown_and_change_no_focus(tmp_path: Path) -> None:
    task = TASK.model_copy(update={"range": None, "action": Action.REVIEW})
    result = await dossier(tmp_path, EditorContext(diagnostics=(_said(4),)), task=task)
    assert result.whole_file
    assert "cart.py:5: warning: at 4 [pyright ]" in [excerpt.text for excerpt in result.related]
