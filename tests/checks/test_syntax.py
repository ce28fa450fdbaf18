"""Counting parse errors, finding the symbol around a line, comparing texts by what they mean."""

import pytest

from ensemble_lsp.checks.witnesses.syntax import enclosing, language_of, normal_form, parse_errors

PYTHON = """import a

@deco
class Box:
    x = 1

    @property
    def size(self):
        return 1

    async def fill(self): pass

y = 2
"""


@pytest.mark.parametrize(
    ("path", "text", "errors"),
    [
        ("ok.py", "x = 1\n", 0),
        ("empty.py", "", 0),
        ("unclosed.py", "def f(:\n  pass\n", 1),
        ("outside.py", "return 1\n", 1),
        ("python2.py", "print 'x'\n", 1),
        ("newer.py", "type X = int\ndef f[T](x: T) -> T: return x\n", 0),
        ("quotes.py", "x = f'{d['a']}'\n", 0),
        ("undecodable.py", "x = '\udcff'\n", 0),
        ("nul.py", "\x00", 1),
        ("a.js", "const f = () => 1;\n", 0),
        ("a.tsx", "const f = () => <b>{x}</b>;\n", 0),
        ("a.go", "package a\nfunc f() int { return 1 }\n", 0),
        ("a.go", "package a\nfunc f( int { return 1 }\n", 1),
        ("a.rs", "fn f() -> i32 { 1 }\n", 0),
        ("cpp.h", "class A { public: int x; };\n", 0),
        ("a.yaml", "a: [1\n", 1),
        ("README.md", "# ((\n", None),
        ("notes.txt", "((", None),
    ],
)
def test_parse_errors_are_counted(path: str, text: str, errors: int | None) -> None:
    assert parse_errors(path, text) == errors


def test_deep_nesting_is_no_crash() -> None:
    assert isinstance(parse_errors("deep.py", "(" * 20_000 + ")" * 20_000), int)


@pytest.mark.parametrize(
    ("line", "symbol"),
    [
        (0, None),
        (2, ("Box", 2, 10)),
        (4, ("Box", 2, 10)),
        (6, ("size", 6, 8)),
        (8, ("size", 6, 8)),
        (9, ("Box", 2, 10)),
        (10, ("fill", 10, 10)),
        (12, None),
        (999, None),
    ],
)
def test_innermost_symbol_with_its_decorators(line: int, symbol: tuple[str, int, int] | None) -> None:
    assert enclosing("box.py", PYTHON, line) == symbol


@pytest.mark.parametrize(
    ("path", "text", "line", "symbol"),
    [
        ("a.ts", "class A {\n  foo(x: number) {\n    return 1;\n  }\n}\n", 2, ("foo", 1, 3)),
        ("a.ts", "const g = (x) => {\n  return x;\n};\n", 1, ("g", 0, 2)),
        ("a.go", "package a\nfunc (r *T) Name(x int) int {\n\treturn 1\n}\n", 2, ("Name", 1, 3)),
        ("a.rs", "impl Foo {\n\n  fn f() {\n    1;\n  }\n}\n", 1, ("Foo", 0, 5)),
        ("a.c", "static int *f(int x)\n{\n  return 0;\n}\n", 2, ("f", 0, 3)),
        ("a.java", "class A {\n  A() {\n    int x;\n  }\n}\n", 2, ("A", 1, 3)),
        ("a.rb", "class A\n  def f\n    1\n  end\nend\n", 2, ("f", 1, 3)),
        ("a.kt", "class A {\n  fun f(): Int {\n    return 1\n  }\n}\n", 2, ("f", 1, 3)),
        ("a.sh", "f() {\n  echo\n}\n", 1, ("f", 0, 2)),
        ("a.md", "# f\n", 0, None),
    ],
)
def test_symbols_of_other_languages(
    path: str, text: str, line: int, symbol: tuple[str, int, int] | None
) -> None:
    assert enclosing(path, text, line) == symbol


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("a.py", "def f(a):\n    # why\n    return (a+1)\n", "def f(a):\r\n\r\n  return a + 1\r\n"),
        ("a.js", "function f(a) { // x\n return a + 1 }", "function f(a) {\n\n return a+1\n}\n"),
        (
            "a.go",
            "package a\nfunc f() int { return 1 }\n",
            "package a\n\nfunc f() int {\n\treturn 1 // x\n}\n",
        ),
    ],
)
def test_comments_and_layout_do_not_count(path: str, one: str, other: str) -> None:
    assert normal_form(path, one) == normal_form(path, other)


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        ("a.js", "f('a  b')", "f('a b')"),
        ("a.js", "a + 1", "a - 1"),
        ("a.md", "a  \nb", "a\nb"),
        ("broken.py", "def f(:\n  pass", "def f(:\n    pass"),
    ],
)
def test_what_changes_the_meaning_counts(path: str, one: str, other: str) -> None:
    assert normal_form(path, one) != normal_form(path, other)


@pytest.mark.parametrize(
    ("path", "language"),
    [("src/A.PY", "python"), ("x\\Makefile", "make"), ("Dockerfile.dev", "dockerfile"), ("LICENSE", None)],
)
def test_language_by_name(path: str, language: str | None) -> None:
    assert language_of(path) == language
