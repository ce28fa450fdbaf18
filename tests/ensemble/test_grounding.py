"""Whether what is cited is there."""

import pytest

from ensemble_lsp.ensemble.grounding import Place, find_quote, has_symbol, lines_of, symbol_lines

LINES = [
    "def f(x):",
    "    y = x",
    "    return y",
    "",
    "def g(x):",
    "    y = x",
    "    return y + 1  # one more",
]


@pytest.mark.parametrize(
    ("quote", "line", "place"),
    [
        ("    return y", 2, Place(2, 2, "return y")),
        ("return y", 4, Place(2, 2, "return y")),
        ("return y", 40, Place(2, 2, "return y")),
        ("y = x", 0, Place(1, 1, "y = x")),
        ("y = x", 6, Place(5, 5, "y = x")),
        ("3| return y", 2, Place(2, 2, "return y")),
        ("def g(x):\n    y = x", 4, Place(4, 5, "def g(x):")),
        ("\n\nreturn y\n", 2, Place(2, 2, "return y")),
        ("return y + 1", 0, Place(6, 6, "return y + 1  # one more")),
    ],
    ids=[
        "there",
        "near",
        "only once, far from where it was said to be",
        "twice: the nearer",
        "twice: the other one",
        "with the line number that the prompt shows",
        "two lines",
        "with empty lines around",
        "a part that only one line has",
    ],
)
def test_a_quote_is_placed(quote: str, line: int, place: Place) -> None:
    assert find_quote(LINES, quote, line) == place


@pytest.mark.parametrize("quote", ["", "   \n", "return z", "return Y", "x", "def f(x):\n    return y"])
def test_a_quote_that_is_not_there_is_not_placed(quote: str) -> None:
    assert find_quote(LINES, quote, 0) is None


def test_a_quote_cut_off_by_the_length_limit_counts_by_its_beginning() -> None:
    long_line = "value = " + "a" * 500
    assert find_quote([long_line], long_line[:300], 0) is not None


def test_only_lf_cr_and_crlf_end_a_line() -> None:
    assert lines_of("a\u2028b\x0cc\r\nd\re\n") == ["a\u2028b\x0cc", "d", "e", ""]


@pytest.mark.parametrize(
    ("symbol", "found"),
    [("y", True), ("module.g", True), ("g()", True), ("h", False), ("", False), ("re", False)],
)
def test_a_symbol_is_a_word_of_the_text(symbol: str, found: bool) -> None:
    assert has_symbol("\n".join(LINES), symbol) is found


def test_symbol_lines_are_where_it_stands() -> None:
    assert symbol_lines(LINES, "g") == [4]
