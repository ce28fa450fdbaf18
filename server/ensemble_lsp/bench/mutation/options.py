"""What cases are to be made of, how far the work is, and what came of it."""

from collections import Counter
from dataclasses import dataclass, field

from ensemble_lsp.bench.cases import BenchCase


@dataclass(frozen=True, slots=True)
class MutationOptions:
    """What cases are to be made of. Paths are relative to the repository; none means all."""

    paths: tuple[str, ...] = ()
    """Files or folders of the code."""
    tests: tuple[str, ...] = ()
    """Test files or folders; without them the ones that import the code."""
    most: int = 40
    """Mutants, at most."""
    controls: bool = True
    """Whether as many clean controls are made."""
    seed: int = 1
    most_runs: int = 400
    """Test runs, at most; each is one call of pytest."""
    most_test_files: int = 60
    """Test files that are run to see what they cover, at most."""


@dataclass(frozen=True, slots=True)
class MutationProgress:
    """Where the work stands: `done` of at most `of`."""

    stage: str
    """"coverage", "mutants" or "controls"."""
    done: int
    of: int
    text: str


@dataclass(slots=True)
class MutationCounts:
    """What was seen on the way, for the report."""

    files: int = 0
    functions: int = 0
    """In the files that were looked at."""
    tested: int = 0
    """Functions that a passing test runs."""
    mutants: int = 0
    """Mutants whose tests were run."""
    killed: int = 0
    survived: int = 0
    unloadable: int = 0
    """Mutants with which a test file could not even be collected: nobody would have kept them."""
    undecided: int = 0
    """Mutants whose run was cut off when the original's was slow, too: the machine was busy."""
    controls: int = 0
    controls_refused: int = 0
    """Controls with which a test failed."""
    runs: int = 0
    """Test runs made now, kept ones not counted."""
    seconds: float = 0.0
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Why files and functions were left out → how many."""


@dataclass(frozen=True, slots=True)
class MutationResult:
    """The cases, mutants first, and how they came about."""

    cases: tuple[BenchCase, ...]
    counts: MutationCounts
