"""What is left of a token budget, and excerpts that fit into it."""

from collections.abc import Callable
from dataclasses import dataclass

from ensemble_lsp.ensemble.ports import Excerpt

_FRAME_TOKENS = 16
"""What a prompt puts around an excerpt: tags, the place, the reason."""


@dataclass
class Allowance:
    """Counts down from `left` tokens."""

    count_tokens: Callable[[str], int]
    left: int

    def cost(self, excerpt: Excerpt) -> int:
        """Return the tokens of an excerpt with the frame that a prompt puts around it."""
        title = self.count_tokens(f"{excerpt.path} {excerpt.why}")
        return self.count_tokens(excerpt.text) + title + _FRAME_TOKENS

    def take(self, excerpt: Excerpt, most: int | None = None) -> bool:
        """Take the excerpt's cost off if it fits (and costs no more than `most`)."""
        if self.left <= _FRAME_TOKENS:
            return False
        cost = self.cost(excerpt)
        if cost > self.left or (most is not None and cost > most):
            return False
        self.left -= cost
        return True
