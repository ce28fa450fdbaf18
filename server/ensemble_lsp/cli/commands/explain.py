"""`ensemble-lsp explain` and `ensemble-lsp debate`: one Markdown document out of several voices."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ensemble_lsp.cli import options
from ensemble_lsp.cli.render import json_document, print_document
from ensemble_lsp.cli.running import EXIT_CODES, consoles, run_job
from ensemble_lsp.cli.target import Target, parse_target, workspace_of
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.results import Task

EXPLAIN_EPILOG = (
    "Examples:  ensemble-lsp explain src/cart.py:40-60   ·   ensemble-lsp explain src/cart.py --mode quick"
)
DEBATE_EPILOG = (
    'Examples:  ensemble-lsp debate "is this cache safe with two processes?" src/cache.py   ·   '
    'ensemble-lsp debate "sqlite or files for the queue?" --rounds 2'
)


def explain(
    file: Annotated[str, typer.Argument(metavar="FILE[:LINE[-LINE]]", help="What to explain.")],
    instruction: Annotated[str, typer.Option("-m", "--message", help="What you want to know about it.")] = "",
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
    """Explain code: what two members say is stated, what is contested is shown with both versions."""
    common = options.Common(
        mode, rounds, panel, local, budget, seconds, calls, as_json, quiet, no_cache, trust, None, mirror, yes
    )
    target = parse_target(file)
    _document(Action.EXPLAIN, target, instruction, mode or Mode.PANEL, rounds or 1, common)


def debate(
    question: Annotated[str, typer.Argument(help="The question for the panel.")],
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE[:LINE[-LINE]]]", help="What it is about.")
    ] = None,
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
    """Ask the panel a question: positions, objections, what moved whom, a recommendation with its dissent."""
    if not question.strip():
        raise UsageError("the question is empty", field="QUESTION")
    common = options.Common(
        mode, rounds, panel, local, budget, seconds, calls, as_json, quiet, no_cache, trust, None, mirror, yes
    )
    _document(
        Action.DEBATE,
        parse_target(file) if file else None,
        question,
        mode or Mode.DEBATE,
        rounds or 1,
        common,
    )


def _document(
    action: Action, target: Target | None, instruction: str, mode: Mode, rounds: int, common: options.Common
) -> None:
    workspace = target.workspace if target else workspace_of(Path.cwd())
    out, err = consoles()
    task = Task(
        action=action,
        path=target.path if target else None,
        range=target.range if target else None,
        instruction=instruction,
        mode=mode,
        rounds=rounds,
    )
    job, result = run_job(task, workspace, common)
    if common.as_json:
        out.file.write(json_document(job, result) + "\n")
    else:
        print_document(result.document, out)
        err.print(Text(f"{result.status.value}: {result.reason} (job {job})"), soft_wrap=True)
    raise typer.Exit(EXIT_CODES[result.status])
