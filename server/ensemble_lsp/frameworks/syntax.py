"""Syntax trees of test files in languages other than Python."""

from collections.abc import Iterator
from functools import cache
from typing import Literal

from tree_sitter import Language, Node, Parser
from tree_sitter_language_pack import get_language

Grammar = Literal["javascript", "typescript", "tsx", "go"]


@cache
def _language(name: Grammar) -> Language:
    return get_language(name)


def parse(grammar: Grammar, text: str) -> Node:
    """Return the root node of a text; offsets are those of `as_bytes`."""
    return Parser(_language(grammar)).parse(as_bytes(text)).root_node


def as_bytes(text: str) -> bytes:
    """Return UTF-8; half a surrogate pair becomes `?`."""
    return text.encode("utf-8", "replace")


def text_of(node: Node | None) -> str:
    """Return the source of a node, "" for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def nodes(root: Node) -> Iterator[Node]:
    """Yield all nodes in source order, parents first."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def first_error(root: Node) -> int | None:
    """Return the 1-based line of the first place that does not parse, or None."""
    if not root.has_error:
        return None
    broken = (node for node in nodes(root) if node.is_error or node.is_missing)
    return next((node.start_point.row + 1 for node in broken), 1)


def with_lead(source: bytes, node: Node, start: int) -> str:
    """Return a node's text from `start` (where its comments begin), with the blanks that its first line begins with."""
    line = source.rfind(b"\n", 0, start) + 1
    before = source[line:start]
    lead = before if not before.strip() else before[: len(before) - len(before.lstrip())]
    return (lead + source[start : node.end_byte]).decode("utf-8", "replace")


def leaves(root: Node) -> list[Node]:
    """Return the tokens without comments; a string is one token."""
    found: list[Node] = []
    pending = [root]
    while pending:
        node = pending.pop()
        if "comment" in node.type:
            continue
        if not node.child_count or node.type in {"string", "interpreted_string_literal"}:
            found.append(node)
        else:
            pending.extend(reversed(node.children))
    return found
