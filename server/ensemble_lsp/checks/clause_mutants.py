"""Mutants of JavaScript, TypeScript and Go that change more than an operator: conditions, results, whole statements."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from ensemble_lsp.checks import trees

_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
LANGUAGES = _SCRIPTS | {"go"}

_CONDITIONS = frozenset({"if_statement", "while_statement", "ternary_expression"})
_DONE = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "call_expression", "await_expression"}
)
_GO_DONE = frozenset({"assignment_statement", "call_expression"})
_STATEMENTS = frozenset({"expression_statement", "assignment_statement"})
_NOTHING = frozenset({"undefined", "null", "void 0"})


@dataclass(frozen=True, slots=True)
class Clause:
    """Bytes `start` to `end` become `now`; `what` says it in words."""

    start: int
    end: int
    now: str
    what: str


def clauses(node: Node, language: str) -> Iterator[Clause]:
    """Yield the changes of one node."""
    if node.type in _CONDITIONS:
        yield from _negated(node)
    elif language in _SCRIPTS:
        yield from _result(node)
    if node.type in _STATEMENTS:
        yield from _removed(node, language)


def _negated(node: Node) -> Iterator[Clause]:
    condition = node.child_by_field_name("condition")
    if condition is None:
        return
    text = trees.node_text(condition)
    if condition.type == "parenthesized_expression":
        yield Clause(condition.start_byte, condition.end_byte, f"(!{text})", "the condition was negated")
    else:
        yield Clause(condition.start_byte, condition.end_byte, f"!({text})", "the condition was negated")


def _result(node: Node) -> Iterator[Clause]:
    value: Node | None = None
    if node.type == "return_statement" and node.named_children:
        value = node.named_children[0]
    elif node.type == "arrow_function":
        body = node.child_by_field_name("body")
        value = body if body is not None and body.type != "statement_block" else None
    if value is not None and trees.node_text(value) not in _NOTHING:
        yield Clause(value.start_byte, value.end_byte, "undefined", "the result became undefined")


def _removed(node: Node, language: str) -> Iterator[Clause]:
    """Take a statement out: `;` where one may stand alone below an `if`, nothing in Go, which always has braces."""
    done = node
    if node.type == "expression_statement" and node.named_children:
        done = node.named_children[0]
    among = node.parent is not None and node.parent.type in {"statement_list", "block"}
    if done.type in (_GO_DONE if language == "go" and among else _DONE):
        now = "" if language == "go" else ";"
        shown = trees.node_text(done).splitlines()[0][:40]
        yield Clause(node.start_byte, node.end_byte, now, f"{shown} was removed")
