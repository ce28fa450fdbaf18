"""Which files a report of a fault speaks of."""

from pathlib import Path

import pytest

from ensemble_lsp.context.definition_index import DefinitionIndex
from ensemble_lsp.context.likely_files import PLACES_AT_MOST, Place, likely_places
from ensemble_lsp.context.reading import Reader
from ensemble_lsp.settings import ContextTable

FILES = {
    "src/shop/cart.py": "class Cart:\n    def add(self, item):\n        self.items.append(item)\n",
    "src/shop/discounts.py": "def seasonal(price):\n    return price\n\n\ndef apply_discount(price, percent):\n"
    "    return price - percent\n",
    "src/shop/shipping.py": "def shipping_cost(weight):\n    return weight * 2\n",
    "src/shop/invoices.py": "def render(invoice):\n    return f'{invoice} is due'\n",
    "tests/test_discounts.py": "class TestDiscount:\n    def test_ten(self):\n        assert seasonal(100) == 90\n"
    "\n\ndef test_ten():\n    pass\n",
    "docs/notes.md": "shipping shipping shipping\n",
}


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return Reader.of(tmp_path, ContextTable(), trusted=False, overlays={})


def found(report: str, reader: Reader) -> tuple[Place, ...]:
    return likely_places(report, reader, DefinitionIndex())


def test_a_failing_test_that_is_named_comes_first_with_its_line(reader: Reader):
    report = "FAILED tests/test_discounts.py::TestDiscount::test_ten - AssertionError: assert 900 == 90"

    assert found(report, reader)[0] == Place("tests/test_discounts.py", 1, "the failing test", is_test=True)


def test_frames_of_a_traceback_come_innermost_first_and_strangers_not_at_all(reader: Reader):
    report = (
        "Traceback (most recent call last):\n"
        '  File "/srv/app/src/shop/cart.py", line 3, in add\n'
        '  File "/srv/app/src/shop/discounts.py", line 6, in apply_discount\n'
        '  File "/usr/lib/python3.11/decimal.py", line 6, in x\n'
        "TypeError: unsupported operand\n"
    )

    assert [(place.path, place.line) for place in found(report, reader)[:2]] == [
        ("src/shop/discounts.py", 5),
        ("src/shop/cart.py", 2),
    ]


def test_a_path_that_is_written_out_counts_even_without_its_folders(reader: Reader):
    assert found("Something is off in `invoices.py`.", reader)[0] == Place(
        "src/shop/invoices.py", None, "named in the report"
    )


def test_the_file_that_defines_a_name_of_the_report_comes_before_one_with_its_words(reader: Reader):
    first = found("Calling apply_discount() with 10 percent gives a wrong price in the cart.", reader)[0]

    assert first == Place("src/shop/discounts.py", 4, "defines apply_discount")


def test_words_alone_find_the_file_and_the_function(reader: Reader):
    first = found("The cost of shipping is too high for a small weight.", reader)[0]

    assert first == Place("src/shop/shipping.py", 0, "by its words")


@pytest.mark.parametrize("report", ["", "It does not work.", "../../etc/passwd:3: oops", "zebra"])
def test_a_report_that_points_nowhere_finds_nothing(reader: Reader, report: str):
    assert found(report, reader) == ()


def test_an_ignored_file_is_never_a_place(reader: Reader, tmp_path: Path):
    (tmp_path / ".ensembleignore").write_text("src/shop/shipping.py\n")
    now = Reader.of(tmp_path, ContextTable(), trusted=False, overlays={})

    report = "shipping_cost in src/shop/shipping.py:1: is wrong, says shipping weight"
    assert all(place.path != "src/shop/shipping.py" for place in found(report, now))


def test_there_are_never_more_places_than_members_can_be_shown(reader: Reader, tmp_path: Path):
    for number in range(20):
        (tmp_path / f"weight_{number}.py").write_text("def weight():\n    return 1\n")

    assert len(found("the weight() is wrong", reader)) == PLACES_AT_MOST
