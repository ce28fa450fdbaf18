"""Every message between the front and the engine: JSON-RPC 2.0 on stdio, framed as LSP frames it.

| method | direction | kind | params → result |
|---|---|---|---|
| `engine/hello` | front → engine | request | `Hello` → `HelloAnswer` |
| `engine/warm` | front → engine | notification | `{}`: import what is slow, ahead of the first job |
| `engine/shutdown` | front → engine | request | `{}` → `{}`; running jobs are cancelled and kept |
| `job/start` | front → engine | request | `JobStart` → `JobRef` |
| `job/continue` | front → engine | request | `JobContinue` → `JobRef` |
| `job/decide`, `job/cancel` | front → engine | request | `JobRef` → `{}` |
| `job/get` | front → engine | request | `JobRef` → `Transcript` |
| `job/list` | front → engine | request | `JobListQuery` → `JobList` |
| `panel/describe` | front → engine | request | `PanelQuery` → `PanelDescription` |
| `outcome/record` | front → engine | request | `OutcomeNote` → `{}` |
| `dismissal/add` | front → engine | request | `DismissalNote` → `{}` |
| `dismissal/list` | front → engine | request | `DismissalQuery` → `DismissalList` |
| `dismissal/restore` | front → engine | request | `DismissalRef` → `DismissalList`: what was taken back |
| `job/event` | engine → front | notification | `JobEvent.flat()` |
| `job/result` | engine → front | notification | `ResultNote`; before the job's `finished` event |
| `consent/ask` | engine → front | request | `ConsentQuestion` → `ConsentAnswer` |
"""

from pathlib import Path
from typing import Literal

from pydantic import Field

from ensemble_lsp.core.dismissals import Dismissal
from ensemble_lsp.core.editor_context import EditorContext
from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.results import JobResult, Task


class Hello(Frozen):
    """The front introduces itself; versions that differ are refused with a message."""

    version: str
    pid: int
    deltas: bool = True
    """Whether it wants `memberDelta` events, the text of answers while they are written."""


class HelloAnswer(Frozen):
    version: str
    pid: int


class OpenDocument(Frozen):
    """A document that the editor holds: its text counts, not the file's. `text` may hold lone surrogates."""

    path: str
    """Relative to the workspace, with forward slashes."""
    text: str
    version: int


class JobOptions(Frozen):
    """How a job is to be run, apart from what it is about."""

    panel: tuple[str, ...] = ()
    """Member ids or litellm model strings; empty: the settings' or the found panel."""
    local: bool = False
    no_cache: bool = False
    check_given: bool = False
    """The person typed the check's command for this job: it runs (in the sandbox) whatever the folder's trust."""
    overrides: dict[str, object] = {}
    """Settings of the command line; they win over every other source."""


class JobStart(Frozen):
    """Start a job. The front chooses the id, so that it can answer its own client at once."""

    job: str
    workspace: str
    """Absolute path of the workspace's root."""
    task: Task
    documents: tuple[OpenDocument, ...] = ()
    trusted: bool = False
    trust_kept: bool = False
    """The editor has no say in trust: what the person told `ensemble-lsp trust` counts beside `trusted`."""
    rules: str = ""
    """A folder that settings, ignore files, notes and dismissals are read from instead of the workspace.

    Absolute; "" is the workspace itself. Such rules count as a trusted folder's, whatever `trusted` says of the code.
    """
    settings: dict[str, object] = {}
    """What the editor says (the section `ensemble`), restricted keys already dropped where not trusted."""
    options: JobOptions = JobOptions()
    editor: EditorContext | None = None
    """None where the client does not offer it, or did not answer in time."""

    @property
    def rules_folder(self) -> Path | None:
        """Where rules are read from when it is not the workspace."""
        return Path(self.rules) if self.rules else None


class JobRef(Frozen):
    job: str


class JobContinue(Frozen):
    """Go on from the drafts of `job` under the id `new_job`."""

    job: str
    new_job: str
    mode: Mode = Mode.DEBATE
    rounds: int = 1
    trusted: bool | None = None
    """Whether the folder is trusted by now; None: as it was."""
    settings: dict[str, object] = {}
    """What counts instead of the earlier job's where the folder is not trusted any more."""


class JobSummary(Frozen):
    """One line of the job list. `started` in seconds since the epoch."""

    job: str
    action: Action
    title: str
    workspace: str
    status: Status | Literal["running", "lost"]
    started: float
    seconds: float
    usd: float
    calls: int


class JobListQuery(Frozen):
    workspace: str | None = None
    limit: int = 20


class JobList(Frozen):
    jobs: tuple[JobSummary, ...]


class Transcript(Frozen):
    """Everything kept of one job."""

    summary: JobSummary
    task: Task
    events: tuple[dict[str, object], ...]
    result: JobResult | None = None


class ResultNote(Frozen):
    job: str
    result: JobResult


class PanelQuery(Frozen):
    workspace: str
    trusted: bool = False
    trust_kept: bool = False
    settings: dict[str, object] = {}
    options: JobOptions = JobOptions()


class PanelSeat(Frozen):
    """One member as `ensemble-lsp panel` shows it. Prices are USD per million tokens."""

    id: str
    model: str
    family: str
    role: Literal["anchor", "member", "strong"]
    local: bool
    price_in: float | None = None
    price_out: float | None = None
    key: str
    """"not needed", "OPENAI_API_KEY is set", "OPENAI_API_KEY is missing": never the key."""
    recipient: str
    why: str


class PanelDescription(Frozen):
    seats: tuple[PanelSeat, ...]
    notes: tuple[str, ...]
    spent_today_usd: float
    day_usd: float


class OutcomeNote(Frozen):
    """What the person did with a result: the panel's reliabilities learn from it."""

    job: str
    outcome: Literal["accepted", "rejected", "undone"]
    """`undone`: what was accepted is taken back, which says nothing by itself."""
    candidate: str | None = None
    finding: str | None = None
    taken: float | None = Field(default=None, ge=0, le=1)
    """The share of the change's hunks that was kept, of those that were decided on; None: all or nothing."""


class DismissalNote(Frozen):
    """The person does not want to see a finding again."""

    job: str
    workspace: str
    finding: Finding
    reason: str = Field(default="", max_length=300)
    """"wrong", "wontfix", "style", or the person's own words."""
    trusted: bool = False
    settings: dict[str, object] = {}


class DismissalQuery(Frozen):
    workspace: str
    trusted: bool = False


class DismissalRef(DismissalQuery):
    """`id` may be its beginning, where that names one."""

    id: str = Field(min_length=4)


class ListedDismissal(Dismissal):
    """`kept`: "private" on this machine, "shared" in `.ensemble/dismissed.json`."""

    id: str
    """What it is taken back by: of its path and fingerprint."""
    kept: Literal["private", "shared"]
    counts: bool = True
    """False for a shared one of a folder that is not trusted."""


class DismissalList(Frozen):
    dismissals: tuple[ListedDismissal, ...]
    warnings: tuple[str, ...] = ()
    """What is wrong with the shared file."""


WAITS = "waiting for the answer"
"""How what a job says ends while a person is asked."""


class ConsentQuestion(Frozen):
    """What only a person may decide; asked once, the answer is kept in the state directory."""

    workspace: str
    kind: Literal["send", "download", "unconfined", "spend"]
    """Send code to recipients; download a model's weights; run model-written code without a sandbox; start a long job.

    A yes to the last holds for that job alone.
    """
    text: str
    """The whole question in words: recipients, what is sent, caps; or size, source and licence."""
    recipients: tuple[str, ...] = ()


class ConsentAnswer(Frozen):
    granted: bool
