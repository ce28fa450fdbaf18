"""The fast ways of a file's lines give what looking at every line gives."""

from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.core.matching import FileLines, find
from ensemble_lsp.core.text import SourceText, content_of, most_common_ending, split_lines

LINES = st.sampled_from(
    ["", " ", "  ", "\t", "a", "  a", "\ta", "a ", "b", "\u2028", "a\x0cb", "\x85", "..."]
)
TEXTS = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", ""])), max_size=12).map(
    lambda lines: "".join(content + ending for content, ending in lines)
)
UNIX_TEXTS = st.lists(LINES, max_size=12).map("\n".join)


@given(text=TEXTS | UNIX_TEXTS)
def test_lines_and_endings_are_those_of_splitting(text: str) -> None:
    lines = split_lines(text)
    file = FileLines(SourceText(text))
    assert file.lines == lines
    assert file.contents == [content_of(line) for line in lines]
    assert file.endings == [line[len(content_of(line)) :] for line in lines]
    assert file.ending == most_common_ending(file.endings)


@given(text=TEXTS | UNIX_TEXTS, first=st.integers(0, 12), end=st.integers(0, 12))
def test_pieces_are_the_lines_joined(text: str, first: int, end: int) -> None:
    file = FileLines(SourceText(text))
    assert "".join(file.pieces(first, min(end, len(file.lines)))) == "".join(file.lines[first:end])


@given(text=TEXTS | UNIX_TEXTS)
def test_whether_tabs_indent_is_what_the_lines_say(text: str) -> None:
    contents = [content_of(line) for line in split_lines(text)]
    tabs = any(line.startswith("\t") for line in contents)
    spaces = any(line.startswith("  ") for line in contents)
    assert FileLines(SourceText(text)).tabs_only == (tabs and not spaces)


@given(text=TEXTS | UNIX_TEXTS, search=st.lists(LINES, min_size=1, max_size=3))
def test_places_are_those_where_every_line_is_the_same(text: str, search: list[str]) -> None:
    contents = [content_of(line) for line in split_lines(text)]
    slowly = [start for start in range(len(contents)) if contents[start : start + len(search)] == search]
    file = FileLines(SourceText(text))
    assert file.exact.places(search) == slowly
    assert file.exact.places(search, 2) == slowly[:2]
    if slowly:
        assert [match.start for match in find(file, search)] == slowly


@given(text=TEXTS | UNIX_TEXTS, line=LINES)
def test_a_line_is_known_with_any_white_space_around_it(text: str, line: str) -> None:
    known = {content_of(one).strip() for one in split_lines(text)}
    assert FileLines(SourceText(text)).has_line(line.strip()) == (line.strip() in known)
