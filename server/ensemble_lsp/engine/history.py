"""What was kept of jobs, in the form of the engine's messages; and what the person's word teaches."""

from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.messages import DismissalNote, JobSummary, OutcomeNote, Transcript
from ensemble_lsp.store.jobs import JobStore
from ensemble_lsp.store.outcomes import OutcomeStore, Verdict
from ensemble_lsp.store.records import JobLine


def summary_of(line: JobLine) -> JobSummary:
    """Return one line of the job list as a message."""
    return JobSummary(
        job=line.job,
        action=line.action,
        title=line.title,
        workspace=line.workspace,
        status=line.state,
        started=line.started,
        seconds=line.seconds,
        usd=line.spend.usd,
        calls=line.spend.calls,
    )


async def transcript_of(jobs: JobStore, job: str) -> Transcript:
    """Return everything kept of one job; raises `UnknownItem`.

    Where only the line was kept (transcripts are off), the task is what the line says of it.
    """
    record = await jobs.get(job)
    task = Task.model_validate(record.task) if record.task else Task(action=record.line.action)
    return Transcript(summary=summary_of(record.line), task=task, events=record.events, result=record.result)


async def record_checks(job: str, action: Action, result: JobResult, outcomes: OutcomeStore) -> None:
    """Learn from what the target check said of each candidate."""
    for verdict in result.verdicts:
        await outcomes.record(
            job=job,
            subject=verdict.candidate,
            members=verdict.members,
            category=action.value,
            verdict=Verdict.CHECK_PASSED if verdict.passed else Verdict.CHECK_FAILED,
        )


async def record_outcome(note: OutcomeNote, jobs: JobStore, outcomes: OutcomeStore) -> None:
    """Learn from what the person did with a candidate or finding; raises `UnknownItem` for an unknown job."""
    record = await jobs.get(note.job)
    result = record.result
    if result is None:
        return
    verdict = Verdict(note.outcome)
    category = record.line.action.value
    if note.finding is not None and (found := _finding(result, note.finding)) is not None:
        await outcomes.record(
            job=note.job,
            subject=found.id,
            members=found.members,
            category=found.category,
            verdict=verdict,
        )
    elif result.proposal is not None:
        for candidate in (result.proposal.chosen, *result.proposal.alternatives):
            if note.candidate in {None, candidate.id}:
                await outcomes.record(
                    job=note.job,
                    subject=candidate.id,
                    members=candidate.members,
                    category=category,
                    verdict=verdict,
                )
                return
    else:
        raise UnknownItem(f"job {note.job} has nothing that could be {note.outcome}", field="job")


async def record_dismissal(note: DismissalNote, outcomes: OutcomeStore) -> None:
    """Learn from a dismissal; the finding comes with it, since jobs need not be kept."""
    await outcomes.record(
        job=note.job,
        subject=note.finding.id,
        members=note.finding.members,
        category=note.finding.category,
        verdict=Verdict.DISMISSED,
        reason=note.reason,
    )


def _finding(result: JobResult, finding: str) -> Finding | None:
    return next((item for item in result.findings if item.id == finding), None)
