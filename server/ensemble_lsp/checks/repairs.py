"""Small changes that may repair a Python function: the templates of automated program repair, bounded.

The templates are those that studies of real one-line fixes find most often (K. Liu et al., "TBar: Revisiting
Template-based Automated Program Repair", ISSTA 2019; D. Lin et al., "QuixBugs", SPLASH 2017; H. Ye et al., "A
Comprehensive Study of Automatic Program Repair on the QuixBugs Benchmark", 2021): another operator, another constant,
a value added that a loop overwrites, a result returned, off by one, another name of the same function, a condition
negated or dropped, an argument or operand too many or in the wrong order, a call exchanged, unwrapped or added, a
statement moved or dropped. Which one is right, a test says.
"""

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ensemble_lsp.checks.python_source import Change, Source
from ensemble_lsp.checks.repair_scopes import Scope, scopes_of
from ensemble_lsp.checks.repair_templates import LIKELY, POSSIBLE, UNLIKELY
from ensemble_lsp.checks.witnesses.syntax import normal_form, parse_errors


@dataclass(frozen=True, slots=True)
class Repair:
    """One changed version of a text. `line` is 0-based; `what` says it in words: "< became <="."""

    text: str
    line: int
    what: str
    size: int
    """How many characters were exchanged, the longer side counting; what both sides begin and end with is left out."""

    def __str__(self) -> str:
        return f"line {self.line + 1}: {self.what}"


def repairs_of(path: str, text: str, suspicion: Mapping[int, float], *, most: int) -> tuple[Repair, ...]:
    """Return at most `most` repairs of the lines in `suspicion` (0-based line → how suspicious it is).

    Likely templates come first and suspicious lines first within them; every template has its turn before any has
    its second. The same arguments always give the same repairs. None fails to parse, no two have the same syntax tree.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    source = Source(text)
    seen = {normal_form(path, text)}
    found: list[Repair] = []
    for change in _ordered(tree, source, suspicion):
        if len(found) == most:
            break
        changed = source.changed(change)
        if parse_errors(path, changed):
            continue
        form = normal_form(path, changed)
        if form not in seen:
            seen.add(form)
            found.append(Repair(changed, change.line, change.what, _size(text, changed)))
    return tuple(found)


def _size(old: str, new: str) -> int:
    shorter = min(len(old), len(new))
    head = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    left = shorter - head
    tail = next((place for place in range(left) if old[-1 - place] != new[-1 - place]), left)
    return max(len(old), len(new)) - head - tail


def _ordered(tree: ast.Module, source: Source, suspicion: Mapping[int, float]) -> Iterator[Change]:
    nodes = [
        (node, scope)
        for scope in scopes_of(tree)
        for node in scope.nodes
        if getattr(node, "lineno", 0) - 1 in suspicion
    ]
    for templates in (LIKELY, POSSIBLE, UNLIKELY):
        yield from _in_turn(
            sorted(_made(template, nodes, source, suspicion), key=lambda item: -suspicion[item.line])
            for template in templates
        )


def _made(
    template: Callable[[ast.AST, Scope, Source], Iterable[Change]],
    nodes: Iterable[tuple[ast.AST, Scope]],
    source: Source,
    suspicion: Mapping[int, float],
) -> Iterator[Change]:
    for node, scope in nodes:
        for change in template(node, scope, source):
            if change.line in suspicion:
                yield change


def _in_turn(groups: Iterable[Iterable[Change]]) -> Iterator[Change]:
    """Yield one change of each template after the other, until all have none left."""
    waiting = [iter(group) for group in groups]
    while waiting:
        left: list[Iterator[Change]] = []
        for group in waiting:
            change = next(group, None)
            if change is not None:
                yield change
                left.append(group)
        waiting = left
