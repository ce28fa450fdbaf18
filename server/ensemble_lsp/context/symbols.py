"""Symbols, imports and identifiers of one file, by tree-sitter; lines around where no grammar helps."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tree_sitter import Node

from ensemble_lsp.context.grammars import WRAPPERS, Grammar, grammar_of, language_of, matches
from ensemble_lsp.core.text import split_lines

_WORD = re.compile(r"[^\W\d]\w*")
_NAME_LIMIT = 120
_QUALIFIER = re.compile(r"[A-Za-z_~]\w*(?=\W*$)")


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition. Lines are 0-based and inclusive; decorators and `export` belong to it.

    `header_end_line` is the last line of its signature or head. `depth` counts the symbols around it.
    """

    name: str
    kind: str
    start_line: int
    end_line: int
    header_end_line: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """One import as it stands in the file. Lines are 0-based and inclusive."""

    start_line: int
    end_line: int
    text: str


class _Lines:
    """Byte offset → line, for the line rule of editors (tree-sitter counts `\\n` only)."""

    def __init__(self, text: str) -> None:
        # A lone surrogate becomes one byte; offsets only ever refer to these bytes.
        self._starts = [0]
        parts: list[bytes] = []
        for line in split_lines(text):
            part = line.encode("utf-8", "replace")
            parts.append(part)
            self._starts.append(self._starts[-1] + len(part))
        self.source = b"".join(parts)

    def line(self, offset: int) -> int:
        return max(0, min(bisect_right(self._starts, offset), len(self._starts) - 1) - 1)

    def last_line(self, node: Node) -> int:
        """Return the line of the node's last byte; some grammars' nodes end behind the line break."""
        end = node.end_byte
        while end > node.start_byte and self.source[end - 1] in b"\r\n":
            end -= 1
        return self.line(max(end - 1, node.start_byte))


def symbols_of(path: str, text: str) -> tuple[Symbol, ...]:
    """Return the file's symbols in the order of the text, outer ones first; empty for unknown languages."""
    grammar = grammar_of(language_of(path))
    if grammar is None or not text:
        return ()
    lines = _Lines(text)
    # Several patterns may match one definition; the earlier pattern is the more specific one.
    found: dict[int, tuple[int, dict[str, list[Node]]]] = {}
    for pattern, captures in matches(grammar.symbols, grammar.parse(lines.source)):
        place = captures["name"][0].start_byte
        if place not in found or pattern < found[place][0]:
            found[place] = (pattern, captures)
    symbols = [_symbol(grammar.kinds[pattern], captures, lines) for pattern, captures in found.values()]
    return _with_depth(sorted(symbols, key=lambda s: (s.start_line, -s.end_line)))


def _symbol(kind: str, captures: dict[str, list[Node]], lines: _Lines) -> Symbol:
    node, name = captures["symbol"][0], captures["name"][0]
    body = captures["body"][-1] if "body" in captures else None
    outer = node
    while outer.parent is not None and outer.parent.type in WRAPPERS and _only_definition(outer):
        outer = outer.parent
    start, end = lines.line(outer.start_byte), lines.last_line(outer)
    if body is None:
        header_end = end if kind in {"variable", "constant", "type"} else start
        header_end = max(header_end, lines.line(name.start_byte))
    else:
        body_line = lines.line(body.start_byte)
        own_line = lines.source[body.start_byte : body.start_byte + 1] != b"{"
        first = lines.line(node.start_byte)
        header_end = body_line - 1 if own_line and body_line > first else body_line
    return Symbol(
        name=_name(name, lines),
        kind=kind,
        start_line=start,
        end_line=end,
        header_end_line=max(start, min(header_end, end)),
    )


def _only_definition(node: Node) -> bool:
    """Whether the wrapper around `node` wraps it alone (a Go `const (…)` block may hold many)."""
    parent = node.parent
    return parent is not None and sum(child.type == node.type for child in parent.named_children) == 1


def _name(node: Node, lines: _Lines) -> str:
    # C and C++ nest the name in its declarator: `*f(int a)`, `n::A::z()`.
    inner: Node | None = node
    while inner is not None and inner.child_by_field_name("declarator") is not None:
        inner = inner.child_by_field_name("declarator")
    chosen = inner or node
    if chosen.type == "reference_declarator" and chosen.named_children:
        chosen = chosen.named_children[-1].child_by_field_name("declarator") or chosen.named_children[-1]
    text = lines.source[chosen.start_byte : chosen.end_byte].decode("utf-8", "replace")[:_NAME_LIMIT]
    if chosen.type in {"qualified_identifier", "dot_index_expression", "method_index_expression"}:
        last = _QUALIFIER.search(text)
        return last.group() if last else text
    return text


def _with_depth(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    result: list[Symbol] = []
    around: list[Symbol] = []
    for symbol in symbols:
        while around and around[-1].end_line < symbol.start_line:
            around.pop()
        result.append(replace(symbol, depth=len(around)))
        around.append(symbol)
    return tuple(result)


def enclosing_symbol(symbols: Iterable[Symbol], start: int, end: int) -> Symbol | None:
    """Return the innermost symbol that holds lines `start` to `end` (0-based, inclusive), or None."""
    holding = [s for s in symbols if s.start_line <= start and end <= s.end_line]
    return min(holding, key=lambda s: (s.end_line - s.start_line, -s.depth), default=None)


def identifiers_in(text: str, language: str) -> tuple[str, ...]:
    """Return the identifiers of code (no words of strings or comments), each once, in order of first use.

    A language without a grammar gives all words.
    """
    grammar = grammar_of(language)
    if grammar is None or grammar.identifiers is None:
        return tuple(dict.fromkeys(_WORD.findall(text)))
    source = text.encode("utf-8", "replace")
    nodes = (captures["name"][0] for _, captures in matches(grammar.identifiers, grammar.parse(source)))
    names = (source[n.start_byte : n.end_byte].decode("utf-8", "replace") for n in nodes)
    return tuple(dict.fromkeys(name for name in names if len(name) <= _NAME_LIMIT))


_CALLED_IMPORT = re.compile(
    r"""^[ \t]*(?:(?:const|let|var|local)\b[^=\n]*=[ \t]*)?"""
    r"""(?:require(?:_relative)?|dofile)\b[ \t(]*["'][^"'\n]+["'].*$""",
    re.MULTILINE,
)
_IMPORTED_BY_CALL = frozenset({"javascript", "typescript", "tsx", "ruby", "lua"})


def imports_of(path: str, text: str) -> tuple[ImportStatement, ...]:
    """Return the file's import statements in order; empty for languages whose imports are not known."""
    grammar = grammar_of(language_of(path))
    if grammar is None:
        return ()
    lines = _Lines(text)
    found = _imports_by_grammar(grammar, lines)
    if grammar.name in _IMPORTED_BY_CALL:
        for call in _CALLED_IMPORT.finditer(text):
            line = len(split_lines(text[: call.start()]))
            found.append(ImportStatement(line, line, call.group().strip()))
    return tuple(sorted(found, key=lambda statement: statement.start_line))


def _imports_by_grammar(grammar: Grammar, lines: _Lines) -> list[ImportStatement]:
    if grammar.imports is None:
        return []
    return [
        ImportStatement(
            start_line=lines.line(node.start_byte),
            end_line=lines.last_line(node),
            text=lines.source[node.start_byte : node.end_byte].decode("utf-8", "replace").strip(),
        )
        for _, captures in matches(grammar.imports, grammar.parse(lines.source))
        for node in captures["import"]
    ]
