"""What a job was asked and what came out of it."""

from typing import Literal

from ensemble_lsp.core.budget import Limits, Spend
from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.evidence import Diagnostic
from ensemble_lsp.core.findings import Dissent, Finding
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.proposals import Proposal


class LineRange(Frozen):
    """Whole lines, 0-based, `end` exclusive."""

    start: int
    end: int


class PlaceHint(Frozen):
    """Where a report of a fault points to; `line` is 0-based, None for a file as a whole."""

    path: str
    line: int | None = None
    why: str = ""


class Task(Frozen):
    """What one job is about. Paths are relative to the workspace, with forward slashes."""

    action: Action
    path: str | None = None
    """The file in front of the person; None for a debate without a selection."""
    range: LineRange | None = None
    instruction: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    """What the editor showed there, of whatever source."""
    finding: Finding | None = None
    mode: Mode = Mode.PANEL
    rounds: int = 1
    """Critique rounds; `debate` takes up to 5."""
    check: str | None = None
    """The command line or the id of a configured check that decides; None: the tests that cover the range."""
    paths: tuple[str, ...] = ()
    """Review: all files in scope; empty means `path` alone. With `scope`: files and folders that limit it."""
    scope: Literal["changes", "staged", "workspace"] | None = None
    """Review: what is looked for in the workspace when the job starts; None means the files named."""
    base: str | None = None
    """With `scope` "changes": the commit or branch to compare with; None means the last commit. Rewriting a commit
    message: the commit that it belongs to; None means the one that is being made.

    `A...B` is what B changed since it left A, `A..B` what differs between them; what is not committed is no part of it.
    """
    all_lines: bool = False
    """Reviews of a change: report findings on other lines of the changed files too."""
    fresh: bool = False
    """Reviews of a workspace: look at every file anew, also where an earlier review of the same text is kept."""
    changed_lines: dict[str, tuple[LineRange, ...]] = {}
    """Reviews of a change: the lines that it touched, per path."""
    places: tuple[PlaceHint, ...] = ()
    """Locating without a file: what the report points to, found when the job starts; members see the code there."""
    change: str = ""
    """Rewriting a commit message: the change that it describes, as a diff; quoted to members as data."""
    limits: Limits = Limits()


class DraftRecord(Frozen):
    """One paid blind answer, kept so that `continue` can go on from it."""

    member: str
    family: str
    text: str
    spend: Spend = Spend()
    style: int = 0


class CheckVerdict(Frozen):
    """How the target check ended for one candidate: what the members behind it are learnt by."""

    candidate: str
    members: tuple[str, ...]
    passed: bool


class JobResult(Frozen):
    """What came out of one job."""

    status: Status
    reason: str
    error: str = ""
    """The kind of error that ended it, by its name in `core.errors`; empty when none did."""
    proposal: Proposal | None = None
    findings: tuple[Finding, ...] = ()
    """Admitted ones first, then those that are only dissent (`admitted=False`)."""
    reviewed: tuple[str, ...] = ()
    """Review: the files that were looked at to the end; their earlier findings are out of date."""
    unreviewed: tuple[str, ...] = ()
    """Review of several files: those not looked at to the end, in the order in which they would have come."""
    changed_lines: dict[str, tuple[LineRange, ...]] = {}
    """Reviews of a change: the lines that it touched, per path reviewed."""
    texts: dict[str, str] = {}
    """Review: the text that findings speak of, per path, where it is neither the editor's nor the disk's."""
    document: str = ""
    """Markdown: the explanation, or the report of a debate."""
    dissent: tuple[Dissent, ...] = ()
    drafts: tuple[DraftRecord, ...] = ()
    verdicts: tuple[CheckVerdict, ...] = ()
    """Of every candidate whose target check was executed, the chosen one and the others."""
    spend: Spend = Spend()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """What a person has to put right, such as a file that could not be used; shown whatever came out."""
