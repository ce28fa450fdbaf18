"""`ensemble-lsp refactor`: an instruction over many files; behaviour stays, and the plan stands beside the diff."""

from typing import Annotated

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.branching.options import Branching
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.proposing import ApplyOption, CheckOption, propose
from ensemble_lsp.cli.running import Request
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action

EPILOG = examples(
    'refactor src/cart.py:12 "rename total to sum_of_prices everywhere"',
    'refactor src/cart.py:40-90 "move the discount rules into src/discounts.py" --apply',
)


@options.with_options_of(Branching, "branching")
@options.with_common_options
def refactor(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE[:LINE[-LINE]]", help="Where it starts; every place that uses it follows."
        ),
    ],
    instruction: Annotated[str, typer.Argument(help="What to change, in your words.")],
    check: CheckOption = None,
    apply: ApplyOption = False,
    *,
    branching: Branching,
    common: options.Common,
) -> None:
    """Refactor: what uses the code follows its change, tests end as before, no tool has more to say.

    The plan goes to standard error, the diff to standard output. Nothing is written without --apply. Exit
    status: 0 a patch, 1 none, 2 usage, 3 no model or bad configuration, 4 over budget, 130 interrupted.
    """
    if not instruction.strip():
        raise UsageError(
            "the instruction is empty",
            field="INSTRUCTION",
            hint='ensemble-lsp refactor cart.py:12 "rename total to sum_of_prices"',
        )
    target = parse_target(file)
    request = Request(Action.REFACTOR, target.workspace, (target,), instruction=instruction, check=check)
    raise propose(request, common, apply=apply, branching=branching)
