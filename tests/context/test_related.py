# ruff: noqa: E501  (one line a file: the source as it is)
"""What comes beside the focus: definitions in each language, tests, places that diagnostics point to."""

from pathlib import Path

import pytest

from ensemble_lsp.core.evidence import Diagnostic, Severity
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.settings import ContextTable
from tests.context.repository import repository
from tests.context.test_gather import gathered, whys

DEFINED: dict[str, dict[str, str]] = {
    "Python": {
        "shop/cart.py": "from shop.price import price_of\n\ndef total(items):\n    return sum(price_of(i) for i in items)\n",
        "shop/price.py": "def price_of(item):\n    return item.price\n",
        "other/price.py": "def price_of(item):\n    return 0\n",
    },
    "Python, relative": {
        "shop/cart.py": "from .price import price_of\nprice_of(1)\n",
        "shop/price.py": "def price_of(item):\n    return item.price\n",
    },
    "Python, a submodule": {
        "src/shop/cart.py": "from shop import price\nprice.price_of(1)\n",
        "src/shop/__init__.py": "",
        "src/shop/price.py": "def price_of(item):\n    return item.price\n",
    },
    "Python, a single name of another folder": {
        "tests/test_price.py": "from price import price_of\n\ndef test_it():\n    assert price_of(1)\n",
        "src/price.py": "def price_of(item):\n    return item.price\n",
    },
    "JavaScript": {
        "src/cart.js": 'const { priceOf } = require("./price");\nmodule.exports = (i) => priceOf(i);\n',
        "src/price.js": "function priceOf(item) {\n  return item.price;\n}\n",
    },
    "TypeScript with the ending of its output": {
        "src/cart.ts": 'import { priceOf } from "../lib/price.js";\nexport const t = (i: I) => priceOf(i);\n',
        "lib/price.ts": "export function priceOf(item: I): number {\n  return item.price;\n}\n",
    },
    "TSX from an alias": {
        "src/app/View.tsx": 'import { priceOf } from "@/lib/price";\nexport const V = () => <b>{priceOf(1)}</b>;\n',
        "src/lib/price/index.ts": "export const priceOf = (item: I) => {\n  return item.price;\n};\n",
    },
    "Go, another package": {
        "cart/cart.go": 'package cart\n\nimport "example.com/shop/price"\n\nfunc Total() int {\n\treturn price.Of(1) + price.OfAll()\n}\n',
        "price/price.go": "package price\n\nfunc OfAll() int {\n\treturn 1\n}\n",
    },
    "Go, the same package": {
        "cart/cart.go": "package cart\n\nfunc Total() int {\n\treturn priceOf(1)\n}\n",
        "cart/price.go": "package cart\n\nfunc priceOf(i int) int {\n\treturn i\n}\n",
    },
    "Rust": {
        "src/cart.rs": "use crate::price::price_of;\n\npub fn total() -> i32 {\n    price_of(1)\n}\n",
        "src/price.rs": "pub fn price_of(i: i32) -> i32 {\n    i\n}\n",
    },
    "Java, by name": {
        "a/Cart.java": "package a;\nclass Cart {\n  int total() {\n    return Price.priceOf(1);\n  }\n}\n",
        "a/Price.java": "package a;\nclass Price {\n  static int priceOf(int i) {\n    return i;\n  }\n}\n",
    },
    "C, through its header": {
        "src/cart.c": '#include "price.h"\nint total(void)\n{\n  return price_of(1);\n}\n',
        "src/price.h": "int price_of(int i);\n",
        "src/price.c": "int price_of(int i)\n{\n  return i;\n}\n",
    },
    "C#, by name": {
        "Cart.cs": "class Cart {\n  int Total() {\n    return Price.PriceOf(1);\n  }\n}\n",
        "Price.cs": "class Price {\n  public static int PriceOf(int i) {\n    return i;\n  }\n}\n",
    },
    "Ruby": {
        "lib/cart.rb": "require_relative 'price'\nclass Cart\n  def total\n    price_of(1)\n  end\nend\n",
        "lib/price.rb": "def price_of(item)\n  item.price\nend\n",
    },
    "PHP, by name": {
        "cart.php": "<?php\nfunction total() {\n  return price_of(1);\n}\n",
        "price.php": "<?php\nfunction price_of($i) {\n  return $i;\n}\n",
    },
    "Lua": {
        "cart.lua": 'local price = require("price")\nprint(price.price_of(1))\n',
        "price.lua": "local M = {}\nfunction M.price_of(i)\n  return i\nend\nreturn M\n",
    },
    "Kotlin, by name": {
        "Cart.kt": "fun total(): Int {\n  return priceOf(1)\n}\n",
        "Price.kt": "fun priceOf(i: Int): Int {\n  return i\n}\n",
    },
    "Swift, by name": {
        "Cart.swift": "func total() -> Int {\n  return priceOf(1)\n}\n",
        "Price.swift": "func priceOf(_ i: Int) -> Int {\n  return i\n}\n",
    },
}


@pytest.mark.parametrize("case", DEFINED)
async def test_a_definition_that_the_focus_uses_comes_along(tmp_path: Path, case: str) -> None:
    repository(tmp_path, DEFINED[case])
    focus, defining = next(iter(DEFINED[case])), [path for path in DEFINED[case] if "rice" in path]

    dossier = await gathered(tmp_path, focus)

    found = [e for e in dossier.related if e.why.startswith("definition of ")]
    assert any(
        e.path in defining and e.why.lower().replace("_", "").endswith(("priceof", "ofall")) for e in found
    )
    assert not any(e.path.startswith("other/") for e in found)


async def test_a_method_called_on_an_object_is_found_by_its_name(tmp_path: Path) -> None:
    repository(
        tmp_path,
        {
            "a.py": "def show(order):\n    return order.discounted_total().get(1)\n",
            "orders.py": "class Order:\n    def discounted_total(self):\n        return 1\n\n    def get(self, x):\n        return x\n",
        },
    )

    assert whys(await gathered(tmp_path, "a.py")) == ["orders.py: definition of discounted_total"]


async def test_a_name_that_many_files_define_is_not_guessed(tmp_path: Path) -> None:
    files = {f"m{n}.py": "class A:\n    def handle_it(self):\n        pass\n" for n in range(5)}
    repository(tmp_path, {"a.py": "def f(x):\n    x.handle_it()\n", **files})

    assert whys(await gathered(tmp_path, "a.py")) == []


async def test_a_long_class_comes_as_heads_with_line_numbers(tmp_path: Path) -> None:
    methods = "".join(f"    def m{n}(self):\n" + "        x = 1\n" * 8 for n in range(12))
    repository(tmp_path, {"a.py": "from b import Big\nBig()\n", "b.py": f"class Big:\n{methods}"})

    (excerpt,) = (await gathered(tmp_path, "a.py")).related

    assert excerpt.why == "definition of Big, heads only, with their line numbers"
    assert excerpt.text.startswith("1: class Big:\n2:     def m0(self):\n11:     def m1(self):\n")


async def test_definitions_of_the_same_file_outside_the_excerpt_come_along(tmp_path: Path) -> None:
    filler = "".join(f"def f{n}():\n" + "    x = 1\n" * 9 for n in range(800))
    text = f"def helper(x):\n    return x\n\n{filler}\ndef last():\n    return helper(1)\n"
    repository(tmp_path, {"a.py": text})
    line = text.count("\n") - 1

    dossier = await gathered(tmp_path, "a.py", lines=(line, line + 1))

    assert "a.py: definition of helper" in whys(dossier)


async def test_tests_that_mention_the_symbol_come_along_those_of_the_file_first(tmp_path: Path) -> None:
    test = "from shop.cart import total\n\ndef test_total():\n    assert total([]) == 0\n\ndef test_else():\n    pass\n"
    repository(
        tmp_path,
        {
            "shop/cart.py": "def total(items):\n    return 0\n",
            "tests/test_all.py": test,
            "tests/test_cart.py": test,
            "tests/test_other.py": "def test_it():\n    total = 1\n",
        },
    )

    dossier = await gathered(tmp_path, "shop/cart.py", lines=(0, 1))

    assert [(e.path, e.text) for e in dossier.related if e.why == "test"] == [
        ("tests/test_cart.py", "def test_total():\n    assert total([]) == 0\n"),
        ("tests/test_all.py", "def test_total():\n    assert total([]) == 0\n"),
    ]


async def test_tests_are_shown_but_may_not_be_edited(tmp_path: Path) -> None:
    repository(
        tmp_path,
        {
            "cart.py": "from price import of\n\ndef total(items):\n    return of(items)\n",
            "price.py": "def of(x):\n    return x\n\ndef price_of(x):\n    return x\n",
            "test_cart.py": "from cart import total\n\ndef test_total():\n    assert total(1)\n",
        },
    )

    dossier = await gathered(tmp_path, "cart.py")

    assert "test_cart.py: test" in whys(dossier)
    assert "test_cart.py" not in dossier.files


async def test_a_test_in_blocks_is_cut_from_its_head(tmp_path: Path) -> None:
    repository(
        tmp_path,
        {
            "cart.ts": "export function total(a: number) {\n  return a;\n}\n",
            "cart.spec.ts": 'import { total } from "./cart";\n\ndescribe("cart", () => {\n  it("adds", () => {\n'
            "    const x = 1;\n    expect(total(x)).toBe(1);\n  });\n});\n",
        },
    )

    (excerpt,) = (await gathered(tmp_path, "cart.ts")).related

    assert excerpt.text.startswith('  it("adds", () => {\n')


async def test_places_of_diagnostics_in_other_files_are_shown(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "x = 1\n", "b.py": "y = 1\n\ndef g():\n    return z\n"})
    elsewhere = Diagnostic(
        path="b.py", line=3, end_line=3, severity=Severity.CRITICAL, source="t", code="c", message="no z"
    )

    dossier = await gathered(tmp_path, "a.py", diagnostics=(elsewhere,))

    assert whys(dossier) == ["b.py: a diagnostic points here"]
    assert dossier.related[0].text == "def g():\n    return z\n"


async def test_ignored_files_and_links_to_the_outside_are_never_related(tmp_path: Path) -> None:
    folder = repository(
        tmp_path / "w",
        {
            "a.py": "from b import one_b\nfrom c import one_c\nfrom d import one_d\none_b(one_c, one_d)\n",
            ".gitignore": "b.py\n",
            "b.py": "def one_b(*a):\n    pass\n",
            ".ensembleignore": "d.py\n",
            "d.py": "def one_d():\n    pass\n",
        },
    )
    (tmp_path / "c.py").write_text("def one_c():\n    pass\n")
    (folder / "c.py").symlink_to("../c.py")

    assert whys(await gathered(folder, "a.py")) == []


async def test_an_ignored_file_does_not_become_visible_by_being_open(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "from b import one_b\none_b()\n", ".gitignore": "b.py\n"})
    overlays = {"b.py": SourceText("def one_b():\n    pass\n")}

    assert whys(await gathered(tmp_path, "a.py", overlays=overlays)) == []


@pytest.mark.parametrize("trusted", [True, False])
async def test_include_globs_bring_files_back_in_trusted_folders_only(tmp_path: Path, trusted: bool) -> None:
    repository(tmp_path, {"a.py": "from b import one_b\none_b()\n", ".gitignore": "b.py\n"})
    (tmp_path / "b.py").write_text("def one_b():\n    pass\n")
    table = ContextTable(include=("b*",))

    dossier = await gathered(tmp_path, "a.py", table=table, trusted=trusted)

    assert whys(dossier) == (["b.py: definition of one_b"] if trusted else [])
