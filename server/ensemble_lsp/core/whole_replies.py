"""Reading a whole file, function or selection in a fence: what weak models are asked for."""

from collections.abc import Mapping, Sequence

from ensemble_lsp.core.blocks import Block, Enclosing, Problem, Target
from ensemble_lsp.core.matching import FileLines


def read_whole(
    lines: Sequence[str],
    files: Mapping[str, FileLines],
    default_path: str | None,
    target: Target | None,
    enclosing: Enclosing | None,
) -> tuple[list[Block], list[Problem]]:
    return [], []
