"""What a line stands in, by indentation and keywords: the definition, whether it is a test, whether it is prose."""

import textwrap

import pytest

from ensemble_lsp.core.surroundings import MOST_LINES, Surroundings, surroundings

LANGUAGES = {
    "py": "python",
    "ts": "typescript",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "rb": "ruby",
    "c": "c",
    "md": "markdown",
    "txt": "plaintext",
}


def at_mark(path: str, text: str) -> Surroundings:
    """Return what the line that holds `‸` stands in; with two marks what the lines between them do."""
    lines = textwrap.dedent(text).split("\n")
    marked = [number for number, line in enumerate(lines) if "‸" in line]
    clean = [line.replace("‸", "") for line in lines]

    def line_at(number: int) -> str:
        return clean[number] if 0 <= number < len(clean) else ""

    return surroundings(line_at, marked[0], marked[-1], path, LANGUAGES[path.rpartition(".")[2]])


def name_at(path: str, text: str) -> str | None:
    found = at_mark(path, text).definition
    return None if found is None else found.name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def f():\n    a = 1‸\n", "f"),
        ("def f():‸\n    a = 1\n", "f"),
        ("@cached‸\n@other(1)\ndef f():\n    a = 1\n", "f"),
        ("class A:\n    def m(self):\n        return 1‸\n", "m"),
        ("class A:\n    x = 1‸\n\n    def m(self):\n        return 1\n", "A"),
        ("class A:\n    def m(self):\n        return 1\n‸\n    def n(self):\n        return 2\n", "m"),
        ("def f(\n    a,\n    b,\n):\n    return a‸\n", "f"),
        ("def f(\n    a,‸\n    b,\n):\n    return a\n", "f"),
        ("def f():\n    if x:\n        while y:\n            z()‸\n", "f"),
        ("def f():\n    try:\n        x()\n    except E:\n        y()‸\n", "f"),
        ("def f():\n    a = {\n        1: 2,\n    }\n    return a‸\n", "f"),
        ("def f():\n    a = 1\n# said in the first column\n    b = 2‸\n", "f"),
        ("async def f():\n    a = 1‸\n", "f"),
        ("def f():\n    def g():\n        pass\n    return g‸\n", "f"),
        ("x = 1‸\n", None),
        ("def f():\n    pass\n\n\nx = 1‸\n", None),
        ("if x:\n    y = 1‸\n", None),
        ("‸", None),
    ],
)
def test_definition_in_python(text: str, name: str | None) -> None:
    assert name_at("m.py", text) == name


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.ts", "export function total(a: number) {\n  return a;‸\n}\n", "total"),
        ("a.ts", "const total = (a) => {\n  return a;‸\n};\n", "total"),
        ("a.ts", "class Cart {\n  add(item: Item): void {\n    this.x = 1;‸\n  }\n}\n", "add"),
        ("a.ts", "class Cart {\n  private total = 0;‸\n}\n", "Cart"),
        ("a.ts", "function f() {\n  return 1;\n}‸\n", "f"),
        ("a.ts", "function f() {\n  return 1;\n}\nf();‸\n", None),
        ("a.go", "func (c *Cart) Total() int {\n\treturn 1‸\n}\n", "Total"),
        ("a.rs", "impl Cart {\n    pub fn total(&self) -> u32 {\n        1‸\n    }\n}\n", "total"),
        ("A.java", "class Cart {\n    public int total() {\n        return 1;‸\n    }\n}\n", "total"),
        ("a.rb", "class Cart\n  def total\n    1‸\n  end\nend\n", "total"),
        ("a.c", "static int total(int a)\n{\n    return a;‸\n}\n", "total"),
    ],
)
def test_definition_in_other_languages(path: str, text: str, name: str | None) -> None:
    assert name_at(path, text) == name


@pytest.mark.parametrize(
    ("path", "text", "in_test"),
    [
        ("test_a.py", "def test_total():\n    assert total([])‸ == 0\n", True),
        ("test_a.py", "class TestCart:\n    def test_total(self):\n        x()‸\n", True),
        ("test_a.py", "class TestCart:\n    def helper(self):\n        x()‸\n", True),
        ("test_a.py", "def helper():\n    x()‸\n", False),
        ("a.py", "def testimony():\n    x()‸\n", False),
        ("a.py", "def contest():\n    x()‸\n", False),
        ("a.ts", "describe('cart', () => {\n  it('adds', () => {\n    x();‸\n  });\n});\n", True),
        ("a.ts", "test.each([1])('adds %d', (n) => {\n  x();‸\n});\n", False),
        ("a.ts", "test('adds', () => {\n  x();‸\n});\n", True),
        ("a.go", "func TestTotal(t *testing.T) {\n\tx()‸\n}\n", True),
        ("a.rs", "#[test]\nfn adds() {\n    x();‸\n}\n", True),
        ("a.rs", "#[tokio::test]\nasync fn adds() {\n    x();‸\n}\n", True),
        ("a.rs", "fn latest() {\n    x();‸\n}\n", False),
        ("A.java", "class A {\n    @Test\n    void adds() {\n        x();‸\n    }\n}\n", True),
        ("A.java", "class A {\n    @ParameterizedTest\n    void adds() {\n        x();‸\n    }\n}\n", True),
    ],
)
def test_being_in_a_test(path: str, text: str, in_test: bool) -> None:
    assert at_mark(path, text).in_test is in_test


@pytest.mark.parametrize(
    ("path", "text", "prose"),
    [
        ("a.md", "Some words.‸\n", True),
        ("a.txt", "Some words.‸\n", True),
        ("a.py", "# some words‸\n", True),
        ("a.py", "# some words‸\n# and more‸\n", True),
        ("a.py", "# some words‸\nx = 1‸\n", False),
        ("a.py", 'def f():\n    """Some words.‸"""\n', True),
        ("a.py", 'def f():\n    """Some words.\n\n    And more.‸\n    """\n    x = 1\n', True),
        ("a.py", 'def f():\n    """Some words."""\n    x = 1‸\n', False),
        ("a.py", '"""Words of a module.\n\nAnd more.‸\n"""\nx = 1\n', True),
        ("a.py", "x = 1‸\n", False),
        ("a.py", "‸\n", False),
        ("a.ts", "/**\n * Some words.‸\n */\n", True),
        ("a.ts", "// some words‸\n", True),
        ("a.c", "#include <x.h>‸\n", False),
        ("a.rs", "#[derive(Debug)]‸\nstruct A;\n", False),
    ],
)
def test_prose(path: str, text: str, prose: bool) -> None:
    assert at_mark(path, text).prose is prose


def test_document_of_prose_has_no_definitions() -> None:
    assert at_mark("a.md", "```python\ndef f():\n    x = 1‸\n```\n").definition is None


def test_very_long_definition_is_given_up() -> None:
    lines = ["def f():", *("    x = 1" for _ in range(2 * MOST_LINES))]

    def line_at(number: int) -> str:
        return lines[number] if 0 <= number < len(lines) else ""

    assert surroundings(line_at, MOST_LINES + 1, MOST_LINES + 1, "m.py", "python").definition is None
    assert surroundings(line_at, MOST_LINES - 1, MOST_LINES - 1, "m.py", "python").definition is not None
