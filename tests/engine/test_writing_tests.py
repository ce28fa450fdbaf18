"""Written tests: run in the sandbox, kept for the mutants that they kill, suspected bugs shown."""

import subprocess
import sys
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


SHOP_CASES = """\
import unittest


class TestShop(unittest.TestCase):
    def test_open(self):
        self.assertTrue(True)
"""


def with_own_python(root: Path) -> Path:
    """Give a project a Python of its own, which has nothing installed."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root / ".venv")], check=True)
    return root.resolve()


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


CASES = """\
```python
import unittest

from prices import doubled


class TestDoubled(unittest.TestCase):
    def setUp(self):
        self.price = 80

    def test_it_is_capped(self):
        self.assertEqual(doubled(self.price), 100)

    def test_it_is_doubled(self):
        for price in (1, 20):
            with self.subTest(price=price):
                self.assertEqual(doubled(price), 2 * price)

    def test_less_than_nothing_is_nothing(self):
        self.assertEqual(doubled(-1), 0)
```
"""


async def test_cases_of_unittest_run_without_pytest(tmp_path: Path):
    written(tmp_path, {"prices.py": CODE, "tests/__init__.py": "", "tests/test_shop.py": SHOP_CASES})
    root = with_own_python(tmp_path)
    prompts: list[str] = []
    result = await job(root, Action.TEST, {"a": CASES}, path="prices.py", lines=(3, 4), prompts=prompts)

    assert asked(prompts, "Write one unittest.TestCase class")
    assert result.status is Status.DONE, result.notes
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    text = after(result)["tests/test_prices.py"]
    assert text is not None
    assert text.startswith(
        "import unittest\nfrom prices import doubled\n\n\nclass TestDoubled(unittest.TestCase):"
    )
    assert "def test_less_than_nothing" not in text
    (bug,) = result.findings
    assert bug.title.endswith("test_less_than_nothing_is_nothing")
    assert (bug.evidence[0].witness, bug.evidence[0].summary) == ("unittest", "AssertionError: -2 != 0")
    assert "self.assertEqual(doubled(-1), 0)" in bug.evidence[0].log


async def test_without_pytest_its_tests_are_shown_and_nobody_is_asked_again(tmp_path: Path):
    written(tmp_path, {"prices.py": CODE})
    prompts: list[str] = []
    result = await job(
        with_own_python(tmp_path), Action.TEST, {"a": GOOD}, path="prices.py", lines=(3, 4), prompts=prompts
    )

    assert result.proposal is not None
    assert result.proposal.standing is Standing.UNVERIFIED
    assert "pytest is not installed for" in result.proposal.would_settle
    assert not asked(prompts, "They could not be run")


async def test_other_languages_are_refused_before_anything_is_asked(tmp_path: Path):
    root = written(tmp_path, {"prices.rs": "pub fn one() -> u8 { 1 }\n"})
    prompts: list[str] = []
    result = await job(root, Action.TEST, {"a": GOOD}, path="prices.rs", lines=(0, 1), prompts=prompts)

    assert (result.status, prompts) == (Status.FAILED, [])
    assert "tests are written for Python (pytest, unittest)" in result.reason
    assert "prices.rs is rust" in result.reason
