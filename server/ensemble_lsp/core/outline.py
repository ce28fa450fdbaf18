"""The outermost items of a piece of code, told apart by indentation and keywords.

This is no parser: it serves to tell what a fence of code defines, in any common language, also when the code
does not parse. Where it is wrong the reply is refused or the syntax check fails; it never decides alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

_MODIFIER = (
    r"(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|"
    r"extern|unsafe|open|sealed|data|suspend|local|partial|declare|synchronized|mutating|pub(?:\([^)]*\))?|"
    r"const(?=\s+fn\b))"
)
_CLASS_WORD = r"class|struct|enum|interface|trait|impl|module|namespace|record|protocol|object|defmodule"
_DEFINITION = re.compile(
    rf"^(?:{_MODIFIER}\s+)*(?P<word>def|function\*?|func|fn|fun|sub|proc|defp?|type|macro_rules!|{_CLASS_WORD})"
    r"\s+(?:\([^)]*\)\s*)?(?P<name>[\w$][\w$.]*)"
)
_FUNCTION_VALUE = re.compile(
    r"^(?:export\s+)?(?:const|let|var)\s+(?P<name>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\(|[\w$]+\s*=>)"
)
_BRACE_FUNCTION = re.compile(
    rf"^(?:{_MODIFIER}\s+)*(?:[\w$<>\[\],.*&:?]+\s+)*[*&]*(?P<name>[\w$~#]+)\s*\([^;=]*(?:\)[^;=]*\{{?|,|\()?\s*$"
)
_NOT_A_FUNCTION = re.compile(
    r"^(?:if|for|while|switch|catch|return|else|do|with|new|await|throw|try|case|assert|yield|using|lock|print)\b"
)
_IMPORT = re.compile(
    r"^(?:import\b|from\s+\S+\s+import\b|use\s|#\s*include\b|using\s|package\s|require(?:_relative)?[\s(]|"
    r"(?:const|let|var)\s+.*=\s*require\()"
)
_ASSIGNMENT = re.compile(
    r"^(?:(?:export|pub|public|private|static|final|const|let|var|val|local)\s+)*"
    r"(?P<name>[A-Za-z_$][\w$]*)\s*(?::[^=]+)?=(?![=>])"
)
_COMMENT = re.compile(r"^(?:#(?!\[|!\[|\s*include\b)|//|/\*|\*|--(?!\w)|<!--|%)")
_DECORATION = re.compile(r"^(?:@[\w.]+|#!?\[)")
_CONTINUES = re.compile(r"^(?:[)\]}]|end\b|else\b|elif\b|except\b|finally\b|catch\b|\{\s*$|:|\|)")
_BRACES = frozenset(
    {
        "c",
        "cc",
        "cpp",
        "cs",
        "cxx",
        "dart",
        "h",
        "hpp",
        "java",
        "js",
        "jsx",
        "kt",
        "mjs",
        "cjs",
        "php",
        "scala",
        "swift",
        "ts",
        "tsx",
        "m",
        "mm",
        "groovy",
    }
)
_DOCSTRING = re.compile(r"^[rRuU]?(?:\"{3}|'{3}|\"|')")


class ItemKind(StrEnum):
    """What an outermost item is."""

    IMPORT = "import"
    DEFINITION = "definition"
    ASSIGNMENT = "assignment"
    COMMENT = "comment"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Item:
    """Lines `first` to `last` (0-based, inclusive); `head` is the line after decorators and attributes."""

    kind: ItemKind
    name: str
    first: int
    head: int
    last: int
    is_class: bool = False


def outline(lines: Sequence[str], path: str) -> list[Item]:
    """Return the items at the smallest indentation of `lines`; blank lines belong to none."""
    margin = min((indent_width(line) for line in lines if line.strip()), default=0)
    items: list[Item] = []
    first: int | None = None
    head = last = 0
    decorated = False
    quote = ""
    python = path.endswith((".py", ".pyi"))
    for number, line in enumerate(lines):
        inside_string = bool(quote)
        if python:
            quote = _open_quote(line, quote)
        text = line.strip()
        if not text and not inside_string:
            continue
        outermost = not inside_string and indent_width(line) <= margin
        if first is None or (outermost and not decorated and not _continues(text, lines, last)):
            if first is not None:
                items.append(_item(lines, path, first, head, last))
            first, head, decorated = number, number, bool(_DECORATION.match(text))
        elif decorated and outermost and not _continues(text, lines, last):
            head, decorated = number, bool(_DECORATION.match(text))
        last = number
    if first is not None:
        items.append(_item(lines, path, first, head, last))
    return _comments_joined(items)


def definitions_named(lines: Sequence[str], path: str, name: str) -> list[Item]:
    """Return the definitions of a name anywhere in a file, at whatever depth, with their decorators."""
    found: list[Item] = []
    for number, line in enumerate(lines):
        if name in line and defined_name(line.strip(), path) == name:
            found.append(_around(lines, path, number))
    return found


def member_names(lines: Sequence[str], path: str) -> set[str]:
    """Return the names of all definitions in a stretch of code, at whatever depth."""
    return {name for line in lines if (name := defined_name(line.strip(), path))}


def defined_name(text: str, path: str) -> str | None:
    """Return the name that a stripped line defines as a function, class or the like."""
    match = _DEFINITION.match(text) or _FUNCTION_VALUE.match(text)
    if match is None and path.rpartition(".")[2].lower() in _BRACES and not _NOT_A_FUNCTION.match(text):
        match = _BRACE_FUNCTION.match(text[:400]) if text.endswith(("{", "(", ")", ",")) else None
    return match.group("name") if match else None


def indent_width(line: str) -> int:
    """Return the number of blanks that a line begins with, tabs counted as one."""
    return len(line) - len(line.lstrip(" \t"))


def _around(lines: Sequence[str], path: str, head: int) -> Item:
    """Return the item whose defining line is `head`: up over its decorators, down to where it ends."""
    width = indent_width(lines[head])
    first = head
    while (
        first > 0 and indent_width(lines[first - 1]) == width and _DECORATION.match(lines[first - 1].strip())
    ):
        first -= 1
    last = head
    quote = ""
    python = path.endswith((".py", ".pyi"))
    for number in range(head, len(lines)):
        line, inside_string = lines[number], bool(quote)
        if python:
            quote = _open_quote(line, quote)
        text = line.strip()
        outside = number > head and text and not inside_string and indent_width(line) <= width
        if outside and (indent_width(line) < width or not _continues(text, lines, last)):
            break
        if text:
            last = number
    return _item(lines, path, first, head, last)


def _item(lines: Sequence[str], path: str, first: int, head: int, last: int) -> Item:
    text = lines[head].strip()
    name = defined_name(text, path)
    if name is not None:
        match = _DEFINITION.match(text)
        is_class = bool(match and re.fullmatch(_CLASS_WORD, match.group("word")))
        return Item(ItemKind.DEFINITION, name, first, head, last, is_class)
    if _IMPORT.match(text):
        return Item(ItemKind.IMPORT, "", first, head, last)
    if _COMMENT.match(text) or (_DOCSTRING.match(text) and path.endswith((".py", ".pyi"))):
        return Item(ItemKind.COMMENT, "", first, head, last)
    match = _ASSIGNMENT.match(text)
    if match:
        return Item(ItemKind.ASSIGNMENT, match.group("name"), first, head, last)
    return Item(ItemKind.STATEMENT, "", first, head, last)


def _continues(text: str, lines: Sequence[str], last: int) -> bool:
    """Whether an outermost line goes on with the item above: a closing bracket, `else`, a lone brace."""
    return bool(_CONTINUES.match(text)) and bool(lines[last].strip())


def _comments_joined(items: Sequence[Item]) -> list[Item]:
    joined: list[Item] = []
    for item in items:
        above = joined[-1] if joined else None
        if above is not None and above.kind is item.kind is ItemKind.COMMENT and above.last + 1 == item.first:
            joined[-1] = Item(ItemKind.COMMENT, "", above.first, above.head, item.last)
        else:
            joined.append(item)
    return joined


def _open_quote(line: str, quote: str) -> str:
    """Return the triple quote still open after a line, given the one open before it."""
    for match in re.finditer(r"\"{3}|'{3}|#", line) if '"""' in line or "'''" in line else ():
        if match.group() == "#":
            if not quote:
                break
        elif not quote:
            quote = match.group()
        elif match.group() == quote:
            quote = ""
    return quote
