"""Bytes in, the same bytes out; lines as LSP counts them."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.core.text import SourceText, is_binary, line_ending_of, split_lines, utf8_of
from tests.core.strategies import texts

MARKS = [
    b"",
    codecs.BOM_UTF8,
    codecs.BOM_UTF16_LE,
    codecs.BOM_UTF16_BE,
    codecs.BOM_UTF32_LE,
    codecs.BOM_UTF32_BE,
]
CODING_LINES = [b"", b"# -*- coding: latin-1 -*-\n", b"#!/bin/sh\n# vim: set fileencoding=cp1252 :\n",
                b"# coding: shift_jis\n", b"# coding: utf-7\n", b"# coding: rot13\n", b"# coding: iso2022_jp\n",
                b"# coding: unicode_escape\n", b'<?xml version="1.0" encoding="ISO-8859-2"?>\n']  # fmt: skip


@given(st.sampled_from(MARKS), st.sampled_from(CODING_LINES), st.binary(max_size=60))
def test_any_bytes_come_back(mark: bytes, coding_line: bytes, rest: bytes) -> None:
    data = mark + coding_line + rest

    assert SourceText.from_bytes(data).to_bytes() == data


@given(
    st.binary(max_size=60), st.sampled_from(["latin-1", "utf-16", "cp037", "hex", "no-such-codec", "utf-8"])
)
def test_any_bytes_come_back_whatever_encoding_is_claimed(data: bytes, encoding: str) -> None:
    assert SourceText.from_bytes(data, encoding).to_bytes() == data


@given(texts())
def test_lines_joined_are_the_text(text: str) -> None:
    lines = split_lines(text)

    assert "".join(lines) == text
    assert all(line.rstrip("\r\n") + line[len(line.rstrip("\r\n")) :] == line for line in lines)
    assert all("\n" not in line[:-2] and "\r" not in line[:-2] for line in lines)


def test_only_three_endings_end_a_line() -> None:
    assert split_lines("a\u2028b\x85c\vd\fe\nf\r\ng\rh") == ["a\u2028b\x85c\vd\fe\n", "f\r\n", "g\r", "h"]


@pytest.mark.parametrize(
    ("data", "text", "encoding", "bom"),
    [
        (b"\xef\xbb\xbfa", "a", "utf-8", True),
        (b"caf\xe9", "caf\udce9", "utf-8", False),
        (b"# coding: latin-1\n\xe9", "# coding: latin-1\n\xe9", "iso8859-1", False),
        (b"a = 1\nb = 2\n# coding: latin-1\n\xe9", "a = 1\nb = 2\n# coding: latin-1\n\udce9", "utf-8", False),
        (b"\xff\xfea\0", "a", "utf-16-le", True),
        (b"\xff\xfea", "\udcff\udcfea", "utf-8", False),
        (b"\xff\xfe\0\0a\0\0\0", "a", "utf-32-le", True),
        ("é".encode(), "é", "utf-8", False),
    ],
)  # fmt: skip
def test_the_encoding_is_found(data: bytes, text: str, encoding: str, bom: bool) -> None:
    assert SourceText.from_bytes(data) == SourceText(text, encoding, bom)


def test_an_encoding_that_is_named_from_outside_counts() -> None:
    assert SourceText.from_bytes(b"caf\xe9", "latin-1").text == "café"


def test_a_character_that_the_encoding_lacks_is_an_error_and_never_a_question_mark() -> None:
    with pytest.raises(UnicodeEncodeError):
        SourceText("→", "iso8859-1").to_bytes()


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"plain\n", False),
        (b"caf\xe9\n", False),
        (b"a\fb\x1b[0m\n", False),
        (b"\xff\xfea\0b\0", False),
        (b"a\0b\0", True),
        (b"\x89PNG\r\n\x1a\n\0\0\0", True),
        (b"\x01\x02\x03abc", True),
        (b"x" * 9000 + b"\0", True),
    ],
)
def test_binary(data: bytes, binary: bool) -> None:
    assert is_binary(data) is binary


@pytest.mark.parametrize(
    ("text", "ending"),
    [("", "\n"), ("a", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\r", "\r"), ("a\r\nb\n", "\r\n")],
)
def test_the_ending_that_most_lines_have(text: str, ending: str) -> None:
    assert line_ending_of(text) == ending


def test_half_of_a_surrogate_pair_in_an_editor_ended_the_checks_of_its_workspace() -> None:
    held = SourceText("a = 1  # \ud800\n")
    with pytest.raises(UnicodeEncodeError):
        held.to_bytes()
    assert held.to_bytes_for_tools() == b"a = 1  # \xed\xa0\x80\n"
    assert SourceText("é\udcff\n").to_bytes_for_tools() == b"\xc3\xa9\xff\n"


def test_half_of_a_surrogate_pair_ended_the_printing_of_a_patch() -> None:
    assert utf8_of("+a = '\ud83d'\n") == "+a = '\ufffd'\n".encode()
    assert utf8_of("-b = '\udce9'\n+b = 'é'\n") == b"-b = '\xe9'\n+b = '\xc3\xa9'\n"
    assert utf8_of("\ud83d and \udce9") == b"\xef\xbf\xbd and \xe9"
