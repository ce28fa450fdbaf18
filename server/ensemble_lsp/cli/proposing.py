"""What the commands that change something share: run the job, show the diff, and write it when asked to."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ensemble_lsp.cli.failures import DONE, WITHOUT_RESULT, NotApplied, exit_status, failure_lines
from ensemble_lsp.cli.formats.choosing import Format
from ensemble_lsp.cli.options import Common
from ensemble_lsp.cli.prompts import refuse
from ensemble_lsp.cli.render import json_document, print_document, print_end, print_findings, print_proposal
from ensemble_lsp.cli.reporting import report_of, show_report
from ensemble_lsp.cli.running import Ended, Request, run_async, run_job
from ensemble_lsp.cli.terminal import consoles, one_line, write_text
from ensemble_lsp.cli.writing import write_changes
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import OutcomeNote

CheckOption = Annotated[
    str | None,
    typer.Option(
        "--check",
        metavar="CMD",
        help="Command, or id of a configured check, that decides. It runs in the sandbox, in any folder.",
    ),
]
ApplyOption = Annotated[bool, typer.Option("--apply", help="Write the chosen patch.")]


def propose(request: Request, common: Common, *, apply: bool, form: Format = "text") -> typer.Exit:
    """Run a job that ends in a patch and return how the command ends: 1 when nothing came out.

    The diff goes to standard output, everything that stands beside it to standard error. In another form than text
    the findings go to standard output, and the patch is the fix of those whose lines it changes.
    """
    ended = run_job(request, common)
    out, err = consoles()
    result = ended.result
    proposal = result.proposal
    code = exit_status(result)
    told = result.status is Status.NOTHING or any(finding.admitted for finding in result.findings)
    if proposal is None and code == DONE and not told:
        code = WITHOUT_RESULT
    if form not in {"text", "json"}:
        show_report(report_of(request, ended, code), ended, form, ())
    elif not common.as_json:
        print_findings(result.findings, err)
        print_document(result.document, err)
        if proposal is not None:
            print_proposal(proposal, out, err)
        print_end(ended, err)
    written: tuple[Path, ...] = ()
    problem: NotApplied | None = None
    if apply and proposal is not None:
        try:
            written = _apply(request.workspace, proposal, ended, force=common.yes)
        except NotApplied as refusal:
            problem, code = refusal, refusal.exit_code
    _say_what_was_written(written, problem, err)
    if common.as_json:
        write_text(out, json_document(ended, code=code, written=written, problem=problem))
    return typer.Exit(code)


def _apply(workspace: Path, proposal: Proposal, ended: Ended, *, force: bool) -> tuple[Path, ...]:
    if proposal.standing is Standing.UNVERIFIED and not force:
        raise NotApplied("not applied: nothing verified this patch", hint="--yes applies it all the same")
    written = write_changes(workspace, proposal.chosen.changes)
    note = OutcomeNote(job=ended.job, outcome="accepted", candidate=proposal.chosen.id)
    run_async(_learn(note))
    return written


async def _learn(note: OutcomeNote) -> None:
    async with LocalEngine.open(refuse) as engine:
        await engine.wiring.record_outcome(note)


def _say_what_was_written(written: tuple[Path, ...], problem: NotApplied | None, err: Console) -> None:
    for path in written:
        err.print(f"wrote {one_line(str(path))}", style="green", soft_wrap=True)
    if problem is not None:
        message, hint = failure_lines(problem)
        err.print(message, style="yellow", soft_wrap=True)
        if hint:
            err.print(f"  {hint}", soft_wrap=True)
