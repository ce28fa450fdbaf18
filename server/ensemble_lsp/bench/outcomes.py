"""What became of one case under one way of answering: the record that every figure is computed from."""

from enum import StrEnum

from ensemble_lsp.core.frozen import Frozen


class Subject(StrEnum):
    """What is benchmarked."""

    FIX = "fix"
    REVIEW = "review"


class Claim(Frozen):
    """One thing that was said with a probability: a proposal that claims to be right, or a finding."""

    probability: float
    """The confidence that was shown, 0 to 1."""
    true: bool
    """Whether it was so: the fix passes all tests; the finding is about the known bug."""


class Outcome(Frozen):
    """One case under one way. Tokens and calls count what the answer needed, cached replies too."""

    case: str
    group: str
    way: str
    clean: bool = False
    solved: bool = False
    """Fix: accepted, and it passes all tests. Review: a finding about the known bug was reported."""
    accepted: bool = False
    """Fix: offered as right. Review: anything was reported."""
    weak: bool = False
    """Fix: offered with a warning that the check proves little; then a wrong one is not a false accept."""
    right_among: bool = False
    """Whether any answer that was seen on the way was right: what a perfect selection would have solved."""
    false_alarms: int = 0
    """Review: findings that are not about the known bug, duplicates counted once."""
    claims: tuple[Claim, ...] = ()
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    """At the members' prices; 0 for local ones."""
    seconds: float = 0.0
    """Wall time; what a cached reply took when it was made is added."""
    failed: str = ""
    """Why there is no outcome (endpoint down, budget): left out of the figures, counted beside them."""
    note: str = ""
    """One line for the reader."""
