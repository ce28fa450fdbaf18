"""`ensemble-lsp fix`: a patch that was checked, shown before anything is written."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ensemble_lsp.cli import options
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.failures import DONE, WITHOUT_RESULT, NotApplied, exit_status, failure_lines
from ensemble_lsp.cli.prompts import refuse
from ensemble_lsp.cli.render import json_document, print_end, print_proposal
from ensemble_lsp.cli.running import Ended, Request, run_async, run_job
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.cli.terminal import consoles, one_line, write_text
from ensemble_lsp.cli.writing import write_changes
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import OutcomeNote

EPILOG = examples(
    "fix src/cart.py",
    'fix src/cart.py:40-60 -m "the discount is applied twice"',
    'fix src/cart.py --check "pytest -q tests/test_cart.py" --apply',
)

CheckOption = Annotated[
    str | None,
    typer.Option(
        "--check",
        metavar="CMD",
        help="Command, or id of a configured check, that decides. It runs in the sandbox, in any folder.",
    ),
]


@options.with_common_options
def fix(
    file: Annotated[
        str, typer.Argument(metavar="FILE[:LINE[-LINE]]", help="What to fix; lines count from 1.")
    ],
    instruction: Annotated[str, typer.Option("-m", "--message", help="What is wrong, in your words.")] = "",
    check: CheckOption = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write the chosen patch to the file.")] = False,
    *,
    common: options.Common,
) -> None:
    """Fix a bug: members draft blind, the drafts are run, what survives is shown as a diff.

    Nothing is written without --apply. Exit status: 0 a patch, 1 none, 2 usage, 3 no model or bad
    configuration, 4 over budget, 130 interrupted.
    """
    target = parse_target(file)
    request = Request(Action.FIX, target.workspace, (target,), instruction=instruction, check=check)
    ended = run_job(request, common)
    out, err = consoles()
    proposal = ended.result.proposal
    code = exit_status(ended.result)
    if proposal is None and code == DONE:
        code = WITHOUT_RESULT
    if not common.as_json:
        if proposal is not None:
            print_proposal(proposal, out, err)
        print_end(ended, err)
    written: tuple[Path, ...] = ()
    problem: NotApplied | None = None
    if apply and proposal is not None:
        try:
            written = _apply(target.workspace, proposal, ended, force=common.yes)
        except NotApplied as refusal:
            problem, code = refusal, refusal.exit_code
    _say_what_was_written(written, problem, err)
    if common.as_json:
        write_text(out, json_document(ended, code=code, written=written, problem=problem))
    raise typer.Exit(code)


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
