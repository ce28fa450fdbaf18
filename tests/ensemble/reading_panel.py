"""A panel for the tests of review, explain and debate: members that say what a test tells them to."""

import asyncio
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel

from ensemble_lsp.core.budget import Budget, Limits, Reservation, Spend
from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.core.events import Action, EventBody, Mode
from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Evidence, Outcome, Rank, Severity, Strength
from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import DraftRecord, LineRange, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.calibration import UNLEARNED, Calibration
from ensemble_lsp.ensemble.framework import Unit
from ensemble_lsp.ensemble.ports import (
    Coverage,
    Deliberation,
    Dossier,
    Excerpt,
    ModelReply,
    ModelRequest,
    MutantRun,
    Purse,
    Redaction,
    RepairsFound,
)

T = TypeVar("T", bound=BaseModel)

CODE = """\
import os


def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)


def read(name):
    handle = open(name)
    return handle.read()


def remove(path):
    os.system("rm " + path)
"""

Answer = Mapping[str, object] | EnsembleError
Script = Callable[[ModelRequest], Answer]


@dataclass
class JobPurse:
    """The job's budget alone."""

    budget: Budget

    async def reserve(self, member: Member, usd: float) -> Reservation:
        return self.budget.reserve(usd)

    async def settle(self, member: Member, reservation: Reservation, used: Spend) -> None:
        self.budget.settle(reservation, used)

    async def release(self, member: Member, reservation: Reservation) -> None:
        self.budget.release(reservation)


@dataclass
class ToldMembers:
    """Members that answer from a script per member id; `requests` keeps what they were asked, in order."""

    scripts: Mapping[str, Script]
    usd_per_call: float = 0.01
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    hanging: set[str] = field(default_factory=set[str])
    """Members whose calls never end."""
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a hanging member has been asked."""
    late: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    """Members that answer no sooner than the event is set."""

    async def complete(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        raise AssertionError("these actions ask by schema")

    async def complete_as(
        self,
        request: ModelRequest,
        answer: type[T],
        purse: Purse,
        on_delta: Callable[[str], None] | None = None,
    ) -> tuple[T, ModelReply]:
        reservation = await purse.reserve(request.member, self.usd_per_call)
        self.requests.append(request)
        if request.member.id in self.hanging:
            self.asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                await purse.settle(request.member, reservation, Spend(calls=1, usd=self.usd_per_call))
        if request.member.id in self.late:
            await self.late[request.member.id].wait()
        said = self.scripts[request.member.id](request)
        used = Spend(calls=1, tokens_in=100, tokens_out=10, usd=self.usd_per_call)
        await purse.settle(request.member, reservation, used)
        if isinstance(said, EnsembleError):
            raise said
        value = answer.model_validate(said)
        return value, ModelReply(text="…", finish="stop", spend=used, seconds=0.1)

    def count_tokens(self, member: Member, text: str) -> int:
        return len(text) // 4

    def worst_case_usd(self, request: ModelRequest) -> float:
        return self.usd_per_call

    def purposes(self) -> list[tuple[str, str]]:
        """Return (member, purpose) of every call."""
        return [(request.member.id, request.purpose) for request in self.requests]

    def tasks(self, purpose: str) -> list[str]:
        """Return the last messages of the calls with this purpose."""
        return [request.messages[-1].content for request in self.requests if request.purpose == purpose]


@dataclass
class ToldChecks:
    """Checks that answer from a script. A probe's outcome: PASSED on the code as it is if its text is listed
    in `passing`, and still PASSED on a changed one if listed in `vacuous`."""

    diagnostics: Sequence[Diagnostic] = ()
    passing: Sequence[str] = ()
    vacuous: Sequence[str] = ()
    error: EnsembleError | None = None
    probed: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])

    async def baseline(self) -> CheckReport:
        if self.error is not None:
            raise self.error
        evidence = Evidence(
            witness="ruff",
            rank=Rank.STATIC,
            target="pay.py",
            outcome=Outcome.FAILED if self.diagnostics else Outcome.PASSED,
            summary=f"{len(self.diagnostics)} messages",
            diagnostics=tuple(self.diagnostics),
        )
        return CheckReport(evidence=(evidence,))

    async def check(
        self, changes: Sequence[FileChange], *, on_evidence: Callable[[Evidence], None] | None = None
    ) -> CheckReport:
        raise AssertionError("nothing is changed by these actions")

    async def probe(self, changes: Sequence[FileChange], test_code: str) -> Evidence:
        self.probed.append((test_code, bool(changes)))
        passes = test_code in (self.vacuous if changes else (*self.passing, *self.vacuous))
        return Evidence(
            witness="probe",
            rank=Rank.EXECUTED,
            target="test_probe.py",
            outcome=Outcome.PASSED if passes else Outcome.FAILED,
            summary="1 passed" if passes else "1 failed",
        )

    async def coverage(self) -> Coverage | None:
        return None

    async def run_tests(
        self, changes: Sequence[FileChange], path: str, *, units: Sequence[Unit] = ()
    ) -> Evidence:
        raise AssertionError("nothing is written by these actions")

    async def mutant_runs(
        self,
        changes: Sequence[FileChange],
        path: str,
        lines: tuple[int, int],
        *,
        only: Collection[str] | None = None,
        units: Sequence[Unit] = (),
    ) -> tuple[MutantRun, ...]:
        raise AssertionError("nothing is written by these actions")

    async def strength(self) -> Strength | None:
        return None

    async def repairs(
        self, path: str, suspicion: Mapping[int, float], failing: Collection[str]
    ) -> RepairsFound:
        raise AssertionError("nothing is repaired by these actions")

    def fixed_by(self, changes: Sequence[FileChange]) -> None:
        raise AssertionError("nothing is changed by these actions")

    def parse_errors(self, path: str, text: str) -> int | None:
        return 0

    def normal_form(self, path: str, text: str) -> str:
        return text

    def enclosing(self, path: str, text: str, line: int) -> tuple[str, int, int] | None:
        return None


@dataclass
class Table:
    """A deliberation, and what came out of it."""

    deliberation: Deliberation
    members: ToldMembers
    checks: ToldChecks
    events: list[EventBody]
    saved: list[DraftRecord]

    def of_kind(self, kind: type[T]) -> list[T]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]


def member(ident: str, family: str = "", **fields: object) -> Member:
    """Return a member; its family is its id unless given."""
    told: dict[str, object] = {"price_in": 1.0, "price_out": 2.0, **fields}
    return Member.model_validate(
        {"id": ident, "model": f"scripted/{ident}", "family": family or ident, **told}
    )


def table(
    scripts: Mapping[str, Script],
    *,
    action: Action = Action.REVIEW,
    mode: Mode = Mode.PANEL,
    families: Mapping[str, str] | None = None,
    members: Sequence[Member] = (),
    anchor: str = "",
    strong: Member | None = None,
    code: str | None = CODE,
    path: str = "pay.py",
    checks: ToldChecks | None = None,
    limits: Limits | None = None,
    rounds: int = 1,
    instruction: str = "",
    selection: LineRange | None = None,
    changed_lines: Mapping[str, tuple[LineRange, ...]] | None = None,
    diagnostics: Sequence[Diagnostic] = (),
    prior: Sequence[DraftRecord] = (),
    calibration: Calibration = UNLEARNED,
    secret: tuple[str, str] | None = None,
    seed: int = 7,
) -> Table:
    """Lay a table: one member per script (but `strong`), the code in front of them.

    `secret`: (secret, placeholder), redacted in what members see.
    """
    limits = limits or Limits()
    seats = tuple(members) or tuple(
        member(ident, (families or {}).get(ident, ""))
        for ident in scripts
        if strong is None or ident != strong.id
    )
    told = ToldMembers(scripts)
    checks = checks or ToldChecks()
    events: list[EventBody] = []
    saved: list[DraftRecord] = []

    async def save(record: DraftRecord) -> None:
        saved.append(record)

    shown = code
    redactions: tuple[Redaction, ...] = ()
    if secret is not None and code is not None:
        shown = code.replace(*secret)
        redactions = (Redaction(placeholder=secret[1], kind="token", path=path, line=0),)
    dossier = Dossier(
        files={} if code is None else {path: SourceText(code)},
        focus=None if shown is None else Excerpt(path=path, start_line=0, text=shown),
        language="python",
        redactions=redactions,
        restore=(lambda text: text.replace(secret[1], secret[0])) if secret else (lambda text: text),
        redact=(lambda _path, text: text.replace(*secret)) if secret else (lambda _path, text: text),
    )
    budget = Budget(limits)
    deliberation = Deliberation(
        task=Task(
            action=action,
            path=None if code is None else path,
            mode=mode,
            rounds=rounds,
            range=selection,
            instruction=instruction,
            changed_lines=dict(changed_lines or {}),
            diagnostics=tuple(diagnostics),
            limits=limits,
        ),
        panel=Panel(members=seats, anchor=anchor or seats[0].id, strong=strong),
        models=told,
        checks=checks,
        dossier=dossier,
        purse=JobPurse(budget),
        budget=budget,
        emit=events.append,
        job="job",
        prior_drafts=tuple(prior),
        randomness=random.Random(seed),  # noqa: S311  (shuffles, not secrets)
        calibration=calibration,
        save_draft=save,
    )
    return Table(deliberation, told, checks, events, saved)


def draft(
    line: int = 8, quote: str = "    return total / len(values)", **fields: object
) -> dict[str, object]:
    """Return a finding as a member states it: the division by zero in `mean`, unless told otherwise."""
    return {
        "path": "pay.py",
        "line": line,
        "endLine": line,
        "quote": quote,
        "severity": "warning",
        "category": "bug",
        "title": "Division by zero for an empty list",
        "detail": "mean([]) raises ZeroDivisionError because len(values) is zero.",
        "confidence": 0.8,
        **fields,
    }


def leak(**fields: object) -> dict[str, object]:
    """Return another finding: the file that is not closed in `read`."""
    return {
        **draft(12, "    handle = open(name)"),
        "title": "File handle is never closed",
        "detail": "Every call of read leaks an open descriptor until collection.",
        **fields,
    }


def findings(*drafts: Mapping[str, object]) -> dict[str, object]:
    """Return a reviewer's whole answer."""
    return {"findings": [dict(item) for item in drafts]}


def verdict(
    number: int = 1,
    word: str = "refuted",
    *,
    quote: str = "",
    line: int = 0,
    test: str = "",
    reason: str = "No.",
) -> dict[str, object]:
    """Return a challenger's word on one claim."""
    return {"number": number, "verdict": word, "reason": reason, "line": line, "quote": quote, "test": test}


def verdicts(*items: Mapping[str, object]) -> dict[str, object]:
    """Return a challenger's whole answer."""
    return {"verdicts": [dict(item) for item in items]}


def by_purpose(**answers: Answer | Script) -> Script:
    """Return a script that answers by what the call is for."""

    def script(request: ModelRequest) -> Answer:
        said = answers[request.purpose]
        return said(request) if callable(said) else said

    return script


def diagnostic(line: int, code: str, message: str, source: str = "ruff", **fields: object) -> Diagnostic:
    """Return a tool's message about pay.py; `line` is 1-based here, as people write it."""
    told: dict[str, object] = {"severity": Severity.WARNING, "end_line": line - 1, **fields}
    return Diagnostic.model_validate(
        {"path": "pay.py", "line": line - 1, "source": source, "code": code, "message": message, **told}
    )
