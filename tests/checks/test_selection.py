"""Which tests are chosen for a file."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ensemble_lsp.checks.selection import choose_tests, imported_modules, module_names
from ensemble_lsp.checks.witness import Project
from ensemble_lsp.core.text import SourceText


def _project(files: Mapping[str, str]) -> Project:
    return Project(
        Path("/workspace"), frozenset(files), frozenset(), lambda path: SourceText(files[path]), True
    )


def test_tests_that_import_the_module_come_with_those_that_name_the_symbol_first() -> None:
    files = {
        "src/shop/cart.py": "def total(): ...\n",
        "tests/test_a.py": "from shop.cart import count\n",
        "tests/test_b.py": "from shop import cart\ncart.total()\n",
        "tests/test_other.py": "import json\n",
    }
    assert choose_tests(_project(files), ["src/shop/cart.py"], ["total"]) == (
        "tests/test_b.py",
        "tests/test_a.py",
    )


def test_a_test_file_named_after_the_module_counts() -> None:
    files = {"cart.py": "", "tests/test_cart.py": "import importlib\n", "tests/test_x.py": ""}
    assert choose_tests(_project(files), ["cart.py"]) == ("tests/test_cart.py",)


def test_tests_reach_a_module_through_its_package() -> None:
    files = {
        "shop/__init__.py": "from .cart import total\n",
        "shop/cart.py": "",
        "tests/test_api.py": "from shop import (\n    total,\n)\n",
        "tests/test_x.py": "",
    }
    assert choose_tests(_project(files), ["shop/cart.py"], ["total"]) == ("tests/test_api.py",)


def test_a_test_file_in_question_comes_first() -> None:
    files = {"cart.py": "", "tests/test_cart.py": "import cart\n", "tests/test_y.py": "import cart\n"}
    chosen = choose_tests(_project(files), ["tests/test_y.py", "cart.py"])
    assert chosen == ("tests/test_y.py", "tests/test_cart.py")


def test_a_small_suite_runs_whole_when_nothing_names_the_module() -> None:
    files = {"cart.py": "", "tests/test_a.py": "", "tests/test_b.py": ""}
    assert choose_tests(_project(files), ["cart.py"]) == ("tests/test_a.py", "tests/test_b.py")


def test_a_large_suite_does_not() -> None:
    files = {"cart.py": "", **{f"tests/test_{number}.py": "" for number in range(30)}}
    assert choose_tests(_project(files), ["cart.py"]) == ()


def test_other_languages_have_no_pytest() -> None:
    assert choose_tests(_project({"a.go": "", "tests/test_a.py": ""}), ["a.go"]) == ()


@pytest.mark.parametrize(
    ("path", "text", "modules"),
    [
        ("t.py", "import a, b.c as d  # x\n", {"a", "b.c"}),
        ("t.py", "from a.b import c as d, e\n", {"a.b", "a.b.c", "a.b.e"}),
        ("t.py", "from a import (\n    b,\n    c,\n)\n", {"a", "a.b", "a.c"}),
        (
            "pkg/sub/t.py",
            "from . import a\nfrom ..b import c\n",
            {"pkg.sub", "pkg.sub.a", "pkg.b", "pkg.b.c"},
        ),
    ],
)
def test_imports_are_read(path: str, text: str, modules: set[str]) -> None:
    assert imported_modules(path, text) == modules


def test_a_file_has_several_names() -> None:
    assert module_names("src/shop/__init__.py") == {"src.shop", "shop"}
