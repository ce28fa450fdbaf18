"""The server's text is the client's, whatever is typed, in each of the position encodings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import PositionEncoding
from ensemble_lsp.lsp.documents import Document, Documents, path_of

PIECES = st.sampled_from(
    [
        "a",
        "bc",
        "\n",
        "\r\n",
        "\r",
        "é",
        "ß",
        "🪙",
        "𝒙",
        "\u2028",
        "\u0085",
        "\x0b",
        "\x0c",
        "\t",
        "",
        "end\n",
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
ENCODINGS = st.sampled_from(list(PositionEncoding))


def _client_lines(text: str) -> list[str]:
    """Split as LSP says, by hand: the model to compare with keeps each line's own ending."""
    lines = [""]
    place = 0
    while place < len(text):
        ending = "\r\n" if text.startswith("\r\n", place) else text[place] if text[place] in "\r\n" else ""
        lines[-1] += ending or text[place]
        place += max(1, len(ending))
        if ending:
            lines.append("")
    return lines


def _units(text: str, encoding: PositionEncoding) -> int:
    match encoding:
        case PositionEncoding.UTF8:
            return len(text.encode())
        case PositionEncoding.UTF16:
            return len(text.encode("utf-16-le")) // 2
        case PositionEncoding.UTF32:
            return len(text)


def _position(text: str, offset: int, encoding: PositionEncoding) -> tuple[types.Position, int]:
    """Return the position of an offset and the offset it means: inside an ending it is before that ending."""
    start = 0
    for number, line in enumerate(_client_lines(text)):
        content = line.rstrip("\r\n")
        if offset < start + len(line) or (start + len(line) == len(text) and not line.endswith(("\r", "\n"))):
            column = min(offset - start, len(content))
            return types.Position(number, _units(content[:column], encoding)), start + column
        start += len(line)
    raise AssertionError("an offset beyond the text")


@given(data=st.data(), text=TEXTS, encoding=ENCODINGS)
def test_random_edits_leave_the_server_with_the_clients_text(
    data: st.DataObject, text: str, encoding: PositionEncoding
) -> None:
    document = Document("file:///a", "text", 1, text, encoding)
    for _ in range(data.draw(st.integers(1, 6))):
        new = data.draw(TEXTS)
        first, last = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
        start, begin = _position(text, first, encoding)
        end, stop = _position(text, last, encoding)
        lines = _client_lines(text)
        text = text[:begin] + new + text[stop:]
        change = document.apply(
            types.TextDocumentContentChangePartial(range=types.Range(start, end), text=new)
        )
        assert document.text == text
        after = _client_lines(text)
        assert (change.start, change.end) == (start.line, end.line)
        assert len(after) - len(lines) == change.new_lines - (change.end - change.start + 1)


@given(text=TEXTS, new=TEXTS, encoding=ENCODINGS)
def test_whole_text_anew(text: str, new: str, encoding: PositionEncoding) -> None:
    document = Document("file:///a", "text", 1, text, encoding)
    change = document.apply(types.TextDocumentContentChangeWholeDocument(text=new))
    assert document.text == new
    assert (change.start, change.end, change.new_lines) == (
        0,
        len(_client_lines(text)) - 1,
        len(_client_lines(new)),
    )


def test_range_that_ends_before_it_starts_changes_nothing() -> None:
    document = Document("file:///a", "text", 1, "one\ntwo\n", PositionEncoding.UTF16)
    backwards = types.Range(types.Position(1, 0), types.Position(0, 1))
    with pytest.raises(UsageError, match="ends before it starts"):
        document.apply(types.TextDocumentContentChangePartial(range=backwards, text="x"))
    assert document.text == "one\ntwo\n"


def test_one_file_under_two_spellings_is_one_document() -> None:
    documents = Documents()
    documents.open(types.TextDocumentItem("file:///tmp/a%20b%2B.py", "python", 3, "text"))
    found = documents.at(path_of("file:///tmp/a%20b+.py").resolve())
    assert found is not None
    assert found.version == 3
    documents.close("file:///tmp/a%20b%2B.py")
    assert documents.at(path_of("file:///tmp/a%20b+.py").resolve()) is None
