"""Small changes that a good check should notice."""

import pytest

from ensemble_lsp.checks.mutants import MAX_MUTANTS, mutants_of
from ensemble_lsp.checks.witnesses.syntax import parse_errors


def _what(path: str, text: str, first: int = 0, last: int = 99) -> set[str]:
    return {mutant.what for mutant in mutants_of(path, text, first, last, most=99)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = a < b\n", "< became <="),
        ("x = a not in b\n", "not in became in"),
        ("x = a is b\n", "is became is not"),
        ("x = a and b\n", "and became or"),
        ("x = (a +\n     b)\n", "+ became -"),
        ("x += 1\n", "+= became -="),
        ("x = 7\n", "7 became 8"),
        ("x = 7\n", "7 became 6"),
        ("x = True\n", "True became False"),
        ("x = not a\n", "not was removed"),
        ("if a:\n    b()\n", "the condition was negated"),
        ("def f():\n    return a\n", "the result became None"),
        ("f(a, b)\n", "two arguments were swapped"),
        ("f(a)\n", "f(a) was removed"),
        ("while a:\n    break\n", "break became continue"),
    ],
)
def test_the_kinds_of_change(text: str, expected: str) -> None:
    assert expected in _what("a.py", text)


@pytest.mark.parametrize(
    "text", ['"""Docstring."""\n', "x = '%s' % a\n", "def f():\n    return None\n", "import a\n", "# x < y\n"]
)
def test_what_is_left_alone(text: str) -> None:
    assert _what("a.py", text) <= {"x = '%s' % a was removed"}


def test_only_the_region_is_changed() -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    for mutant in mutants_of("a.py", text, 1, 1):
        lines = mutant.text.splitlines()
        assert (lines[0], lines[2], mutant.line) == ("a = 1", "c = 3", 1)


def test_every_other_byte_stays() -> None:
    text = "é = '\u2028'\r\nx = é and  b # ö\r\n"
    changed = {mutant.text for mutant in mutants_of("a.py", text, 0, 9)}
    assert "é = '\u2028'\r\nx = é or  b # ö\r\n" in changed


def test_they_are_few_and_always_the_same() -> None:
    text = "".join(f"x{number} = a + {number} < b\n" for number in range(50))
    mutants = mutants_of("a.py", text, 0, 99, seed="one")
    assert len(mutants) == MAX_MUTANTS
    assert mutants == mutants_of("a.py", text, 0, 99, seed="one")
    assert len({mutant.line for mutant in mutants}) == MAX_MUTANTS
    assert mutants != mutants_of("a.py", text, 0, 99, seed="two")


def test_none_fails_to_parse() -> None:
    text = "def f(a, b):\n    for x in a:\n        if x > b and not x == 3:\n            return g(x, b)\n"
    mutants = mutants_of("a.py", text, 0, 99, most=99)
    assert mutants
    assert all(parse_errors("a.py", mutant.text) == 0 for mutant in mutants)


_NUMBERS = ("1 became 2", "1 became 0", "2 became 3", "2 became 1")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.ts",
            "function f(a: Map<string>) { return a.x === 1 && b < 2; }\n",
            {"=== became !==", "&& became ||", "< became <=", "the result became undefined", *_NUMBERS},
        ),
        (
            "a.go",
            "package a\nfunc f(p *T) bool { return p.x+1 >= 2 }\n",
            {"+ became -", ">= became >", *_NUMBERS},
        ),
        (
            "a.rs",
            "fn f(a: &u8) -> bool { *a == 1 || true }\n",
            {"== became !=", "|| became &&", "true became false", "1 became 2", "1 became 0"},
        ),
        ("a.txt", "a == b\n", set[str]()),
    ],
)
def test_other_languages_by_their_operators(path: str, text: str, expected: set[str]) -> None:
    assert _what(path, text) - {"* became /"} == expected


@pytest.mark.parametrize(
    ("path", "text", "now"),
    [
        ("a.js", "if (a) b();\n", ["if (!(a)) b();\n", "if (a) ;\n"]),
        ("a.ts", "const f = (a: 4) => a;\n", ["const f = (a: 4) => undefined;\n"]),
        (
            "a.go",
            "package a\n\nfunc f(a [4]int) {\n\tif a {\n\t\tx = y\n\t}\n}\n",
            [
                "package a\n\nfunc f(a [4]int) {\n\tif !(a) {\n\t\tx = y\n\t}\n}\n",
                "package a\n\nfunc f(a [4]int) {\n\tif a {\n\t\t\n\t}\n}\n",
            ],
        ),
        ("a.go", "package a\n\nfunc f() {\n\tfor i = 07; ; {\n\t}\n}\n", []),
    ],
)
def test_conditions_results_and_statements_of_other_languages(path: str, text: str, now: list[str]) -> None:
    assert sorted(mutant.text for mutant in mutants_of(path, text, 0, 9, most=99)) == sorted(now)


def test_a_mutant_says_where_and_what() -> None:
    assert str(mutants_of("a.py", "\nx = a < b\n", 0, 9, most=99)[0]).startswith("line 2: ")


def test_a_right_test_of_a_clamp_was_called_weak_for_swapped_arguments_of_min_and_max() -> None:
    assert "two arguments were swapped" not in _what("a.py", "def clamp(x):\n    return max(0, min(x, 9))\n")


def test_annotations_are_left_alone_since_no_test_can_notice_them() -> None:
    text = (
        "def f(a: int | None = None) -> int | None:\n    b: dict[str, int | None] = {}\n    return b.get(a)\n"
    )
    assert all("&" not in mutant.text for mutant in mutants_of("a.py", text, 0, 2))
