"""Other ways to write an expression."""

import ast
from collections.abc import Iterator

from ensemble_lsp.bench.mutation.controls.preserving import Preserving
from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.source import Edit, Source, has_comment

_MIRRORED: dict[type[ast.cmpop], str] = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<="}


def _is_plain(node: ast.expr) -> bool:
    """Whether it can be evaluated earlier or later without anybody noticing."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Name | ast.Constant)


def _mirrored(source: Source, function: Function) -> Iterator[tuple[Edit, ...]]:
    """`a < b` as `b > a`: numbers on one side, so that no operator of somebody's class is asked otherwise."""
    for node in function.nodes:
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _MIRRORED:
            left, right = node.left, node.comparators[0]
            if _is_plain(left) and _is_plain(right) and not has_comment(source.of(node)):
                text = f"{source.of(right)} {_MIRRORED[type(node.ops[0])]} {source.of(left)}"
                yield (source.replaced(node, text, "mirrored"),)


CHANGES = (Preserving("mirrored comparison", _mirrored),)
