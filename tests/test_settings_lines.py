"""Where a value stands in a TOML text."""

import tomllib
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.toml_lines import KeyPath, key_lines, line_of

TEXT = '''\
# [budget] in a comment
title = "a [table] = in a string"
text = """
[budget]
usd = 1 \\"""
"""
raw = \'\'\'
mode = 1\'\'\'

[ budget ]   # spaces
"usd" = 1
'day' . "usd" = 2

[[panel]]
model = "a"
[panel.extra]
x = 1
[[panel]]
model = "b"
prices = { in = 1, "out" = [2,
  3] }

[a.b.c]
d = [
  # comment ]
  [1, 2],
  { e = "}" }, { e = 1 },
]
when = 1979-05-27 07:32:00Z
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("text",), 3),
        (("raw",), 7),
        (("budget",), 10),
        (("budget", "usd"), 11),
        (("budget", "day", "usd"), 12),
        (("panel",), 14),
        (("panel", 0), 14),
        (("panel", 0, "model"), 15),
        (("panel", 0, "extra", "x"), 17),
        (("panel", 1), 18),
        (("panel", 1, "model"), 19),
        (("panel", 1, "prices", "in"), 20),
        (("panel", 1, "prices", "out", 1), 21),
        (("a", "b", "c"), 23),
        (("a", "b", "c", "d"), 24),
        (("a", "b", "c", "d", 0), 26),
        (("a", "b", "c", "d", 2, "e"), 27),
        (("a", "b", "c", "when"), 29),
        (("panel", 1, "missing"), 18),
        (("nowhere",), None),
    ],
)
def test_every_value_is_found(path: KeyPath, line: int | None) -> None:
    tomllib.loads(TEXT)
    assert line_of(key_lines(TEXT), path) == line


names = st.text("ab-_1", min_size=1, max_size=3)
strings = st.sampled_from(['"x"', "'y'", '"a # [b] = \\" {"', '"""\nz = 1\n"""', "'''[\n'''", '""', "''"])
values = st.recursive(
    st.one_of(strings, st.sampled_from(["1", "-2.5", "true", "inf", "1979-05-27"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[\n " + ", # ]\n ".join(items) + "\n]"),
        st.dictionaries(names, inner.filter(lambda text: "#" not in text), max_size=2).map(
            lambda table: "{" + ", ".join(f"{key} = {value}" for key, value in table.items()) + "}"
        ),
    ),
    max_leaves=6,
)
tables = st.lists(
    st.tuples(st.sampled_from(["[{}]", "[[{}]]"]), names, st.dictionaries(names, values, max_size=3)),
    max_size=4,
)


def paths_of(value: object, path: KeyPath = ()) -> list[KeyPath]:
    found: list[KeyPath] = [path] if path else []
    if isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            found.extend(paths_of(inner, (*path, key)))
    elif isinstance(value, list):
        for number, inner in enumerate(cast("list[object]", value)):
            found.extend(paths_of(inner, (*path, number)))
    return found


@given(tables)
def test_exactly_the_values_that_the_parser_sees_have_lines(
    document: list[tuple[str, str, dict[str, str]]],
) -> None:
    text = "".join(
        header.format(name) + "\n" + "".join(f"{key} = {value}\n" for key, value in pairs.items())
        for header, name, pairs in document
    )
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(key_lines(text)) == set(paths_of(data))
