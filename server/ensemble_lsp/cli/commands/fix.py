"""`ensemble-lsp fix`: a patch that was checked, shown before anything is written."""

from typing import Annotated

import typer
from rich.text import Text

from ensemble_lsp.cli import options
from ensemble_lsp.cli.render import json_document, print_proposal
from ensemble_lsp.cli.running import EXIT_CODES, consoles, run_job
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.cli.writing import write_changes
from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import Task

EPILOG = (
    "Examples:  ensemble-lsp fix src/cart.py   ·   "
    'ensemble-lsp fix src/cart.py:40-60 -m "the discount is applied twice"   ·   '
    'ensemble-lsp fix src/cart.py --check "pytest -q tests/test_cart.py" --apply'
)


def fix(
    file: Annotated[
        str, typer.Argument(metavar="FILE[:LINE[-LINE]]", help="What to fix; lines count from 1.")
    ],
    instruction: Annotated[str, typer.Option("-m", "--message", help="What is wrong, in your words.")] = "",
    check: options.CheckOption = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write the chosen patch to the file.")] = False,
    mode: options.ModeOption = None,
    rounds: options.RoundsOption = None,
    panel: options.PanelOption = None,
    local: options.LocalOption = False,
    budget: options.BudgetOption = None,
    seconds: options.SecondsOption = None,
    calls: options.CallsOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    no_cache: options.NoCacheOption = False,
    trust: options.TrustOption = False,
    mirror: options.MirrorOption = False,
    yes: options.YesOption = False,
) -> None:
    """Fix a bug: members draft blind, the drafts are run, what survives is shown as a diff.

    Nothing is written without --apply. Exit status: 0 a patch, 1 none, 2 usage, 3 no model or bad
    configuration, 4 over budget, 130 interrupted.
    """
    common = options.Common(
        mode,
        rounds,
        panel,
        local,
        budget,
        seconds,
        calls,
        as_json,
        quiet,
        no_cache,
        trust,
        check,
        mirror,
        yes,
    )
    target = parse_target(file)
    out, err = consoles()
    task = Task(
        action=Action.FIX,
        path=target.path,
        range=target.range,
        instruction=instruction,
        mode=mode or Mode.PANEL,
        rounds=rounds or 1,
        check=check,
    )
    job, result = run_job(task, target.workspace, common)
    if as_json:
        out.file.write(json_document(job, result) + "\n")
    elif result.proposal is not None:
        print_proposal(result.proposal, out, err)
    if not as_json:
        err.print(Text(f"{result.status.value}: {result.reason} (job {job})"), soft_wrap=True)
    if apply and result.proposal is not None:
        if result.proposal.standing is Standing.UNVERIFIED and not common.yes:
            err.print(
                Text(
                    "not applied: nothing verified this patch; --yes applies it all the same", style="yellow"
                )
            )
            raise typer.Exit(1)
        for path in write_changes(target.workspace, result.proposal.chosen.changes):
            err.print(Text(f"wrote {path}", style="green"))
    code = EXIT_CODES[result.status]
    raise typer.Exit(1 if code == 0 and result.proposal is None else code)
