"""The mutants of one function: at most one for each kind of mistake."""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.operators import OPERATORS
from ensemble_lsp.bench.mutation.operators.operator import Operator
from ensemble_lsp.bench.mutation.source import Edit, Source, applied, parsed

_TRIES = 6
"""Places of one operator that are looked at, when edits turn out to change nothing or not to parse."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed version of a file."""

    operator: str
    what: str
    text: str


def mutants_of(source: Source, function: Function, seed: str) -> Iterator[Mutant]:
    """Yield one mutant for each operator that fits, in the operators' order; the seed decides the place."""
    before = ast.dump(source.tree)
    for operator in OPERATORS:
        mutant = _mutant(source, function, operator, f"{seed}:{function.name}:{operator.name}", before)
        if mutant is not None:
            yield mutant


def mutant_by(source: Source, function: Function, operator: Operator, seed: str) -> Mutant | None:
    """Return the mutant of one operator, None where it does not fit."""
    return _mutant(source, function, operator, seed, ast.dump(source.tree))


def _mutant(source: Source, function: Function, operator: Operator, seed: str, before: str) -> Mutant | None:
    edits = sorted(
        set(operator.places(source, function)), key=lambda edit: (edit.start, edit.end, edit.replacement)
    )
    random.Random(seed).shuffle(edits)  # noqa: S311 - a drawing of lots
    for edit in edits[:_TRIES]:
        text = _changed(source, edit, before)
        if text is not None:
            return Mutant(operator.name, edit.what, text)
    return None


def _changed(source: Source, edit: Edit, before: str) -> str | None:
    text = applied(source.text, (edit,))
    try:
        after = ast.dump(parsed(text))
    except ValueError:
        return None
    return text if after != before else None
