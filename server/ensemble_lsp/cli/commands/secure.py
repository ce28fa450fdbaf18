"""`ensemble-lsp secure`: security findings with CWE ids, an exploit attempted, and a patch."""

from dataclasses import replace
from typing import Annotated

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.branching.options import Branching
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.formats.choosing import Format
from ensemble_lsp.cli.proposing import ApplyOption, CheckOption, propose
from ensemble_lsp.cli.running import Request
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.core.events import Action

EPILOG = examples(
    "secure src/upload.py",
    "secure src/upload.py:20-60 --apply",
    "secure src/upload.py --format sarif",
)


@options.with_options_of(Branching, "branching")
@options.with_common_options
def secure(
    file: Annotated[
        str, typer.Argument(metavar="FILE[:LINE[-LINE]]", help="What to look at; lines count from 1.")
    ],
    instruction: Annotated[
        str,
        typer.Option("-m", "--message", metavar="TEXT", help="What to look for especially, in your words."),
    ] = "",
    check: CheckOption = None,
    apply: ApplyOption = False,
    output: Annotated[
        Format,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="How findings are printed: text (the patch beside them), json, sarif, github or markdown.",
        ),
    ] = "text",
    *,
    branching: Branching,
    common: options.Common,
) -> None:
    """Find security holes, attempt an exploit in the sandbox, and patch: the witness falls silent, tests stay green.

    Findings go to standard error, the patch to standard output; findings without a patch are shown too. Nothing
    is written without --apply. Exit status: 0 a patch, findings or a clean file, 1 nothing came out, 2 usage,
    3 no model or bad configuration, 4 over budget, 130 interrupted.
    """
    output = "json" if common.as_json else output
    common = replace(common, as_json=output == "json")
    target = parse_target(file)
    request = Request(Action.SECURE, target.workspace, (target,), instruction=instruction, check=check)
    raise propose(request, common, apply=apply, form=output, branching=branching)
