"""Which lines a menu takes for a traceback's."""

import pytest

from ensemble_lsp.core.tracebacks import is_of_traceback


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        '  File "/srv/shop/cart.py", line 12, in total\n',
        "FAILED tests/test_cart.py::test_total - assert 3 == 6",
        "tests/test_cart.py:5: AssertionError",
        "src/cart.py:5: in total",
        "    at total (/srv/shop/cart.js:12:3)",
        "    at shop.Cart.total(Cart.java:12)",
        "    cart_test.go:12: total = 3, want 6",
        "thread 'main' panicked at src/main.rs:4:5:",
    ],
)
def test_frames_heads_and_summaries(line: str):
    assert is_of_traceback(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "total = 3",
        "we meet at noon",
        "see cart.py: it is short",
        "http://shop.example:80/",
        "# File a bug, line 3",
    ],
)
def test_other_lines(line: str):
    assert not is_of_traceback(line)
