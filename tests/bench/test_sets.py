"""Sets of small programs: what a line has to say, what the panel sees of it, and what judges it."""

import json
from pathlib import Path

import pytest

from ensemble_lsp.bench.sets import Seen, clean_controls, read_set
from ensemble_lsp.core.errors import UsageError

BUGGY = "def total(prices):\n    result = 0\n    for price in prices:\n        result = price\n    return result\n"
FIXED = BUGGY.replace("result = price", "result += price")
LINE: dict[str, object] = {
    "id": "shop-1",
    "source": "our own",
    "path": "cart.py",
    "symbol": "total",
    "buggy": BUGGY,
    "fixed": FIXED,
    "bug_type": "missing accumulation",
    "tests": {"test_cart.py": "from cart import total\n\ndef test_all():\n    assert total([1, 2]) == 3\n"},
    "visible_tests": "def check(total):\n    assert total([2]) == 2\n",
}


def written(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "set.jsonl"
    path.write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n",
        encoding="utf-8",
    )
    return path


def test_a_case_holds_the_buggy_program_its_tests_and_where_the_bug_is(tmp_path: Path) -> None:
    (case,) = read_set(written(tmp_path, LINE, ""))
    assert case.files == {"cart.py": BUGGY, **LINE["tests"]}  # pyright: ignore[reportGeneralTypeIssues]
    assert case.original == FIXED
    assert case.lines == (3, 3)
    assert (case.source, case.group, case.about) == ("set.jsonl", "shop-1", "missing accumulation")


def test_of_the_visible_variant_the_panel_sees_a_part_and_all_tests_judge(tmp_path: Path) -> None:
    (case,) = read_set(written(tmp_path, LINE), Seen.VISIBLE)
    assert "total([1, 2])" not in "".join(case.files.values())
    assert "def test_visible():\n    check(total)" in case.files["test_cart.py"]
    assert case.judged_by == LINE["tests"]


def test_a_third_of_listed_cases_is_the_visible_part(tmp_path: Path) -> None:
    tests = {"test_cart.py": "", "cases.json": json.dumps([[n, n] for n in range(7)])}
    (case,) = read_set(written(tmp_path, {**LINE, "visible_tests": "", "tests": tests}), Seen.VISIBLE)
    assert json.loads(case.files["cases.json"]) == [[0, 0], [1, 1]]


def test_cases_without_a_visible_part_are_left_out_of_the_visible_variant(tmp_path: Path) -> None:
    other = {**LINE, "id": "shop-2", "visible_tests": ""}
    assert [case.id for case in read_set(written(tmp_path, LINE, other), Seen.VISIBLE)] == ["shop-1"]


def test_the_fixed_program_is_a_clean_control(tmp_path: Path) -> None:
    cases = read_set(written(tmp_path, LINE))
    (control,) = clean_controls(cases)
    assert control.clean
    assert control.files["cart.py"] == control.original == FIXED
    assert control.id != cases[0].id
    assert control.group == cases[0].group


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "Invalid JSON"),
        ("[]", "Input should be an object"),
        ({**LINE, "buggy": 3}, "buggy: Input should be a valid string"),
        ({key: value for key, value in LINE.items() if key != "fixed"}, "fixed: Field required"),
        ({**LINE, "tests": {}}, "no fix could be judged"),
        ({**LINE, "buggy": FIXED}, "the same text"),
        ({**LINE, "path": "../cart.py"}, "no relative path"),
        ({**LINE, "path": "/etc/cart.py"}, "no relative path"),
        ({**LINE, "tests": {"a/../../x.py": ""}}, "no relative path"),
        ({**LINE, "tests": {"cart.py": ""}}, "both the program and a test"),
        (LINE, "the id 'shop-1' is that of line 1, too"),
    ],
)
def test_a_wrong_line_is_named_with_what_is_wrong_and_what_is_expected(
    tmp_path: Path, line: object, said: str
) -> None:
    path = written(tmp_path, LINE, line)
    with pytest.raises(UsageError, match=said) as raised:
        read_set(path)
    assert f"{path}:2: " in raised.value.message


def test_the_form_is_shown_to_who_got_it_wrong(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="A line is a JSON object with id, path, buggy, fixed and tests"):
        read_set(written(tmp_path, {}))


@pytest.mark.parametrize("data", [b"", b"\xff\xfe"])
def test_a_file_that_is_no_set_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"holds no case|not UTF-8"):
        read_set(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_set(tmp_path / "none.jsonl")


def test_lines_that_were_left_out_are_shown_by_those_around_the_gap(tmp_path: Path) -> None:
    missing = FIXED.replace("        result += price\n", "        pass\n").replace("    result = 0\n", "")
    (case,) = read_set(written(tmp_path, {**LINE, "buggy": missing}))
    assert case.lines == (0, 2)


def test_line_separators_inside_a_text_do_not_end_the_line(tmp_path: Path) -> None:
    odd = {**LINE, "buggy": BUGGY + "# \u2028 \x85\r\n"}
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(odd, ensure_ascii=False), encoding="utf-8")
    (case,) = read_set(path)
    assert case.files["cart.py"].endswith("# \u2028 \x85\r\n")
