"""The templates of repairs: what may be put in the place of one node of a Python function. Pure functions."""

import ast
from collections.abc import Callable, Iterable, Iterator

from ensemble_lsp.checks.python_source import SYMBOLS, Change, Source
from ensemble_lsp.checks.repair_scopes import Scope
from ensemble_lsp.checks.repair_statements import (
    accumulated,
    another_jump,
    nested_result,
    returned,
    without_statement,
)
from ensemble_lsp.checks.repair_texts import called, grouped, replaced, short

MOST_NAMES = 8
"""Names of a function that are tried in another's place."""

_NEAREST = {
    "<": ("<=", ">", ">=", "==", "!="),
    "<=": ("<", ">=", ">", "==", "!="),
    ">": (">=", "<", "<=", "==", "!="),
    ">=": (">", "<=", "<", "==", "!="),
    "==": ("!=", "<=", ">=", "<", ">"),
    "!=": ("==", "<", ">", "<=", ">="),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not", "=="),
    "is not": ("is", "!="),
    "+": ("-", "*", "//", "%"),
    "-": ("+", "*", "//", "%"),
    "*": ("+", "**", "//", "/", "-", "%"),
    "/": ("//", "*", "%", "-"),
    "//": ("/", "%", "*", "-"),
    "%": ("//", "/", "*", "-"),
    "**": ("*", "//"),
    "&": ("|", "^"),
    "|": ("&", "^"),
    "^": ("&", "|"),
    "<<": (">>",),
    ">>": ("<<",),
    "and": ("or",),
    "or": ("and",),
}
"""What an operator is exchanged for, the nearest first."""

_CALLS = (
    ("min", "max"),
    ("any", "all"),
    ("upper", "lower"),
    ("isupper", "islower"),
    ("isdigit", "isalpha"),
    ("append", "extend"),
    ("startswith", "endswith"),
    ("find", "rfind"),
    ("index", "rindex"),
    ("lstrip", "rstrip"),
    ("split", "rsplit"),
    ("floor", "ceil"),
    ("sum", "len"),
    ("keys", "values"),
    ("add", "discard"),
    ("append", "remove"),
    ("pop", "popleft"),
    ("union", "intersection"),
    ("sin", "cos"),
    ("ord", "chr"),
    ("int", "round"),
    ("capitalize", "title"),
)
"""Functions and methods that are taken for one another."""


def another_operator(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """Another comparison, arithmetic, bitwise or boolean operator."""
    if isinstance(node, ast.Compare):
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            yield from _exchanged(left, right, SYMBOLS[type(operator)], source)
            left = right
    elif isinstance(node, ast.BoolOp):
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from _exchanged(left, right, SYMBOLS[type(node.op)], source)
    elif isinstance(node, ast.BinOp) and type(node.op) in SYMBOLS:
        text_formatting = isinstance(node.left, ast.Constant | ast.JoinedStr) and isinstance(node.op, ast.Mod)
        if not text_formatting:
            yield from _exchanged(node.left, node.right, SYMBOLS[type(node.op)], source)
    elif isinstance(node, ast.AugAssign) and type(node.op) in SYMBOLS:
        symbol = SYMBOLS[type(node.op)]
        yield from _exchanged(node.target, node.value, symbol, source, ending="=")
        start, end = source.span(node.target)[1], source.span(node.value)[0]
        if source.slice(start, end).count(f"{symbol}=") == 1:
            yield Change(start, end, " = ", node.lineno - 1, f"{symbol}= became =")


def _exchanged(
    left: ast.expr, right: ast.expr, symbol: str, source: Source, *, ending: str = ""
) -> Iterator[Change]:
    start, end = source.span(left)[1], source.span(right)[0]
    between = source.slice(start, end)
    if between.count(symbol + ending) != 1 or "#" in between:
        return
    before = between[: between.index(symbol + ending)]
    place = start + len(before.encode("utf-8"))
    line = (left.end_lineno or left.lineno) - 1 + before.count("\n")
    for now in _NEAREST.get(symbol, ()):
        yield Change(
            place, place + len(symbol + ending), now + ending, line, f"{symbol}{ending} became {now}{ending}"
        )


def another_constant(node: ast.AST, scope: Scope, source: Source) -> Iterator[Change]:
    """Another number beside a number, the other truth value, a text with a blank or without its content."""
    if not isinstance(node, ast.Constant):
        return
    value, was = node.value, source.of(node)
    others: list[object] = []
    if isinstance(value, bool):
        others = [not value]
    elif isinstance(value, int):
        others = list(dict.fromkeys((value - 1, value + 1, 0, 1, 2, -value)))
    elif isinstance(value, float):
        others = list(dict.fromkeys((value - 1, value + 1, -value, value / 2, value * 2)))
    elif isinstance(value, str) and not isinstance(scope.parent(node), ast.JoinedStr | ast.FormattedValue):
        others = [" ", ""] if len(value) <= 1 else []
    for now in others:
        if now != value:
            text = f"({now!r})" if isinstance(now, int | float) and now < 0 else repr(now)
            yield replaced(node, text, f"{short(was)} became {now!r}", source)


_BIND_TIGHTER = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
"""Operators of an expression to which `+ 1` may be appended as it stands."""


def off_by_one(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """One more or one less for an argument of `range`, an index, the bound of a slice, or what is compared."""
    places: list[ast.expr] = []
    if isinstance(node, ast.Call) and called(node) == "range":
        places = [item for item in node.args if not isinstance(item, ast.Starred)]
    elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Tuple):
        places = [node.slice]
    elif isinstance(node, ast.Slice):
        places = [item for item in (node.lower, node.upper) if item is not None]
    elif isinstance(node, ast.Compare):
        places = [node.comparators[-1]]
    elif isinstance(node, ast.Return | ast.Assign):
        places = [node.value] if isinstance(node.value, ast.Name | ast.BinOp | ast.Call) else []
    for place in places:
        # The place of a number is taken by `another_constant`; text has no neighbour.
        if isinstance(place, ast.Constant | ast.JoinedStr | ast.List | ast.Tuple | ast.Dict | ast.Set):
            continue
        text = source.of(place)
        loose = isinstance(place, ast.IfExp | ast.Lambda | ast.Compare | ast.BoolOp) or (
            isinstance(place, ast.BinOp) and not isinstance(place.op, _BIND_TIGHTER)
        )
        base = f"({text})" if loose else text
        for sign in ("+", "-"):
            now = f"{base} {sign} 1"
            yield replaced(place, now, f"{short(text)} became {short(now)}", source)


def another_range(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """`range` from the beginning, from one, or backwards."""
    if not isinstance(node, ast.Call) or called(node) != "range":
        return
    texts = [source.of(item) for item in node.args]
    forms: list[str] = []
    if len(texts) == 1:
        forms = [f"range(1, {texts[0]})", f"range(1, {texts[0]} + 1)"]
    elif len(texts) == 2:
        forms = [f"range({texts[1]})", f"range({texts[0]} + 1, {texts[1]} + 1)"]
    for now in forms:
        yield replaced(node, now, f"{short(source.of(node))} became {short(now)}", source)


def another_name(node: ast.AST, scope: Scope, source: Source) -> Iterator[Change]:
    """Another name of the same function, where a name is read."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    parent = scope.parent(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    if node.id in scope.names:
        for name in scope.names[-MOST_NAMES:]:
            if name != node.id:
                yield replaced(node, name, f"{node.id} became {name}", source)


def another_call(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """Another function or method that is often taken for the one that is called."""
    if not isinstance(node, ast.Call):
        return
    name = called(node)
    for pair in _CALLS:
        if name in pair:
            now = pair[1] if name == pair[0] else pair[0]
            end = source.span(node.func)[1]
            start = end - len(name.encode("utf-8"))
            line = (node.func.end_lineno or node.lineno) - 1
            yield Change(start, end, now, line, f"{name} became {now}")


def another_order(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """Operands or neighbouring arguments in the other order."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(node, ast.BinOp) and not isinstance(
        node.op, ast.Mult | ast.BitAnd | ast.BitOr | ast.BitXor
    ):
        pairs = [(node.left, node.right)]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
        pairs = [(node.left, node.comparators[0])]
    elif isinstance(node, ast.Call) and not any(isinstance(item, ast.Starred) for item in node.args):
        pairs = list(zip(node.args, node.args[1:], strict=False))
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        pairs = list(zip(node.elts, node.elts[1:], strict=False))
    for left, right in pairs:
        first, second = source.span(left), source.span(right)
        one, other = source.slice(*first), source.slice(*second)
        grouped = isinstance(node, ast.BinOp | ast.Compare)
        between = source.slice(first[1], second[0])
        if one == other or "#" in between:
            continue
        now = f"({other}){between}({one})" if grouped and (" " in one + other) else f"{other}{between}{one}"
        if between.count("(") != between.count(")"):
            continue
        yield Change(
            first[0], second[1], now, left.lineno - 1, f"{short(one)} and {short(other)} were exchanged"
        )


def less(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """One operand of two, a call without its function, a condition without one of its parts."""
    if isinstance(node, ast.BinOp):
        for kept in (node.left, node.right):
            yield replaced(node, grouped(kept, source), f"only {short(source.of(kept))} is left", source)
    elif isinstance(node, ast.BoolOp):
        for place in range(len(node.values)):
            rest = [f"({source.of(item)})" for number, item in enumerate(node.values) if number != place]
            word = f" {SYMBOLS[type(node.op)]} "
            yield replaced(
                node, f"({word.join(rest)})", f"{short(source.of(node.values[place]))} was dropped", source
            )
    elif isinstance(node, ast.UnaryOp):
        yield replaced(
            node, f"({source.of(node.operand)})", f"only {short(source.of(node.operand))} is left", source
        )
    elif isinstance(node, ast.Call):
        kept = [item for item in node.args if not isinstance(item, ast.Starred)]
        if len(node.args) == len(kept) == 1 and not node.keywords:
            yield replaced(node, grouped(kept[0], source), f"{called(node)}() was taken off", source)
        if isinstance(node.func, ast.Attribute) and not node.args:
            yield replaced(node, source.of(node.func.value), f"{called(node)}() was taken off", source)


def negated(node: ast.AST, _scope: Scope, source: Source) -> Iterator[Change]:
    """The opposite condition, or the opposite result."""
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Constant):
        yield replaced(node.test, f"not ({source.of(node.test)})", "the condition was negated", source)
    elif isinstance(node, ast.Return) and isinstance(
        node.value, ast.Compare | ast.BoolOp | ast.Call | ast.Name
    ):
        yield replaced(node.value, f"not ({source.of(node.value)})", "the result was negated", source)
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield replaced(test, f"not ({source.of(test)})", "the condition was negated", source)


def with_a_name(node: ast.AST, scope: Scope, source: Source) -> Iterator[Change]:
    """A name more: what is passed, counted or sliced, less or plus another value of the function."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    parent = scope.parent(node)
    argument = isinstance(parent, ast.Call) and node in parent.args
    looped = isinstance(parent, ast.For | ast.comprehension) and parent.iter is node
    other = [name for name in scope.names[-MOST_NAMES:] if name != node.id]
    if argument:
        for name in other:
            yield replaced(node, f"{node.id} - {name}", f"{node.id} became {node.id} - {name}", source)
            yield replaced(node, f"{node.id} + {name}", f"{node.id} became {node.id} + {name}", source)
    if argument or looped:
        for bound in ("1:", ":-1", *(f"{name}:" for name in other), *(f":{name}" for name in other)):
            yield replaced(node, f"{node.id}[{bound}]", f"{node.id} became {node.id}[{bound}]", source)


_WRAPPERS = (
    "list(set({}))",
    "set({})",
    "sorted({})",
    "abs({})",
    "len({})",
    "{}.lower()",
    "str({})",
    "int({})",
    "list({})",
    "max({}, 0)",
)


def wrapped(node: ast.AST, scope: Scope, source: Source) -> Iterator[Change]:
    """A conversion that was forgotten, around what is passed, returned, compared or looped over."""
    if not isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.BinOp) or not isinstance(
        getattr(node, "ctx", ast.Load()), ast.Load
    ):
        return
    parent = scope.parent(node)
    fits = (
        (isinstance(parent, ast.Call) and node in parent.args)
        or (isinstance(parent, ast.Return | ast.Assign | ast.Compare | ast.BinOp))
        or (isinstance(parent, ast.For | ast.comprehension) and parent.iter is node)
    )
    if not fits:
        return
    text = source.of(node)
    for wrapper in _WRAPPERS:
        inner = grouped(node, source) if wrapper.startswith("{}") else text
        now = wrapper.format(inner)
        yield replaced(node, now, f"{short(text)} became {short(now)}", source)


Template = Callable[[ast.AST, Scope, Source], Iterable[Change]]

LIKELY: tuple[Template, ...] = (
    another_operator,
    another_constant,
    off_by_one,
    another_call,
    another_range,
    accumulated,
    returned,
)
POSSIBLE: tuple[Template, ...] = (another_name, another_order, less, negated, another_jump)
UNLIKELY: tuple[Template, ...] = (without_statement, with_a_name, wrapped, nested_result)
