"""What a line stands in: a definition, a test, a comment. By indentation and keywords, in every common language.

No parser: it decides which actions a menu offers, within a fraction of a millisecond and from the text alone.
Where it is wrong an action is missing or too many; nothing else rests on it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ensemble_lsp.core.commit_messages import is_commit_message
from ensemble_lsp.core.outline import defined_name, indent_width

LineAt = Callable[[int], str]
"""0-based line number → the line's text, with or without its ending; "" behind the last line."""

MOST_LINES = 1_000
"""How far up a definition is looked for: longer functions are offered as a selection only. About a millisecond."""

PROSE_LANGUAGES = frozenset(
    {
        "asciidoc",
        "git-commit",
        "gitcommit",
        "latex",
        "markdown",
        "mdx",
        "org",
        "plaintext",
        "quarto",
        "restructuredtext",
        "rst",
    }
    | {"tex", "text", "typst"}
)
"""LSP's language ids, and editors' own, of documents that are prose as a whole."""

_PROSE_ENDINGS = (".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".tex", ".org")
_CALLED_TEST = re.compile(
    r"(?:it|test|describe|context|specify|scenario|suite)(?:\.\w+)*\s*\(\s*(?P<quote>[\"'`])(?P<name>.*?)(?P=quote)"
)
_TEST_NAME = re.compile(r"(?:[tT]est(?:_|[A-Z]|$)|(?:.*_)?test$)")
_TEST_MARK = re.compile(r"(?:@\w*Test\b|#\[(?:\w+::)*test\b|\[(?:Fact|Theory|Test|TestMethod)\b)")
_MARK = re.compile(r"(?:@|#\[|\[\w+)")
_CONTINUES = re.compile(r"[)\]}]|\{\s*$|end\b")
_COMMENT = re.compile(
    r"(?:#(?![!\[]|\s*(?:include|define|if|endif|pragma)\b)|//|/\*|\*(?:\s|/|$)|--\s|<!--|;;|%\s)"
)
_TRIPLE = re.compile(r"\"{3}|'{3}")


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition around a line. `line` is where its name stands, 0-based."""

    name: str
    line: int
    is_test: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What some lines stand in."""

    definition: Definition | None = None
    in_test: bool = False
    prose: bool = False


def surroundings(line_at: LineAt, first: int, last: int, path: str, language: str) -> Surroundings:
    """Return what the lines `first` to `last` (0-based, inclusive) stand in; `language` is LSP's language id."""
    if is_prose_document(path, language):
        return Surroundings(prose=True)
    around = definition_around(line_at, first, path)
    return Surroundings(
        definition=around,
        in_test=_is_in_test(line_at, around, path),
        prose=_is_comment(line_at, around, first, last, language),
    )


def definition_around(line_at: LineAt, line: int, path: str) -> Definition | None:
    """Return the innermost definition that the line belongs to, or None for code outside of all.

    A line that defines something, or a decorator above it, belongs to that.
    """
    number = _below_marks(line_at, line)
    width = indent_width(line_at(number)) if line_at(number).strip() else None
    first = True
    for above in range(number, max(-1, number - MOST_LINES), -1):
        text = line_at(above).rstrip()
        stripped = text.lstrip(" \t")
        if not stripped or (_COMMENT.match(stripped) and not first):
            continue
        indent = len(text) - len(stripped)
        if width is None:
            # From a blank line: what the line above is in, and that line itself if it opens something.
            width = indent + 1
        if not first and indent >= width:
            continue
        found = _definition(line_at, above, stripped, path)
        if found is not None:
            return found
        continues = _CONTINUES.match(stripped) is not None
        if indent == 0 and not first and not continues:
            return None
        # A bracket ends a signature (`) -> int:`) or a body, or begins one: its definition stands as far left.
        width = indent + 1 if continues else indent
        first = False
    return None


def is_test_around(line_at: LineAt, line: int, path: str) -> bool:
    """Whether the line stands in a test, at whatever depth: `test_*`, `it("…")`, `#[test]`, `@Test`."""
    return _is_in_test(line_at, definition_around(line_at, line, path), path)


def _is_in_test(line_at: LineAt, found: Definition | None, path: str) -> bool:
    # One turn per enclosing definition; eight levels are deeper than tests nest.
    for _ in range(8):
        if found is None:
            return False
        if found.is_test:
            return True
        width = indent_width(line_at(found.line))
        outer = next(
            (
                above
                for above in range(found.line - 1, max(-1, found.line - MOST_LINES), -1)
                if line_at(above).strip() and indent_width(line_at(above)) < width
            ),
            None,
        )
        found = None if outer is None else definition_around(line_at, outer, path)
    return False


def is_prose_document(path: str, language: str) -> bool:
    """Whether a document is text for people as a whole."""
    return language in PROSE_LANGUAGES or path.lower().endswith(_PROSE_ENDINGS) or is_commit_message(path)


def is_comment(line_at: LineAt, first: int, last: int, path: str, language: str) -> bool:
    """Whether the lines `first` to `last` (inclusive) are nothing but comments, or stand in one docstring."""
    return _is_comment(line_at, definition_around(line_at, first, path), first, last, language)


def _is_comment(line_at: LineAt, around: Definition | None, first: int, last: int, language: str) -> bool:
    said = [text for number in range(first, last + 1) if (text := line_at(number).strip())]
    if said and all(_COMMENT.match(text) for text in said):
        return True
    return bool(said) and language == "python" and _in_docstring(line_at, around, first, last)


def _below_marks(line_at: LineAt, line: int) -> int:
    """Return the line itself, or the first one below the decorators it belongs to (twenty at most)."""
    number = line
    for _ in range(20):
        text = line_at(number).strip()
        if not (_MARK.match(text) and not text.endswith(("{", ";"))):
            return number
        number += 1
    return line


def _definition(line_at: LineAt, number: int, stripped: str, path: str) -> Definition | None:
    called = _CALLED_TEST.match(stripped)
    if called is not None:
        return Definition(called["name"], number, is_test=True)
    name = defined_name(stripped, path)
    if name is None:
        return None
    marked = any(
        _TEST_MARK.match(line_at(above).strip())
        for above in range(number - 1, max(-1, number - 6), -1)
        if _MARK.match(line_at(above).strip())
    )
    return Definition(name, number, is_test=marked or _TEST_NAME.match(name.rpartition(".")[2]) is not None)


def _in_docstring(line_at: LineAt, around: Definition | None, first: int, last: int) -> bool:
    """Whether all of the lines stand inside one triple-quoted string of Python."""
    begin = 0 if around is None else around.line
    if first - begin > MOST_LINES:
        return False
    quote = ""
    for number in range(begin, last + 1):
        before = quote
        marks = _TRIPLE.findall(line_at(number))
        for mark in marks:
            quote = mark if not quote else "" if mark == quote else quote
        if number >= first and not (before or marks):
            return False
    return True
