"""Other ways to write an expression."""

import ast
import re
from collections.abc import Iterator

from ensemble_lsp.bench.mutation.controls.preserving import Edits, Preserving, is_plain, negated
from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.source import Edit, Source, has_comment

_MIRRORED: dict[type[ast.cmpop], str] = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<="}
_SYMBOLS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_KEEPS_ORDER = frozenset({"dict", "OrderedDict"})
_FIELD = re.compile(r"\{([A-Za-z_]\w*)((?:![rsa])?(?::[^{}]*)?)\}")


def _mirrored(source: Source, function: Function) -> Iterator[Edits]:
    """`a < b` became `b > a`."""
    for node in function.nodes:
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _MIRRORED:
            left, right = node.left, node.comparators[0]
            if is_plain(left) and is_plain(right) and not has_comment(source.of(node)):
                text = f"{source.of(right)} {_MIRRORED[type(node.ops[0])]} {source.of(left)}"
                yield (source.replaced(node, text, "mirrored"),)


def _unchained(source: Source, function: Function) -> Iterator[Edits]:
    """`a < b < c` became `a < b and b < c`."""
    for node in function.nodes:
        if not (isinstance(node, ast.Compare) and len(node.ops) == 2) or not is_plain(node.comparators[0]):
            continue
        parent = function.parents.get(node)
        if all(type(operator) in _SYMBOLS for operator in node.ops) and isinstance(
            parent, ast.If | ast.While | ast.Return | ast.Assign
        ):
            middle = source.of(node.comparators[0])
            first, second = (_SYMBOLS[type(operator)] for operator in node.ops)
            last = source.of(node.comparators[1])
            text = f"{source.of(node.left)} {first} {middle} and {middle} {second} {last}"
            if not has_comment(source.of(node)) and "\n" not in source.of(node):
                yield (source.replaced(node, text, "unchained"),)


def _negation_moved(source: Source, function: Function) -> Iterator[Edits]:
    """`not a in b` became `a not in b`; the same for `is` and `==`."""
    for node in function.nodes:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = node.operand
            if isinstance(inner, ast.Compare) and not has_comment(source.of(node)):
                text = negated(source, inner)
                if not text.startswith("not "):
                    yield (source.replaced(node, text, "negation moved"),)


def _de_morgan(source: Source, function: Function) -> Iterator[Edits]:
    """`not (a and b)` became `not a or not b`; `not a and not b` became `not (a or b)`."""
    for node in function.nodes:
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.Not)
            and isinstance(node.operand, ast.BoolOp)
        ):
            inner = node.operand
            word = " or " if isinstance(inner.op, ast.And) else " and "
            text = word.join(negated(source, value) for value in inner.values)
        elif isinstance(node, ast.BoolOp) and all(
            isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not) for value in node.values
        ):
            word = " or " if isinstance(node.op, ast.And) else " and "
            operands = [value.operand for value in node.values if isinstance(value, ast.UnaryOp)]
            if any(
                isinstance(operand, ast.BoolOp | ast.IfExp | ast.Lambda | ast.NamedExpr)
                for operand in operands
            ):
                continue
            text = f"not ({word.join(source.of(operand) for operand in operands)})"
        else:
            continue
        if not has_comment(source.of(node)) and "\n" not in source.of(node):
            # As a part of a longer expression it might need parentheses; `ast` compares what is meant.
            if isinstance(function.parents.get(node), ast.BoolOp | ast.UnaryOp | ast.Compare):
                text = f"({text})"
            yield (source.replaced(node, text, "De Morgan"),)


def _swapped_choice(source: Source, function: Function) -> Iterator[Edits]:
    """`a if c else b` became `b if not c else a`."""
    for node in function.nodes:
        if isinstance(node, ast.IfExp) and not has_comment(source.of(node)):
            inner = (node.body, node.test, node.orelse)
            if any(isinstance(part, ast.IfExp | ast.Lambda | ast.NamedExpr) for part in inner):
                continue
            text = f"{source.of(node.orelse)} if {negated(source, node.test)} else {source.of(node.body)}"
            yield (source.replaced(node, text, "choice swapped"),)


def _empty_collection(source: Source, function: Function) -> Iterator[Edits]:
    """`[]` became `list()`, `{}` became `dict()`."""
    shadowed = {
        node.id
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    shadowed |= {node.arg for node in ast.walk(source.tree) if isinstance(node, ast.arg)}
    for node in function.nodes:
        name = ""
        if isinstance(node, ast.List) and not node.elts and isinstance(node.ctx, ast.Load):
            name = "list"
        elif isinstance(node, ast.Dict) and not node.keys:
            name = "dict"
        if name and name not in shadowed and isinstance(node, ast.expr) and not has_comment(source.of(node)):
            yield (source.replaced(node, f"{name}()", "empty collection"),)


def _format_call(source: Source, function: Function) -> Iterator[Edits]:
    """`f"{a} of {b}"` became `"{} of {}".format(a, b)`."""
    for node in function.nodes:
        if not isinstance(node, ast.JoinedStr):
            continue
        text = source.of(node)
        body = text[1:]
        names = [name for name, _ in _FIELD.findall(body)]
        rest = _FIELD.sub("", body)
        if text[0] not in "fF" or text[1] not in "'\"" or not names or set(rest) & set("{}\\\n"):
            continue
        # Pieces that are joined without an operator are one node.
        if body.count(body[0]) == 2:
            template = _FIELD.sub(lambda match: f"{{{match.group(2)}}}", body)
            yield (source.replaced(node, f"{template}.format({', '.join(names)})", "format"),)


def _keywords_reordered(source: Source, function: Function) -> Iterator[Edits]:
    """`f(a=1, b=2)` became `f(b=2, a=1)`."""
    for node in function.nodes:
        if not isinstance(node, ast.Call) or (
            isinstance(node.func, ast.Name) and node.func.id in {"dict", "OrderedDict"}
        ):
            continue
        for first, second in zip(node.keywords, node.keywords[1:], strict=False):
            if first.arg and second.arg and is_plain(first.value) and is_plain(second.value):
                yield (
                    Edit(source.start(first), source.end(first), source.of(second), "keyword moved"),
                    Edit(source.start(second), source.end(second), source.of(first), "keyword moved"),
                )


CHANGES = (
    Preserving("mirrored comparison", _mirrored),
    Preserving("chain of comparisons taken apart", _unchained),
    Preserving("negation moved", _negation_moved),
    Preserving("De Morgan", _de_morgan),
    Preserving("conditional expression swapped", _swapped_choice),
    Preserving("empty collection by its name", _empty_collection),
    Preserving("format instead of an f-string", _format_call),
    Preserving("arguments by name reordered", _keywords_reordered),
)
