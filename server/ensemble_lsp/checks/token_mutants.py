"""Mutants of languages other than Python: one operator or literal exchanged for its neighbour."""

from collections.abc import Iterator

from ensemble_lsp.checks import trees

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


def token_mutants(path: str, text: str, first: int, last: int) -> Iterator[tuple[str, int, str]]:
    """Yield (changed text, 0-based line, what changed) for the lines `first` to `last` of `text`."""
    tree = trees.parse(path, text)
    if tree is None:
        return
    source = trees.source_bytes(text)
    if len(source) != len(text.encode("utf-8", "replace")) or source.decode("utf-8") != text:
        return  # bytes that do not decode: offsets would not fit
    for node in trees.walk(tree.root_node):
        line = node.start_point.row
        if node.child_count or not first <= line <= last:
            continue
        word = trees.node_text(node)
        now = _EXCHANGED.get(word)
        parent = node.parent
        if now is None or parent is None:
            continue
        operates = any(part in parent.type for part in _EXPRESSIONS) and "type" not in parent.type
        if word in _ANYWHERE or operates:
            changed = source[: node.start_byte] + now.encode() + source[node.end_byte :]
            yield changed.decode("utf-8"), line, f"{word} became {now}"
