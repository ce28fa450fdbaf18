"""A small workspace with a bug, and members on a fake model server: what the engine's and the product's tests share."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

BUGGY = textwrap.dedent(
    '''\
    """A small shopping cart."""


    def total(prices):
        """Return the sum of all prices."""
        result = 0
        for price in prices:
            result = price
        return result
    '''
)

FIXED = BUGGY.replace("result = price", "result += price")

TEST = textwrap.dedent(
    """\
    from cart import total


    def test_several():
        assert total([1, 2, 3]) == 6


    def test_none():
        assert total([]) == 0


    def test_one():
        assert total([5]) == 5
    """
)


def make_shop(folder: Path, *, ending: str = "\n") -> Path:
    """Write the workspace and return its root."""
    root = folder / "shop"
    root.mkdir(parents=True)
    (root / "cart.py").write_bytes(BUGGY.replace("\n", ending).encode())
    (root / "test_cart.py").write_text(TEST, encoding="utf-8")
    return root.resolve()


def whole_answer(source: str = FIXED) -> str:
    """Return what a member that is asked for whole functions writes."""
    function = source[source.index("def total") :]
    return f"The loop forgets the sum so far.\n\n```python\n{function}```\n"


def members(api_base: str, names: Sequence[str], **fields: object) -> list[dict[str, object]]:
    """Return a `[[panel]]` of members on a server, each of a family of its own unless `family` is given."""
    return [
        {
            "id": name,
            "model": f"openai/{name}",
            "api_base": api_base,
            "family": f"family-{name}",
            "edit_format": "whole",
            "price_in": 1.0,
            "price_out": 2.0,
            **fields,
        }
        for name in names
    ]
