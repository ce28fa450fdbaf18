"""What holds for every mutant and every control of every text: it parses, and all bytes around the place stay."""

import ast
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensemble_lsp.bench.mutation.controls import CHANGES, controls_of
from ensemble_lsp.bench.mutation.functions import Function, functions_of
from ensemble_lsp.bench.mutation.mutants import mutants_of
from ensemble_lsp.bench.mutation.operators import OPERATORS
from ensemble_lsp.bench.mutation.source import Source, applied
from ensemble_lsp.core.text import split_lines
from tests.bench.mutation_examples import examples

PROGRAMS = [example.before for file in ("operators.txt", "controls.txt") for example in examples(file)]
COMMENTS = [
    "",
    "# gewählt: ½ 🛒\n",
    "'''ä\n\n🎉'''\n",
    "x = '\u2028\u2029\x85'\n",
    "# \f form feed\n",
    "\n\n",
]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Several functions in one text: as methods or not, tabs or spaces, any line endings, odd characters between."""
    parts: list[str] = []
    for number, program in enumerate(draw(st.lists(st.sampled_from(PROGRAMS), min_size=1, max_size=3))):
        text = draw(st.sampled_from(COMMENTS)) + program
        if draw(st.booleans()):
            text = f"class C{number}:\n" + textwrap.indent(text.replace("'''ä\n\n🎉'''\n", ""), "    ")
        if draw(st.booleans()):
            text = text.replace("    ", "\t")
        if draw(st.booleans()):
            text = text.replace("  # ", "  # äöü 🛒 ").replace("return ", "return  ")
        parts.append(text)
    text = "".join(parts)
    ending = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = text.replace("\n", ending)
    return text.rstrip("\r\n") if draw(st.booleans()) else text


def changed_span(before: str, after: str) -> tuple[int, int]:
    """Return the lines of `before`, as a range of characters, outside which `after` is the same."""
    old, new = split_lines(before), split_lines(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return len("".join(old[:start])), len("".join(old[: len(old) - end]))


def spans_of_statements(source: Source, function: Function) -> list[tuple[int, int]]:
    """Return where the simple statements, the whole compound ones, and the function's head are, lines included."""
    head = (source.line_start(function.lines[0]), source.line_start(function.node.body[0].lineno))
    statements = [node for node in function.nodes if isinstance(node, ast.stmt)]
    return [
        head,
        *(
            (source.line_start(node.lineno - 1), source.line_start(node.end_lineno or node.lineno))
            for node in statements
        ),
    ]


@settings(max_examples=60, deadline=None)
@given(programs())
def test_a_mutant_parses_and_differs_within_one_statement_of_its_function(text: str) -> None:
    source = Source(text)
    for function in functions_of(source):
        spans = spans_of_statements(source, function)
        for mutant in mutants_of(source, function, "seed"):
            assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(text))
            start, end = changed_span(text, mutant.text)
            assert any(first <= start and end <= last for first, last in spans)


@settings(max_examples=60, deadline=None)
@given(programs())
def test_a_control_parses_and_leaves_all_other_functions_alone(text: str) -> None:
    source = Source(text)
    for function in functions_of(source):
        first, last = source.line_start(function.lines[0]), source.line_start(function.lines[1] + 1)
        for control in controls_of(source, function, "seed"):
            assert ast.dump(ast.parse(control.text)) != ast.dump(ast.parse(text))
            start, end = changed_span(text, control.text)
            assert first <= start
            assert end <= last


@settings(max_examples=40, deadline=None)
@given(programs())
def test_line_endings_stay_those_of_the_file(text: str) -> None:
    source = Source(text)
    kinds = {
        "\r\n": "\r\n" in text,
        "\n": "\n" in text.replace("\r\n", ""),
        "\r": "\r" in text.replace("\r\n", ""),
    }
    for function in functions_of(source):
        for made in (*mutants_of(source, function, "s"), *controls_of(source, function, "s")):
            rest = made.text.replace("\r\n", "")
            assert ("\r\n" in made.text) <= kinds["\r\n"]
            assert ("\n" in rest) <= kinds["\n"]
            assert ("\r" in rest) <= kinds["\r"]


@pytest.mark.parametrize("depth", [30, 90])
def test_deep_nesting_is_gone_through(depth: int) -> None:
    text = f"def f(a):\n    return {'(' * depth}a{' + 1)' * depth}\n"
    source = Source(text)
    assert list(mutants_of(source, functions_of(source)[0], "1"))


def test_edits_of_one_text_are_applied_from_its_end() -> None:
    source = Source("def f(ä, b):\n    return g('🛒', ä=ä, b=b)\n")
    change = next(item for item in CHANGES if item.name == "arguments by name reordered")
    (edits,) = change.places(source, functions_of(source)[0])
    assert applied(source.text, edits) == "def f(ä, b):\n    return g('🛒', b=b, ä=ä)\n"


def test_every_operator_and_every_change_survives_every_program() -> None:
    for text in PROGRAMS:
        source = Source(text)
        for function in functions_of(source):
            for maker in (*OPERATORS, *CHANGES):
                list(maker.places(source, function))
