"""Imports of JavaScript and TypeScript: read, pruned to what is used, and put among those of a file."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from tree_sitter import Node

from ensemble_lsp.frameworks.syntax import Grammar, as_bytes, parse, text_of

_EXTENSION = re.compile(r"\.(?:[cm]?[jt]sx?)$")


@dataclass(frozen=True, slots=True)
class ScriptImport:
    """One `import` or one `const … = require(…)`. `names` are (exported, local) pairs."""

    source: str
    default: str = ""
    namespace: str = ""
    names: tuple[tuple[str, str], ...] = ()
    types: bool = False
    """`import type`."""
    required: bool = False
    """`require`, of CommonJS."""
    brace: int = -1
    """Byte after the last name between its braces, in the text it was read from; -1 without braces."""
    end: int = 0
    """Byte after its statement."""

    @property
    def locals(self) -> frozenset[str]:
        """The names that it gives to the file."""
        return frozenset({self.default, self.namespace, *(local for _, local in self.names)} - {""})

    def used_in(self, words: frozenset[str]) -> "ScriptImport | None":
        """Return it with the names that are used; as it is when it is there for its effects, None when unused."""
        if not self.locals:
            return self
        kept = replace(
            self,
            default=self.default if self.default in words else "",
            namespace=self.namespace if self.namespace in words else "",
            names=tuple(pair for pair in self.names if pair[1] in words),
        )
        return kept if kept.locals else None

    def written(self, quote: str, end: str) -> str:
        """Return the statement."""
        source = f"{quote}{self.source}{quote}"
        sign = ": " if self.required else " as "
        braces = ", ".join(name if name == local else f"{name}{sign}{local}" for name, local in self.names)
        if self.required:
            bound = self.default or self.namespace
            lines = [f"const {bound} = require({source}){end}"] if bound else []
            lines += [f"const {{ {braces} }} = require({source}){end}"] if braces else []
            return "\n".join(lines) or f"require({source}){end}"
        parts = [self.default, f"* as {self.namespace}" if self.namespace else ""]
        parts.append(f"{{ {braces} }}" if braces else "")
        said = ", ".join(part for part in parts if part)
        word = "import type" if self.types else "import"
        return f"{word} {said} from {source}{end}" if said else f"{word} {source}{end}"


def import_of(node: Node) -> ScriptImport | None:
    """Return the import that a statement at the top level is, or None."""
    if node.type == "import_statement":
        return _imported(node)
    if node.type in {"lexical_declaration", "variable_declaration"}:
        declared = [child for child in node.named_children if child.type == "variable_declarator"]
        return _required(node, declared[0]) if len(declared) == 1 else None
    if node.type == "expression_statement" and node.named_children:
        source = _required_source(node.named_children[0])
        return ScriptImport(source, required=True, end=node.end_byte) if source else None
    return None


def _imported(node: Node) -> ScriptImport | None:
    source = _string(node.child_by_field_name("source"))
    if not source:
        return None
    found = ScriptImport(
        source, types=any(child.type == "type" for child in node.children), end=node.end_byte
    )
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    for part in clause.named_children if clause is not None else []:
        if part.type == "identifier":
            found = replace(found, default=text_of(part))
        elif part.type == "namespace_import":
            found = replace(found, namespace=text_of(part.named_children[-1]))
        elif part.type == "named_imports":
            specifiers = [item for item in part.named_children if item.type == "import_specifier"]
            pairs = tuple(
                (
                    text_of(item.child_by_field_name("name")),
                    text_of(item.child_by_field_name("alias") or item.child_by_field_name("name")),
                )
                for item in specifiers
            )
            last = specifiers[-1].end_byte if specifiers else part.start_byte + 1
            found = replace(found, names=pairs, brace=last)
    return found


def _required(node: Node, declared: Node) -> ScriptImport | None:
    source = _required_source(declared.child_by_field_name("value"))
    name = declared.child_by_field_name("name")
    if not source or name is None:
        return None
    found = ScriptImport(source, required=True, end=node.end_byte)
    if name.type == "identifier":
        return replace(found, default=text_of(name))
    if name.type != "object_pattern":
        return None
    pairs: list[tuple[str, str]] = []
    for item in name.named_children:
        if item.type == "shorthand_property_identifier_pattern":
            pairs.append((text_of(item), text_of(item)))
        elif item.type == "pair_pattern":
            pairs.append(
                (text_of(item.child_by_field_name("key")), text_of(item.child_by_field_name("value")))
            )
        else:
            return None
    last = name.named_children[-1].end_byte if name.named_children else name.start_byte + 1
    return replace(found, names=tuple(pairs), brace=last)


def _required_source(value: Node | None) -> str:
    if value is None or value.type != "call_expression":
        return ""
    if text_of(value.child_by_field_name("function")) != "require":
        return ""
    arguments = value.child_by_field_name("arguments")
    return _string(arguments.named_children[0]) if arguments is not None and arguments.named_children else ""


def _string(node: Node | None) -> str:
    return text_of(node)[1:-1] if node is not None and node.type == "string" else ""


def merged(wanted: Iterable[ScriptImport]) -> list[ScriptImport]:
    """Return one import for each source, with the names of all."""
    found: dict[tuple[str, bool, bool], ScriptImport] = {}
    for item in wanted:
        key = (item.source, item.types, item.required)
        known = found.get(key)
        if known is None:
            found[key] = item
            continue
        names = (*known.names, *(pair for pair in item.names if pair not in known.names))
        found[key] = replace(
            known,
            names=names,
            default=known.default or item.default,
            namespace=known.namespace or item.namespace,
        )
    return list(found.values())


def with_imports(
    existing: str, wanted: Sequence[ScriptImport], grammar: Grammar, quote: str, end: str
) -> str:
    """Return the text with the imports: names among those of the same source, other statements below the last one."""
    source = as_bytes(existing)
    present = [item for node in parse(grammar, existing).children if (item := import_of(node)) is not None]
    known = frozenset[str]().union(*(item.locals for item in present))
    inserted: list[tuple[int, str]] = []
    fresh: list[str] = []
    for item in wanted:
        same = [
            other
            for other in present
            if _same_source(other.source, item.source) and other.types == item.types
        ]
        if not item.locals:
            fresh += [] if same else [item.written(quote, end)]
            continue
        left = item.used_in(item.locals - known)
        if left is None:
            continue
        open_one = next((other for other in same if other.brace >= 0 and not left.default), None)
        if open_one is not None and left.names and not left.namespace:
            sign = ": " if open_one.required else " as "
            more = ", ".join(name if name == local else f"{name}{sign}{local}" for name, local in left.names)
            inserted.append((open_one.brace, f", {more}" if open_one.names else more))
        else:
            fresh.append(left.written(quote, end))
    if fresh:
        inserted.append(_below(source, present, fresh))
    for place, text in sorted(inserted, reverse=True):
        source = source[:place] + as_bytes(text) + source[place:]
    return source.decode("utf-8", "replace")


def _below(source: bytes, present: Sequence[ScriptImport], lines: Sequence[str]) -> tuple[int, str]:
    block = "\n".join(lines)
    if present:
        return max(item.end for item in present), f"\n{block}"
    head = re.match(
        rb"(?:#![^\n]*\n|[ \t]*//[^\n]*\n|[ \t]*/\*.*?\*/[ \t]*\n|['\"]use strict['\"];?\n)*",
        source,
        re.DOTALL,
    )
    return (head.end() if head is not None else 0), f"{block}\n\n" if source.strip() else f"{block}\n"


def _same_source(one: str, other: str) -> bool:
    return one == other or (one.startswith(".") and plain_source(one) == plain_source(other))


def plain_source(source: str) -> str:
    """Return what a source names without its extension."""
    return _EXTENSION.sub("", source)


def resolved(source: str, folder: str) -> str:
    """Return the path, without extension, that a relative source means from a folder; "" for a package's."""
    if not source.startswith("."):
        return ""
    parts: list[str] = []
    for part in (*PurePosixPath(folder).parts, *PurePosixPath(plain_source(source)).parts):
        if part == ".." and parts:
            parts.pop()
        elif part not in {".", ".."}:
            parts.append(part)
    return "/".join(parts)
