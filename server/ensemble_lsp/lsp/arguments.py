"""The argument of each command: one object, parsed once, every wrong field named."""

from typing import Literal

from pydantic import Field

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Mode
from ensemble_lsp.core.frozen import Frozen


class PositionArgument(Frozen):
    line: int = Field(ge=0)
    character: int = Field(ge=0)


class RangeArgument(Frozen):
    start: PositionArgument
    end: PositionArgument


class DiagnosticArgument(Frozen):
    """A diagnostic as the client has it; what else it carries is ignored."""

    model_config = {**Frozen.model_config, "extra": "ignore"}

    range: RangeArgument
    message: str
    severity: int | None = None
    source: str | None = None
    code: str | int | None = None


class BudgetArgument(Frozen):
    usd: float | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)


class JobArgument(Frozen):
    """What every job command takes."""

    uri: str
    range: RangeArgument | None = None
    mode: Mode | None = None
    rounds: int | None = Field(default=None, ge=1, le=5)
    panel: tuple[str, ...] = ()
    budget: BudgetArgument | None = None
    check: str | None = None
    instruction: str = ""


Scope = Literal["range", "file", "changes", "staged", "workspace"]


class ReviewArgument(JobArgument):
    """`uri` is a document, or for `changes`, `staged` and `workspace` any file or folder of the workspace."""

    scope: Scope | None = None
    base: str | None = Field(default=None, min_length=1)
    """What `changes` are counted from, a commit or a branch; else the last commit."""


class FixArgument(JobArgument):
    diagnostics: tuple[DiagnosticArgument, ...] = ()
    finding: str | None = None


class ExplainArgument(JobArgument):
    pass


class TestArgument(JobArgument):
    __test__ = False


class SecureArgument(JobArgument):
    pass


class LocateArgument(JobArgument):
    """By default it starts from the document; with `report` from where a report of the fault points to."""

    report: Literal["selection", "instruction"] | None = None
    """`selection`: the text of `range`, else of the whole document, such as a traceback; `instruction`: that alone."""


class RefactorArgument(JobArgument):
    """Needs an instruction; without one the client is asked for it (`ensemble/input`)."""


class RewriteArgument(JobArgument):
    """Needs an instruction, but of a commit message; without one the client is asked for it (`ensemble/input`)."""

    commit: str | None = Field(default=None, min_length=1)
    """Of a document that is no file: the folder of the repository whose next commit it is the message of."""


class DebateArgument(JobArgument):
    """Needs an instruction: the question; without one the client is asked for it (`ensemble/input`)."""


class ContinueArgument(Frozen):
    job: str
    mode: Literal["panel", "debate"] = "debate"


class JobReference(Frozen):
    job: str


class ApplyArgument(Frozen):
    proposal: str
    hunks: tuple[str, ...] | None = None
    candidate: str | None = None


class RejectArgument(Frozen):
    proposal: str
    hunks: tuple[str, ...] | None = None


class DismissArgument(Frozen):
    finding: str
    reason: str = Field(default="", max_length=300)
    """"wrong", "wontfix", "style", or the person's own words."""


class RestoreArgument(Frozen):
    """`id` of `ensemble.dismissals`, or its beginning where that names one."""

    id: str = Field(min_length=4)


class ShowArgument(Frozen):
    """`transcript`: everything that was said and done; `result`: the explanation or report alone."""

    job: str
    document: Literal["transcript", "result"] = "transcript"


class TrustArgument(Frozen):
    """The notification `ensemble/trust`."""

    uri: str
    trusted: bool


class NoArgument(Frozen):
    pass


def checked_range(argument: RangeArgument) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return start and end as pairs; raises `UsageError` when the range ends before it starts."""
    start = (argument.start.line, argument.start.character)
    end = (argument.end.line, argument.end.character)
    if end < start:
        raise UsageError("the range ends before it starts", field="range")
    return start, end
