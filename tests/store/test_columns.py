"""Any text, also one that holds lone surrogates, comes back from the database as it was."""

import sqlite3
from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.store.columns import from_column, pack, to_column, to_nano, to_usd, unpack_object

texts = st.text(st.characters(), max_size=20)


@given(texts)
def test_text_comes_back_and_can_be_found(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (x TEXT)")
        connection.execute("INSERT INTO t VALUES (?)", (to_column(text),))
        (value,) = connection.execute("SELECT x FROM t WHERE x = ?", (to_column(text),)).fetchone()
        assert from_column(value) == text


@given(st.dictionaries(texts, texts))
def test_packed_data_comes_back(data: dict[str, str]) -> None:
    assert unpack_object(pack(data)) == data


@given(st.integers(0, 10**15))
def test_whole_billionths_of_a_dollar_are_exact(nano: int) -> None:
    assert to_nano(to_usd(nano)) == nano
