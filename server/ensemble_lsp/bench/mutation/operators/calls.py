"""Mistakes in calls: the wrong one of two functions, arguments the wrong way round, one that was forgotten."""

import ast
from collections.abc import Iterator

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.operators.operator import Operator, is_name
from ensemble_lsp.bench.mutation.source import Edit, Source, has_comment

_FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}
_METHODS = {
    "append": ("extend",),
    "extend": ("append",),
    "find": ("rfind",),
    "rfind": ("find",),
    "index": ("rindex",),
    "intersection": ("union",),
    "union": ("intersection",),
    "issubset": ("issuperset",),
    "issuperset": ("issubset",),
    "partition": ("rpartition",),
    "rpartition": ("partition",),
    "lower": ("upper",),
    "upper": ("lower",),
    "startswith": ("endswith",),
    "endswith": ("startswith",),
    "strip": ("lstrip", "rstrip"),
    "lstrip": ("rstrip", "strip"),
    "rstrip": ("lstrip", "strip"),
    "split": ("rsplit",),
    "rsplit": ("split",),
    "removeprefix": ("lstrip",),
    "removesuffix": ("rstrip",),
    "keys": ("values",),
    "values": ("keys",),
    "popleft": ("pop",),
    "appendleft": ("append",),
}
_CLEANING = frozenset({"strip", "lower", "upper", "casefold", "rstrip", "lstrip", "copy", "resolve", "title"})
_WRAPPERS = frozenset(
    {"abs", "sorted", "reversed", "list", "set", "dict", "int", "str", "len", "round", "tuple"}
)
_ANY_ORDER = frozenset({"gcd", "hypot", "lcm", "max", "min", "print", "isclose"})
_NOT_FORGOTTEN = frozenset({"key", "encoding", "file", "stacklevel", "exc_info"})


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _calls(function: Function) -> Iterator[ast.Call]:
    return (node for node in function.nodes if isinstance(node, ast.Call))


def _other_function(source: Source, function: Function) -> Iterator[Edit]:
    for node in _calls(function):
        if isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
            now = _FUNCTIONS[node.func.id]
            yield source.replaced(node.func, now, f"`{node.func.id}` became `{now}`")


def _other_method(source: Source, function: Function) -> Iterator[Edit]:
    for node in _calls(function):
        if isinstance(node.func, ast.Attribute):
            end = source.end(node.func)
            name = node.func.attr
            for now in _METHODS.get(name, ()):
                yield Edit(end - len(name), end, now, f"`.{name}` became `.{now}`")


def _swapped_arguments(source: Source, function: Function) -> Iterator[Edit]:
    for node in _calls(function):
        if _called(node) in _ANY_ORDER or len(node.args) < 2:
            continue
        for first, second in zip(node.args, node.args[1:], strict=False):
            if isinstance(first, ast.Starred | ast.GeneratorExp) or isinstance(second, ast.Starred):
                break
            one, other = source.of(first), source.of(second)
            middle = source.text[source.end(first) : source.start(second)]
            alike = isinstance(first, ast.Constant) == isinstance(second, ast.Constant)
            if one != other and alike and middle.strip() == "," and "\n" not in one + other:
                yield Edit(
                    source.start(first),
                    source.end(second),
                    f"{other}{middle}{one}",
                    "two arguments were swapped",
                )


def _forgotten_keyword(source: Source, function: Function) -> Iterator[Edit]:
    """An argument that was passed by name was left out."""
    for node in _calls(function):
        for place, keyword in enumerate(node.keywords):
            if keyword.arg is None or keyword.arg in _NOT_FORGOTTEN:
                continue
            before: ast.expr | ast.keyword | None = (
                node.keywords[place - 1] if place else (node.args[-1] if node.args else None)
            )
            if before is None:
                continue
            start, end = source.end(before), source.end(keyword)
            if source.text[start : source.start(keyword)].strip() == ",":
                yield Edit(start, end, "", f"the argument `{keyword.arg}` was left out")


def _forgotten_cleaning(source: Source, function: Function) -> Iterator[Edit]:
    """`.strip()`, `.lower()`, `.copy()` was forgotten."""
    for node in _calls(function):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CLEANING and not node.args:
            start, end = source.end(node.func.value), source.end(node)
            shown = source.text[start:end]
            used = not isinstance(function.parents.get(node), ast.Expr)
            if used and shown == f".{node.func.attr}()":
                yield Edit(start, end, "", f"`{shown}` was forgotten")


def _forgotten_wrapper(source: Source, function: Function) -> Iterator[Edit]:
    """`sorted(x)`, `abs(x)`, `list(x)` became `x`."""
    for node in _calls(function):
        if not (isinstance(node.func, ast.Name) and node.func.id in _WRAPPERS) or len(node.args) != 1:
            continue
        inner = node.args[0]
        simple = isinstance(inner, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        if simple and not has_comment(source.of(node)):
            yield source.replaced(node, source.of(inner), f"`{node.func.id}()` was forgotten")


def _forgotten_default(source: Source, function: Function) -> Iterator[Edit]:
    """`d.get(key, default)` became `d[key]`."""
    for node in _calls(function):
        if not (isinstance(node.func, ast.Attribute) and node.func.attr == "get") or node.keywords:
            continue
        if 1 <= len(node.args) <= 2 and not isinstance(node.args[0], ast.Starred):
            start, end = source.end(node.func.value), source.end(node)
            if not has_comment(source.text[start:end]):
                now = f"[{source.of(node.args[0])}]"
                yield Edit(start, end, now, f"`{source.text[start:end]}` became `{now}`")


def _wrong_end(source: Source, function: Function) -> Iterator[Edit]:
    """`.pop(0)` became `.pop()`, `[0]` became `[-1]`, and the other way."""
    for node in function.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
            start, end = source.end(node.func), source.end(node)
            now = {"()": "(0)", "(0)": "()"}.get(source.text[start:end])
            if now is not None:
                yield Edit(start, end, now, f"`pop{source.text[start:end]}` became `pop{now}`")
        elif isinstance(node, ast.Subscript):
            index = source.of(node.slice)
            now = {"0": "-1", "-1": "0"}.get(index)
            if now is not None:
                yield source.replaced(node.slice, now, f"`[{index}]` became `[{now}]`")


def _forgotten_await(source: Source, function: Function) -> Iterator[Edit]:
    for node in function.nodes:
        if isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
            yield Edit(source.start(node), source.start(node.value), "", "`await` was forgotten")


def _reversed_order(source: Source, function: Function) -> Iterator[Edit]:
    for node in _calls(function):
        name = _called(node)
        if is_name(node.func, "sorted") or (isinstance(node.func, ast.Attribute) and name == "sort"):
            flag = next((item for item in node.keywords if item.arg == "reverse"), None)
            if flag is None and (node.args or name == "sort"):
                end = source.end(node) - 1
                inside = source.text[source.end(node.func) + 1 : end]
                if "\n" not in inside:
                    lead = ", " if inside.strip() and not inside.rstrip().endswith(",") else ""
                    yield Edit(end, end, f"{lead}reverse=True", "the order was reversed")


OPERATORS = (
    Operator("other function", _other_function),
    Operator("other method", _other_method),
    Operator("swapped arguments", _swapped_arguments),
    Operator("forgotten argument", _forgotten_keyword),
    Operator("forgotten cleaning", _forgotten_cleaning),
    Operator("forgotten wrapper", _forgotten_wrapper),
    Operator("forgotten default", _forgotten_default),
    Operator("wrong end", _wrong_end),
    Operator("forgotten await", _forgotten_await),
    Operator("reversed order", _reversed_order),
)
