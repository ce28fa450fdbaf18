"""Go's tests, taken apart into functions and put together again into one file of one package."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from tree_sitter import Node

from ensemble_lsp.ensemble.framework import MOST_TESTS, Chosen, TestModule, Unit, free_name
from ensemble_lsp.frameworks.syntax import as_bytes, first_error, leaves, nodes, parse, text_of, with_lead

_TEST = re.compile(r"Test(?![a-z])\w*")
_NO_TEST = re.compile(r"(?:Benchmark|Example|Fuzz)(?![a-z])\w*|TestMain")
_VERSION = re.compile(r"v\d+")
_DEFINITIONS = frozenset(
    {"function_declaration", "var_declaration", "const_declaration", "type_declaration", "method_declaration"}
)


@dataclass(frozen=True, slots=True, order=True)
class GoImport:
    """One import: its path, and the name it is given, "" for its own."""

    path: str
    alias: str = ""

    @property
    def is_standard(self) -> bool:
        """Whether it belongs to Go itself: others begin with a host."""
        return "." not in self.path.partition("/")[0]

    @property
    def names(self) -> frozenset[str]:
        """What code may call it by: its path does not tell for sure."""
        if self.alias:
            return frozenset({self.alias})
        parts = [part for part in self.path.split("/") if not _VERSION.fullmatch(part)] or [self.path]
        last = re.sub(r"\.v\d+$", "", parts[-1])
        return frozenset({last, last.removeprefix("go-"), last.removesuffix("-go"), last.replace("-", "")})

    def written(self) -> str:
        """Return it as it stands among others."""
        return f'{self.alias} "{self.path}"'.strip()


def package_in(code: str) -> str:
    """Return the name in a file's package clause, or ""."""
    clause = next((node for node in parse("go", code).named_children if node.type == "package_clause"), None)
    return text_of(clause.named_children[0]) if clause is not None and clause.named_children else ""


def read_go(code: str, package: str) -> TestModule | str:
    """Take a file of tests apart; a string says why that cannot be done."""
    root = parse("go", code)
    line = first_error(root)
    if line is not None:
        return f"it does not parse: line {line}"
    own = package_in(code)
    if own and own != package:
        return f"it is package {own}, and the tests here are package {package}"
    source = as_bytes(code)
    shared: list[tuple[str, str]] = []
    units: list[Unit] = []
    for first, node in _definitions(root):
        text = with_lead(source, node, first)
        name = _names(node)[0] if _names(node) else ""
        if node.type == "function_declaration" and _NO_TEST.fullmatch(name):
            continue
        if node.type == "function_declaration" and _TEST.fullmatch(name):
            units.append(Unit(name, text))
        else:
            shared.append((name if node.type != "method_declaration" else "", text))
    if not units:
        return "there is no test in it"
    imports = tuple(item.written() for item, _ in imports_in(root))
    return TestModule(imports, tuple(shared), (), tuple(units[:MOST_TESTS]))


def _definitions(root: Node) -> Iterator[tuple[int, Node]]:
    """Yield each definition, and where the comments right above it begin."""
    start = -1
    before = -1
    for node in root.named_children:
        if node.type == "comment":
            start = node.start_byte if start < 0 or node.start_point.row > before + 1 else start
            before = node.end_point.row
            continue
        attached = start >= 0 and node.start_point.row <= before + 1
        if node.type in _DEFINITIONS:
            yield (start if attached else node.start_byte), node
        start = -1


def imports_in(root: Node) -> list[tuple[GoImport, Node]]:
    """Return the imports of a file, and where they stand."""
    found: list[tuple[GoImport, Node]] = []
    for declaration in root.named_children:
        if declaration.type != "import_declaration":
            continue
        for node in nodes(declaration):
            if node.type == "import_spec":
                path = text_of(node.child_by_field_name("path"))[1:-1]
                found.append((GoImport(path, text_of(node.child_by_field_name("name"))), node))
    return found


def _names(node: Node) -> list[str]:
    """Return what a definition defines."""
    name = node.child_by_field_name("name")
    if name is not None:
        return [text_of(name)]
    found: list[str] = []
    for inner in node.named_children:
        specs = inner.named_children if inner.type.endswith("_list") else [inner]
        found += [text_of(item) for spec in specs for item in spec.children_by_field_name("name")]
    return found


def names_in(code: str) -> frozenset[str]:
    """Return the names that a file defines in its package; methods belong to their types."""
    found = (node for _, node in _definitions(parse("go", code)) if node.type != "method_declaration")
    return frozenset(name for node in found for name in _names(node))


def renamed(module: TestModule, taken: Set[str]) -> TestModule:
    """Give tests other names, by a number at the end."""
    used = set(taken)
    units: list[Unit] = []
    for unit in module.units:
        name = free_name(unit.name, used, "{name}{number}")
        used.add(name)
        text = re.sub(rf"\bfunc {re.escape(unit.name)}\b", f"func {name}", unit.text, count=1)
        units.append(Unit(name, text))
    return replace(module, units=tuple(units))


def same_test(unit: Unit) -> str:
    """Return a test's tokens without its name."""
    return " ".join(text_of(node) for node in leaves(parse("go", unit.text)) if text_of(node) != unit.name)


def composed(existing: str, package: str, known: Set[str], chosen: Chosen) -> str:
    """Return the file with the chosen tests; an import that nothing uses would not compile, so it is left out."""
    shared: dict[str, str] = {}
    tests: list[str] = []
    lines: dict[str, None] = {}
    for module, units in chosen:
        if units:
            lines |= dict.fromkeys(module.imports)
            for name, text in module.shared:
                if name not in known:
                    shared.setdefault(name or text, text)
            tests += [unit.text for unit in units]
    body = "\n\n".join(block.strip("\n") for block in (*shared.values(), *tests))
    used = _used(f"package {package}\n\n{body}\n")
    block = "\n".join(lines)
    listed = [item for item, _ in imports_in(parse("go", f"package {package}\n\nimport (\n{block}\n)\n"))]
    wanted = [item for item in listed if item.alias in {"_", "."} or item.names & used]
    top = existing if existing.strip() else f"package {package}\n"
    return f"{_with_imports(top, wanted).rstrip()}\n\n{body}\n"


def _used(code: str) -> frozenset[str]:
    """Return what stands before a dot: packages among it."""
    found: set[str] = set()
    for node in nodes(parse("go", code)):
        if node.type == "selector_expression":
            found.add(text_of(node.child_by_field_name("operand")))
        elif node.type == "qualified_type":
            found.add(text_of(node.child_by_field_name("package")))
    return frozenset(found)


def _with_imports(code: str, wanted: Iterable[GoImport]) -> str:
    root = parse("go", code)
    present = imports_in(root)
    known = {(item.path, item.alias) for item, _ in present}
    missing = sorted({item for item in wanted if (item.path, item.alias) not in known})
    if not missing:
        return code
    source = as_bytes(code)
    block = next(
        (node.parent for _, node in present if node.parent is not None and "list" in node.parent.type), None
    )
    if block is None:
        return _with_block(source, root, [item for item, _ in present], missing)
    inside = [(item, node) for item, node in present if node.parent == block]
    places = [
        place
        for standard in (True, False)
        for place in _places(source, block, inside, missing, standard=standard)
    ]
    for number in sorted(range(len(places)), key=lambda number: (places[number][0], number), reverse=True):
        place, text = places[number]
        source = source[:place] + as_bytes(text) + source[place:]
    return source.decode("utf-8", "replace")


def _places(
    source: bytes,
    block: Node,
    inside: Sequence[tuple[GoImport, Node]],
    missing: Sequence[GoImport],
    *,
    standard: bool,
) -> list[tuple[int, str]]:
    """Return where imports of one kind go in a block: in order among those there, else as a group of their own."""
    wanted = [item for item in missing if item.is_standard == standard]
    same = [(other, node) for other, node in inside if other.is_standard == standard]
    lines = "\n\t".join(item.written() for item in wanted)
    if not wanted:
        return []
    if not inside:
        return [(block.start_byte + 1, f"\n\t{lines}\n")]
    if not same and standard:
        return [(inside[0][1].start_byte, f"{lines}\n\n\t")]
    if not same:
        return [(_end_of_line(source, inside[-1][1].end_byte), f"\n\n\t{lines}")]
    places: list[tuple[int, str]] = []
    for item in wanted:
        before = [node for other, node in same if other < item]
        if before:
            places.append((_end_of_line(source, before[-1].end_byte), f"\n\t{item.written()}"))
        else:
            places.append((same[0][1].start_byte, f"{item.written()}\n\t"))
    return places


def _end_of_line(source: bytes, place: int) -> int:
    end = source.find(b"\n", place)
    return len(source) if end < 0 else end


def _with_block(source: bytes, root: Node, present: Sequence[GoImport], missing: Sequence[GoImport]) -> str:
    """Make one block of single imports and the new ones, below the package clause."""
    declared = [node for node in root.named_children if node.type == "import_declaration"]
    every = sorted({*present, *missing})
    groups = (
        "\n".join(f"\t{item.written()}" for item in every if item.is_standard == standard)
        for standard in (True, False)
    )
    block = as_bytes("import (\n" + "\n\n".join(group for group in groups if group) + "\n)")
    if len(every) == 1:
        block = as_bytes(f"import {every[0].written()}")
    if declared:
        return (source[: declared[0].start_byte] + block + source[declared[-1].end_byte :]).decode(
            "utf-8", "replace"
        )
    clause = next((node for node in root.named_children if node.type == "package_clause"), None)
    end = clause.end_byte if clause is not None else 0
    return (source[:end] + b"\n\n" + block + source[end:]).decode("utf-8", "replace")
