"""`ensemble-lsp review`: findings that a witness or a second family stands behind."""

from typing import Annotated, Literal

import typer
from rich.text import Text

from ensemble_lsp.cli import options
from ensemble_lsp.cli.render import json_document, print_findings
from ensemble_lsp.cli.running import EXIT_CODES, consoles, run_job
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.results import Task

EPILOG = (
    "Examples:  ensemble-lsp review src/cart.py   ·   ensemble-lsp review src/cart.py:10-80 --fail-on critical   ·   "
    "ensemble-lsp review src/cart.py src/pay.py --mode quick --json"
)

ORDER = (Severity.HINT, Severity.INFO, Severity.WARNING, Severity.CRITICAL)


def review(
    files: Annotated[list[str], typer.Argument(metavar="FILE[:LINE[-LINE]]…", help="What to review.")],
    fail_on: Annotated[
        Severity | None, typer.Option("--fail-on", help="Exit with 1 on findings at or above this severity.")
    ] = None,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How findings are printed.")
    ] = "text",
    instruction: Annotated[str, typer.Option("-m", "--message", help="What to look for especially.")] = "",
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
    """Review files: blind finders, witnesses, and a challenger of another family for what stands alone.

    Exit status: 0 done, 1 findings at or above --fail-on, 2 usage, 3 no model or bad configuration,
    4 over budget, 130 interrupted.
    """
    as_json = as_json or output == "json"
    common = options.Common(
        mode, rounds, panel, local, budget, seconds, calls, as_json, quiet, no_cache, trust, None, mirror, yes
    )
    targets = [parse_target(file) for file in files]
    workspace = targets[0].workspace
    if any(target.workspace != workspace for target in targets):
        raise UsageError(
            "the files belong to different workspaces", field="FILE", hint="review one at a time"
        )
    out, err = consoles()
    only = targets[0] if len(targets) == 1 else None
    task = Task(
        action=Action.REVIEW,
        path=targets[0].path,
        range=only.range if only else None,
        paths=() if only else tuple(target.path for target in targets),
        instruction=instruction,
        mode=mode or Mode.PANEL,
        rounds=rounds or 1,
    )
    job, result = run_job(task, workspace, common)
    if as_json:
        out.file.write(json_document(job, result) + "\n")
    else:
        print_findings(result.findings, out)
        err.print(Text(f"{result.status.value}: {result.reason} (job {job})"), soft_wrap=True)
    code = EXIT_CODES[result.status]
    if code == 0 and fail_on is not None and result.status is not Status.NOTHING:
        bar = ORDER.index(fail_on)
        if any(item.admitted and ORDER.index(item.severity) >= bar for item in result.findings):
            code = 1
    raise typer.Exit(code)
