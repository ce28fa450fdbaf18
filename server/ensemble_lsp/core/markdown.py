"""Markdown that models wrote, made safe to render: no raw HTML, no images, no links.

The functions never decide by what a text says, only by what a renderer could make of it: everything that
could become markup other than emphasis, lists, headings, tables and code is escaped and stays readable.
"""

import re

_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")
_INFO = re.compile(r"[A-Za-z0-9_+#.-]{1,30}")
_BACKTICKS = re.compile(r"`+")
_WEB_LINK = re.compile(r"\[(?P<text>[^\[\]`<>\\!&\n]{1,200})\]\((?P<to>https?://[^\s()<>\\`\[\]]{1,500})\)")
# What renderers make a link of by themselves: web and mail addresses that stand alone in a text.
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.|mailto:|xmpp:)[^\s`<>|()\[\]]+"
    r"|[a-z0-9._+-]+@[a-z0-9_-]+(?:\.[a-z0-9_-]+)+",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"[.,;:!?'\"*_~]+$")
# References that hide a character from us and show it to a renderer; the four plain ones are left as they are.
_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot);)(?=#?\w{1,40};)")
_TILDES = re.compile(r"~{3,}")
_BLOCK_START = re.compile(r"#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|(?:[-=*_]\s*){3,}$")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
# Directional overrides show a text in another order than it has; the rest are invisible or break terminals.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_LINE_BREAKS = re.compile("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")


def visible(text: str) -> str:
    """Return text without what is invisible, breaks terminals or turns the order of characters round."""
    return _show_hidden(_LINE_BREAKS.sub("\n", text))


def sanitise_block(text: str) -> str:
    """Return Markdown of several lines that is safe to render; fenced code keeps its text, LF line endings.

    A fence that is not closed is closed at the end. Fences are moved to the first column, where no
    surrounding list or quotation can end them early.
    """
    output: list[str] = []
    fence: str | None = None
    indent = 0
    for line in _LINE_BREAKS.sub("\n", text).split("\n"):
        shown = _show_hidden(line)
        found = _FENCE.match(shown)
        if fence is None:
            if found is None:
                output.append(_safe_line(shown))
                continue
            opening = str(found["fence"])
            fence, indent = opening, len(found["indent"])
            info = _INFO.match(found["info"])
            output.append(opening + (info.group() if info else ""))
        elif found is not None and found["fence"].startswith(fence) and not found["info"].strip():
            output.append(fence)
            fence = None
        else:
            # What would close the fence for a renderer but not for us cannot occur: same rule, same column.
            dedented = shown[:indent].lstrip(" \t") + shown[indent:]
            output.append(dedented)
    if fence is not None:
        output.append(fence)
    return "\n".join(output)


def sanitise_inline(text: str) -> str:
    """Return one line of Markdown, safe to render inside a paragraph, a list item or a heading.

    Nothing that begins with `(`, `[` or `:` may be put right behind it: the text may end with a bracket.
    """
    line = _safe_line(" ".join(_show_hidden(_LINE_BREAKS.sub(" ", text)).split()))
    # At its beginning a line may not turn into a heading, a quotation, a list or a rule of its own.
    return "\\" + line if _BLOCK_START.match(line) else line


def code_span(text: str) -> str:
    """Return `text` as one inline code span, whatever backticks it holds."""
    line = " ".join(_show_hidden(_LINE_BREAKS.sub(" ", text)).split())
    if not line:
        return ""
    longest = max((len(run) for run in _BACKTICKS.findall(line)), default=0)
    ticks = "`" * (longest + 1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def code_block(text: str, language: str = "") -> str:
    """Return `text` as a fenced code block that its content cannot close."""
    lines = [_show_hidden(line) for line in _LINE_BREAKS.sub("\n", text).split("\n")]
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    info = language if _INFO.fullmatch(language) else ""
    return "\n".join((fence + info, *lines, fence))


def _show_hidden(line: str) -> str:
    return _HIDDEN.sub(lambda match: "\ufffd" if "\ud800" <= match.group() <= "\udfff" else "", line)


def _safe_line(line: str) -> str:
    output: list[str] = []
    position = 0
    # Each turn consumes at least one character.
    while position < len(line):
        character = line[position]
        if character == "\\" and line[position + 1 : position + 2] in _PUNCTUATION:
            output.append(line[position : position + 2])
            position += 2
        elif character == "`":
            piece, position = _code_or_ticks(line, position)
            output.append(piece)
        elif character == "~" and (tildes := _TILDES.match(line, position)):
            # Three could open a fence inside a list or a quotation.
            output.append("\\~" * len(tildes.group()))
            position = tildes.end()
        elif character == "[" and (link := _WEB_LINK.match(line, position)) and output[-1:] != ["!"]:
            # Where it leads is shown, and nobody gets there by a click.
            output.append(_apart(output, f"{_safe_line(link['text'])} ({code_span(link['to'])})"))
            position = link.end()
        elif address := _ADDRESS.match(line, position):
            end = address.end() - len(_trailing(address.group()))
            after = " " if line[end : end + 1] == "`" else ""
            output.append(_apart(output, code_span(line[position:end]) + after))
            position = end
        elif character == "&" and _ENTITY.match(line, position):
            output.append("&amp;")
            position += 1
        elif character == "]" and line[position + 1 : position + 2] in {"(", "[", ":"}:
            # Without these neighbours brackets are brackets, and plain editors show every backslash.
            output.append("\\]")
            position += 1
        else:
            output.append("&lt;" if character == "<" else character)
            position += 1
    return "".join(output)


def _apart(output: list[str], piece: str) -> str:
    """Keep the backtick that a piece begins with from being escaped, or counted with one in front of it."""
    touching = piece.startswith("`") and bool(output) and output[-1].endswith(("`", "\\"))
    return f" {piece}" if touching else piece


def _trailing(address: str) -> str:
    found = _TRAILING.search(address)
    return found.group() if found is not None and found.start() > 0 else ""


def _code_or_ticks(line: str, position: int) -> tuple[str, int]:
    """Return a code span that closes on this line, else the escaped backticks, and where to go on.

    Escaping a run without a partner keeps a renderer from pairing it with one on a later line. A span with
    both a bar and markup is not kept as code: in a table the bar would cut it open.
    """
    opening = _BACKTICKS.match(line, position)
    if opening is None:
        return "", position + 1
    for closing in _BACKTICKS.finditer(line, opening.end()):
        if len(closing.group()) == len(opening.group()):
            span = line[position : closing.end()]
            if "|" in span and ("<" in span or "[" in span or _ADDRESS.search(span)):
                break
            return span, closing.end()
    return "\\`" * len(opening.group()), opening.end()
