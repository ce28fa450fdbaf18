"""What the store gives back about jobs. The engine turns these into its messages."""

from dataclasses import dataclass
from typing import Literal

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.core.results import DraftRecord, JobResult

JobState = Status | Literal["running", "lost"]
"""How a job ended; "lost": its process died before it could say."""


@dataclass(frozen=True, slots=True)
class JobLine:
    """One line of the job list. `started` in seconds since the epoch, `seconds` up to now while it runs."""

    job: str
    workspace: str
    action: Action
    title: str
    state: JobState
    reason: str
    pid: int
    started: float
    seconds: float
    spend: Spend
    """For a job that has not ended, what the ledger says."""


@dataclass(frozen=True, slots=True)
class JobRecord:
    """Everything kept of one job; `task` is None where only the line was kept."""

    line: JobLine
    task: dict[str, object] | None
    events: tuple[dict[str, object], ...]
    """In the protocol's flat form, streamed text joined (see `coalescing`)."""
    drafts: tuple[DraftRecord, ...]
    result: JobResult | None
