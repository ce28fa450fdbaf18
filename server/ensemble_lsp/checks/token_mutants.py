"""Mutants of languages other than Python: one operator or literal exchanged for its neighbour, or a clause."""

from collections.abc import Iterator

from tree_sitter import Node

from ensemble_lsp.checks import trees
from ensemble_lsp.checks.clause_mutants import LANGUAGES, clauses
from ensemble_lsp.checks.languages import language_of

_EXCHANGED = {
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "%": "*",
    "&&": "||",
    "||": "&&",
    "+=": "-=",
    "-=": "+=",
    "++": "--",
    "--": "++",
    "true": "false",
    "false": "true",
    "break": "continue",
    "continue": "break",
}
_EXPRESSIONS = (
    "binary",
    "unary",
    "update",
    "assignment",
    "expression",
    "condition",
    "comparison",
    "boolean",
    "inc_",
)
"""An operator counts only below such a node: `<` of a type argument and `*` of a pointer are none."""
_ANYWHERE = frozenset({"true", "false", "break", "continue"})
_NUMBERS = frozenset(
    {"number", "int_literal", "integer_literal", "decimal_integer_literal", "number_literal", "integer"}
)
"""What grammars call a whole number."""


def token_mutants(path: str, text: str, first: int, last: int) -> Iterator[tuple[str, int, str]]:
    """Yield (changed text, 0-based line, what changed) for the lines `first` to `last` of `text`."""
    tree = trees.parse(path, text)
    if tree is None:
        return
    source = trees.source_bytes(text)
    if len(source) != len(text.encode("utf-8", "replace")) or source.decode("utf-8") != text:
        return  # bytes that do not decode: offsets would not fit
    language = language_of(path) or ""
    for node in trees.walk(tree.root_node):
        line = node.start_point.row
        if not first <= line <= last:
            continue
        for clause in clauses(node, language) if language in LANGUAGES else ():
            changed = source[: clause.start] + clause.now.encode() + source[clause.end :]
            yield changed.decode("utf-8"), line, clause.what
        if node.child_count:
            continue
        word = trees.node_text(node)
        for number in _neighbours(node, word):
            changed = source[: node.start_byte] + number.encode() + source[node.end_byte :]
            yield changed.decode("utf-8"), line, f"{word} became {number}"
        now = _EXCHANGED.get(word)
        parent = node.parent
        if now is None or parent is None:
            continue
        operates = any(part in parent.type for part in _EXPRESSIONS) and "type" not in parent.type
        if word in _ANYWHERE or operates:
            changed = source[: node.start_byte] + now.encode() + source[node.end_byte :]
            yield changed.decode("utf-8"), line, f"{word} became {now}"


def _neighbours(node: Node, word: str) -> list[str]:
    """Return the numbers beside a whole one that is no part of a type; none below nought, which may have no sign."""
    if node.type not in _NUMBERS or not word.isascii() or not word.isdigit() or len(word) > 15:
        return []
    if node.parent is None or "type" in node.parent.type or (len(word) > 1 and word.startswith("0")):
        return []
    value = int(word)
    return [str(value + 1), *([str(value - 1)] if value else [])]
