"""Mutation operators: mistakes that people make, in groups by what they are about."""

from ensemble_lsp.bench.mutation.operators import conditions, numbers

OPERATORS = (*conditions.OPERATORS, *numbers.OPERATORS)

__all__ = ["OPERATORS"]
