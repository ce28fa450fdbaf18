"""Tests of vitest and jest, taken apart: suites (`describe`), tests (`it`, `test`), and what they share."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tree_sitter import Node

from ensemble_lsp.ensemble.framework import MOST_TESTS, Group, TestModule, Unit
from ensemble_lsp.frameworks.script_imports import import_of
from ensemble_lsp.frameworks.syntax import Grammar, as_bytes, first_error, leaves, parse, text_of, with_lead

SUITES = frozenset({"describe", "suite", "context"})
TESTS = frozenset({"it", "test"})
BETWEEN = " > "
_SNAPSHOT = re.compile(r"\.to(?:Match|Throw)\w*Snapshot\b")
_STRING = re.compile(r"""(['"`])((?:\\.|(?!\1).)*)\1""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """A statement that is a suite or a test: `title`, the words of what is called ("it", "each"), its function."""

    title: str
    words: tuple[str, ...]
    body: Node | None


def call_of(node: Node) -> Call | None:
    """Return the suite or test that a statement is, or None."""
    if node.type != "expression_statement" or not node.named_children:
        return None
    called = node.named_children[0]
    if called.type != "call_expression":
        return None
    words = _words(called.child_by_field_name("function"))
    arguments = called.child_by_field_name("arguments")
    if not words or words[0] not in SUITES | TESTS or arguments is None or not arguments.named_children:
        return None
    given = [item for item in arguments.named_children if "comment" not in item.type]
    bodies = [_body(item) for item in given[1:]]
    return Call(title_of(text_of(given[0])), words, next((body for body in bodies if body is not None), None))


def _words(node: Node | None) -> tuple[str, ...]:
    """Return `it.each(…)` as ("it", "each")."""
    words: list[str] = []
    # At most one turn per level of the callee.
    while node is not None and node.type in {"call_expression", "member_expression"}:
        if node.type == "member_expression":
            words.insert(0, text_of(node.child_by_field_name("property")))
            node = node.child_by_field_name("object")
        else:
            node = node.child_by_field_name("function")
    if node is None or node.type != "identifier":
        return ()
    return (text_of(node), *words)


def _body(node: Node) -> Node | None:
    if node.type not in {"arrow_function", "function_expression", "function"}:
        return None
    body = node.child_by_field_name("body")
    return body if body is not None and body.type == "statement_block" else None


def title_of(literal: str) -> str:
    """Return what a title's source says: a string's content, else the expression."""
    match = _STRING.fullmatch(literal.strip())
    return _ESCAPED.sub(r"\1", match.group(2)) if match else literal.strip()


def retitled(text: str, title: str, now: str) -> str:
    """Return a test's source with another title."""
    for match in _STRING.finditer(text):
        if _ESCAPED.sub(r"\1", match.group(2)) == title:
            return f"{text[: match.end(2)]}{now[len(title) :]}{text[match.end(2) :]}"
    return text


@dataclass(slots=True)
class _Found:
    source: bytes
    imports: list[str] = field(default_factory=list[str])
    shared: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    groups: list[Group] = field(default_factory=list[Group])
    units: list[Unit] = field(default_factory=list[Unit])

    def take(self, body: Node, group: str) -> list[str]:
        """Read the statements of a file or a suite; returns what is neither suite nor test."""
        others: list[str] = []
        start = -1
        for node in body.named_children:
            if "comment" in node.type:
                start = node.start_byte if start < 0 else start
                continue
            first = node.start_byte if start < 0 else start
            start = -1
            call = call_of(node)
            if call is None:
                others.append(with_lead(self.source, node, first))
                if not group:
                    self._shared(node, others[-1])
            elif call.words[0] in TESTS:
                self._test(node, first, call, group)
            else:
                self._suite(node, first, call, group)
        return others

    def _shared(self, node: Node, text: str) -> None:
        if import_of(node) is not None:
            self.imports.append(text_of(node))
        else:
            self.shared.append((defined(node), text))

    def _test(self, node: Node, first: int, call: Call, group: str) -> None:
        text = with_lead(self.source, node, first)
        if not {"skip", "todo", "skipIf", "fails"} & set(call.words) and not _SNAPSHOT.search(text):
            self.units.append(Unit(call.title, _not_alone(text, call), group))

    def _suite(self, node: Node, first: int, call: Call, group: str) -> None:
        if call.body is None or "skip" in call.words:
            return
        name = f"{group}{BETWEEN}{call.title}" if group else call.title
        whole = with_lead(self.source, node, first)
        head = whole[: len(whole) - _characters(self.source[call.body.start_byte + 1 : node.end_byte])]
        foot = self.source[call.body.end_byte - 1 : node.end_byte].decode("utf-8", "replace")
        place = len(self.groups)
        shared = self.take(call.body, name)
        self.groups.insert(place, Group(name, _not_alone(head, call), side_by_side(shared), foot, group))


def side_by_side(statements: Iterable[str]) -> str:
    """Return statements below each other, longer ones with an empty line around them."""
    text = ""
    before = ""
    for statement in statements:
        long = "\n" in statement.strip("\n") or "\n" in before
        text += f"\n\n{statement}" if text and long else f"\n{statement}" if text else statement
        before = statement.strip("\n")
    return text


def _characters(data: bytes) -> int:
    return len(data.decode("utf-8", "replace"))


def _not_alone(text: str, call: Call) -> str:
    """Take out what would keep all other tests from running."""
    return text.replace(".only", "", 1) if "only" in call.words else text


def defined(node: Node) -> str:
    """Return the first name that a statement defines, or ""."""
    inner = node.child_by_field_name("declaration") or node
    name = inner.child_by_field_name("name")
    if name is None:
        declared = next((item for item in inner.named_children if item.type == "variable_declarator"), None)
        name = declared.child_by_field_name("name") if declared is not None else None
    return text_of(name)


def read_script(grammar: Grammar, code: str) -> TestModule | str:
    """Take a file of tests apart; a string says why that cannot be done."""
    root = parse(grammar, code)
    line = first_error(root)
    if line is not None:
        return f"it does not parse: line {line}"
    found = _Found(as_bytes(code))
    found.take(root, "")
    if not found.units:
        return "there is no test in it"
    units = tuple(found.units[:MOST_TESTS])
    return TestModule(tuple(found.imports), tuple(found.shared), tuple(found.groups), units)


def same_script_test(grammar: Grammar, unit: Unit) -> str:
    """Return a test's tokens without its title; `it` and `test` are the same."""
    root = parse(grammar, unit.text)
    tokens = [text_of(node) for node in leaves(root)]
    if unit.name and tokens:
        tokens[0] = "it" if tokens[0] in TESTS else tokens[0]
    titles = [place for place, token in enumerate(tokens) if title_of(token) == unit.name]
    return " ".join(word for place, word in enumerate(tokens) if place not in titles[:1] and word != ";")
