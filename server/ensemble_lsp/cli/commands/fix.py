"""`ensemble-lsp fix`: a patch that was checked, shown before anything is written."""

from typing import Annotated

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.branching.options import Branching
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.proposing import ApplyOption, CheckOption, propose
from ensemble_lsp.cli.running import Request
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.core.events import Action

EPILOG = examples(
    "fix src/cart.py",
    'fix src/cart.py:40-60 -m "the discount is applied twice"',
    'fix src/cart.py --check "pytest -q tests/test_cart.py" --apply',
)


@options.with_options_of(Branching, "branching")
@options.with_common_options
def fix(
    file: Annotated[
        str, typer.Argument(metavar="FILE[:LINE[-LINE]]", help="What to fix; lines count from 1.")
    ],
    instruction: Annotated[
        str, typer.Option("-m", "--message", metavar="TEXT", help="What is wrong, in your words.")
    ] = "",
    check: CheckOption = None,
    apply: ApplyOption = False,
    *,
    branching: Branching,
    common: options.Common,
) -> None:
    """Fix a bug: members draft blind, the drafts are run, what survives is shown as a diff.

    Nothing is written without --apply. Exit status: 0 a patch, 1 none, 2 usage, 3 no model or bad
    configuration, 4 over budget, 130 interrupted.
    """
    target = parse_target(file)
    request = Request(Action.FIX, target.workspace, (target,), instruction=instruction, check=check)
    raise propose(request, common, apply=apply, branching=branching)
