"""Tests that forget to import what they test, or copy it, get the import; nothing else is made up."""

import pytest

from ensemble_lsp.ensemble.framework import TestModule
from tests.frameworks.looking import found

CODE = "import math\n\nRATE = 2\n\n\nclass Cart:\n    pass\n\n\ndef total(prices):\n    return sum(prices)\n"


def composed(written: str, existing: str = "", path: str = "src/shop/cart.py") -> str:
    framework = found(path, {path: CODE})
    module = framework.read(written)
    assert isinstance(module, TestModule), module
    return framework.composed(existing, [(module, module.units)])


def test_what_is_tested_is_imported_from_where_it_stands():
    text = composed("def test_total():\n    assert total([RATE]) == 2 and Cart()\n")

    assert text.startswith("from shop.cart import Cart, RATE, total\n\n\ndef test_total():")


def test_a_class_of_tests_and_what_tests_share_are_looked_into():
    written = (
        "import unittest\n\nSOME = Cart()\n\n\nclass TestCart(unittest.TestCase):\n"
        "    def setUp(self):\n        self.rate = RATE\n\n    def test_it(self):\n        assert SOME and self.rate\n"
    )

    assert "from shop.cart import Cart, RATE\n" in composed(written)


def test_a_copy_of_what_is_tested_gives_way_to_the_import():
    copy = "def total(prices):\n    return sum(prices)\n\n\n"
    own = "def some():\n    return [1]\n\n\n"

    assert composed(f"{copy}{own}def test_it():\n    assert total(some()) == 1\n") == (
        f"from shop.cart import total\n\n\n{own}def test_it():\n    assert total(some()) == 1\n"
    )


def test_pytest_itself_is_imported_where_it_is_used():
    written = "def test_total():\n    with pytest.raises(TypeError):\n        total(None)\n"

    assert composed(written).startswith("import pytest\nfrom shop.cart import total\n")


@pytest.mark.parametrize(
    ("written", "existing"),
    [
        ("from shop.cart import total\n\n\ndef test_it():\n    assert total([]) == 0\n", ""),
        ("from shop.cart import *\n\n\ndef test_it():\n    assert total([]) == 0\n", ""),
        ("from shop import cart as total\n\n\ndef test_it():\n    assert total\n", ""),
        ("def test_it(total):\n    assert total\n", ""),
        ("def test_it():\n    total = 1\n    assert total == RATIO\n", ""),
        ("def test_it():\n    assert total([]) == 0\n", "from shop import total\n"),
        ("def test_it():\n    assert math.inf and sum([])\n", "import math\n"),
    ],
)
def test_what_is_there_is_not_imported_again_and_other_names_are_not_guessed(written: str, existing: str):
    text = composed(written, existing)

    assert text.count("import") == (written + existing).count("import")


@pytest.mark.parametrize(
    "end", ["    assert total([", '    assert total(["a', "def test_b():\n", "def test_b(\n    fixture,\n"]
)
def test_an_answer_that_was_cut_off_loses_its_last_statement(end: str):
    text = composed(f"def test_a():\n    assert total([]) == 0\n{end}")

    assert text == "from shop.cart import total\n\n\ndef test_a():\n    assert total([]) == 0\n"


def test_what_does_not_parse_in_its_midst_is_not_read():
    module = found("cart.py", {"cart.py": CODE}).read(
        "def test_a(:\n    pass\n\n\ndef test_b():\n    assert 1\n"
    )

    assert isinstance(module, str)


def test_each_answer_gets_its_own_imports_and_one_line_stands_once():
    framework = found("cart.py", {"cart.py": CODE})
    modules = [framework.read(f"def test_{name}():\n    assert total([]) == 0\n") for name in ("a", "b")]
    read = [module for module in modules if isinstance(module, TestModule)]
    text = framework.composed("", [(module, module.units) for module in read])

    assert text.count("from cart import total") == 1
