"""A rewriting touches prose and nothing else; and which passage the cursor means."""

import pytest

from ensemble_lsp.checks.witnesses import syntax
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.passage import passage_of
from ensemble_lsp.ensemble.ports import Dossier, Excerpt
from ensemble_lsp.ensemble.prose import changed_beside_prose
from ensemble_lsp.ensemble.rewording import with_marks
from tests.support.scripted_checks import ScriptedChecks


class Grammars(ScriptedChecks):
    """The real parsers; nothing is run."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__({path: SourceText(text)}, path, None)

    def parse_errors(self, path: str, text: str) -> int | None:
        return syntax.parse_errors(path, text)

    def normal_form(self, path: str, text: str) -> str:
        return syntax.normal_form(path, text)

    def enclosing(self, path: str, text: str, line: int) -> tuple[str, int, int] | None:
        return syntax.enclosing(path, text, line)


CODE = '''\
"""Sums of prices."""

import os  # noqa: F401


def total(prices):
    """Return teh sum.

    >>> total([1, 2])
    3
    """
    # add them up
    result = 0
    for price in prices:
        result += price  # one by one
    return result
'''

MARKDOWN = """\
---
title: Shop
---
# Shop

It sums prices. See [the manual](docs/manual.md) and [the list][list].

```python
total([1, 2])
```

[list]: https://example.org/list
"""

SCRIPT = "// Adds two numbers.\nfunction add(a, b) {\n  return a + b; // sum\n}\n"


def said(path: str, text: str, old: str, new: str) -> str:
    assert old in text
    return changed_beside_prose(path, text, text.replace(old, new), Grammars(path, text))


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("m.py", CODE, "Return teh sum.", "Return the sum of all prices."),
        (
            "m.py",
            CODE,
            "# add them up",
            "# Start from nothing and add each price.\n    # Nothing is rounded.",
        ),
        ("m.py", CODE, "  # one by one", ""),
        ("m.py", CODE, '"""Sums of prices."""', '"""Sums of prices.\n\nNo currency is known here.\n"""'),
        ("README.md", MARKDOWN, "It sums prices.", "It adds prices up."),
        ("README.md", MARKDOWN, "[the manual](docs/manual.md)", "[how to use it](docs/manual.md)"),
        ("add.js", SCRIPT, "// Adds two numbers.", "/* The sum of two numbers. */"),
        ("notes.txt", "a note\n", "a note", "another note"),
    ],
)
def test_prose_may_change(path: str, text: str, old: str, new: str):
    assert said(path, text, old, new) == ""


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "words"),
    [
        ("m.py", CODE, "result = 0", "result = 1", "changes code"),
        ("m.py", CODE, "result += price", "result  += price", "changes code"),
        (
            "m.py",
            CODE,
            "    # add them up\n",
            "    # add them up\n    prices = list(prices)\n",
            "changes code",
        ),
        ("m.py", CODE, "  # noqa: F401", "", "a comment that tools obey"),
        ("m.py", CODE, "    3\n", "    4\n", "doctest"),
        ("m.py", CODE, "def total(prices):", "def total(prices:", "cannot be read"),
        ("m.py", CODE, '    """Return teh sum.', '    x = """Return teh sum.', "changes code"),
        ("README.md", MARKDOWN, "total([1, 2])", "total([1])", "a block of code"),
        ("README.md", MARKDOWN, "title: Shop", "title: Store", "front matter"),
        ("README.md", MARKDOWN, "[the manual](docs/manual.md)", "the manual", "docs/manual.md"),
        (
            "README.md",
            MARKDOWN,
            "https://example.org/list",
            "https://evil.example/",
            "https://example.org/list",
        ),
        ("add.js", SCRIPT, "a + b", "a - b", "changes code"),
        ("guide.rst", "Run::\n\n    make all\n\nDone.\n", "make all", "make", "a block of code"),
    ],
)
def test_code_may_not(path: str, text: str, old: str, new: str, words: str):
    assert words in said(path, text, old, new)


def test_an_html_page_in_a_string_that_stands_alone_beside_code_is_code():
    text = 'x = 1; "a note"\n'
    assert said("m.py", text, "x = 1", "x = 2") != ""


def passage(path: str, text: str, lines: tuple[int, int] | None) -> tuple[int, int] | None:
    task = Task(
        action=Action.REWRITE,
        path=path,
        range=LineRange(start=lines[0], end=lines[1]) if lines else None,
    )
    dossier = Dossier(
        files={path: SourceText(text)}, focus=Excerpt(path=path, start_line=0, text=text, why="whole file")
    )
    found = passage_of(task, dossier, Grammars(path, text))
    return (found.first, found.last) if found is not None else None


@pytest.mark.parametrize(
    ("path", "text", "lines", "expected"),
    [
        ("README.md", MARKDOWN, (3, 6), (3, 5)),
        ("README.md", MARKDOWN, (5, 6), (5, 5)),
        ("README.md", MARKDOWN, None, (0, 11)),
        ("m.py", CODE, (0, 1), (0, 0)),
        ("m.py", CODE, (7, 8), (6, 10)),
        ("m.py", CODE, (11, 12), (11, 11)),
        ("m.py", CODE, (13, 14), (5, 15)),
    ],
)
def test_the_passage_at_the_cursor(
    path: str, text: str, lines: tuple[int, int] | None, expected: tuple[int, int]
):
    assert passage(path, text, lines) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (['    """Return it."""'], ["Return the sum."], ['    """Return the sum."""']),
        (['    """Return it."""'], ["Return", "the sum."], ['    """Return', '    the sum."""']),
        (
            ['    """Return it.', "    Now.", '    """'],
            ["All.", "Now."],
            ['    """All.', "    Now.", '    """'],
        ),
        (['    """Return it."""'], ['    """Return all."""'], ['    """Return all."""']),
        (["  # add", "  # all"], ["Add all."], ["  # Add all."]),
        (["  # add", "  # all"], ["  # Add all."], ["  # Add all."]),
        (["// add"], ["Add", "", "all."], ["// Add", "//", "// all."]),
        (["    Indented.", "    Too."], ["Both."], ["    Both."]),
        (["- one", "- two"], ["- both"], ["- both"]),
        (["# Heading", "", "Text."], ["# Better", "", "Words."], ["# Better", "", "Words."]),
    ],
)
def test_marks_that_a_model_leaves_off_are_put_back(old: list[str], new: list[str], expected: list[str]):
    assert with_marks(old, new) == expected
