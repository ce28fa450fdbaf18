"""Does it parse? Every language by tree-sitter, Python by its own compiler as well."""

import ast
import warnings

from tree_sitter import Node, Tree

from ensemble_lsp.checks import trees
from ensemble_lsp.checks.languages import language_of

__all__ = ["enclosing", "language_of", "normal_form", "parse_errors"]

_NEWER_PYTHON = frozenset({"type_alias_statement", "type_parameter", "template_string"})
"""Syntax that tree-sitter knows and the Python that runs this may not: not an error of the code."""


def parse_errors(path: str, text: str) -> int | None:
    """Return the number of parse errors, or None for a language without a parser.

    For Python a text that parses but does not compile (`return` outside a function, a repeated argument, a
    statement of Python 2) counts one, except where it only uses a newer Python than the one this runs on.
    Compare the counts before and after a change: some grammars stumble over correct code.
    """
    tree = trees.parse(path, text)
    if tree is None:
        return None
    count = trees.count_errors(tree)
    if count and path.endswith((".h", ".H")):
        as_cpp = trees.parse_language("cpp", text)
        count = min(count, trees.count_errors(as_cpp)) if as_cpp else count
    if language_of(path) == "python" and not path.lower().endswith(".pyi"):
        return _python_errors(path, text, tree, count)
    return count


def _python_errors(path: str, text: str, tree: Tree, count: int) -> int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(_encodable(text), path, "exec", dont_inherit=True)
    except (RecursionError, MemoryError):
        return count  # too deeply nested for the compiler: says nothing about the code
    except (SyntaxError, ValueError) as error:
        return max(count, 0 if _only_newer(error, tree) else 1)
    return 0  # the compiler is the authority where it accepts: tree-sitter has gaps


def _only_newer(error: SyntaxError | ValueError, tree: Tree) -> bool:
    if "f-string" in str(error):
        return not tree.root_node.has_error  # quotes and backslashes inside: fine from Python 3.12 on
    return any(node.type in _NEWER_PYTHON for node in trees.walk(tree.root_node))


def _encodable(text: str) -> str:
    return trees.source_bytes(text).decode("utf-8")


def enclosing(path: str, text: str, line: int) -> tuple[str, int, int] | None:
    """Return name, first and last line of the innermost function, class or the like around `line`.

    Lines are 0-based and inclusive, decorators count as part of the symbol. None outside any symbol and in
    languages without a parser.
    """
    tree = trees.parse(path, text)
    if tree is None:
        return None
    found: tuple[str, int, int] | None = None
    node = tree.root_node
    first_line = -1
    while (inner := _child_at(node, line)) is not None:
        node = inner
        if node.type == "decorated_definition":
            first_line = node.start_point.row
            continue
        name = symbol_name(node)
        if name is not None:
            found = (name, node.start_point.row if first_line < 0 else first_line, _last_row(node))
        first_line = -1
    return found


def _child_at(node: Node, line: int) -> Node | None:
    if node.type == "decorated_definition":
        return node.child_by_field_name("definition")
    there = [child for child in node.children if child.start_point.row <= line <= _last_row(child)]
    symbols = (child for child in there if symbol_name(child))
    return next(symbols, there[-1] if there else None)


def _last_row(node: Node) -> int:
    """Return the last line that has text of the node: one that ends at a line's start does not reach it."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


_SYMBOL_WORDS = ("function", "method", "class", "constructor", "interface", "struct", "enum", "trait")
_SYMBOL_ENDINGS = ("_definition", "_declaration", "_item", "_specifier", "_statement")
_SYMBOL_TYPES = frozenset(
    {
        "class",
        "constructor_declaration",
        "impl_item",
        "method",
        "mod_item",
        "module",
        "namespace_definition",
        "object_declaration",
        "object_definition",
        "protocol_declaration",
        "singleton_method",
        "type_spec",
    }
)
_NAMED_BY_CHILD = frozenset(
    {"class_declaration", "function_declaration", "object_declaration", "interface_declaration"}
)
"""Kotlin's grammar gives names no field."""
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "function", "generator_function"})


def symbol_name(node: Node) -> str | None:
    """Return the name that the node defines, when it is a function, class or the like."""
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is None or value.type not in _FUNCTION_VALUES:
            return None
        declared = node.child_by_field_name("name")
        return trees.node_text(declared) if declared is not None else None
    if not node.is_named or not _is_symbol(node.type):
        return None
    name = node.child_by_field_name("name") or _declared(node)
    if name is None and node.type == "impl_item":
        name = node.child_by_field_name("type")
    if name is None and node.type in _NAMED_BY_CHILD:
        name = next((child for child in node.children if child.type.endswith("identifier")), None)
    if name is None or (node.type.endswith("_specifier") and node.child_by_field_name("body") is None):
        return None
    text = trees.node_text(name).strip()
    return text.splitlines()[0] if text else None


def _is_symbol(kind: str) -> bool:
    if kind in _SYMBOL_TYPES:
        return True
    return kind.endswith(_SYMBOL_ENDINGS) and any(word in kind for word in _SYMBOL_WORDS)


def _declared(node: Node) -> Node | None:
    """Follow C's declarators, which wrap the name in pointers and parameter lists."""
    declarator = node.child_by_field_name("declarator")
    for _ in range(16):  # nesting of declarators in code that people write is far below this
        if declarator is None or declarator.child_by_field_name("declarator") is None:
            break
        declarator = declarator.child_by_field_name("declarator")
    return declarator


def normal_form(path: str, text: str) -> str:
    """Return a form equal for texts that differ in comments and layout only.

    Python: its own syntax tree. Other languages: the tree of tokens without comments. Where nothing parses
    the text cleanly, and in prose, the text itself with its line endings made alike.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if language_of(path) == "python":
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.dump(ast.parse(_encodable(plain)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass  # perhaps a newer Python: the token tree tells versions apart as well
    tree = trees.parse(path, plain)
    if tree is None or tree.root_node.has_error:
        return plain
    return _token_tree(tree.root_node)


def _token_tree(root: Node) -> str:
    parts: list[str] = []
    pending: list[Node | None] = [root]
    while pending:
        node = pending.pop()
        if node is None:
            parts.append(")")
        elif "comment" in node.type and node.is_extra:
            continue
        elif node.child_count == 0:
            text = trees.node_text(node)
            parts.append(repr(text if node.is_named else text.strip()))
        else:
            parts.append(f"({node.type}")
            pending.append(None)
            pending.extend(reversed(node.children))
    return " ".join(parts)
