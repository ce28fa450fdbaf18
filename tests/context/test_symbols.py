# ruff: noqa: E501  (one line a case: the source as it is, and what is found in it)
"""Symbols, imports, identifiers and outlines of files in each language that is known."""

import pytest

from ensemble_lsp.context.skeleton import skeleton
from ensemble_lsp.context.symbols import (
    enclosing_symbol,
    identifiers_in,
    imports_of,
    symbols_of,
)

SOURCES: dict[str, tuple[str, list[str]]] = {
    "shop.py": (
        "import os\n\n@cache\ndef total(a,\n          b):\n    return a\n\nclass Cart:\n    async def add(self, x): ...\n\nLIMIT = 3\n",
        ["function total 2-5 head 4", "class Cart 7-8 head 7", "function add 8-8 head 8", "variable LIMIT 10-10 head 10"],
    ),
    "shop.js": (
        'import a from "./a";\nexport const f = (x) => {\n  return x;\n};\nexport default class A {\n  m(x) {\n    return 1;\n  }\n}\nconst N = 1;\n',
        ["function f 1-3 head 1", "class A 4-8 head 4", "method m 5-7 head 5", "variable N 9-9 head 9"],
    ),
    "shop.ts": (
        "interface I {\n  a: string;\n}\ntype T = string;\nenum E { A }\nabstract class A {\n  m(): void {\n  }\n}\n",
        ["interface I 0-2 head 0", "type T 3-3 head 3", "enum E 4-4 head 4", "class A 5-8 head 5", "method m 6-7 head 6"],
    ),
    "view.tsx": (
        "export function View(props: P) {\n  return <b>{props.x}</b>;\n}\n",
        ["function View 0-2 head 0"],
    ),
    "shop.go": (
        "package shop\n\ntype S struct {\n\ta int\n}\n\nfunc (s *S) Total() int {\n\treturn 1\n}\n\nfunc g() {\n}\n",
        ["struct S 2-4 head 2", "method Total 6-8 head 6", "function g 10-11 head 10"],
    ),
    "shop.rs": (
        "pub struct S {\n    a: i32,\n}\nimpl S {\n    fn m(&self) {\n    }\n}\nenum E { A }\nfn f() -> i32 {\n    1\n}\n",
        ["struct S 0-2 head 0", "impl S 3-6 head 3", "function m 4-5 head 4", "enum E 7-7 head 7", "function f 8-10 head 8"],
    ),
    "Shop.java": (
        "class Shop {\n  Shop() {\n  }\n  int m(int a) {\n    return 1;\n  }\n}\ninterface I {\n  void q();\n}\n",
        ["class Shop 0-6 head 0", "constructor Shop 1-2 head 1", "method m 3-5 head 3", "interface I 7-9 head 7", "method q 8-8 head 8"],
    ),
    "shop.c": (
        '#include "x.h"\nstatic int *f(int a)\n{\n  return 0;\n}\nstruct S {\n  int a;\n};\n',
        ["function f 1-4 head 2", "struct S 5-7 head 5"],
    ),
    "shop.cpp": (
        "namespace n {\nclass A {\n  void m() {\n  }\n};\n}\nvoid n::A::z() {\n}\ntemplate <typename T>\nT g(T a) {\n  return a;\n}\n",
        ["namespace n 0-5 head 0", "class A 1-4 head 1", "function m 2-3 head 2", "function z 6-7 head 6", "function g 8-11 head 9"],
    ),
    "Shop.cs": (
        "namespace N {\n  class A {\n    public int M(int a)\n    {\n      return 1;\n    }\n  }\n}\n",
        ["namespace N 0-7 head 0", "class A 1-6 head 1", "method M 2-5 head 3"],
    ),
    "shop.rb": (
        "module M\n  class A < B\n    def m(a)\n      a\n    end\n  end\nend\n",
        ["module M 0-6 head 0", "class A 1-5 head 1", "method m 2-4 head 2"],
    ),
    "shop.php": (
        "<?php\nfunction f($a) {\n  return 1;\n}\nclass A {\n  public function m() {\n  }\n}\n",
        ["function f 1-3 head 1", "class A 4-7 head 4", "method m 5-6 head 5"],
    ),
    "shop.lua": (
        "local function g()\n  return 1\nend\nfunction M.f(a)\n  return a\nend\nM.h = function()\nend\n",
        ["function g 0-2 head 0", "function f 3-5 head 3", "function h 6-7 head 6"],
    ),
    "Shop.kt": (
        "class A(val x: Int) {\n  fun m(a: Int): Int {\n    return 1\n  }\n}\nobject O {\n}\n",
        ["class A 0-4 head 0", "function m 1-3 head 1", "object O 5-6 head 5"],
    ),
    "Shop.swift": (
        "class A: B {\n  func m(a: Int) -> Int {\n    return 1\n  }\n}\nprotocol P {\n  func q()\n}\n",
        ["type A 0-4 head 0", "function m 1-3 head 1", "protocol P 5-7 head 5", "function q 6-6 head 6"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", SOURCES)
def test_symbols_have_their_name_kind_and_lines(path: str) -> None:
    text, expected = SOURCES[path]

    found = [
        f"{s.kind} {s.name} {s.start_line}-{s.end_line} head {s.header_end_line}"
        for s in symbols_of(path, text)
    ]

    assert found == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "import os, re\nfrom .x import (\n    a,\n)\nx = 1\n", ["0-0", "1-3"]),
        ("a.js", 'import a from "./a";\nconst b = require("./b");\nf();\n', ["0-0", "1-1"]),
        ("a.go", 'package a\n\nimport (\n\t"fmt"\n)\n', ["2-4"]),
        ("a.rs", "use crate::a::B;\nfn f() {}\n", ["0-0"]),
        ("a.java", "import a.b.C;\nclass D {}\n", ["0-0"]),
        ("a.c", '#include <x.h>\n#include "y.h"\n', ["0-0", "1-1"]),
        ("a.cs", "using System;\n", ["0-0"]),
        ("a.rb", 'require_relative "x"\n', ["0-0"]),
        ("a.php", "<?php\nuse A\\B;\n", ["1-1"]),
        ("a.lua", 'local x = require("x")\n', ["0-0"]),
        ("a.kt", "import a.b\nimport c.d\n\nfun f() {}\n", ["0-0", "1-1"]),
        ("a.swift", "import F\n", ["0-0"]),
    ],
)
def test_imports_are_found(path: str, text: str, expected: list[str]) -> None:
    assert [f"{i.start_line}-{i.end_line}" for i in imports_of(path, text)] == expected


def test_lines_end_as_in_editors_also_at_a_lone_carriage_return_and_not_at_form_feeds() -> None:
    text = "def a():\r    return 1\rdef b():\r\n    x = '\u2028\f'\n    return 2\n"

    assert [(s.name, s.start_line, s.end_line) for s in symbols_of("a.py", text)] == [
        ("a", 0, 1),
        ("b", 2, 4),
    ]


def test_lone_surrogates_of_undecodable_bytes_do_not_move_lines() -> None:
    text = "a = '\udcff\ud800é😀'\ndef f():\n    pass\n"

    assert [(s.name, s.start_line) for s in symbols_of("a.py", text)] == [("a", 0), ("f", 1)]


def test_a_file_that_does_not_parse_still_gives_the_symbols_around_the_error() -> None:
    text = "def a():\n    return 1\n\ndef b(:\n    x = (\n\ndef c():\n    return 3\n"

    assert "a" in {s.name for s in symbols_of("a.py", text)}


def test_the_innermost_symbol_encloses_a_line() -> None:
    text, _ = SOURCES["shop.py"]
    symbols = symbols_of("shop.py", text)

    enclosing = enclosing_symbol(symbols, 8, 8)

    assert enclosing is not None
    assert enclosing.name == "add"
    assert enclosing_symbol(symbols, 6, 6) is None


def test_identifiers_are_of_code_only_in_the_order_of_use() -> None:
    code = 'total = price(cart.items)  # not this\ns = "nor that"\ntotal += 1\n'

    assert identifiers_in(code, "python") == ("total", "price", "cart", "items", "s")


def test_a_language_without_a_grammar_gives_words_and_no_symbols() -> None:
    assert symbols_of("notes.txt", "def f(): pass\n") == ()
    assert imports_of("notes.txt", "import os\n") == ()
    assert identifiers_in("alpha beta alpha", "") == ("alpha", "beta")
    assert skeleton("notes.txt", "alpha\n") == ""


def test_the_skeleton_has_imports_and_heads_with_their_line_numbers() -> None:
    text, _ = SOURCES["shop.py"]

    assert skeleton("shop.py", text) == (
        " 1: import os\n 3: @cache\n 4: def total(a,\n 5:           b):\n 8: class Cart:\n"
        " 9:     async def add(self, x): ...\n11: LIMIT = 3\n"
    )


def test_a_short_skeleton_keeps_imports_and_what_is_near() -> None:
    text = "import os\n" + "".join(f"def f{n}():\n    return {n}\n" for n in range(20))

    assert skeleton("a.py", text, without=(21, 22), max_lines=3) == (
        " 1: import os\n20: def f9():\n24: def f11():\n"
    )
