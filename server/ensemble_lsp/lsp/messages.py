"""Every message of our own between client and server, and every answer of a command, as one model each.

`python -m ensemble_lsp.lsp.schema` prints all of them as JSON schema, with the commands' arguments
(`lsp.arguments`) and the events of a job (`core.events`): what other languages' mirrors are checked against.
"""

from dataclasses import dataclass
from typing import Literal

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.engine.messages import DismissalList, JobSummary, PanelDescription, Transcript
from ensemble_lsp.lsp import arguments
from ensemble_lsp.lsp.arguments import DiagnosticArgument, PositionArgument, RangeArgument

VERSION = 1
"""Of the messages below; announced as `capabilities.experimental.ensemble.version`."""


class HunkEvidence(Frozen):
    """One thing that stands behind one hunk."""

    kind: Literal["families", "check", "finding", "diagnostic"]
    """Other families wrote the same lines; a check ran on them; a finding or a diagnostic speaks of them."""
    source: str
    """The families, the witness, or who reported: "anthropic, openai", "pytest", "ruff F841"."""
    text: str
    """One line for a person."""
    outcome: Outcome | None = None
    """How the check ended; only with `check`."""


class ProposalHunk(Frozen):
    """Lines that become other lines. `old_start` is 0-based in the file's `version`; lines carry their endings."""

    id: str
    """Stays the same while the text moves."""
    old_start: int
    old_lines: tuple[str, ...]
    new_lines: tuple[str, ...]
    conflict: bool
    """The person changed these lines: shown, never applied."""
    why: str
    """What the author wrote about this change, as plain text; empty when nothing was written."""
    evidence: tuple[HunkEvidence, ...]


class ProposalFile(Frozen):
    """One file of a proposal as it stands against the live text."""

    uri: str
    version: int | None
    """Of the open document; null for a file that is not open."""
    kind: Literal["change", "create", "delete"]
    conflict: str
    """Why the whole file cannot be touched; empty when it can."""
    hunks: tuple[ProposalHunk, ...]


class CandidateCheck(Frozen):
    witness: str
    outcome: Outcome
    summary: str


class ProposalCandidate(Frozen):
    """One way to do it. `chosen`: the panel's own choice. `cost` in USD."""

    id: str
    members: tuple[str, ...]
    families: tuple[str, ...]
    checks: tuple[CandidateCheck, ...]
    cost: float
    changed_lines: int
    chosen: bool
    rejected: str
    """Why the panel did not take it; empty for one that survived."""


class ProposalParams(Frozen):
    """`ensemble/proposal`, and the answer of `ensemble/candidate`."""

    proposal: str
    revision: int
    """From 0, one higher each time that the live text moved."""
    job: str
    finding: str | None = None
    title: str
    status: Standing
    weak: bool
    candidate: str
    """Whose files and hunks these are."""
    files: tuple[ProposalFile, ...]
    candidates: tuple[ProposalCandidate, ...]
    dissent: tuple[Dissent, ...]
    would_settle: str
    """For anything but "verified": what would settle it."""
    spend: Spend

    def to_wire(self) -> dict[str, object]:
        """Return JSON-ready data; `finding` is left out when there is none, a `version` of null is not."""
        data = self.model_dump(mode="json", by_alias=True)
        if self.finding is None:
            del data["finding"]
        for file in data["files"]:
            for hunk in file["hunks"]:
                for item in hunk["evidence"]:
                    if item["outcome"] is None:
                        del item["outcome"]
        return data


class CandidateParams(Frozen):
    """`ensemble/candidate`: the same proposal seen with another of its candidates; nothing changes by asking."""

    proposal: str
    candidate: str


class ProposalTextParams(Frozen):
    """`ensemble/proposalText`: one file as it would be. `hunks` absent: all without conflict."""

    proposal: str
    uri: str
    hunks: tuple[str, ...] | None = None
    candidate: str | None = None


class ProposalText(Frozen):
    text: str
    version: int | None
    revision: int

    def to_wire(self) -> dict[str, object]:
        """Return JSON-ready data; a `version` of null stays."""
        return self.model_dump(mode="json", by_alias=True)


class InputParams(Frozen):
    """`ensemble/input`: ask the person for a job's instruction."""

    title: str
    job: str


class InputAnswer(Frozen):
    """`text` null: the person closed the question."""

    text: str | None


class ContextParams(Frozen):
    """`ensemble/context`: what the editor's other language servers know at some positions."""

    uri: str
    positions: tuple[PositionArgument, ...]
    want: tuple[Literal["definition", "references", "hover", "diagnostics"], ...]


class ContextLocation(Frozen):
    uri: str
    range: RangeArgument
    text: str | None = None


class ContextAnswer(Frozen):
    definitions: tuple[ContextLocation, ...] = ()
    references: tuple[ContextLocation, ...] = ()
    hovers: tuple[str, ...] = ()
    diagnostics: tuple[DiagnosticArgument, ...] = ()


class JobAnswer(Frozen):
    """The answer of every command that starts or names a job."""

    job: str


class Applied(Frozen):
    """The answer of `ensemble.apply`."""

    applied: bool
    failure_reason: str | None = None


class Shown(Frozen):
    """The answer of `ensemble.show`: what `workspace/textDocumentContent` takes, in any client."""

    uri: str


class ListedJob(JobSummary):
    """One line of the job list. `uri`: its transcript, as `workspace/textDocumentContent` and a person know it."""

    uri: str


class ListedJobs(Frozen):
    """The answer of `ensemble.jobs`."""

    jobs: tuple[ListedJob, ...]


class Nothing(Frozen):
    """An empty object."""


@dataclass(frozen=True, slots=True)
class Message:
    """How one message travels. `params` None: a job's event, one model a kind."""

    direction: Literal["client → server", "server → client"]
    params: type[Frozen] | None
    result: type[Frozen] | None = None
    """None for a notification."""


MESSAGES: dict[str, Message] = {
    "ensemble/event": Message("server → client", None),
    "ensemble/proposal": Message("server → client", ProposalParams),
    "ensemble/candidate": Message("client → server", CandidateParams, ProposalParams),
    "ensemble/proposalText": Message("client → server", ProposalTextParams, ProposalText),
    "ensemble/input": Message("server → client", InputParams, InputAnswer),
    "ensemble/context": Message("server → client", ContextParams, ContextAnswer),
    "ensemble/job": Message("client → server", arguments.JobReference, Transcript),
    "ensemble/trust": Message("client → server", arguments.TrustArgument),
}

COMMANDS: dict[str, tuple[type[Frozen], type[Frozen]]] = {
    "ensemble.review": (arguments.ReviewArgument, JobAnswer),
    "ensemble.fix": (arguments.FixArgument, JobAnswer),
    "ensemble.explain": (arguments.ExplainArgument, JobAnswer),
    "ensemble.test": (arguments.TestArgument, JobAnswer),
    "ensemble.secure": (arguments.SecureArgument, JobAnswer),
    "ensemble.locate": (arguments.LocateArgument, JobAnswer),
    "ensemble.refactor": (arguments.RefactorArgument, JobAnswer),
    "ensemble.rewrite": (arguments.RewriteArgument, JobAnswer),
    "ensemble.debate": (arguments.DebateArgument, JobAnswer),
    "ensemble.continue": (arguments.ContinueArgument, JobAnswer),
    "ensemble.decide": (arguments.JobReference, JobAnswer),
    "ensemble.cancel": (arguments.JobReference, JobAnswer),
    "ensemble.apply": (arguments.ApplyArgument, Applied),
    "ensemble.reject": (arguments.RejectArgument, Nothing),
    "ensemble.dismiss": (arguments.DismissArgument, Nothing),
    "ensemble.dismissals": (arguments.NoArgument, DismissalList),
    "ensemble.restore": (arguments.RestoreArgument, DismissalList),
    "ensemble.panel": (arguments.NoArgument, PanelDescription),
    "ensemble.jobs": (arguments.NoArgument, ListedJobs),
    "ensemble.show": (arguments.ShowArgument, Shown),
}
"""Command → its one argument, its answer."""
