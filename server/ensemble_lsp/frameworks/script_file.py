"""A file of vitest's or jest's tests, put together: suites of one title become one where they hold tests only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from ensemble_lsp.ensemble.framework import Chosen, Group, TestModule, Unit
from ensemble_lsp.frameworks.script_imports import ScriptImport, import_of
from ensemble_lsp.frameworks.script_units import BETWEEN, SUITES, TESTS, Call, call_of, defined, side_by_side
from ensemble_lsp.frameworks.syntax import Grammar, as_bytes, nodes, parse, text_of


@dataclass(slots=True)
class _Suite:
    head: str
    foot: str
    blocks: list[str] = field(default_factory=list[str])

    def text(self) -> str:
        indent = self.head[: len(self.head) - len(self.head.lstrip(" \t"))]
        return f"{self.head}\n{_joined(self.blocks)}\n{indent}{self.foot}"


@dataclass(slots=True)
class Composition:
    """What is added to a file: blocks at its end, and tests into suites that it has."""

    blocks: list[str]
    into: dict[str, list[str]]
    """Title of a suite of the file → tests that go into it."""


def composition(grammar: Grammar, existing: str, chosen: Chosen) -> Composition:
    """Return what the chosen tests add; of two things that are shared under one name the first counts."""
    root = parse(grammar, existing)
    known = {name for node in root.named_children if (name := defined(node))}
    open_suites = {call.title for _, call in _plain_suites(root)}
    shared: dict[str, str] = {}
    tests: list[str] = []
    suites: dict[str, _Suite] = {}
    into: dict[str, list[str]] = {}
    for number, (module, units) in enumerate(chosen):
        if not units:
            continue
        for name, text in module.shared:
            if name not in known:
                shared.setdefault(name or text, text)
        tests += [unit.text for unit in units if not unit.group]
        for group in module.groups:
            blocks = _blocks_of(group, module, units)
            if group.inside or not blocks:
                continue
            if not group.shared and group.name in open_suites:
                into.setdefault(group.name, []).extend(blocks)
                continue
            # A suite with hooks or constants of its own stays by itself.
            key = group.name if not group.shared else f"{number}\0{group.name}"
            suites.setdefault(key, _Suite(group.head, group.foot)).blocks.extend(
                [group.shared, *blocks] if group.shared else blocks
            )
    together = [side_by_side(shared.values())] if shared else []
    return Composition([*together, *tests, *(suite.text() for suite in suites.values())], into)


def _blocks_of(group: Group, module: TestModule, units: Sequence[Unit]) -> list[str]:
    """Return the chosen tests of a group and its suites that have any."""
    blocks = [unit.text for unit in units if unit.group == group.name]
    for inner in module.groups:
        if inner.inside == group.name and (inside := _blocks_of(inner, module, units)):
            shared = [inner.shared] if inner.shared else []
            blocks.append(_Suite(inner.head, inner.foot, [*shared, *inside]).text())
    return blocks


def with_blocks(grammar: Grammar, existing: str, added: Composition) -> str:
    """Return the file with what is added to it."""
    source = as_bytes(existing)
    places = [
        (call.body, added.into[call.title])
        for _, call in _plain_suites(parse(grammar, existing))
        if call.title in added.into and call.body is not None
    ]
    taken: set[str] = set()
    for body, blocks in reversed(places):
        text = _joined(blocks)
        if text in taken:
            continue
        taken.add(text)
        end = len(source[: body.end_byte - 1].rstrip())
        indent = source[source.rfind(b"\n", 0, body.end_byte - 1) + 1 : body.end_byte - 1]
        gap = "\n\n" if body.named_children else "\n"
        middle = as_bytes(f"{gap}{text}\n") + (indent if not indent.strip() else b"")
        source = source[:end] + middle + source[body.end_byte - 1 :]
    top = source.decode("utf-8", "replace").rstrip()
    return "\n\n".join(part for part in (top, _joined(added.blocks)) if part) + "\n"


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(block.strip("\n").rstrip() for block in blocks)


def _plain_suites(root: Node) -> list[tuple[Node, Call]]:
    """Return the suites at the top level that hold suites and tests only: what is put in meets no hook."""
    found: list[tuple[Node, Call]] = []
    for node in root.named_children:
        call = call_of(node)
        if call is None or call.body is None or call.words[0] not in SUITES or len(call.words) > 1:
            continue
        inside = [item for item in call.body.named_children if "comment" not in item.type]
        if all(call_of(item) is not None for item in inside):
            found.append((node, call))
    titles = [call.title for _, call in found]
    return [(node, call) for node, call in found if titles.count(call.title) == 1]


def ids_in(grammar: Grammar, code: str) -> frozenset[str]:
    """Return the ids of the tests in a file, whatever else stands there."""
    found: set[str] = set()

    def look(body: Node, group: str) -> None:
        for node in body.named_children:
            call = call_of(node)
            if call is None:
                continue
            if call.words[0] in TESTS:
                found.add(f"{group}::{call.title}" if group else call.title)
            elif call.body is not None:
                look(call.body, f"{group}{BETWEEN}{call.title}" if group else call.title)

    look(parse(grammar, code), "")
    return frozenset(found)


def words_in(grammar: Grammar, text: str) -> frozenset[str]:
    """Return the names that a text uses, without those that its imports only bring in."""
    root = parse(grammar, text)
    found: set[str] = set()
    for statement in root.children:
        if import_of(statement) is None:
            found.update(text_of(node) for node in nodes(statement) if node.type.endswith("identifier"))
    return frozenset(found)


def bound_in(grammar: Grammar, text: str) -> frozenset[str]:
    """Return the names that a text defines itself, at any depth, parameters among them."""
    kinds = ("declarator", "declaration", "parameter", "formal_parameters", "pattern")
    return frozenset(
        text_of(node)
        for node in nodes(parse(grammar, text))
        if node.type.endswith("identifier") or node.type.endswith("identifier_pattern")
        if node.parent is not None and _binds(node.parent, node, kinds)
    )


def _binds(parent: Node, node: Node, kinds: Sequence[str]) -> bool:
    if not any(kind in parent.type for kind in kinds):
        return False
    value = parent.child_by_field_name("value")
    return value is None or not value.start_byte <= node.start_byte < value.end_byte


def imports_in(grammar: Grammar, statements: Iterable[str]) -> list[ScriptImport]:
    """Read statements of imports."""
    roots = (parse(grammar, text) for text in statements)
    return [item for root in roots for node in root.children if (item := import_of(node)) is not None]
