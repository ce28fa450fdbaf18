"""Small changes to code that a good check should notice: own operators on Python's syntax tree.

Each mutant changes one place of the text and leaves every other byte alone.
"""

import ast
import random
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ensemble_lsp.checks.languages import language_of
from ensemble_lsp.checks.python_source import SYMBOLS, Change, Source
from ensemble_lsp.checks.token_mutants import token_mutants
from ensemble_lsp.checks.witnesses.syntax import parse_errors

MAX_MUTANTS = 12

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed version of a text. `line` is 0-based; `what` says it in words: "< became <="."""

    text: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line + 1}: {self.what}"


def mutants_of(
    path: str, text: str, first: int, last: int, *, seed: str = "", most: int = MAX_MUTANTS
) -> tuple[Mutant, ...]:
    """Return at most `most` mutants of the lines `first` to `last` (0-based, inclusive) of `text`.

    The same arguments always give the same mutants, spread over the kinds of change. None of them fails to
    parse. Python by its syntax tree, other languages by their operators.
    """
    if language_of(path) == "python":
        found = list(_python(text, first, last))
    else:
        found = [
            Mutant(changed, line, what) for changed, line, what in token_mutants(path, text, first, last)
        ]
    chosen: list[Mutant] = []
    seen = {text}
    for mutant in _spread(_told_apart(found), seed):
        if len(chosen) == most:
            break
        if mutant.text not in seen and not parse_errors(path, mutant.text):
            seen.add(mutant.text)
            chosen.append(mutant)
    return tuple(chosen)


def _told_apart(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Number those that are described alike: a line may say 100 twice."""
    described: Counter[str] = Counter()
    for mutant in mutants:
        name = str(mutant)
        described[name] += 1
        number = described[name]
        yield mutant if number == 1 else replace(mutant, what=f"{mutant.what} (place {number})")


def _spread(mutants: Iterable[Mutant], seed: str) -> Iterator[Mutant]:
    """Yield one mutant of each line after the other, in an order that the seed decides."""
    order = random.Random(seed)  # noqa: S311 - a sample, not a secret
    by_line: dict[int, list[Mutant]] = {}
    for mutant in mutants:
        by_line.setdefault(mutant.line, []).append(mutant)
    groups = list(by_line.values())
    order.shuffle(groups)
    for group in groups:
        order.shuffle(group)
    while groups:
        groups = [group for group in groups if group]
        for group in groups:
            yield group.pop()


def _python(text: str, first: int, last: int) -> Iterator[Mutant]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    source = Source(text)
    annotations = {
        id(part) for node in ast.walk(tree) for said in _annotations(node) for part in ast.walk(said)
    }
    for node in ast.walk(tree):
        if id(node) in annotations:
            continue
        line = getattr(node, "lineno", None)
        if not isinstance(line, int) or not first <= line - 1 <= last:
            continue
        for change in _changes(node, source):
            yield Mutant(source.changed(change), change.line, change.what)


def _annotations(node: ast.AST) -> list[ast.expr]:
    """Return what a node says about types: changed, it fails at import or nowhere, and no test is to blame."""
    said: list[ast.expr | None] = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    return [part for part in said if part is not None]


def _changes(node: ast.AST, source: Source) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        yield from _comparisons(node, source)
    elif isinstance(node, ast.BoolOp):
        yield from _boolean(node, source)
    elif isinstance(node, ast.BinOp):
        yield from _arithmetic(node, source)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start, end = source.span(node)
        yield Change(start, end, f"({source.of(node.operand)})", node.lineno - 1, "not was removed")
    elif isinstance(node, ast.Constant):
        yield from _constant(node, source)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield from _condition(node, source)
    elif isinstance(node, ast.Return):
        yield from _return(node, source)
    elif isinstance(node, ast.Call):
        yield from _call(node, source)
    elif isinstance(node, ast.AugAssign):
        yield from _augmented(node, source)
    elif isinstance(node, ast.Break | ast.Continue):
        start, end = source.span(node)
        now = "break" if isinstance(node, ast.Continue) else "continue"
        yield Change(start, end, now, node.lineno - 1, f"{source.of(node)} became {now}")
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete | ast.Raise | ast.Expr):
        yield from _removed(node, source)


def _operator(source: Source, left: ast.expr, right: ast.expr, symbol: str, now: str) -> Iterator[Change]:
    """Replace the operator between two operands; parentheses and layout around it stay."""
    start, end = source.span(left)[1], source.span(right)[0]
    between = source.slice(start, end)
    if between.count(symbol) == 1 and "#" not in between:
        before = between[: between.index(symbol)]
        place = start + len(before.encode("utf-8"))
        line = (left.end_lineno or left.lineno) - 1 + before.count("\n")
        yield Change(place, place + len(symbol), now, line, f"{symbol} became {now}")


def _comparisons(node: ast.Compare, source: Source) -> Iterator[Change]:
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        kind = type(operator)
        yield from _operator(source, left, right, SYMBOLS[kind], _COMPARISONS[kind])
        left = right


def _boolean(node: ast.BoolOp, source: Source) -> Iterator[Change]:
    symbol, now = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        yield from _operator(source, left, right, symbol, now)


def _arithmetic(node: ast.BinOp, source: Source) -> Iterator[Change]:
    now = _ARITHMETIC.get(type(node.op))
    text_formatting = isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant | ast.JoinedStr)
    if now is not None and not text_formatting:
        yield from _operator(source, node.left, node.right, SYMBOLS[type(node.op)], now)


def _augmented(node: ast.AugAssign, source: Source) -> Iterator[Change]:
    now = _ARITHMETIC.get(type(node.op))
    if now is not None:
        symbol = f"{SYMBOLS[type(node.op)]}="
        yield from _operator(source, node.target, node.value, symbol, f"{now}=")


def _constant(node: ast.Constant, source: Source) -> Iterator[Change]:
    start, end = source.span(node)
    line, value, was = node.lineno - 1, node.value, source.slice(start, end)
    if isinstance(value, bool):
        yield Change(start, end, str(not value), line, f"{was} became {not value}")
    elif isinstance(value, int):
        for now in (value + 1, value - 1):
            text = str(now) if now >= 0 else f"({now})"
            yield Change(start, end, text, line, f"{was} became {now}")
    elif isinstance(value, float) and value:
        yield Change(start, end, repr(value * 2), line, f"{was} became {value * 2}")


def _condition(node: ast.If | ast.While | ast.IfExp, source: Source) -> Iterator[Change]:
    if isinstance(node.test, ast.Constant):
        return
    start, end = source.span(node.test)
    line = node.test.lineno - 1
    yield Change(start, end, f"not ({source.slice(start, end)})", line, "the condition was negated")


def _return(node: ast.Return, source: Source) -> Iterator[Change]:
    if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
        return
    start, end = source.span(node.value)
    yield Change(start, end, "None", node.lineno - 1, "the result became None")


_COMMUTATIVE = frozenset({"gcd", "hypot", "lcm", "max", "min", "print"})
"""Functions whose arguments may stand in any order (`print` returns nothing that a test sees)."""


def _call(node: ast.Call, source: Source) -> Iterator[Change]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in _COMMUTATIVE:
        # No test can kill such a mutant, and a right test would be called weak for it.
        return
    plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
    if len(node.args) == len(plain) >= 2:
        first, second = source.span(plain[0]), source.span(plain[1])
        if source.slice(*first) != source.slice(*second):
            swapped = source.slice(*second) + source.slice(first[1], second[0]) + source.slice(*first)
            yield Change(first[0], second[1], swapped, node.lineno - 1, "two arguments were swapped")


def _removed(
    node: ast.Assign | ast.AugAssign | ast.Delete | ast.Raise | ast.Expr, source: Source
) -> Iterator[Change]:
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call | ast.Await):
        return  # a docstring, or a yield that makes the function a generator
    start, end = source.span(node)
    shown = source.slice(start, end).splitlines()[0][:40]
    yield Change(start, end, "pass", node.lineno - 1, f"{shown} was removed")
