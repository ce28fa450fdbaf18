"""`ensemble-lsp dismissed`: findings that reviews leave out, adding to them and taking back."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.columns import print_columns
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.prompts import refuse
from ensemble_lsp.cli.running import run_async
from ensemble_lsp.cli.target import workspace_of
from ensemble_lsp.cli.terminal import consoles, one_line, write_text
from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import DismissalList, DismissalNote, ListedDismissal

EPILOG = examples(
    "dismissed",
    "dismissed add 3f2a91c0 --reason wontfix",
    "dismissed restore 7bd1",
)
ADD_EPILOG = examples(
    "dismissed add 3f2a91c0",
    'dismissed add 3f2a91c0 --reason "callers check it"',
)
RESTORE_EPILOG = examples(
    "dismissed restore 7bd1",
)

JOBS_SEARCHED = 50
"""Kept reviews in which a finding is looked for, newest first."""

_SHORT = 8
"""Digits of an id in the table; its beginning names it wherever it is the only one."""

app = typer.Typer(invoke_without_command=True, epilog=EPILOG)


@app.callback()
def dismissed(
    context: typer.Context, workspace: options.FolderOption = Path(), as_json: options.JsonOption = False
) -> None:
    """List the findings that reviews of this project leave out."""
    if context.invoked_subcommand is not None:
        return
    out, err = consoles()
    found = run_async(_list(workspace_of(workspace).resolve()))
    for warning in found.warnings:
        err.print(one_line(warning), style="yellow", soft_wrap=True)
    if as_json:
        write_text(out, json.dumps(found.to_wire(), indent=2) + "\n")
        return
    if not found.dismissals:
        err.print("nothing was dismissed here")
        return
    print_columns(
        out,
        ("id", "date", "where", "category", "reason", "kept", "title"),
        [_row(item) for item in found.dismissals],
        flexible=6,
    )
    if not all(item.counts for item in found.dismissals):
        err.print("what is shared leaves out nothing here: the folder is not trusted (ensemble-lsp trust)")


@app.command(epilog=ADD_EPILOG)
def add(
    finding: Annotated[str, typer.Argument(help="A finding's id, or its beginning, as `review` printed it.")],
    reason: Annotated[
        str, typer.Option("--reason", help="wrong, wontfix, style, or your own words; `wrong` teaches most.")
    ] = "",
    workspace: options.FolderOption = Path(),
) -> None:
    """Dismiss a finding of a kept review: later reviews leave it out, in editors too."""
    _, err = consoles()
    root = workspace_of(workspace).resolve()
    found = run_async(_add(root, finding, reason))
    err.print(f"dismissed: {one_line(found.path)}: {one_line(found.title)}", soft_wrap=True)


@app.command(epilog=RESTORE_EPILOG)
def restore(
    ident: Annotated[str, typer.Argument(metavar="ID", help="An id of the list, or its beginning.")],
    workspace: options.FolderOption = Path(),
) -> None:
    """Take a dismissal back: the next review may show the finding again."""
    _, err = consoles()
    for item in run_async(_restore(workspace_of(workspace).resolve(), ident)).dismissals:
        err.print(f"taken back: {one_line(item.path)}: {one_line(item.title)}", soft_wrap=True)


def _row(item: ListedDismissal) -> tuple[str, ...]:
    return (
        item.id[:_SHORT],
        item.date,
        one_line(item.path),
        one_line(item.category),
        one_line(item.reason),
        item.kept,
        one_line(item.title),
    )


async def _list(workspace: Path) -> DismissalList:
    async with LocalEngine.open(refuse) as engine:
        trusted = await engine.wiring.trust.is_trusted(workspace)
        return await engine.wiring.dismissals.listed(workspace, trusted=trusted)


async def _add(workspace: Path, prefix: str, reason: str) -> Finding:
    async with LocalEngine.open(refuse) as engine:
        trusted = await engine.wiring.trust.is_trusted(workspace)
        # Bounded by JOBS_SEARCHED.
        for summary in await engine.runner.summaries(str(workspace), JOBS_SEARCHED):
            result = (await engine.runner.transcript(summary.job)).result
            found = [item for item in result.findings if item.id.startswith(prefix)] if result else []
            if len(found) > 1:
                raise UnknownItem(f"several findings begin with {prefix!r}", field="FINDING")
            if found:
                note = DismissalNote(
                    job=summary.job,
                    workspace=str(workspace),
                    finding=found[0],
                    reason=reason,
                    trusted=trusted,
                )
                await engine.wiring.dismiss(note)
                return found[0]
    raise UnknownItem(
        f"no kept review of {workspace} has a finding {prefix!r}",
        field="FINDING",
        hint="ensemble-lsp review prints the id of each",
    )


async def _restore(workspace: Path, ident: str) -> DismissalList:
    async with LocalEngine.open(refuse) as engine:
        trusted = await engine.wiring.trust.is_trusted(workspace)
        return await engine.wiring.dismissals.restore(workspace, ident, trusted=trusted)
