"""Markdown that models wrote, made safe to render."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ensemble_lsp.core.markdown import code_block, code_span, sanitise_block, sanitise_inline


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain *emphasis* and **strong**", "plain *emphasis* and **strong**"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("a < b and c > d", "a &lt; b and c > d"),
        ("`a < b` is code", "`a < b` is code"),
        ("[run](command:evil)", "[run\\](command:evil)"),
        ("[run](COMMAND:evil)", "[run\\](COMMAND:evil)"),
        ("[x](javascript:evil)", "[x\\](javascript:evil)"),
        ("[x](&#99;ommand:evil)", "[x\\](&amp;#99;ommand:evil)"),
        ("a &lt; b &amp;&amp; c", "a &lt; b &amp;&amp; c"),
        ("a&#64;e.example", "a&amp;#64;e.example"),
        ("\\[x](command:evil)", "\\[x\\](command:evil)"),
        ("\\\\[x](command:evil)", "\\\\[x\\](command:evil)"),
        ("![p](https://e.example/p.png)", "![p\\](`https://e.example/p.png`)"),
        ("[docs](https://docs.example/a)", "docs (`https://docs.example/a`)"),
        ("[https://good.example](https://evil.example)", "`https://good.example` (`https://evil.example`)"),
        ("[docs](https://docs.example/a 'title')", "[docs\\](`https://docs.example/a` 'title')"),
        ("[![p](https://e/p.png)](https://e/)", "[![p\\](`https://e/p.png`)\\](`https://e/`)"),
        ("see https://e.example/a?b=1.", "see `https://e.example/a?b=1`."),
        ("**www.e.example**", "**`www.e.example`**"),
        ("write to a.b@e.example!", "write to `a.b@e.example`!"),
        ("`a`https://e/`` <b> ``", "`a` `https://e/` `` <b> ``"),
        ("[a]: command:evil", "[a\\]: command:evil"),
        ("[a][b] and total([1, 2])", "[a\\][b] and total([1, 2])"),
        ("<command:evil>", "&lt;command:evil>"),
        ("lone ` tick <b>", "lone \\` tick &lt;b>"),
        ("`` a ` <b> `` ", "`` a ` <b> ``"),
        ("| `a | <b>` |", "| \\`a | &lt;b>\\` |"),
        ("~~~ a`b", "\\~\\~\\~ a\\`b"),
        ("right\u202eleft", "rightleft"),
        ("bell\x07 esc\x1b[31m", "bell esc[31m"),
        ("a\nb", "a b"),
        ("# not a heading", "\\# not a heading"),
        ("- not a list", "\\- not a list"),
        ("> not a quotation", "\\> not a quotation"),
        ("lone \udc80 surrogate", "lone \ufffd surrogate"),
    ],
)
def test_one_line_is_made_safe(text: str, safe: str) -> None:
    assert sanitise_inline(text) == safe


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("```py\nif a < b: [x]\n```", "```py\nif a < b: [x]\n```"),
        ("```py\n<b>", "```py\n<b>\n```"),
        ("  ```\n  <b>\n  ```\n<i>", "```\n<b>\n```\n&lt;i>"),
        ("- item\n  ```\n  <b>\n<i>", "- item\n```\n<b>\n<i>\n```"),
        ("> ```\n<b>", "> \\`\\`\\`\n&lt;b>"),
        ("````\n```\n<b>\n````", "````\n```\n<b>\n````"),
        ("```\n~~~\n<b>\n```\n<i>", "```\n~~~\n<b>\n```\n&lt;i>"),
        ("~~~ a`b\n```\n<b>\n~~~\n<i>", "\\~\\~\\~ a\\`b\n```\n<b>\n~~~\n<i>\n```"),
        ("` open\nclose ` <b> `", "\\` open\nclose ` <b> `"),
        ("```<img src=x>\nx\n```", "```\nx\n```"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("# heading\n\n- list", "# heading\n\n- list"),
    ],
)
def test_several_lines_are_made_safe(text: str, safe: str) -> None:
    assert sanitise_block(text) == safe


_PIECES = [
    *(
        "`",
        "``",
        "```",
        "~~~",
        "|",
        "\\",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "    ",
        "1. ",
        "a ",
        "!",
        "&lt;",
        "\t",
        "---",
    ),
    *(
        "<b>",
        "<!--",
        "<img src=x>",
        "[x](command:y)",
        "![i](https://e/)",
        "[r]: command:z\n",
        "[r]",
        "<command:y>",
    ),
    *(
        "[",
        "](",
        ")",
        "https://e/",
        "| - |\n",
        "javascript:x",
        "www.e.example ",
        "a@e.example",
        "ftp://e.example/",
        "&#96;",
        "&#91;",
    ),
]
_HOSTILE = st.lists(st.sampled_from(_PIECES), max_size=24).map("".join)
# A CommonMark reader with GFM's tables, raw HTML allowed: the most that a client would render.
_READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# What GFM makes a link of where it stands in plain text.
_AUTOLINK = re.compile(r"(?:https?|ftp)://\w|www\.\w|(?:mailto|xmpp):\w|[\w.+-]@[\w-]+\.\w")


def _dangers(markdown: str) -> list[str]:
    """What a renderer would make of a text that it must not."""
    found: list[str] = []
    for block in _READER.parse(markdown):
        for token in (block, *(block.children or ())):
            if token.type in {"html_block", "html_inline", "image"}:
                found.append(f"{token.type}: {token.content}")
            if token.type == "text" and (link := _AUTOLINK.search(token.content)):
                found.append(f"{link.group()} in {token.content}")
            if token.type == "link_open":
                found.append(f"link to {token.attrs['href']}")
    return found


@settings(max_examples=400)
@given(_HOSTILE)
def test_a_real_renderer_makes_no_html_image_or_link_of_it(text: str) -> None:
    assert _dangers(sanitise_block(text)) == []
    assert _dangers(f"- {sanitise_inline(text)} (`x`)\n") == []
    assert _dangers(f"**A. {sanitise_inline(text)}**\n") == []


def test_the_renderer_of_these_tests_would_see_the_danger() -> None:
    assert len(_dangers("<b> ![i](https://e/) [x](command:y)\n\nhttps://e\n\nwww.e\n\na@e.example")) == 6


@given(st.text(max_size=60))
def test_a_code_span_and_a_code_block_hold_any_text(text: str) -> None:
    span = code_span(text)
    assert "\n" not in span
    block = code_block(text, "py").split("\n")
    assert block[0] == block[-1] + "py"
    assert all(not line.startswith(block[-1]) for line in block[1:-1])


def test_ordinary_text_stays_as_it_is() -> None:
    text = "It returns `None` for an empty list, see `mean()`.\n\n1. First\n2. Second"
    assert sanitise_block(text) == text
