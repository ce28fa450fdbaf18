"""Clean controls: each change gives another text that does the same."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensemble_lsp.bench.mutation.controls import CHANGES, controls_of
from ensemble_lsp.bench.mutation.functions import functions_of
from ensemble_lsp.bench.mutation.source import Source, applied
from tests.bench.mutation_examples import Example, examples

EXAMPLES = examples("controls.txt")
BY_NAME = {change.name: change for change in CHANGES}


def all_controls(name: str, text: str) -> list[str]:
    source = Source(text)
    return [
        applied(text, edits)
        for function in functions_of(source)
        for edits in BY_NAME[name].places(source, function)
    ]


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_a_change_gives_these_versions_and_no_others(example: Example) -> None:
    assert sorted(all_controls(example.name, example.before)) == sorted(example.after)


def test_each_change_has_an_example() -> None:
    assert {example.name for example in EXAMPLES} == set(BY_NAME)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mirrored comparison", "def f(a):\n    return g() < h()\n"),
        ("chain of comparisons taken apart", "def f(a, b):\n    return a < g() < b\n"),
        ("empty collection by its name", "def f(list):\n    return []\n"),
        ("format instead of an f-string", 'def f(a):\n    return f"{a.b} {a}"\n'),
        ("format instead of an f-string", 'def f(a):\n    return f"{{}} {a}"\n'),
        ("format instead of an f-string", 'def f(a):\n    return rf"\\d {a}"\n'),
        ("format instead of an f-string", 'def f(BULLET):\n    return f"\\N{BULLET} {BULLET}"\n'),
        ("arguments by name reordered", "def f():\n    return g(a=h(), b=k())\n"),
        ("arguments by name reordered", "def f():\n    return dict(a=1, b=2)\n"),
        (
            "branches swapped",
            "def f(a):\n    if a:\n        g()\n    elif c:\n        h()\n    else:\n        k()\n",
        ),
        (
            "branches swapped",
            "def f(a):\n    if a:\n        g()\n    # why\n    else:\n        h()\n",
        ),
        (
            "else dropped",
            'def f(a):\n    if a:\n        return 1\n    else:\n        return """\n        x"""\n',
        ),
        ("condition split", "def f(a, b):\n    if a or b:\n        g()\n"),
        ("condition split", "def f(a, b):\n    if a and b:\n        g()\n    else:\n        h()\n"),
        ("local renamed", "def f(a):\n    b = a\n    return f'{b}'\n"),
        ("local renamed", "def f(a):\n    b = a\n    return locals()\n"),
        ("local renamed", "def f(a):\n    global b\n    b = a\n"),
        ("local renamed", "def f(a):\n    b = a\n    return [b for b in b]\n"),
        ("local renamed", "def f(a=b):\n    b = a\n    return b\n"),
        ("local renamed", "def f(a):\n    a = a + 1\n    return a\n"),
        ("local renamed", "def f(a):\n    b = a\n    def g():\n        return b\n    return g\n"),
        ("assignments reordered", "def f():\n    a = 1\n    b = a\n    return b\n"),
        ("assignments reordered", "def f():\n    a = g()\n    b = h()\n    return a, b\n"),
        ("accumulation written out", "def f(a, b):\n    a += b\n    return a\n"),
        ("accumulation written out", "def f(a):\n    a += 'xy'\n    return a\n"),
        ("result inlined", "def f(a):\n    b = a + 1\n    g(b)\n    return b\n"),
    ],
)
def test_nothing_is_changed_where_it_could_make_a_difference(name: str, text: str) -> None:
    assert all_controls(name, text) == []


RUNNABLE = """
def classify(n, low, high):
    if low <= n < high:
        word = "inside"
    else:
        word = "outside"
    if not n in (0, 1) and n > low:
        word = f"{word!s:>10} {n}"
    return word if not (n and low) else word.upper()


def collect(n, low, high):
    found = []
    count = 0
    last = None
    for i in range(min(n, 20)):
        if i > low and i != high:
            found.append(i)
        count += 1
        if not i and not low:
            continue
        last = i
    if not found:
        return [], count
    else:
        result = sorted(found, key=abs, reverse=True)
        return result, count if count else last


def first(n, low, high):
    try:
        seen = {}
        for key in (n, low, high):
            if key in seen:
                return {"key": key, "seen": len(seen)}
            seen[key] = None
        return dict(low=low, high=high)
    finally:
        n = n - 1


class Range:
    def __init__(self, n, low, high):
        self.ends = [low, high]
        self.n = n

    def reach(self):
        if self.n < 0:
            return -1
        else:
            reach = self.n * 2
            reach += 1
            return reach
"""


def behaviour(text: str, arguments: tuple[int, int, int]) -> list[object]:
    space: dict[str, object] = {}
    exec(compile(text, "<control>", "exec"), space)  # noqa: S102 - our own example
    told: list[object] = []
    for name in ("classify", "collect", "first"):
        try:
            told.append(copy.deepcopy(space[name](*arguments)))  # pyright: ignore[reportCallIssue, reportUnknownArgumentType]
        except Exception as problem:  # noqa: BLE001 - that it fails the same way is the question
            told.append(repr(problem))
    told.append(space["Range"](*arguments).reach())  # pyright: ignore[reportCallIssue, reportUnknownArgumentType]
    return told


CONTROLS = [
    text
    for function in functions_of(Source(RUNNABLE))
    for name in BY_NAME
    for edits in BY_NAME[name].places(Source(RUNNABLE), function)
    for text in [applied(RUNNABLE, edits)]
]


def test_the_runnable_program_has_most_kinds_of_changes() -> None:
    source = Source(RUNNABLE)
    kinds = {
        control.name for function in functions_of(source) for control in controls_of(source, function, "1")
    }
    assert len(kinds) >= 12


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.integers(-3, 30)] * 3))
def test_controls_do_what_the_original_does(arguments: tuple[int, int, int]) -> None:
    expected = behaviour(RUNNABLE, arguments)
    for text in CONTROLS:
        assert behaviour(text, arguments) == expected, text
