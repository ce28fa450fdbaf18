"""Small changes that may repair a function: which there are, in which order, and what they leave alone."""

import ast

import pytest

from ensemble_lsp.checks.repairs import Repair, repairs_of


def _repairs(text: str, most: int = 999, lines: dict[int, float] | None = None) -> tuple[Repair, ...]:
    return repairs_of("a.py", text, lines or dict.fromkeys(range(99), 0.0), most=most)


def _bodies(body: str, head: str = "def f(a, b):") -> set[str]:
    """Return what becomes of a function's one line."""
    return {repair.text.splitlines()[1].strip() for repair in _repairs(f"{head}\n    {body}\n")}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a < b", "return a > b"),
        ("return a and b", "return a or b"),
        ("return a - b", "return a // b"),
        ("return a ^ b", "return a & b"),
        ("a -= b", "a //= b"),
        ("a += b", "a = b"),
        ("return 2", "return 1"),
        ("return True", "return False"),
        ("return range(a)", "return range(a + 1)"),
        ("return range(3, a)", "return range(a)"),
        ("return a[b]", "return a[b - 1]"),
        ("return a[b:]", "return a[b + 1:]"),
        ("return a if b < len(a) else b", "return a if b < len(a) - 1 else b"),
        ("return min(a, b)", "return max(a, b)"),
        ("return a.upper()", "return a.lower()"),
        ("return a", "return b"),
        ("return a % b", "return b % a"),
        ("return f(a, b)", "return f(b, a)"),
        ("return a + b", "return a"),
        ("return len(a)", "return a"),
        ("return not a", "return (a)"),
        ("return f(a)", "return f(a - b)"),
        ("return f(a)", "return f(a[b:])"),
        ("return sorted(a)", "return sorted(list(set(a)))"),
        ("return []", "return [[]]"),
        ("return f(a)", "return f(f(a))"),
        ("a.append(b)", "pass"),
        ("a + b", "return a + b"),
        ("f(a - 1, b)", "return f(a - 1, b)"),
    ],
)
def test_the_kinds_of_repair(body: str, expected: str) -> None:
    assert expected in _bodies(body)


def test_a_loop_that_ends_too_early_goes_on() -> None:
    text = "def f(a):\n    for x in a:\n        break\n"
    assert "def f(a):\n    for x in a:\n        continue\n" in {repair.text for repair in _repairs(text)}


@pytest.mark.parametrize("start", ["total = 0", "total: int = 0"])
def test_a_value_that_a_loop_overwrites_is_added(start: str) -> None:
    text = f"def f(a):\n    {start}\n    for x in a:\n        total = x\n    return total\n"
    made = {repair.text: repair.what for repair in _repairs(text)}
    assert made[text.replace("total = x", "total += x")] == "= became +="


def test_only_what_ends_a_block_is_returned() -> None:
    text = "def f(a):\n    a.sort()\n    if a:\n        len(a)\n    print(a)\n    'x'\n    yield a\n"
    made = [repair.line for repair in _repairs(text) if repair.what.endswith("is returned")]
    assert made == [3]


def test_an_item_that_a_loop_overwrites_is_added() -> None:
    text = "def f(a):\n    c = dict.fromkeys(a, 0)\n    while a:\n        c[a.pop()] = 1\n    return c\n"
    assert text.replace("] = 1", "] += 1") in {repair.text for repair in _repairs(text)}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def f(a):\n    b = 0\n    b = a\n    return b\n", []),
        ("def f(a):\n    for x in a:\n        b = x\n        b = a\n    return b\n", [3]),
        ("def f(a):\n    b = 0\n    for x in a:\n        b = c = x\n    return b\n", []),
    ],
)
def test_nothing_is_added_outside_of_loops_nor_to_a_name_that_has_no_value_yet(
    text: str, lines: list[int]
) -> None:
    assert [repair.line for repair in _repairs(text) if repair.what == "= became +="] == lines


def test_no_condition_stays_as_it_is() -> None:
    text = "def f(a):\n    if a:\n        return 1\n    return 0\n"
    assert text.replace("if a:", "if not (a):") in {repair.text for repair in _repairs(text)}


def test_docstrings_annotations_and_default_values_are_left_alone() -> None:
    text = 'def f(a: int = 3) -> "x < y":\n    """Return 4 < 5."""\n    b: int = a\n    return b\n'
    for repair in _repairs(text):
        changed = repair.text.splitlines()
        assert changed[:2] == text.splitlines()[:2], str(repair)
        assert "b: int =" in changed[2] or changed[2].strip() == "pass", str(repair)


def test_only_the_lines_asked_for_change() -> None:
    text = "def f(a, b):\n    c = a < b\n    d = a > b\n    return c\n"
    repairs = _repairs(text, lines={2: 1.0})
    assert repairs
    for repair in repairs:
        lines = repair.text.splitlines()
        assert (lines[1], lines[3], repair.line) == ("    c = a < b", "    return c", 2)


def test_the_suspicious_line_comes_first() -> None:
    text = "def f(a, b):\n    c = a < b\n    d = a < b\n    return c, d\n"
    assert _repairs(text, lines={1: 0.2, 2: 0.9, 3: 0.2})[0].line == 2


def test_every_other_byte_stays() -> None:
    text = "def f(é, b):\r\n\tx = '\u2028'\r\n\treturn é <  b # ö\r\n"
    assert "def f(é, b):\r\n\tx = '\u2028'\r\n\treturn é <=  b # ö\r\n" in {
        item.text for item in _repairs(text)
    }


def test_all_of_them_parse_and_no_two_mean_the_same() -> None:
    text = (
        "def f(a, b):\n    for i in range(1, len(a)):\n        if a[i] == b and not a[i - 1]:\n"
        "            return max(i, 0)\n    return -1\n"
    )
    repairs = _repairs(text)
    trees = {ast.dump(ast.parse(repair.text)) for repair in repairs}
    assert len(trees) == len(repairs) > 50
    assert ast.dump(ast.parse(text)) not in trees


def test_they_are_bounded_and_always_the_same() -> None:
    text = "def f(a, b):\n    return [a[i] + b[i] < 3 for i in range(len(a)) if a[i] != b[i]]\n"
    assert len(_repairs(text, most=7)) == 7
    assert _repairs(text, most=7) == _repairs(text)[:7]


def test_what_does_not_parse_has_no_repair() -> None:
    assert _repairs("def f(:\n    return 1\n") == ()


@pytest.mark.parametrize(
    ("body", "changed", "size"),
    [
        ("return a < b", "return a <= b", 1),
        ("return a", "return set(a)", 6),
        ("return len(a)", "return a", 6),
    ],
)
def test_the_size_of_a_change_is_what_both_texts_do_not_share(body: str, changed: str, size: int) -> None:
    text = f"def f(a, b):\n    {body}\n"
    found = next(repair for repair in _repairs(text) if repair.text.splitlines()[1].strip() == changed)
    assert found.size == size
