"""What became of results teaches who to trust and how sure to be: from messages and results to the store."""

import hashlib
import time
from collections.abc import Callable

from ensemble_lsp.context.grammars import language_of
from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Finding, Refutation
from ensemble_lsp.core.proposals import Candidate
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.messages import DismissalNote, OutcomeNote
from ensemble_lsp.store.claims import ClaimStore
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.jobs import JobStore
from ensemble_lsp.store.outcomes import OutcomeStore, Verdict, says_wrong

REVIEWING = frozenset({Action.REVIEW, Action.SECURE})
"""Actions whose findings claim that something is wrong with the code, so that an execution can settle it."""


class Learner:
    """Everything that is learned goes through here; reports may arrive twice and in several processes."""

    def __init__(self, database: Database, jobs: JobStore, *, clock: Callable[[], float] = time.time) -> None:
        self.outcomes = OutcomeStore(database, clock=clock)
        self.claims = ClaimStore(database, clock=clock)
        self.jobs = jobs

    async def checked(self, workspace: str, task: Task, result: JobResult) -> None:
        """Learn from what was executed: the target check of each candidate, tests for and against findings.

        What an execution says of a finding is learned of its members only. The execution is among the grounds of the
        finding's confidence already, so it is no outcome of that confidence.
        """
        scope, action = scope_of(workspace), task.action
        candidate = _candidate(result, None)
        language = language_of(task.path or (_path_of(candidate) if candidate is not None else ""))
        for verdict in result.verdicts:
            await self.outcomes.record(
                scope=scope,
                subject=verdict.candidate,
                members=verdict.members,
                action=action.value,
                language=language,
                verdict=Verdict.CHECK_PASSED if verdict.passed else Verdict.CHECK_FAILED,
            )
        if action not in REVIEWING:
            return
        for finding in result.findings:
            told = _executed(finding)
            if told is not None and finding.members:
                await self._of_finding(scope, finding, action, told)

    async def told(self, note: OutcomeNote) -> None:
        """Learn from what the person did with a candidate or finding; raises `UnknownItem` for an unknown job."""
        record = await self.jobs.get(note.job)
        result, action = record.result, record.line.action
        if result is None:
            return
        scope = scope_of(record.line.workspace)
        verdict = Verdict(note.outcome)
        candidate = _candidate(result, note.candidate)
        task = Task.model_validate(record.task) if record.task else None
        finding = _finding(result, task, note.finding)
        if finding is None and candidate is None:
            raise UnknownItem(f"job {note.job} has nothing that could be {note.outcome}", field="job")
        if candidate is not None:
            await self.outcomes.record(
                scope=scope,
                subject=candidate.id,
                members=candidate.members,
                action=action.value,
                language=language_of(_path_of(candidate)),
                verdict=verdict,
                taken=note.taken,
            )
        if finding is not None and verdict is not Verdict.REJECTED:
            # Who takes the change thinks that something was wrong. Who does not may only dislike the change.
            claimed_by = action if finding in result.findings else Action.REVIEW
            if verdict is Verdict.ACCEPTED:
                await self.judged(scope, finding, claimed_by, right=True)
            else:
                await self._of_finding(scope, finding, claimed_by, verdict)
                await self.claims.withdraw(scope=scope, subject=finding.id)

    async def judged(self, scope: str, finding: Finding, action: Action, *, right: bool) -> None:
        """Learn that the person holds a finding to be right, or wrong."""
        verdict = Verdict.ACCEPTED if right else Verdict.DISMISSED
        await self._of_finding(scope, finding, action, verdict, "" if right else "wrong")
        await self.claims.record(scope=scope, finding=finding, action=action.value, right=float(right))

    async def dismissed(self, note: DismissalNote) -> None:
        """Learn from a dismissal; the finding comes with it, since jobs need not be kept."""
        scope, finding = scope_of(note.workspace), note.finding
        action = await self._action_of(note.job)
        if says_wrong(note.reason):
            await self.judged(scope, finding, action, right=False)
        else:
            await self._of_finding(scope, finding, action, Verdict.DISMISSED, note.reason)
            await self.claims.withdraw(scope=scope, subject=finding.id)

    async def reset(self, member: str | None = None) -> int:
        """Forget what was learned of one member or of all; returns how many outcomes went."""
        await self.claims.reset(member)
        return await self.outcomes.reset(member)

    async def _action_of(self, job: str) -> Action:
        try:
            return (await self.jobs.get(job)).line.action
        except UnknownItem:
            return Action.REVIEW

    async def _of_finding(
        self, scope: str, finding: Finding, action: Action, verdict: Verdict, reason: str = ""
    ) -> None:
        await self.outcomes.record(
            scope=scope,
            subject=finding.id,
            members=finding.members,
            action=action.value,
            category=finding.category,
            language=language_of(finding.path),
            verdict=verdict,
            reason=reason,
        )


def scope_of(workspace: str) -> str:
    """Return what stands for a workspace where its path need not be kept: 16 hexadecimal digits."""
    return hashlib.sha256(workspace.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _executed(finding: Finding) -> Verdict | None:
    """Return what an execution said of a finding, if one did."""
    grounds = finding.grounds
    if grounds is None:
        return None
    if grounds.refutation is Refutation.REFUTED_BY_EXECUTION:
        # A test for it and a test against it: they settle nothing.
        return None if grounds.witness is Rank.EXECUTED else Verdict.CHECK_FAILED
    return Verdict.CHECK_PASSED if grounds.witness is Rank.EXECUTED else None


def _candidate(result: JobResult, ident: str | None) -> Candidate | None:
    if result.proposal is None:
        return None
    candidates = (result.proposal.chosen, *result.proposal.alternatives)
    return next((item for item in candidates if ident in {None, item.id}), None)


def _finding(result: JobResult, task: Task | None, ident: str | None) -> Finding | None:
    """Return the finding that a note is about: one of the job's own, or the one that the job was to mend."""
    asked = (task.finding,) if task is not None and task.finding is not None else ()
    return next((item for item in (*result.findings, *asked) if item.id == ident), None)


def _path_of(candidate: Candidate) -> str:
    return candidate.changes[0].path if candidate.changes else ""
