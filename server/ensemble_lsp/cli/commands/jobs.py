"""`ensemble-lsp jobs`, `show` and `watch`: what ran, what it cost, everything that was said."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ensemble_lsp.cli import options
from ensemble_lsp.cli.columns import print_columns
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.live import LiveView
from ensemble_lsp.cli.prompts import refuse, there_is_a_terminal
from ensemble_lsp.cli.render import print_dissent, print_document, print_findings, print_proposal
from ensemble_lsp.cli.running import run_async
from ensemble_lsp.cli.terminal import consoles, one_line, printable, write_text
from ensemble_lsp.cli.transcripts import Follower, answers_of
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import JobSummary, Transcript
from ensemble_lsp.engine.purging import Purged, PurgeScope

JOBS_EPILOG = examples(
    "jobs",
    "jobs --limit 5 --json",
    "jobs purge --older-than 7",
)
PURGE_EPILOG = examples(
    "jobs purge --older-than 7 --yes",
    "jobs purge --workspace .",
    "jobs purge --all",
)
SHOW_EPILOG = examples(
    "show 3f2a",
    "show 3f2a --answers",
    "show 3f2a --json",
)
WATCH_EPILOG = examples(
    "watch",
    "watch 3f2a",
)

app = typer.Typer(invoke_without_command=True, epilog=JOBS_EPILOG)

WATCH_INTERVAL = 0.5
"""Seconds between two looks at a running job: the engine writes its events down that often."""


@app.callback()
def jobs(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many.")] = 20,
    as_json: options.JsonOption = False,
) -> None:
    """List recent jobs, newest first."""
    if context.invoked_subcommand is not None:
        return
    out, err = consoles()
    found = run_async(_list(limit))
    if as_json:
        write_text(out, json.dumps([summary.to_wire() for summary in found], indent=2) + "\n")
        return
    if not found:
        err.print("no jobs yet: ensemble-lsp fix FILE starts one")
        return
    print_columns(
        out,
        ("job", "started", "what", "status", "time", "calls", "cost"),
        [_row(summary) for summary in found],
        flexible=2,
    )


def _row(summary: JobSummary) -> tuple[str, ...]:
    started = datetime.fromtimestamp(summary.started, UTC).astimezone()
    return (
        summary.job,
        f"{started:%b %d %H:%M}",
        one_line(f"{summary.action.value} {summary.title}"),
        str(summary.status),
        f"{summary.seconds:.0f} s",
        str(summary.calls),
        f"${summary.usd:.4f}",
    )


@app.command(epilog=PURGE_EPILOG)
def purge(
    older_than: Annotated[
        float | None,
        typer.Option("--older-than", metavar="DAYS", min=0, help="Jobs that started before so many days."),
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", metavar="DIR", help="Only jobs of this folder.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything of jobs that do not run.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> None:
    """Delete kept jobs with their transcripts, models' answers, and documents opened as files.

    With --workspace only jobs: answers and documents bear no folder. What was spent stays in the ledger, what was
    dismissed or agreed to stays too, and so do jobs that run.
    """
    if [older_than is not None, workspace is not None, everything].count(True) != 1:
        raise UsageError(
            "say which jobs, in one way", field="--all", hint="--older-than DAYS, --workspace DIR or --all"
        )
    _, err = consoles()
    scope = PurgeScope(
        older_than_days=older_than,
        workspace=str(workspace.resolve()) if workspace else None,
        everything=everything,
    )
    if not yes:
        found = run_async(_would_purge(scope))
        if not (found.jobs or found.answers or found.documents):
            err.print("there is nothing to delete")
            return
        if not there_is_a_terminal():
            raise UsageError(
                f"not deleted: {_named(found)}", field="--yes", hint="--yes deletes without asking"
            )
        if not typer.confirm(f"Delete {_named(found)}?", default=False, err=True):
            raise typer.Exit(1)
    err.print(f"deleted {_named(run_async(_purge(scope)))}")


def _named(what: Purged) -> str:
    counts = ((what.jobs, "job"), (what.answers, "answer"), (what.documents, "document"))
    return ", ".join(counted(count, word) for count, word in counts if count) or "nothing"


def show(
    job: Annotated[str, typer.Argument(help="A job's id, or the beginning of it.")],
    answers: Annotated[
        bool, typer.Option("--answers", help="Also what each member wrote, and all dissent, word for word.")
    ] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Show what came out of a job, and on demand everything that was said."""
    out, err = consoles()
    transcript = run_async(_transcript(job))
    if as_json:
        write_text(out, json.dumps(transcript.to_wire(), indent=2) + "\n")
        return
    _print(transcript, out, err, answers=answers)


def watch(
    job: Annotated[
        str | None, typer.Argument(help="A job's id or its beginning; the newest when left out.")
    ] = None,
) -> None:
    """Follow a job that runs elsewhere, in an editor or another terminal. Ctrl-C ends the watching only."""
    _, err = consoles()
    run_async(_watch(job, err))


def _print(transcript: Transcript, out: Console, err: Console, *, answers: bool) -> None:
    summary, result = transcript.summary, transcript.result
    title = one_line(f"{summary.action.value} {summary.title}")
    err.print(Text(f"{title}: {summary.status} (job {summary.job})", style="bold"), soft_wrap=True)
    if answers:
        for said in answers_of(transcript.events, result.drafts if result else ()):
            state = f", {one_line(said.ended)}" if said.ended else ""
            head = (
                f"--- {one_line(said.member)} ({one_line(said.family)}): {one_line(said.purpose)}{state} ---"
            )
            out.print(Text(head, style="bold"), soft_wrap=True)
            out.print(Text(printable(said.text).rstrip("\n")), soft_wrap=True)
    if result is None:
        why = "it still runs" if summary.status == "running" else "its process ended before it did"
        err.print(f"no result was kept: {why}; --answers shows what was said", soft_wrap=True)
        return
    if result.proposal is not None:
        print_proposal(result.proposal, out, err)
    print_findings(result.findings, out)
    print_document(result.document, out)
    print_dissent(result, err, whole=answers)
    spend = result.spend
    err.print(
        f"{one_line(result.reason)} · {counted(spend.calls, 'call')} · "
        f"{spend.tokens_in + spend.tokens_out} tokens · ${spend.usd:.4f}",
        soft_wrap=True,
    )


async def _list(limit: int) -> tuple[JobSummary, ...]:
    async with LocalEngine.open(refuse) as engine:
        return await engine.runner.summaries(None, limit)


async def _transcript(prefix: str) -> Transcript:
    async with LocalEngine.open(refuse) as engine:
        return await engine.runner.transcript(await engine.wiring.jobs.find(prefix))


async def _would_purge(scope: PurgeScope) -> Purged:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.would_purge(scope)


async def _purge(scope: PurgeScope) -> Purged:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.purge(scope)


async def _watch(prefix: str | None, err: Console) -> None:
    async with LocalEngine.open(refuse) as engine:
        job = await _newest(engine) if prefix is None else await engine.wiring.jobs.find(prefix)
        follower = Follower()
        async with LiveView(err, hint="Ctrl-C ends the watching, not the job") as view:
            # Ends with the job: a finished, lost or purged one is not "running" any more.
            while True:
                transcript = await engine.runner.transcript(job)
                for event in follower.news(transcript.events):
                    view.event(event)
                if transcript.summary.status != "running":
                    break
                await asyncio.sleep(WATCH_INTERVAL)
        err.print(f"{transcript.summary.status}; ensemble-lsp show {job} shows the result", soft_wrap=True)


async def _newest(engine: LocalEngine) -> str:
    newest = await engine.runner.summaries(None, 1)
    if not newest:
        raise UsageError("no jobs yet", field="JOB", hint="ensemble-lsp fix FILE starts one")
    return newest[0].job
