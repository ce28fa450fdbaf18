"""`ensemble-lsp test`: tests for a function or class, run before they are shown."""

from typing import Annotated

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.branching.options import Branching
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.proposing import ApplyOption, propose
from ensemble_lsp.cli.running import Request
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.core.events import Action

EPILOG = examples(
    "test src/cart.py:12",
    'test src/cart.py:12 -m "what happens with an empty cart?" --apply',
)


@options.with_options_of(Branching, "branching")
@options.with_common_options
def write_tests(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE[:LINE[-LINE]]", help="What to test; a line means the function or class there."
        ),
    ],
    instruction: Annotated[
        str, typer.Option("-m", "--message", metavar="TEXT", help="What to test especially, in your words.")
    ] = "",
    apply: ApplyOption = False,
    *,
    branching: Branching,
    common: options.Common,
) -> None:
    """Write tests: they are run in the sandbox, and kept for the changes of the code that they notice.

    A test that fails on the code as it is is shown as a suspected bug. Nothing is written without --apply. Exit
    status: 0 tests or suspected bugs, 1 neither, 2 usage, 3 no model or bad configuration, 4 over budget,
    130 interrupted.
    """
    target = parse_target(file)
    request = Request(Action.TEST, target.workspace, (target,), instruction=instruction)
    raise propose(request, common, apply=apply, branching=branching)
