"""`ensemble-lsp panel`: who would sit, why, at what price; before anything is spent."""

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from ensemble_lsp.cli import options
from ensemble_lsp.cli.running import consoles, refuse
from ensemble_lsp.cli.target import workspace_of
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import PanelDescription, PanelQuery

EPILOG = (
    "Examples:  ensemble-lsp panel   ·   ensemble-lsp panel --local   ·   "
    "ensemble-lsp panel --panel openai/gpt-5-mini,anthropic/claude-sonnet-4-5   ·   ensemble-lsp panel stats"
)

app = typer.Typer(invoke_without_command=True, epilog=EPILOG, help=__doc__)


@app.callback()
def panel(
    context: typer.Context,
    members: options.PanelOption = None,
    local: options.LocalOption = False,
    as_json: options.JsonOption = False,
) -> None:
    """Show who would sit on the panel, why, and at what price; nothing is sent and nothing is spent."""
    if context.invoked_subcommand is not None:
        return
    out, err = consoles()
    common = options.Common(panel=members, local=local)
    description = asyncio.run(_describe(workspace_of(Path.cwd()).resolve(), common))
    if as_json:
        out.file.write(json.dumps(description.to_wire(), indent=2) + "\n")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("member", "model", "family", "role", "in $/M", "out $/M", "key", "sent to", "why"):
        table.add_column(heading, overflow="fold")
    for seat in description.seats:
        table.add_row(
            seat.id,
            seat.model,
            seat.family,
            seat.role,
            _price(seat.price_in),
            _price(seat.price_out),
            seat.key,
            seat.recipient or "nobody",
            seat.why,
        )
    out.print(table)
    for note in description.notes:
        err.print(Text(note, style="yellow"), soft_wrap=True)
    err.print(Text(f"spent today: ${description.spent_today_usd:.4f} of ${description.day_usd:.2f}"))


@app.command()
def stats(as_json: options.JsonOption = False) -> None:
    """Show what was learnt about each member: accepted, rejected, checks passed and failed, on this machine."""
    out, err = consoles()
    lines = asyncio.run(_stats())
    if as_json:
        out.file.write(json.dumps(lines, indent=2) + "\n")
        return
    if not lines:
        err.print("nothing was learnt yet: accept, reject or dismiss a result")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("member", "category", "successes", "failures", "reliability"):
        table.add_column(heading)
    for line in lines:
        table.add_row(
            str(line["member"]),
            str(line["category"]),
            f"{line['successes']:.1f}",
            f"{line['failures']:.1f}",
            f"{line['reliability']:.2f}",
        )
    out.print(table)


@app.command()
def reset(
    member: Annotated[str | None, typer.Argument(help="Only this member; all when left out.")] = None,
) -> None:
    """Forget what was learnt about the members."""
    _, err = consoles()
    err.print(f"forgot {asyncio.run(_reset(member))} outcomes")


def _price(price: float | None) -> str:
    return "?" if price is None else f"{price:.2f}"


async def _describe(workspace: Path, common: options.Common) -> PanelDescription:
    async with LocalEngine.open(refuse) as engine:
        query = PanelQuery(
            workspace=str(workspace),
            trusted=await engine.wiring.trust.is_trusted(workspace),
            options=common.job_options(),
        )
        return await engine.wiring.describe_panel(query)


async def _stats() -> list[dict[str, str | float]]:
    async with LocalEngine.open(refuse) as engine:
        return [
            {
                "member": line.member,
                "category": line.category,
                "successes": line.successes,
                "failures": line.failures,
                "reliability": line.reliability,
            }
            for line in (await engine.wiring.outcomes.reliabilities()).stats()
        ]


async def _reset(member: str | None) -> int:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.outcomes.reset(member)
