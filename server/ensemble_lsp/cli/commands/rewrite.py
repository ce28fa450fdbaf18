"""`ensemble-lsp rewrite`: prose in Markdown, text, docstrings and comments, in several voices."""

from typing import Annotated

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.branching.options import Branching
from ensemble_lsp.cli.commit_wording import reword
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.proposing import ApplyOption, propose
from ensemble_lsp.cli.running import Request
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action

EPILOG = examples(
    'rewrite README.md:3-18 -m "for somebody who has never seen it"',
    "rewrite src/cart.py:12 --apply",
    "rewrite --commit",
    "rewrite .git/COMMIT_EDITMSG --apply",
)


@options.with_options_of(Branching, "branching")
@options.with_common_options
def rewrite(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE[:LINE[-LINE]]|REV",
            help="The passage; one line means the paragraph, docstring or comment around it. With --commit a commit.",
        ),
    ] = None,
    instruction: Annotated[
        str, typer.Option("-m", "--message", metavar="TEXT", help="How it should read, in your words.")
    ] = "",
    commit: Annotated[
        bool,
        typer.Option(
            "--commit", help="Print a better message for a commit, HEAD by default; nothing is rewritten."
        ),
    ] = False,
    apply: ApplyOption = False,
    *,
    branching: Branching,
    common: options.Common,
) -> None:
    """Rewrite prose: several voices, critics that look for lost facts, and a diff that touches no code.

    Commit messages, too: trailers and comments stay, and the change is put beside them.

    Nothing is written without --apply. Exit status: 0 a patch, 1 none, 2 usage, 3 no model or bad
    configuration, 4 over budget, 130 interrupted.
    """
    if commit:
        if apply or branching != Branching():
            raise UsageError(
                "--commit prints a message and writes nothing",
                field="--commit",
                hint="git commit --amend -F FILE takes what it prints",
            )
        raise reword(file, instruction, common)
    if file is None:
        raise UsageError("FILE is missing", field="FILE", hint="name a passage, or --commit")
    target = parse_target(file)
    request = Request(Action.REWRITE, target.workspace, (target,), instruction=instruction)
    raise propose(request, common, apply=apply, branching=branching)
