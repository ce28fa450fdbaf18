"""Text as it is found in files: every line ending, marks inside lines, bytes that do not decode."""

from hypothesis import strategies as st

ENDINGS = ("\n", "\r\n", "\r")
_LINE = st.text(
    st.one_of(
        st.sampled_from("ab \t=<>#`-+@|"),
        st.sampled_from("\u2028\u2029\x85\v\fé漢\U0001f600\udce9\udc80"),
    ),
    max_size=6,
)
short_line = st.sampled_from(["", "a", "b", "    a", "\tb", "}", "a  "])


@st.composite
def texts(draw: st.DrawFn, line: st.SearchStrategy[str] = _LINE, max_lines: int = 12) -> str:
    """Draw text with mixed line endings, with or without one at the end."""
    lines = draw(st.lists(st.tuples(line, st.sampled_from(ENDINGS)), max_size=max_lines))
    text = "".join(content + ending for content, ending in lines)
    return text + draw(line) if draw(st.booleans()) else text
