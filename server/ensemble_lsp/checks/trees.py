"""Syntax trees of any language: the one place that imports tree-sitter."""

from collections.abc import Iterator
from functools import cache
from typing import cast, get_args

import tree_sitter_language_pack
from tree_sitter import Language, Node, Parser, Tree

from ensemble_lsp.checks.languages import PROSE, language_of

_KNOWN = frozenset(cast("tuple[str, ...]", get_args(tree_sitter_language_pack.SupportedLanguage)))

MAX_PARSED_BYTES = 4_000_000
"""Larger files are generated ones; parsing them would hold the loop for seconds."""


@cache
def _grammar(language: str) -> Language | None:
    if language not in _KNOWN or language in PROSE:
        return None
    try:
        return tree_sitter_language_pack.get_language(
            cast("tree_sitter_language_pack.SupportedLanguage", language)
        )
    except (LookupError, OSError, ImportError):
        return None


def source_bytes(text: str) -> bytes:
    """Return UTF-8 for the parser; bytes that did not decode become `?`, one for one."""
    return text.encode("utf-8", "replace")


def parse(path: str, text: str) -> Tree | None:
    """Parse `text` by the language that `path` names; None without a grammar or beyond the size bound."""
    language = language_of(path)
    return parse_language(language, text) if language else None


def parse_language(language: str, text: str) -> Tree | None:
    """Parse `text` as `language` (tree-sitter's name); None without a grammar or beyond the size bound."""
    grammar = _grammar(language)
    if grammar is None or len(text) > MAX_PARSED_BYTES:
        return None
    return Parser(grammar).parse(source_bytes(text))


def walk(root: Node, *, only_with_errors: bool = False) -> Iterator[Node]:
    """Yield the nodes in source order, parents first; bounded by the size of the tree."""
    pending = [root]
    while pending:
        node = pending.pop()
        if only_with_errors and not (node.has_error or node.is_missing):
            continue
        yield node
        pending.extend(reversed(node.children))


def count_errors(tree: Tree) -> int:
    """Return the number of places where the parser had to skip or to invent something."""
    if not tree.root_node.has_error:
        return 0
    return sum(1 for node in walk(tree.root_node, only_with_errors=True) if node.is_error or node.is_missing)


def node_text(node: Node) -> str:
    """Return the source of one node."""
    return node.text.decode("utf-8", "replace") if node.text is not None else ""
