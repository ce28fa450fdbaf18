"""`ensemble-lsp trust`: folders whose tests may run and whose settings count."""

from pathlib import Path
from typing import Annotated

import typer

from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.prompts import refuse
from ensemble_lsp.cli.running import run_async
from ensemble_lsp.cli.terminal import consoles, one_line, printable, write_text
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.engine.local import LocalEngine

EPILOG = examples(
    "trust",
    "trust ~/work/shop",
    "trust --remove .",
    "trust --list",
)


def trust(
    folder: Annotated[Path, typer.Argument(help="The folder; everything below it is covered.")] = Path(),
    remove: Annotated[bool, typer.Option("--remove", help="Do not trust it any more.")] = False,
    show: Annotated[bool, typer.Option("--list", help="Only list the trusted folders.")] = False,
) -> None:
    """Trust a folder: its tests run (in a sandboxed copy) and its ensemble.toml counts."""
    out, err = consoles()
    if show:
        for path in run_async(_list()):
            write_text(out, f"{printable(str(path))}\n")
        return
    if not folder.is_dir() and not remove:
        raise UsageError(f"{folder} is not a folder", field="FOLDER")
    if remove:
        known = run_async(_remove(folder))
        state = "not trusted any more" if known else "not in the list of trusted folders"
        err.print(f"{one_line(str(folder.resolve()))} is {state}", soft_wrap=True)
    else:
        err.print(f"{one_line(str(run_async(_add(folder))))} is trusted", soft_wrap=True)


async def _list() -> tuple[Path, ...]:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.trust.list()


async def _add(folder: Path) -> Path:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.trust.trust(folder)


async def _remove(folder: Path) -> bool:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.trust.untrust(folder)
