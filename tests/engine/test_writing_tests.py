"""Written tests: run in the sandbox, kept for the mutants that they kill, suspected bugs shown."""

from pathlib import Path

from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.proposals import Standing
from tests.engine.action_jobs import after, asked, job, written

CODE = '''\
"""Prices."""


def doubled(price):
    """Return twice the price, at most 100."""
    return min(2 * price, 100)
'''
GOOD = """\
```python
import pytest
from prices import doubled


def test_it_is_doubled():
    assert doubled(20) == 40


def test_it_is_capped():
    assert doubled(80) == 100


def test_words_are_refused():
    with pytest.raises(TypeError):
        doubled(None)
```
"""
EDGE = """\
```python
from prices import doubled

PRICE = 20


def test_it_is_doubled():
    assert doubled(PRICE) == 40


def test_it_exists():
    assert doubled
```
"""


async def test_tests_of_several_members_make_one_file_each_kept_for_what_it_notices(tmp_path: Path):
    root = written(tmp_path, {"prices.py": CODE})
    result = await job(root, Action.TEST, {"a": GOOD, "b": EDGE}, path="prices.py", lines=(3, 4))

    assert result.status is Status.DONE
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert result.proposal.strength is not None
    assert not result.proposal.weak
    (text,) = after(result).values()
    assert text is not None
    assert list(after(result)) == ["test_prices.py"]
    assert text.startswith("import pytest\nfrom prices import doubled\n\n\n")
    assert "test_it_exists" not in text
    assert text.count("== 40") == 1
    assert "test_it_exists`: notices no change of the code" in result.document
    assert "notices the same as" in result.document
    assert (root / "test_prices.py").exists() is False


async def test_a_file_of_tests_that_exists_is_added_to_in_its_own_style(tmp_path: Path):
    existing = (
        "import unittest\r\n\r\nfrom prices import doubled\r\n\r\n\r\n"
        "class TestPrices(unittest.TestCase):\r\n"
        "    def test_one(self):\r\n        self.assertEqual(doubled(1), 2)\r\n"
    )
    root = written(
        tmp_path, {"shop/prices.py": CODE, "shop/__init__.py": "", "tests/test_prices.py": existing}
    )
    unit = """\
```python
import unittest

from shop.prices import doubled


class TestPrices(unittest.TestCase):
    def setUp(self):
        self.price = 80

    def test_cap(self):
        self.assertEqual(doubled(self.price), 100)
```
"""
    prompts: list[str] = []
    root_text = existing.replace("from prices", "from shop.prices")
    (root / "tests/test_prices.py").write_bytes(root_text.encode())
    result = await job(
        root,
        Action.TEST,
        {"a": unit, "b": unit},
        path="shop/prices.py",
        lines=(3, 4),
        prompts=prompts,
        mode=Mode.QUICK,
    )

    assert asked(prompts, "Write one unittest.TestCase class")
    text = after(result)["tests/test_prices.py"]
    assert text is not None
    assert text.startswith(root_text.rstrip())
    assert "\r\n\r\n\r\nclass TestPrices_2(unittest.TestCase):\r\n    def setUp(self):\r\n" in text
    assert "\n\n" not in text.replace("\r\n", "")


async def test_other_languages_are_refused_before_anything_is_asked(tmp_path: Path):
    root = written(tmp_path, {"prices.go": "package prices\n\nfunc One() int { return 1 }\n"})
    prompts: list[str] = []
    result = await job(root, Action.TEST, {"a": GOOD}, path="prices.go", lines=(2, 3), prompts=prompts)

    assert (result.status, prompts) == (Status.FAILED, [])
    assert "Python so far" in result.reason
