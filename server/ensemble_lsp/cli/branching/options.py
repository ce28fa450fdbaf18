"""The options that put a patch on a branch and open a pull request for it."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ensemble_lsp.core.errors import UsageError

_PANEL = "A branch, a pull request"

BranchOption = Annotated[
    str | None,
    typer.Option(
        "--branch",
        metavar="NAME",
        help="Commit the verified patch on a new branch; files and the current branch stay as they are.",
        rich_help_panel=_PANEL,
    ),
]
UnverifiedOption = Annotated[
    bool,
    typer.Option(
        "--allow-unverified",
        help="Commit also a patch that nothing verified, or whose check would miss most mistakes.",
        rich_help_panel=_PANEL,
    ),
]
PullRequestOption = Annotated[
    bool,
    typer.Option(
        "--pr",
        help="Push the branch, after asking, and open a pull request: with gh, or a token in GH_TOKEN or GITHUB_TOKEN.",
        rich_help_panel=_PANEL,
    ),
]
BaseOption = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="BRANCH",
        help="Where the pull request goes.",
        show_default="the branch you are on if the remote has it, else its default branch",
        rich_help_panel=_PANEL,
    ),
]
RemoteOption = Annotated[
    str | None,
    typer.Option(
        "--remote",
        metavar="NAME",
        help="Where the branch is pushed to.",
        show_default="as git pushes: remote.pushDefault, the branch's own, origin",
        rich_help_panel=_PANEL,
    ),
]
DraftOption = Annotated[
    bool, typer.Option("--draft", help="Open the pull request as a draft.", rich_help_panel=_PANEL)
]


@dataclass(frozen=True, slots=True)
class Branching:
    """What becomes of a patch beside the diff; the annotations are the options of the command line."""

    branch: BranchOption = None
    allow_unverified: UnverifiedOption = False
    pull_request: PullRequestOption = False
    base: BaseOption = None
    remote: RemoteOption = None
    draft: DraftOption = False

    def require_sense(self, *, apply: bool) -> None:
        """Raise `UsageError` for options that make no sense together."""
        if self.branch is None:
            named = next(
                (
                    name
                    for name, given in (
                        ("--pr", self.pull_request),
                        ("--allow-unverified", self.allow_unverified),
                        ("--base", self.base),
                        ("--remote", self.remote),
                        ("--draft", self.draft),
                    )
                    if given
                ),
                None,
            )
            if named is not None:
                raise UsageError(f"{named} needs a branch to speak of", field=named, hint="add --branch NAME")
            return
        if apply:
            raise UsageError(
                "--apply writes the files, --branch leaves them as they are",
                field="--branch",
                hint="choose one of the two",
            )
        if not self.pull_request and (self.base or self.remote or self.draft):
            raise UsageError("--base, --remote and --draft belong to --pr", field="--pr", hint="add --pr")
