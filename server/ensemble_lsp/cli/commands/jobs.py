"""`ensemble-lsp jobs`, `show` and `watch`: what ran, what it cost, everything that was said."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ensemble_lsp.cli import options
from ensemble_lsp.cli.live import LiveView
from ensemble_lsp.cli.render import print_document, print_findings, print_proposal, printable
from ensemble_lsp.cli.running import consoles, refuse
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import JobEvent
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import JobSummary, Transcript

JOBS_EPILOG = (
    "Examples:  ensemble-lsp jobs   ·   ensemble-lsp jobs purge --older-than 7   ·   ensemble-lsp jobs --json"
)
SHOW_EPILOG = (
    "Examples:  ensemble-lsp show 3f2a   ·   ensemble-lsp show 3f2a --answers   ·   ensemble-lsp show 3f2a --json"
)
WATCH_EPILOG = "Examples:  ensemble-lsp watch   ·   ensemble-lsp watch 3f2a"

app = typer.Typer(invoke_without_command=True, epilog=JOBS_EPILOG, help=__doc__)

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
    found = asyncio.run(_list(limit))
    if as_json:
        out.file.write(json.dumps([summary.to_wire() for summary in found], indent=2) + "\n")
        return
    if not found:
        err.print("no jobs yet: ensemble-lsp fix FILE starts one")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("job", "started", "what", "status", "seconds", "calls", "cost"):
        table.add_column(heading)
    for summary in found:
        started = datetime.fromtimestamp(summary.started, UTC).astimezone()
        table.add_row(
            summary.job,
            f"{started:%Y-%m-%d %H:%M}",
            printable(f"{summary.action.value} {summary.title}"),
            str(summary.status),
            f"{summary.seconds:.0f}",
            str(summary.calls),
            f"${summary.usd:.4f}",
        )
    out.print(table)


@app.command()
def purge(
    older_than: Annotated[float | None, typer.Option("--older-than", metavar="DAYS", min=0)] = None,
    workspace: Annotated[Path | None, typer.Option("--workspace", help="Only jobs of this folder.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every job that does not run.")] = False,
) -> None:
    """Delete kept jobs and their transcripts."""
    if older_than is None and workspace is None and not everything:
        raise UsageError("say which: --older-than DAYS, --workspace DIR or --all", field="--all")
    _, err = consoles()
    place = str(workspace.resolve()) if workspace else None
    err.print(f"deleted {asyncio.run(_purge(older_than, place, everything=everything))} jobs")


def show(
    job: Annotated[str, typer.Argument(help="A job's id, or the beginning of it.")],
    answers: Annotated[
        bool, typer.Option("--answers", help="Also what each member wrote, word for word.")
    ] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Show what came out of a job, and on demand everything that was said."""
    out, err = consoles()
    transcript = asyncio.run(_transcript(job))
    if as_json:
        out.file.write(json.dumps(transcript.to_wire(), indent=2) + "\n")
        return
    _print(transcript, out, err, answers=answers)


def watch(
    job: Annotated[
        str | None, typer.Argument(help="A job's id or its beginning; the newest when left out.")
    ] = None,
) -> None:
    """Follow a job that runs elsewhere, in an editor or another terminal."""
    _, err = consoles()
    asyncio.run(_watch(job, err))


def _print(transcript: Transcript, out: Console, err: Console, *, answers: bool) -> None:
    summary, result = transcript.summary, transcript.result
    err.print(Text(f"{summary.action.value} {printable(summary.title)}: {summary.status}", style="bold"))
    if answers:
        for draft in result.drafts if result else ():
            out.print(Text(f"--- {draft.member} ({draft.family}) ---", style="bold"))
            out.print(Text(printable(draft.text)))
    if result is None:
        err.print("no result was kept: the job still runs, or its process ended before it did")
        return
    if result.proposal is not None:
        print_proposal(result.proposal, out, err)
    print_findings(result.findings, out)
    if result.document:
        print_document(result.document, out)
    for dissent in result.dissent:
        err.print(Text(f"dissent of {dissent.member}: {printable(dissent.text)}", style="dim"))
    err.print(
        Text(
            f"{result.reason} · {result.spend.calls} calls · {result.spend.tokens_in + result.spend.tokens_out} "
            f"tokens · ${result.spend.usd:.4f}"
        ),
        soft_wrap=True,
    )


async def _list(limit: int) -> tuple[JobSummary, ...]:
    async with LocalEngine.open(refuse) as engine:
        return await engine.runner.summaries(None, limit)


async def _transcript(prefix: str) -> Transcript:
    async with LocalEngine.open(refuse) as engine:
        return await engine.runner.transcript(await engine.wiring.jobs.find(prefix))


async def _purge(older_than: float | None, workspace: str | None, *, everything: bool) -> int:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.jobs.purge(
            older_than_days=older_than,
            workspace=workspace,
            everything=everything,
        )


async def _watch(prefix: str | None, err: Console) -> None:
    async with LocalEngine.open(refuse) as engine:
        if prefix is None:
            newest = await engine.runner.summaries(None, 1)
            if not newest:
                raise UsageError("no jobs yet", field="JOB", hint="ensemble-lsp fix FILE starts one")
            job = newest[0].job
        else:
            job = await engine.wiring.jobs.find(prefix)
        seen = 0
        with LiveView(err) as view:
            # Ends with the job: a finished, lost or purged one is not "running" any more.
            while True:
                transcript = await engine.runner.transcript(job)
                for data in transcript.events[seen:]:
                    event = JobEvent.from_flat(data)
                    view.event(event.body, event.time)
                seen = len(transcript.events)
                if transcript.summary.status != "running":
                    break
                await asyncio.sleep(WATCH_INTERVAL)
        err.print(Text(f"{transcript.summary.status} (job {job}); ensemble-lsp show {job} shows the result"))
