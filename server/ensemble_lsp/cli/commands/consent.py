"""`ensemble-lsp consent`: what was agreed to, and taking it back."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from ensemble_lsp.cli.columns import print_columns
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.prompts import refuse
from ensemble_lsp.cli.running import run_async
from ensemble_lsp.cli.terminal import consoles, one_line
from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.engine.local import LocalEngine

EPILOG = examples(
    "consent",
    "consent --remove openai",
)


def consent(
    remove: Annotated[
        str | None,
        typer.Option("--remove", metavar="NAME", help="Take back a recipient, weights, or a folder's."),
    ] = None,
) -> None:
    """List what you agreed to (recipients of code, weights, checks without a sandbox), or take it back."""
    out, err = consoles()
    if remove is not None:
        if not run_async(_withdraw(remove)):
            raise UnknownItem(
                f"nothing was agreed to under {remove!r}", field="NAME", hint="ensemble-lsp consent lists all"
            )
        err.print(f"{one_line(remove)} is taken back; the next job asks again", soft_wrap=True)
        return
    rows = run_async(_rows())
    if not rows:
        err.print("nothing was agreed to yet")
        return
    print_columns(out, ("what", "name", "where", "since"), rows, flexible=2)


async def _rows() -> list[tuple[str, ...]]:
    async with LocalEngine.open(refuse) as engine:
        return [
            (
                each.kind.value,
                one_line(each.subject),
                one_line(each.workspace) or "everywhere",
                f"{datetime.fromtimestamp(each.at, UTC).astimezone():%Y-%m-%d}",
            )
            for each in await engine.wiring.consent.list()
        ]


async def _withdraw(subject: str) -> int:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.consent.withdraw(subject)
