"""Mutation operators: mistakes that people make, in groups by what they are about."""

from ensemble_lsp.bench.mutation.operators import calls, conditions, names, numbers, statements

OPERATORS = (
    *conditions.OPERATORS,
    *numbers.OPERATORS,
    *calls.OPERATORS,
    *statements.OPERATORS,
    *names.OPERATORS,
)

__all__ = ["OPERATORS"]
