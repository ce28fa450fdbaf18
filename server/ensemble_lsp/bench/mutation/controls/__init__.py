"""Changes of a function after which it does what it did: the clean controls."""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from ensemble_lsp.bench.mutation.controls.expressions import CHANGES as EXPRESSIONS
from ensemble_lsp.bench.mutation.controls.preserving import Preserving
from ensemble_lsp.bench.mutation.controls.statements import CHANGES as STATEMENTS
from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.source import Source, applied, parsed

CHANGES: tuple[Preserving, ...] = (*EXPRESSIONS, *STATEMENTS)


@dataclass(frozen=True, slots=True)
class Control:
    """One changed version of a file that behaves as before."""

    name: str
    text: str


def controls_of(source: Source, function: Function, seed: str) -> list[Control]:
    """Return one control for each kind of change that fits, in an order that the seed decides."""
    made = list(_made(source, function, seed))
    random.Random(f"{seed}:{function.name}").shuffle(made)  # noqa: S311 - a drawing of lots
    return made


def _made(source: Source, function: Function, seed: str) -> Iterator[Control]:
    before = ast.dump(source.tree)
    for change in CHANGES:
        found = list(change.places(source, function))
        random.Random(f"{seed}:{function.name}:{change.name}").shuffle(found)  # noqa: S311
        for edits in found[:4]:
            text = applied(source.text, edits)
            try:
                after = ast.dump(parsed(text))
            except ValueError:
                continue
            if after != before:
                yield Control(change.name, text)
                break


__all__ = ["CHANGES", "Control", "controls_of"]
