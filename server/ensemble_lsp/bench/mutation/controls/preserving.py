"""What a behaviour-preserving change is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.source import Edit, Source


@dataclass(frozen=True, slots=True)
class Preserving:
    """One kind of change. `places` yields the edits of each way to make it once in the function."""

    name: str
    places: Callable[[Source, Function], Iterable[tuple[Edit, ...]]]
