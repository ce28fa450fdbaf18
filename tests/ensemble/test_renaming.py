"""A test file may follow a renaming; what it asserts may not change with it."""

import pytest

from ensemble_lsp.ensemble.renaming import only_names_changed

TEST = """\
from unittest import mock

from shop.cart import total


@mock.patch("shop.cart.total")
def test_total(patched):
    assert total([1, 2], rate=3) == 3
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assert total(", "assert sum_of_prices("),
        ("from shop.cart import total", "from shop.sums import total"),
        ("from shop.cart import total\n", "from shop.cart import total\nfrom shop import cart\n"),
        ('"shop.cart.total"', '"shop.sums.total"'),
        ("    assert", "    # the sum\n    assert"),
        ("rate=3", "percent=3"),
    ],
)
def test_names_imports_and_layout_may_change(old: str, new: str):
    assert only_names_changed(TEST, TEST.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("== 3", "== 4"),
        ("== 3", "!= 3"),
        ("[1, 2]", "[1]"),
        ("assert total", "total"),
        ("def test_total", "def test_sum"),
        ("def test_total", "async def test_total"),
        ('@mock.patch("shop.cart.total")\n', ""),
        ('"shop.cart.total"', '"shop.cart.other"'),
        ("total([1, 2], rate=3)", "len([1, 2], rate=3)"),
        ("assert total([1, 2], rate=3) == 3", "assert True"),
        (TEST, "def broken(:\n"),
    ],
)
def test_what_is_asserted_may_not(old: str, new: str):
    assert old in TEST
    assert not only_names_changed(TEST, TEST.replace(old, new))


def test_two_names_may_not_become_one():
    before = "def test_it():\n    assert first == second\n"
    assert not only_names_changed(before, before.replace("second", "first"))


def test_one_name_may_not_become_two():
    before = "def test_it():\n    assert f(1) == 2\n    assert f(2) == 3\n"
    assert not only_names_changed(before, before.replace("f(2)", "g(2)"))
