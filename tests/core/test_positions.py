"""LSP positions in all three encodings, against a model that counts one character at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.core.text import LineIndex, PositionEncoding
from tests.core.strategies import texts

UTF8, UTF16, UTF32 = PositionEncoding.UTF8, PositionEncoding.UTF16, PositionEncoding.UTF32


def units(character: str, encoding: PositionEncoding) -> int:
    return {
        UTF8: len(character.encode("utf-8", "surrogatepass")),
        UTF16: len(character.encode("utf-16-le", "surrogatepass")) // 2,
        UTF32: 1,
    }[encoding]


def counted_position(text: str, offset: int, encoding: PositionEncoding) -> tuple[int, int]:
    line = column = place = 0
    while place < offset:
        if text.startswith("\r\n", place):
            if place + 2 > offset:
                break  # inside the ending: the line's end
            place += 2
            line, column = line + 1, 0
        elif text[place] in "\r\n":
            place += 1
            line, column = line + 1, 0
        else:
            column += units(text[place], encoding)
            place += 1
    return line, column


@given(texts(), st.sampled_from(PositionEncoding), st.data())
def test_positions_are_those_of_counting(text: str, encoding: PositionEncoding, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))

    assert LineIndex(text).position_at(offset, encoding) == counted_position(text, offset, encoding)


@given(texts(), st.sampled_from(PositionEncoding), st.data())
def test_an_offset_comes_back_from_its_position(
    text: str, encoding: PositionEncoding, data: st.DataObject
) -> None:
    index = LineIndex(text)
    offset = data.draw(st.integers(0, len(text)))
    inside_ending = text[offset - 1 : offset + 1] == "\r\n"

    assert index.offset_at(*index.position_at(offset, encoding), encoding) == offset - inside_ending


@given(texts(), st.integers(-2, 20), st.integers(-2, 40), st.sampled_from(PositionEncoding))
def test_any_position_is_clamped_into_the_text(
    text: str, line: int, character: int, encoding: PositionEncoding
) -> None:
    index = LineIndex(text)
    offset = index.offset_at(line, character, encoding)

    assert 0 <= offset <= len(text)
    if 0 <= line < index.line_count:
        start, end = index.line_span(line)
        assert start <= offset <= end


@pytest.mark.parametrize(
    ("line", "character", "encoding", "offset"),
    [
        (0, 99, UTF16, 3),  # beyond the line: before its ending
        (1, 0, UTF16, 5),
        (9, 0, UTF16, 8),  # beyond the text
        (0, 3, UTF16, 2),  # é and 😀 are three units
        (0, 2, UTF16, 1),  # between two surrogates: the character's start
        (0, 2, UTF8, 1),
        (0, 6, UTF8, 2),
        (0, 2, UTF32, 2),
    ],
)
def test_clamping(line: int, character: int, encoding: PositionEncoding, offset: int) -> None:
    assert LineIndex("é😀x\r\ny\nz").offset_at(line, character, encoding) == offset


def test_separators_inside_a_line_do_not_end_it() -> None:
    assert LineIndex("a\u2028b\x85c\fd").line_count == 1


def test_text_after_the_last_ending_is_a_line_of_its_own() -> None:
    assert LineIndex("a\n").position_at(2) == (1, 0)
