"""What a witness or an execution said, and what it means for a candidate."""

from enum import IntEnum, StrEnum

from ensemble_lsp.core.frozen import Frozen


class Severity(StrEnum):
    """How bad a finding or diagnostic is; LSP's four severities under a reviewer's names."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Outcome(StrEnum):
    """How a check ended. `notRun` is never counted for or against anything."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timedOut"
    ERROR = "error"
    """The tool itself broke (not found, crashed): says nothing about the code."""
    NOT_RUN = "notRun"


SEARCH = "search"
"""The witness that names a change which no model wrote: small changes were tried until a failing test passed."""
COVERAGE = "coverage"
"""The witness that says how many failing and passing tests run a line."""


class Rank(IntEnum):
    """How much a kind of evidence weighs (deliberation.md): executed > static > agreement > opinion."""

    OPINION = 0
    AGREEMENT = 1
    STATIC = 2
    EXECUTED = 3


class Diagnostic(Frozen):
    """One message of a static tool. Lines are 0-based; `path` is relative to the workspace, posix."""

    path: str
    line: int
    end_line: int
    severity: Severity
    source: str
    code: str
    message: str

    def fingerprint(self, line_text: str = "") -> tuple[str, str, str, str]:
        """Identify the message across moved lines: path, source, code, and the text it speaks of."""
        return (self.path, self.source, self.code, line_text or self.message)


class Evidence(Frozen):
    """What one run of one witness said."""

    witness: str
    """"pytest", "ruff", "syntax", "command", "probe", …"""
    rank: Rank
    target: str
    """What it was asked about: a path, a test id, the command line given by the person."""
    outcome: Outcome
    summary: str
    """One line for a person: "3 passed, 1 failed"."""
    log: str = ""
    """What it printed, bounded; data, never instructions."""
    seconds: float = 0.0
    tests: dict[str, Outcome] = {}
    """Test id → outcome, for test runners that report them."""
    diagnostics: tuple[Diagnostic, ...] = ()
    sandbox: str = ""
    """How it was confined: "bubblewrap", "landlock", "sandbox-exec", "none (consented)"; empty in-process."""


class CheckReport(Frozen):
    """All that the witnesses said about one version of the workspace."""

    evidence: tuple[Evidence, ...] = ()

    @property
    def executed(self) -> tuple[Evidence, ...]:
        """The evidence of runs that really executed the code."""
        return tuple(
            item
            for item in self.evidence
            if item.rank is Rank.EXECUTED and item.outcome is not Outcome.NOT_RUN
        )

    @property
    def tests(self) -> dict[str, Outcome]:
        """All test ids with their outcome."""
        merged: dict[str, Outcome] = {}
        for item in self.evidence:
            merged.update(item.tests)
        return merged

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All static diagnostics."""
        return tuple(diagnostic for item in self.evidence for diagnostic in item.diagnostics)


class Strength(Frozen):
    """How much a check would have caught: mutants of the region's original code that it kills.

    Below one half a pass is weak evidence (deliberation.md, "Strength of a check").
    """

    killed: int
    total: int
    survivors: tuple[str, ...] = ()
    """Descriptions of mutants that the check let pass, at most three: "line 4: < became <="."""

    @property
    def share(self) -> float | None:
        """The share killed, or None when there was nothing to mutate."""
        return self.killed / self.total if self.total else None

    @property
    def weak(self) -> bool:
        """Whether a pass proves little; unknown strength counts as weak."""
        return self.share is None or self.share < 0.5
