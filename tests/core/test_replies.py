"""Reading replies: which form, and no text that breaks the reader or makes it slow."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensemble_lsp.core.blocks import ReplyForm
from ensemble_lsp.core.edits import apply_reply
from ensemble_lsp.core.replies import new_sentinel, read_reply
from ensemble_lsp.core.text import SourceText

FILES = {
    "app.py": SourceText("def f():\n    a = 1\n    return a\n"),
    "doc.md": SourceText("# Doc\n\n```\nx\n```\n"),
}
MARKERS = [
    "<<<<<<< SEARCH", "<<<<<<< SEARCH k7f2 app.py:2", "    <<<<<<< SEARCH", "=======", "======= k7f2",
    ">>>>>>> REPLACE", ">>>>>>> REPLACE k7f2", ">>>>>>>", "```", "```python", "````markdown", "~~~", "app.py",
    "other/b.py", "--- a/app.py", "+++ b/app.py", "+++ /dev/null", "--- /dev/null", "@@ -1,2 +1,3 @@ def f():",
    "@@", "-    a = 1", "+    a = 2", "     return a", "*** Begin Patch", "*** Update File: app.py",
    "*** Add File: n.py", "*** Delete File: app.py", "*** Move to: m.py", "*** End Patch", "rename from app.py",
    "rename to b.py", "diff --git a/app.py b/app.py", "def f():", "    a = 1", "    return a", "class A:",
    "# ... existing code ...", "1 | def f():", "", "prose, e.g. this", "\\ No newline at end of file", "\t", "\udce9",
]  # fmt: skip


@settings(max_examples=400)
@given(st.lists(st.sampled_from(MARKERS), max_size=25), st.sampled_from([None, "k7f2"]), st.booleans())
def test_any_mixture_of_markers_is_read(lines: list[str], sentinel: str | None, aimed: bool) -> None:
    target = ("app.py", 0, 2) if aimed else None
    outcome = apply_reply("\n".join(lines), FILES, sentinel=sentinel, target=target)

    assert outcome.ok == (not outcome.problems)
    assert outcome.ok or not outcome.changes
    assert all(change.before != change.after for change in outcome.changes)


LONG = {
    "openers only": "<<<<<<< SEARCH\n",
    "openers with sentinels": "<<<<<<< SEARCH k7f2 app.py:1\n",
    "openers and closers": "<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n",
    "dividers only": "=======\n",
    "blocks not found": "<<<<<<< SEARCH\nzz\n=======\nyy\n>>>>>>> REPLACE\n",
    "fences": "```\n",
    "fences with info": "```python\n",
    "functions in fences": "```python\ndef f():\n    return 2\n```\n",
    "hunks": "@@ -1 +1 @@\n-zz\n+yy\n",
    "diff headers": "--- a/app.py\n+++ b/app.py\n",
    "patch files": "*** Update File: app.py\n@@\n-a\n+b\n",
    "definitions": "def f(x):\n",
    "one long line": "a" * 60 + "(" * 40,
    "blanks": " " * 100 + "\n",
    "paths": "src/" * 30 + "\n",
}


@pytest.mark.parametrize("unit", [pytest.param(unit, id=name) for name, unit in LONG.items()])
def test_a_reply_four_times_as_long_takes_no_sixteen_times_the_steps(unit: str) -> None:
    steps = [steps_of(unit * (size // len(unit))) for size in (16_000, 64_000)]

    # Twice the linear factor leaves room for logarithms; a quadratic reader would need sixteen.
    assert steps[1] < 8 * steps[0]


def steps_of(reply: str) -> int:
    """Count the lines of Python that reading executes: the same on any machine, however busy."""
    import sys

    count = 0

    def local(_frame: object, event: str, _arg: object) -> object:
        nonlocal count
        count += event == "line"
        return local

    sys.settrace(lambda _frame, _event, _arg: local)  # pyright: ignore[reportArgumentType]
    try:
        read_reply(reply, files=FILES)
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("unit", [pytest.param(unit, id=name) for name, unit in LONG.items()])
def test_a_long_reply_of_anything_is_read(unit: str) -> None:
    assert read_reply(unit * (300_000 // len(unit)), files=FILES).form in ReplyForm


def test_a_sentinel_is_no_word_and_not_the_same_twice() -> None:
    drawn = {
        new_sentinel(random.Random(seed))  # noqa: S311  (seeded on purpose)
        for seed in range(200)
    }

    assert len(drawn) == 200
    assert all(len(one) == 6 and not set(one) & set("aeiou") for one in drawn)


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", ReplyForm.SEARCH_REPLACE),
        ("--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-a\n+b", ReplyForm.UNIFIED_DIFF),
        ("*** Begin Patch\n*** Update File: app.py\n@@\n-a\n+b\n*** End Patch", ReplyForm.APPLY_PATCH),
        ("```python\ndef f():\n    return 2\n```", ReplyForm.WHOLE),
        ("nothing to do", ReplyForm.NONE),
    ],
)
def test_the_form_is_told(reply: str, form: ReplyForm) -> None:
    assert read_reply(reply, files={"app.py": FILES["app.py"]}).form is form
