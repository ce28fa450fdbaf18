"""What was kept of jobs, in the form of the engine's messages."""

from ensemble_lsp.core.results import Task
from ensemble_lsp.engine.messages import JobSummary, Transcript
from ensemble_lsp.store.jobs import JobStore
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
