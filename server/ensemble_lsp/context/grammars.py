"""Which grammar reads which file, and how each grammar names its symbols."""

from dataclasses import dataclass
from functools import lru_cache
from posixpath import splitext
from typing import cast

from tree_sitter import Language, Node, Parser, Query, QueryCursor
from tree_sitter_language_pack import SupportedLanguage, get_language

_EXTENSIONS: dict[str, str] = {
    ".py": "python", ".pyi": "python", ".pyw": "python",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".go": "go", ".rs": "rust", ".java": "java",
    ".c": "c", ".h": "c",
    ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
    ".cs": "csharp", ".rb": "ruby", ".php": "php", ".lua": "lua",
    ".kt": "kotlin", ".kts": "kotlin", ".swift": "swift",
    ".md": "markdown", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".json": "json",
    ".html": "html", ".css": "css", ".sh": "bash", ".bash": "bash", ".sql": "sql",
}  # fmt: skip

# (pattern, kind). `@symbol` is the whole definition, `@name` its name, `@body` what a skeleton leaves out.
_FUNCTION_VALUE = "[(arrow_function body: (_) @body) (function_expression body: (_) @body)]"
_CONSTANT = "(lexical_declaration (variable_declarator name: (identifier) @name) @symbol)"
_LUA_FUNCTION_VALUE = "(expression_list (function_definition body: (_)? @body))"
_SCRIPT_PATTERNS: tuple[tuple[str, str], ...] = (
    ("(function_declaration name: (_) @name body: (_) @body) @symbol", "function"),
    ("(generator_function_declaration name: (_) @name body: (_) @body) @symbol", "function"),
    ("(class_declaration name: (_) @name body: (_) @body) @symbol", "class"),
    ("(method_definition name: (_) @name body: (_) @body) @symbol", "method"),
    (f"(variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE}) @symbol", "function"),
    (f"(pair key: (property_identifier) @name value: {_FUNCTION_VALUE}) @symbol", "function"),
    (
        f"(assignment_expression left: (member_expression property: (_) @name) right: {_FUNCTION_VALUE}) @symbol",
        "function",
    ),
    (f"(program {_CONSTANT})", "variable"),
    (f"(program (export_statement {_CONSTANT}))", "variable"),
)

_TYPED_SCRIPT_PATTERNS: tuple[tuple[str, str], ...] = (
    *_SCRIPT_PATTERNS,
    ("(abstract_class_declaration name: (_) @name body: (_) @body) @symbol", "class"),
    ("(interface_declaration name: (_) @name body: (_) @body) @symbol", "interface"),
    ("(enum_declaration name: (_) @name body: (_) @body) @symbol", "enum"),
    ("(type_alias_declaration name: (_) @name) @symbol", "type"),
    ("(internal_module name: (_) @name body: (_) @body) @symbol", "namespace"),
    ("(function_signature name: (_) @name) @symbol", "function"),
    ("(abstract_method_signature name: (_) @name) @symbol", "method"),
    (
        "(public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @symbol",
        "method",
    ),
)

_C_PATTERNS: tuple[tuple[str, str], ...] = (
    ("(function_definition declarator: (_) @name body: (_) @body) @symbol", "function"),
    ("(struct_specifier name: (_) @name body: (_) @body) @symbol", "struct"),
    ("(union_specifier name: (_) @name body: (_) @body) @symbol", "union"),
    ("(enum_specifier name: (_) @name body: (_) @body) @symbol", "enum"),
    ("(type_definition declarator: (type_identifier) @name) @symbol", "type"),
    ("(preproc_function_def name: (_) @name) @symbol", "macro"),
)

_PATTERNS: dict[str, tuple[tuple[str, str], ...]] = {
    "python": (
        ("(function_definition name: (_) @name body: (_) @body) @symbol", "function"),
        ("(class_definition name: (_) @name body: (_) @body) @symbol", "class"),
        ("(module (assignment left: (identifier) @name) @symbol)", "variable"),
    ),
    "javascript": (
        *_SCRIPT_PATTERNS,
        ("(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @symbol", "method"),
    ),
    "typescript": _TYPED_SCRIPT_PATTERNS,
    "tsx": _TYPED_SCRIPT_PATTERNS,
    "go": (
        ("(function_declaration name: (_) @name body: (_) @body) @symbol", "function"),
        ("(method_declaration name: (_) @name body: (_) @body) @symbol", "method"),
        ("(type_spec name: (_) @name type: (struct_type (_) @body)) @symbol", "struct"),
        ("(type_spec name: (_) @name type: (interface_type)) @symbol", "interface"),
        ("(type_spec name: (_) @name) @symbol", "type"),
        ("(source_file (const_declaration (const_spec name: (_) @name) @symbol))", "constant"),
        ("(source_file (var_declaration (var_spec name: (_) @name) @symbol))", "variable"),
    ),
    "rust": (
        ("(function_item name: (_) @name body: (_) @body) @symbol", "function"),
        ("(function_signature_item name: (_) @name) @symbol", "function"),
        ("(struct_item name: (_) @name body: (_)? @body) @symbol", "struct"),
        ("(enum_item name: (_) @name body: (_) @body) @symbol", "enum"),
        ("(union_item name: (_) @name body: (_) @body) @symbol", "union"),
        ("(trait_item name: (_) @name body: (_) @body) @symbol", "trait"),
        ("(impl_item type: (_) @name body: (_) @body) @symbol", "impl"),
        ("(mod_item name: (_) @name body: (_) @body) @symbol", "module"),
        ("(macro_definition name: (_) @name) @symbol", "macro"),
        ("(const_item name: (_) @name) @symbol", "constant"),
        ("(static_item name: (_) @name) @symbol", "variable"),
        ("(type_item name: (_) @name) @symbol", "type"),
    ),
    "java": (
        ("(class_declaration name: (_) @name body: (_) @body) @symbol", "class"),
        ("(interface_declaration name: (_) @name body: (_) @body) @symbol", "interface"),
        ("(enum_declaration name: (_) @name body: (_) @body) @symbol", "enum"),
        ("(record_declaration name: (_) @name body: (_) @body) @symbol", "record"),
        ("(method_declaration name: (_) @name body: (_)? @body) @symbol", "method"),
        ("(constructor_declaration name: (_) @name body: (_) @body) @symbol", "constructor"),
    ),
    "c": _C_PATTERNS,
    "cpp": (
        *_C_PATTERNS,
        ("(class_specifier name: (_) @name body: (_) @body) @symbol", "class"),
        ("(namespace_definition name: (_) @name body: (_) @body) @symbol", "namespace"),
        ("(alias_declaration name: (_) @name) @symbol", "type"),
    ),
    "csharp": (
        ("(namespace_declaration name: (_) @name body: (_) @body) @symbol", "namespace"),
        ("(class_declaration name: (_) @name body: (_) @body) @symbol", "class"),
        ("(interface_declaration name: (_) @name body: (_) @body) @symbol", "interface"),
        ("(struct_declaration name: (_) @name body: (_) @body) @symbol", "struct"),
        ("(enum_declaration name: (_) @name body: (_) @body) @symbol", "enum"),
        ("(record_declaration name: (_) @name) @symbol", "record"),
        ("(method_declaration name: (_) @name body: (_)? @body) @symbol", "method"),
        ("(constructor_declaration name: (_) @name body: (_) @body) @symbol", "constructor"),
        ("(property_declaration name: (_) @name) @symbol", "property"),
    ),
    "ruby": (
        ("(module name: (_) @name body: (_)? @body) @symbol", "module"),
        ("(class name: (_) @name body: (_)? @body) @symbol", "class"),
        ("(method name: (_) @name body: (_)? @body) @symbol", "method"),
        ("(singleton_method name: (_) @name body: (_)? @body) @symbol", "method"),
    ),
    "php": (
        ("(function_definition name: (_) @name body: (_) @body) @symbol", "function"),
        ("(class_declaration name: (_) @name body: (_) @body) @symbol", "class"),
        ("(interface_declaration name: (_) @name body: (_) @body) @symbol", "interface"),
        ("(trait_declaration name: (_) @name body: (_) @body) @symbol", "trait"),
        ("(enum_declaration name: (_) @name body: (_) @body) @symbol", "enum"),
        ("(method_declaration name: (_) @name body: (_)? @body) @symbol", "method"),
    ),
    "lua": (
        ("(function_declaration name: (_) @name body: (_)? @body) @symbol", "function"),
        (f"(assignment_statement (variable_list (_) @name) {_LUA_FUNCTION_VALUE}) @symbol", "function"),
    ),
    "kotlin": (
        ("(class_declaration (type_identifier) @name (class_body)? @body) @symbol", "class"),
        ("(object_declaration (type_identifier) @name (class_body)? @body) @symbol", "object"),
        ("(function_declaration (simple_identifier) @name (function_body)? @body) @symbol", "function"),
    ),
    "swift": (
        ("(class_declaration name: (_) @name body: (_) @body) @symbol", "type"),
        ("(protocol_declaration name: (_) @name body: (_) @body) @symbol", "protocol"),
        ("(function_declaration name: (simple_identifier) @name body: (_) @body) @symbol", "function"),
        ("(protocol_function_declaration name: (simple_identifier) @name) @symbol", "function"),
        ('(init_declaration "init" @name body: (_) @body) @symbol', "constructor"),
    ),
}

_IMPORTS: dict[str, tuple[str, ...]] = {
    "python": ("import_statement", "import_from_statement", "future_import_statement"),
    "javascript": ("import_statement",),
    "typescript": ("import_statement",),
    "tsx": ("import_statement",),
    "go": ("import_declaration",),
    "rust": ("use_declaration", "extern_crate_declaration"),
    "java": ("import_declaration",),
    "c": ("preproc_include",),
    "cpp": ("preproc_include", "using_declaration"),
    "csharp": ("using_directive",),
    "php": ("namespace_use_declaration",),
    "kotlin": ("import_header",),
    "swift": ("import_declaration",),
}

_IDENTIFIERS = (
    "identifier", "type_identifier", "property_identifier", "field_identifier", "simple_identifier",
    "shorthand_property_identifier", "package_identifier", "constant", "name", "namespace_identifier",
)  # fmt: skip

WRAPPERS: frozenset[str] = frozenset(
    {
        "decorated_definition", "export_statement", "lexical_declaration", "variable_declaration",
        "ambient_declaration", "template_declaration", "type_declaration", "const_declaration",
        "var_declaration",
    }
)  # fmt: skip
"""Nodes that belong to the one definition in them: decorators, `export`, `template <…>`."""


@dataclass(frozen=True)
class Grammar:
    """One language's parser tables and the queries that are asked of it."""

    name: str
    language: Language
    symbols: Query
    kinds: tuple[str, ...]
    """By the index of the pattern in `symbols`."""
    imports: Query | None
    identifiers: Query | None

    def parse(self, source: bytes) -> Node:
        """Return the root node. A parser per call: parsers must not be shared between threads."""
        return Parser(self.language).parse(source).root_node


def matches(query: Query, node: Node) -> list[tuple[int, dict[str, list[Node]]]]:
    """Return (pattern index, captures by name) in the order of the text."""
    return QueryCursor(query).matches(node)


def language_of(path: str) -> str:
    """Return the tree-sitter name of the file's language, or "" when its name does not tell."""
    return _EXTENSIONS.get(splitext(path)[1].lower(), "")


@lru_cache(maxsize=32)
def grammar_of(language: str) -> Grammar | None:
    """Return the grammar of a language whose symbols are known here, else None."""
    patterns = _PATTERNS.get(language)
    if patterns is None:
        return None
    grammar = get_language(cast("SupportedLanguage", language))
    imports = _IMPORTS.get(language)
    names = [kind for kind in _IDENTIFIERS if grammar.id_for_node_kind(kind, True) is not None]
    return Grammar(
        name=language,
        language=grammar,
        symbols=Query(grammar, "\n".join(pattern for pattern, _ in patterns)),
        kinds=tuple(kind for _, kind in patterns),
        imports=Query(grammar, "".join(f"({kind}) @import\n" for kind in imports)) if imports else None,
        identifiers=Query(grammar, "".join(f"({kind}) @name\n" for kind in names)) if names else None,
    )
