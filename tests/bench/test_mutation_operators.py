"""Mutation operators: each makes a mistake that people make, in one place, and nothing else."""

import pytest

from ensemble_lsp.bench.mutation.functions import functions_of
from ensemble_lsp.bench.mutation.mutants import mutant_by, mutants_of
from ensemble_lsp.bench.mutation.operators import OPERATORS
from ensemble_lsp.bench.mutation.source import Source, applied
from tests.bench.mutation_examples import Example, examples

EXAMPLES = examples("operators.txt")
BY_NAME = {operator.name: operator for operator in OPERATORS}


def all_mutants(operator: str, text: str) -> list[str]:
    source = Source(text)
    return [
        applied(text, (edit,))
        for function in functions_of(source)
        for edit in BY_NAME[operator].places(source, function)
    ]


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_operator_makes_these_mutants_and_no_others(example: Example) -> None:
    assert sorted(all_mutants(example.name, example.before)) == sorted(example.after)


def test_each_operator_has_an_example() -> None:
    assert {example.name for example in EXAMPLES} == set(BY_NAME)


def test_names_tell_operators_apart() -> None:
    assert len(BY_NAME) == len(OPERATORS)


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        ("dropped condition", "def f(a, b, c):\n    return (a) and (b + c)\n"),
        ("boundary of a comparison", "def f(a, b):\n    return (a <  # why\n b)\n"),
        ("forgotten statement", "def f(a):\n    print(a)\n"),
        ("forgotten statement", "def f(a):\n    b = a\n    return b\n"),
        ("forgotten statement", "def f(a): a += 1; return a\n"),
        ("forgotten guard", "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n"),
        (
            "forgotten guard",
            "def f(a):\n    if a:\n        b = 2\n    elif c:\n        return 1\n    return b\n",
        ),
        ("forgotten handler", "def f(a):\n    try:\n        g(a)\n    finally:\n        h()\n"),
        ("forgotten handler", 'def f(a):\n    try:\n        g("""x\n  y""")\n    except E:\n        h()\n'),
        ("swapped arguments", "def f(a, b):\n    return max(a, b)\n"),
        ("swapped arguments", "def f(a):\n    return g(a, 1)\n"),
        ("off by one", "def f():\n    return 404, 'x'[True:]\n"),
        ("off by one", "def f(x):\n    return f'{x[1]}'\n"),
        ("arithmetic", "def f(a: int | None) -> int | None:\n    b: int | str = a\n    assert a + 1\n"),
        ("other default", "def f(a='x', b=None):\n    return a\n"),
        ("wrong variable", "def f(a: int, b: str):\n    return a\n"),
        ("wrong variable", "def f(a):\n    if a:\n        b = 1\n    return a\n"),
        ("added not", "def f():\n    while True:\n        g()\n"),
    ],
)
def test_nothing_is_made_where_it_would_not_be_a_mistake_of_this_kind(operator: str, text: str) -> None:
    assert all_mutants(operator, text) == []


def test_there_is_at_most_one_mutant_of_each_kind_in_a_function() -> None:
    source = Source("def f(a, b):\n    if a < b:\n        return a\n    return a + b if b < a else 1\n")
    kinds = [mutant.operator for mutant in mutants_of(source, functions_of(source)[0], "1")]
    assert len(kinds) == len(set(kinds)) > 3


def test_the_seed_decides_the_place() -> None:
    source = Source("def f(a, b, c, d):\n    return a < b, b < c, c < d, a < d\n")
    function = functions_of(source)[0]

    def made(seed: str) -> str:
        mutant = mutant_by(source, function, BY_NAME["boundary of a comparison"], seed)
        assert mutant is not None
        return mutant.text

    assert made("1") == made("1")
    assert len({made(str(seed)) for seed in range(20)}) > 1


@pytest.mark.parametrize(
    "text", ["def f(:\n", "def f():\n    return '\ud800'\n", "x = " + "(" * 500, "def f():\n    break\n"]
)
def test_text_that_python_cannot_take_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"does not parse|surrogates"):
        Source(text)


def test_all_kinds_of_functions_are_seen_by_their_qualified_names() -> None:
    text = """\
from typing import overload

class Cart:
    @property
    def total(self):
        return self.x + 1

    @total.setter
    def total(self, value):
        self.x = value + 1

    @overload
    def get(self): ...

    def nothing(self):
        '''Only words.'''

    async def pay(self):
        def fee(x):
            return x * 2
        return await fee(1)

if True:
    def late():
        return 1
"""
    functions = functions_of(Source(text))
    assert [item.name for item in functions] == [
        "Cart.total",
        "Cart.total#2",
        "Cart.pay",
        "Cart.pay.fee",
        "late",
    ]
    assert functions[1].symbol == "Cart.total"
    assert functions[0].lines == (3, 5)


def test_what_an_inner_function_does_is_not_the_outer_ones() -> None:
    source = Source("def outer(a):\n    def inner(b):\n        return b + 1\n    return inner(a) - 1\n")
    outer, inner = functions_of(source)
    assert {mutant.text for mutant in mutants_of(source, outer, "1")}.isdisjoint(
        {mutant.text for mutant in mutants_of(source, inner, "1")}
    )
    assert inner.ran_by == {2}
    assert outer.ran_by == {3}


def test_five_thousand_lines_are_gone_through() -> None:
    text = "".join(
        f"def f{n}(a, b):\n    if a < b:\n        return a + {n}\n    return b\n\n" for n in range(1000)
    )
    source = Source(text)
    functions = functions_of(source)
    mutant = mutant_by(source, functions[-1], BY_NAME["boundary of a comparison"], "1")
    assert len(functions) == 1000
    assert mutant is not None
    assert mutant.text.startswith(text[:-60])
