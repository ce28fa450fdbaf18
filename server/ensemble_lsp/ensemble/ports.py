"""What the deliberation needs from the outside, as Protocols, and the values that cross them."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from ensemble_lsp.core.blocks import JudgePath, ProblemKind
from ensemble_lsp.core.budget import Budget, Reservation, Spend
from ensemble_lsp.core.events import EventBody
from ensemble_lsp.core.evidence import CheckReport, Evidence, Outcome, Strength
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import DraftRecord, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.calibration import UNLEARNED, Calibration
from ensemble_lsp.ensemble.framework import Framework, NoFramework, Unit

T = TypeVar("T", bound=BaseModel)


class Message(Frozen):
    """One chat message. `cacheable` marks the end of the prefix that all members share."""

    role: Literal["system", "user", "assistant"]
    content: str
    cacheable: bool = False


class ModelRequest(Frozen):
    """One call. `purpose` is what `MemberStarted.purpose` shows."""

    member: Member
    messages: tuple[Message, ...]
    purpose: str
    max_tokens: int
    """Output tokens at most; part of the worst case that is reserved."""
    temperature: float | None = None
    """None: the member's own."""
    seed: int | None = None
    json_schema: dict[str, object] | None = None
    timeout: float = 60.0
    """Seconds from sending to the last token."""
    nonce: int = 0
    """Distinguishes samples of the same prompt in the response cache."""


class ModelReply(Frozen):
    """One answer. `text` is exactly what the model wrote."""

    text: str
    finish: Literal["stop", "length", "refusal"]
    spend: Spend
    seconds: float
    cached: bool = False
    first_token_seconds: float | None = None


class Purse(Protocol):
    """Who is asked before anything is sent: the job's budget and the day's cap together."""

    async def reserve(self, member: Member, usd: float) -> Reservation:
        """Hold the worst case of one call; raises `BudgetExceeded`, and then nothing may be sent."""
        ...

    async def settle(self, member: Member, reservation: Reservation, used: Spend) -> None:
        """Replace the reservation by what was used."""
        ...

    async def release(self, member: Member, reservation: Reservation) -> None:
        """Give the reservation back: nothing was sent."""
        ...


class ReplyCache(Protocol):
    """Answers kept by the hash of the full request. A hit costs nothing and reserves nothing."""

    async def get(self, key: str) -> ModelReply | None:
        """Return the kept answer or None."""
        ...

    async def put(self, key: str, reply: ModelReply) -> None:
        """Keep a complete answer (never one that was cut off or refused)."""
        ...


class ModelPort(Protocol):
    """How members are called. Retries, caching and accounting are behind it."""

    async def complete(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the member's answer, streaming its text to `on_delta` as it arrives.

        Raises `BudgetExceeded` (nothing sent) or a `ModelError`. Cancelling the awaiting task aborts the
        connection; a cancelled call without usage is settled at its reservation.
        """
        ...

    async def complete_as(
        self,
        request: ModelRequest,
        answer: type[T],
        purse: Purse,
        on_delta: Callable[[str], None] | None = None,
    ) -> tuple[T, ModelReply]:
        """Return an answer held to `answer`'s JSON schema; `request.json_schema` is set from it.

        Members that cannot do schemas get it in the prompt. One repair turn (a call like any other) with
        pydantic's message; then `MalformedReply`. The reply's spend covers both turns.
        """
        ...

    def count_tokens(self, member: Member, text: str) -> int:
        """Return the number of tokens of `text` for the member, an estimate where no tokenizer is known."""
        ...

    def worst_case_usd(self, request: ModelRequest) -> float:
        """Return what the call may cost at most: prompt tokens and `max_tokens` at the member's prices."""
        ...


class MutantRun(Frozen):
    """How a test file ended against one changed version of the code that it tests."""

    mutant: str
    """The change in words: "line 4: < became <="."""
    outcomes: dict[str, Outcome]
    """Test id → outcome."""
    broken: bool = False
    """The mutant no longer loads: every test notices it."""


class Coverage(Frozen):
    """Which tests ran which lines of the code as it is."""

    outcomes: dict[str, Outcome]
    """Test id → outcome."""
    lines: dict[str, dict[str, frozenset[int]]]
    """Test id → path → lines that it ran, 0-based."""
    evidence: Evidence
    """What the run as a whole said."""


class FoundRepair(Frozen):
    """One small change with which the failing tests passed when they were tried."""

    what: str
    """The change in words: "line 4: < became <="."""
    change: FileChange


class RepairsFound(Frozen):
    """What a search for a small change found."""

    tried: int = 0
    """Versions that were run."""
    repairs: tuple[FoundRepair, ...] = ()
    """Those that passed, the likeliest first, at most three."""


class CheckPort(Protocol):
    """How witnesses run: always in a shadow copy, never on the original."""

    async def baseline(self) -> CheckReport:
        """Run the witnesses on the code as it is; cached for the job."""
        ...

    async def check(
        self, changes: Sequence[FileChange], *, on_evidence: Callable[[Evidence], None] | None = None
    ) -> CheckReport:
        """Run the same witnesses with `changes` in place. Ends the whole process tree when cancelled."""
        ...

    async def probe(self, changes: Sequence[FileChange], test_code: str) -> Evidence:
        """Run a test that a model wrote (a pytest module's text) with `changes` in place.

        Only in an enforced sandbox or with consent, else `Outcome.NOT_RUN`. PASSED: the test passes there.
        """
        ...

    async def strength(self) -> Strength | None:
        """Mutate the region's original code and say how many mutants the checks kill; bounded and cached.

        None when nothing executes the code. Mutants are measured on a version that passes: `fixed_by` first.
        """
        ...

    async def coverage(self) -> Coverage | None:
        """Run the executing witnesses once on the code as it is, and record which test runs which lines.

        None when nothing may be run or nothing executes the code; without lines where no pytest runs.
        """
        ...

    async def run_tests(
        self, changes: Sequence[FileChange], path: str, *, units: Sequence[Unit] = ()
    ) -> Evidence:
        """Run the test file `path`, which a model wrote or added to, with `changes` in place; tests by their id.

        Under the rules of `probe`, by the dossier's framework. With `units` at least these tests of the file run,
        and others need not. `Outcome.ERROR`: it does not load.
        """
        ...

    async def mutant_runs(
        self,
        changes: Sequence[FileChange],
        path: str,
        lines: tuple[int, int],
        *,
        only: Collection[str] | None = None,
        units: Sequence[Unit] = (),
    ) -> tuple[MutantRun, ...]:
        """Run the test file `path` against mutants of `lines` (0-based, inclusive) of the task's file; bounded.

        `only`: those of these descriptions. `units` as for `run_tests`.
        """
        ...

    async def repairs(
        self, path: str, suspicion: Mapping[int, float], failing: Collection[str]
    ) -> RepairsFound:
        """Try small changes of a file until one turns the `failing` tests green; bounded, no model is asked.

        `suspicion`: 0-based line → how suspicious it is; no other line is changed. Nothing is found where code may not
        be run, where the settings say not to search, and for what no test of pytest's decides. What passes here is
        a proposal like any: it has to be checked.
        """
        ...

    def fixed_by(self, changes: Sequence[FileChange]) -> None:
        """Tell which version passes, so that `strength` mutates a version whose checks are green."""
        ...

    def parse_errors(self, path: str, text: str) -> int | None:
        """Return the number of parse errors, or None for a language without a parser."""
        ...

    def normal_form(self, path: str, text: str) -> str:
        """Return a form equal for texts that differ in comments and layout only (same AST)."""
        ...

    def enclosing(self, path: str, text: str, line: int) -> tuple[str, int, int] | None:
        """Return name, first and last line (0-based, inclusive) of the innermost symbol around `line`."""
        ...


class Excerpt(Frozen):
    """A stretch of one file as it is put in front of the models. Lines are 0-based."""

    path: str
    start_line: int
    text: str
    why: str = ""
    """"selection", "enclosing function", "definition of total", "test", …"""


class Redaction(Frozen):
    """One secret taken out before anything leaves. The secret itself is not in here."""

    placeholder: str
    kind: str
    path: str
    line: int


@dataclass(frozen=True)
class Dossier:
    """What was gathered for one job.

    `files` are whole files that members may edit, un-redacted; `focus`, `related` and `instructions` are
    what may be sent, already redacted. `language` is the tree-sitter name ("python").
    """

    files: Mapping[str, SourceText]
    focus: Excerpt | None
    related: tuple[Excerpt, ...] = ()
    instructions: str = ""
    language: str = ""
    symbol: str = ""
    test_home: str = ""
    """Where tests of the focus go by the project's own layout, for the action "test": in `files` if it exists."""
    framework: Framework | NoFramework | None = None
    """How tests of the focus are written in this project, for the action "test"."""
    redactions: tuple[Redaction, ...] = ()
    whole_file: bool = True
    """Whether `focus` is the whole file; else only an excerpt of it fits."""
    restore: Callable[[str], str] = field(default=lambda text: text, repr=False)
    """Put the secrets back into a member's reply, for edits only."""
    judge_path: JudgePath = field(default=lambda _path: ProblemKind.NOT_SHOWN, repr=False)
    """Whether a member may create a file there; it knows the disk. By default only `files` may be edited."""
    read: Callable[[str], SourceText | None] = field(default=lambda _path: None, repr=False)
    """Another file of the workspace that may be sent, un-redacted; None for what is not there or may not."""
    redact: Callable[[str, str], str] = field(default=lambda _path, text: text, repr=False)
    """(path or a word like "check log", text) → the text without secrets: for all else that is sent."""


@dataclass(slots=True)
class Deliberation:
    """Everything one job's deliberation works with. Built by the engine, one a job."""

    task: Task
    panel: Panel
    models: ModelPort
    checks: CheckPort
    dossier: Dossier
    purse: Purse
    budget: Budget
    emit: Callable[[EventBody], None]
    job: str = ""
    prior_drafts: tuple[DraftRecord, ...] = ()
    """`continue`: answers already paid for; their members are not asked for a draft again."""
    answer_now: asyncio.Event = field(default_factory=asyncio.Event)
    """`decide`: set it, and the deliberation decides with what is there."""
    randomness: random.Random = field(default_factory=random.Random)
    """Shuffles and labels; seeded from the job's id, so that a rerun can be compared."""
    calibration: Calibration = UNLEARNED
    """What was learned of how sure findings are."""
    dismissal: Callable[[str, str], str | None] = field(default=lambda _path, _fingerprint: None)
    """(path, fingerprint of a finding) → why the person dismissed it, "" without a reason; None: it was not."""
    clock: Callable[[], float] = field(default=lambda: asyncio.get_running_loop().time())
    deadline: float | None = None
    """On `clock`; None without a cap."""
    save_draft: Callable[[DraftRecord], Awaitable[None]] | None = None
    """Called as soon as a blind answer is there: a cancelled or killed job keeps what was paid for."""
    leaves_out: frozenset[str] = frozenset()
    """`Phase.CRITIQUE`, `Phase.REVISE` or `SEARCH`: a benchmark switches one off to see what it is worth."""
