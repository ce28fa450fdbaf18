"""`ensemble-lsp explain` and `ensemble-lsp debate`: one Markdown document out of several voices."""

from pathlib import Path
from typing import Annotated

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.failures import exit_status
from ensemble_lsp.cli.render import json_document, print_document, print_end
from ensemble_lsp.cli.running import Request, run_job
from ensemble_lsp.cli.target import parse_target, workspace_of
from ensemble_lsp.cli.terminal import consoles, write_text
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action, Mode

EXPLAIN_EPILOG = examples(
    "explain src/cart.py:40-60",
    "explain src/cart.py --mode quick",
)
DEBATE_EPILOG = examples(
    'debate "is this cache safe with two processes?" src/cache.py',
    'debate "sqlite or files for the queue?" --rounds 2',
)


@options.with_common_options
def explain(
    file: Annotated[str, typer.Argument(metavar="FILE[:LINE[-LINE]]", help="What to explain.")],
    instruction: Annotated[
        str, typer.Option("-m", "--message", metavar="TEXT", help="What you want to know about it.")
    ] = "",
    *,
    common: options.Common,
) -> None:
    """Explain code: what two members say is stated, what is contested is shown with both versions.

    Exit status: 0 done, 1 no explanation, 2 usage, 3 no model or bad configuration, 4 over budget,
    130 interrupted.
    """
    target = parse_target(file)
    _document(Request(Action.EXPLAIN, target.workspace, (target,), instruction=instruction), common)


@options.with_common_options
def debate(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question for the panel.")],
    file: Annotated[
        str | None, typer.Argument(metavar="FILE[:LINE[-LINE]]", help="What it is about.")
    ] = None,
    *,
    common: options.Common,
) -> None:
    """Ask the panel a question: positions, objections, what moved whom, a recommendation with its dissent.

    Exit status: 0 done, 1 no report, 2 usage, 3 no model or bad configuration, 4 over budget, 130 interrupted.
    """
    if not question.strip():
        raise UsageError("the question is empty", field="QUESTION", hint='ensemble-lsp debate "A or B?"')
    target = parse_target(file) if file else None
    request = Request(
        Action.DEBATE,
        target.workspace if target else workspace_of(Path.cwd()).resolve(),
        (target,) if target else (),
        instruction=question,
        mode=Mode.DEBATE,
    )
    _document(request, common)


def _document(request: Request, common: options.Common) -> None:
    ended = run_job(request, common)
    out, err = consoles()
    if common.as_json:
        write_text(out, json_document(ended))
    else:
        print_document(ended.result.document, out)
        print_end(ended, err)
    raise typer.Exit(exit_status(ended.result))
