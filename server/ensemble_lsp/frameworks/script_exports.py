"""What a file of JavaScript or TypeScript exports by name: tests that use it and forgot to import it get an import."""

import re
from dataclasses import dataclass

from tree_sitter import Node

from ensemble_lsp.frameworks.script_units import defined
from ensemble_lsp.frameworks.syntax import Grammar, parse, text_of

_TYPES = frozenset({"type_alias_declaration", "interface_declaration"})
_EXPORTS = re.compile(r"^(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Exported:
    """The names that other files import in braces; a default export has none."""

    values: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    """Types and interfaces, which are gone when the code runs."""


def exported_by(grammar: Grammar, code: str) -> Exported:
    """Return what a file exports."""
    root = parse(grammar, code)
    values: set[str] = set(_EXPORTS.findall(code))
    types: set[str] = set()
    for node in root.named_children:
        if node.type == "export_statement":
            declared = node.child_by_field_name("declaration")
            is_type = declared is not None and declared.type in _TYPES
            (types if is_type else values).update(_of_statement(node))
        elif node.type == "expression_statement":
            values.update(_of_module_exports(node))
    return Exported(frozenset(values - {"", "default"}), frozenset(types))


def _of_statement(node: Node) -> list[str]:
    if any(child.type == "default" for child in node.children):
        return []
    clause = next((child for child in node.named_children if child.type == "export_clause"), None)
    listed = clause.named_children if clause is not None else []
    names = (item.child_by_field_name("alias") or item.child_by_field_name("name") for item in listed)
    return [defined(node), *map(text_of, names)]


def _of_module_exports(node: Node) -> list[str]:
    """Read `module.exports = { total, limit: most }`."""
    assigned = node.named_children[0] if node.named_children else None
    if assigned is None or text_of(assigned.child_by_field_name("left")) != "module.exports":
        return []
    value = assigned.child_by_field_name("right")
    names: list[str] = []
    for item in value.named_children if value is not None and value.type == "object" else []:
        if item.type == "shorthand_property_identifier":
            names.append(text_of(item))
        elif item.type in {"pair", "method_definition"}:
            names.append(text_of(item.child_by_field_name("key") or item.child_by_field_name("name")))
    return names
