"""Where written tests go, by the layout that a project has."""

import pytest

from ensemble_lsp.frameworks.python_home import python_home as home_of


@pytest.mark.parametrize(
    ("path", "files", "expected"),
    [
        ("cart.py", ["cart.py"], "test_cart.py"),
        ("cart.py", ["cart.py", "tests/test_pay.py"], "tests/test_cart.py"),
        ("shop/cart.py", ["shop/cart.py", "shop/__init__.py"], "tests/test_cart.py"),
        ("shop/cart.py", ["shop/test_pay.py"], "shop/test_cart.py"),
        ("src/shop/cart.py", ["tests/shop/test_pay.py"], "tests/shop/test_cart.py"),
        ("src/shop/cart.py", ["tests/test_cart.py", "tests/shop/test_pay.py"], "tests/test_cart.py"),
        ("shop/cart.py", ["tests/cart_test.py"], "tests/cart_test.py"),
        ("shop/cart.py", ["tests/pay_test.py", "tests/tax_test.py"], "tests/cart_test.py"),
        ("a/shop/cart.py", ["a/tests/test_x.py", "b/tests/test_y.py"], "a/tests/test_cart.py"),
        ("shop/__init__.py", ["tests/test_pay.py"], "tests/test_shop.py"),
        ("shop/cart.py", ["tests/test_cart.txt", "tests/cart.py"], "tests/test_cart.py"),
    ],
)
def test_tests_go_where_the_others_are(path: str, files: list[str], expected: str):
    assert home_of(path, [path, *files]) == expected
