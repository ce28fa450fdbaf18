"""`ensemble-lsp review`: findings that a witness or a second family stands behind."""

from dataclasses import replace
from typing import Annotated, Literal

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.failures import DONE, WITHOUT_RESULT, exit_status
from ensemble_lsp.cli.render import json_document, print_end, print_findings
from ensemble_lsp.cli.running import Request, run_job
from ensemble_lsp.cli.target import parse_targets
from ensemble_lsp.cli.terminal import consoles, write_text
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.results import JobResult

EPILOG = examples(
    "review src/cart.py",
    "review src/cart.py:10-80 --fail-on critical",
    "review src/cart.py src/pay.py --mode quick --json",
)

_ORDER = (Severity.HINT, Severity.INFO, Severity.WARNING, Severity.CRITICAL)


@options.with_common_options
def review(
    files: Annotated[list[str], typer.Argument(metavar="FILE[:LINE[-LINE]]...", help="What to review.")],
    fail_on: Annotated[
        Severity | None, typer.Option("--fail-on", help="Exit with 1 on findings at or above this severity.")
    ] = None,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How findings are printed.")
    ] = "text",
    instruction: Annotated[str, typer.Option("-m", "--message", help="What to look for especially.")] = "",
    *,
    common: options.Common,
) -> None:
    """Review files: blind finders, witnesses, and a challenger of another family for what stands alone.

    Exit status: 0 done, 1 findings at or above --fail-on, 2 usage, 3 no model or bad configuration,
    4 over budget, 130 interrupted.
    """
    common = replace(common, as_json=common.as_json or output == "json")
    targets = parse_targets(files)
    ended = run_job(Request(Action.REVIEW, targets[0].workspace, targets, instruction=instruction), common)
    out, err = consoles()
    code = exit_status(ended.result)
    if code == DONE and fail_on is not None and _reaches(ended.result, fail_on):
        code = WITHOUT_RESULT
    if common.as_json:
        write_text(out, json_document(ended, code=code))
    else:
        print_findings(ended.result.findings, out)
        print_end(ended, err)
    raise typer.Exit(code)


def _reaches(result: JobResult, bar: Severity) -> bool:
    return any(
        finding.admitted and _ORDER.index(finding.severity) >= _ORDER.index(bar)
        for finding in result.findings
    )
