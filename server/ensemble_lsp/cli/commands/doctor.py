"""`ensemble-lsp doctor`: what works here, what does not, and what to do about it."""

import json
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.text import Text

from ensemble_lsp import __version__
from ensemble_lsp.cli import options
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.prompts import refuse
from ensemble_lsp.cli.running import run_async
from ensemble_lsp.cli.target import workspace_of
from ensemble_lsp.cli.terminal import consoles, one_line, write_text
from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.directories import cache_directory, configuration_directory, state_directory
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import PanelQuery

EPILOG = examples(
    "doctor",
    "doctor --workspace ~/src/shop",
    "doctor --json",
)


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the report. `good` None means "for your information"."""

    name: str
    good: bool | None
    text: str


def doctor(
    workspace: options.FolderOption = Path(),
    as_json: options.JsonOption = False,
    local: options.LocalOption = False,
) -> None:
    """Check the installation: versions, folders, database, sandbox, members and keys (never their values)."""
    out, _ = consoles()
    items = run_async(_examine(workspace_of(workspace).resolve(), local=local))
    if as_json:
        data = [{"name": item.name, "good": item.good, "text": item.text} for item in items]
        write_text(out, json.dumps(data, indent=2) + "\n")
    else:
        for item in items:
            mark, style = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}[item.good]
            out.print(
                Text.assemble((mark, style), f" {one_line(item.name)}: {one_line(item.text)}"), soft_wrap=True
            )
    raise typer.Exit(3 if any(item.good is False for item in items) else 0)


async def _examine(workspace: Path, *, local: bool) -> list[Item]:
    items = [
        Item(
            "version",
            None,
            f"ensemble-lsp {__version__}, Python {platform.python_version()} ({sys.executable})",
        ),
        Item("folders", None, f"state {state_directory()}, cache {cache_directory()}"),
        Item("settings", None, f"{configuration_directory() / 'config.toml'}, {workspace / 'ensemble.toml'}"),
        Item("git", shutil.which("git") is not None, shutil.which("git") or "not found: install git"),
    ]
    async with LocalEngine.open(refuse) as engine:
        wiring = engine.wiring
        notices = wiring.notices
        items.append(Item("database", not notices, "; ".join(notices) or "in order"))
        sandbox = await wiring.describe_sandbox()
        items.append(Item("sandbox", sandbox.enforced, "; ".join(sandbox.detail)))
        trusted = await wiring.trust.is_trusted(workspace)
        items.append(
            Item(
                "trust",
                None,
                f"{workspace} is trusted"
                if trusted
                else f"{workspace} is not trusted: `ensemble-lsp trust` lets its tests run",
            )
        )
        items.append(Item("embedded model", None, wiring.describe_embedded()))
        try:
            query = PanelQuery(
                workspace=str(workspace), trusted=trusted, options=options.Common(local=local).job_options()
            )
            description = await wiring.describe_panel(query)
        except EnsembleError as problem:
            items.append(Item("panel", False, str(problem)))
        else:
            items.extend(
                Item(f"member {seat.id}", "missing" not in seat.key, f"{seat.model}, {seat.key}")
                for seat in description.seats
            )
            items.extend(Item("note", None, note) for note in description.notes)
            items.append(
                Item("spent today", None, f"${description.spent_today_usd:.4f} of ${description.day_usd:.2f}")
            )
    return items
