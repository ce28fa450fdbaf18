"""What happens while a job runs, as the deliberation says it; the engine stamps job, number and time."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.findings import Dissent, Finding
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.proposals import Proposal, Standing


class Action(StrEnum):
    """What a job is asked to do."""

    FIX = "fix"
    REVIEW = "review"
    EXPLAIN = "explain"
    TEST = "test"
    SECURE = "secure"
    LOCATE = "locate"
    REFACTOR = "refactor"
    REWRITE = "rewrite"
    DEBATE = "debate"


class Mode(StrEnum):
    """The three settings of the loop (deliberation.md)."""

    QUICK = "quick"
    PANEL = "panel"
    DEBATE = "debate"


class Phase(StrEnum):
    """The phases, in their order; check, critique and revise may come again."""

    GATHER = "gather"
    DRAFT = "draft"
    CHECK = "check"
    CRITIQUE = "critique"
    REVISE = "revise"
    ESCALATE = "escalate"
    DECIDE = "decide"


class Status(StrEnum):
    """How a job ended."""

    DONE = "done"
    NOTHING = "nothing"
    """It ran well and there is nothing to report: a review without findings."""
    ABSTAINED = "abstained"
    CANCELLED = "cancelled"
    FAILED = "failed"
    OVER_BUDGET = "overBudget"


class Seat(Frozen):
    """A member as a client shows it."""

    member: str
    family: str
    model: str
    local: bool = False


class Estimate(Frozen):
    """What the job is expected to use, before it starts. `calls_bound` can never be passed."""

    calls_expected: int
    calls_bound: int
    usd_expected: float
    usd_bound: float
    tokens_expected: int | None = None
    """Sent and received together, of a review of several files."""
    seconds_expected: float | None = None
    """Of a review of several files, before one of them was timed."""
    usd_cap: float | None = None
    """What the job may spend, whatever was estimated; None without a cap."""


class Started(Frozen):
    kind: Literal["started"] = "started"
    action: Action
    uri: str
    panel: tuple[Seat, ...]
    estimate: Estimate
    mode: Mode
    notes: tuple[str, ...] = ()


class PhaseEntered(Frozen):
    kind: Literal["phase"] = "phase"
    phase: Phase
    round: int = 0
    """0 for the drafts, then 1, 2, …"""
    note: str = ""
    file: int | None = None
    """Of a review of several files: that the `file`-th of `files` begins, whose path is the note."""
    files: int | None = None
    done: int | None = None
    """Of a review of several files: how many of them have been looked at by now."""


class MemberStarted(Frozen):
    kind: Literal["memberStarted"] = "memberStarted"
    member: str
    family: str
    purpose: str
    """"draft", "repair", "critique", "revise", "refute", "escalate", "position"."""
    sample: int = 0
    """Tells the calls apart of a member that is asked twice at once; the same in all events of one call."""


class MemberDelta(Frozen):
    kind: Literal["memberDelta"] = "memberDelta"
    member: str
    text: str
    sample: int = 0
    tokens_per_second: float | None = None


class MemberFinished(Frozen):
    kind: Literal["memberFinished"] = "memberFinished"
    member: str
    purpose: str
    sample: int = 0
    spend: Spend
    seconds: float
    cached: bool = False
    error: str | None = None
    """Why it did not answer, in words."""
    error_kind: str | None = None
    """The same by its name in `core.errors`: "RateLimited", "ModelTimeout", …"""
    hint: str | None = None
    """What would help, where anything is known to."""
    cancelled: bool = False


class CheckFinished(Frozen):
    kind: Literal["check"] = "check"
    witness: str
    target: str
    outcome: Outcome
    summary: str
    about: str = ""
    """The candidate's id; empty for the baseline."""
    members: tuple[str, ...] = ()
    """Who stood behind the candidate when it was checked."""


class FindingMade(Frozen):
    kind: Literal["finding"] = "finding"
    finding: Finding


class DissentKept(Frozen):
    kind: Literal["dissent"] = "dissent"
    dissent: Dissent


class ProposalMade(Frozen):
    """That there is a proposal, in a few words: its texts travel with the job's result alone."""

    kind: Literal["proposal"] = "proposal"
    proposal: str
    """The id."""
    title: str
    status: Standing
    weak: bool
    families: tuple[str, ...]
    paths: tuple[str, ...]
    changed_lines: int

    @classmethod
    def of(cls, proposal: Proposal) -> "ProposalMade":
        """Return the announcement of a proposal."""
        return cls(
            proposal=proposal.id,
            title=proposal.title,
            status=proposal.standing,
            weak=proposal.weak,
            families=proposal.chosen.families,
            paths=tuple(change.path for change in proposal.chosen.changes),
            changed_lines=proposal.chosen.changed_lines,
        )


class CritiqueMade(Frozen):
    kind: Literal["critique"] = "critique"
    from_member: str = Field(alias="from")
    about: str
    claim: str
    evidence: str
    """What the execution or the cited line said; empty when the critic brought none."""
    broke: bool
    """Whether the evidence broke what it was aimed at."""
    against: tuple[str, ...] = ()
    """Who stood behind it when it was attacked."""


class RevisionMade(Frozen):
    kind: Literal["revision"] = "revision"
    member: str
    about: str
    """The candidate that was hit."""
    outcome: Literal["revised", "kept", "withdrawn"]
    conformity: bool = False
    """Changed without new evidence: does not count as support."""
    note: str = ""


class PositionTaken(Frozen):
    kind: Literal["position"] = "position"
    member: str
    stance: str
    round: int
    moved: bool = False
    because: str = ""
    """The evidence that moved it; empty with `moved` means conformity."""


class SpendReported(Frozen):
    kind: Literal["spend"] = "spend"
    spend: Spend


class Finished(Frozen):
    kind: Literal["finished"] = "finished"
    status: Status
    reason: str
    spend: Spend
    seconds: float = 0.0


EventBody = (
    Started
    | PhaseEntered
    | MemberStarted
    | MemberDelta
    | MemberFinished
    | CheckFinished
    | FindingMade
    | DissentKept
    | ProposalMade
    | CritiqueMade
    | RevisionMade
    | PositionTaken
    | SpendReported
    | Finished
)


class JobEvent(Frozen):
    """An event as it travels: stamped by the engine. On the wire the body's fields stand beside the stamp."""

    job: str
    seq: int
    """From 0, without gaps, per job."""
    time: float
    """Seconds since the epoch."""
    body: Annotated[EventBody, Field(discriminator="kind")]

    def flat(self) -> dict[str, object]:
        """Return `{job, seq, time, kind, …}`, the form of the protocol."""
        return {"job": self.job, "seq": self.seq, "time": self.time, **self.body.to_wire()}

    @classmethod
    def from_flat(cls, data: dict[str, object]) -> "JobEvent":
        """Read the form that `flat` writes; raises pydantic's `ValidationError`."""
        body = {key: value for key, value in data.items() if key not in {"job", "seq", "time"}}
        return cls.model_validate(
            {"job": data.get("job"), "seq": data.get("seq"), "time": data.get("time"), "body": body}
        )
