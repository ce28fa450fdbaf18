"""`ensemble-lsp panel`: who would sit, why, at what price; before anything is spent."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ensemble_lsp.cli import options
from ensemble_lsp.cli.columns import print_columns
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.prompts import refuse
from ensemble_lsp.cli.running import run_async
from ensemble_lsp.cli.target import workspace_of
from ensemble_lsp.cli.terminal import consoles, one_line, write_text
from ensemble_lsp.core.counting import counted
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import PanelDescription, PanelQuery, PanelSeat
from ensemble_lsp.store.claims import ENOUGH_CLAIMS, Shown, judged
from ensemble_lsp.store.outcomes import Anchor
from ensemble_lsp.store.reliability import MemberStats

EPILOG = examples(
    "panel",
    "panel --local",
    "panel --panel openai/gpt-5-mini,anthropic/claude-sonnet-4-5",
    "panel stats",
)
STATS_EPILOG = examples(
    "panel stats",
    "panel stats --json",
)
RESET_EPILOG = examples(
    "panel reset",
    "panel reset gpt-5-mini",
)

app = typer.Typer(invoke_without_command=True, epilog=EPILOG)


@app.callback()
def panel(
    context: typer.Context,
    members: options.PanelOption = None,
    local: options.LocalOption = False,
    trust: options.TrustOption = False,
    as_json: options.JsonOption = False,
) -> None:
    """Show who would sit on the panel, why, and at what price; nothing is sent and nothing is spent."""
    if context.invoked_subcommand is not None:
        return
    out, err = consoles()
    common = options.Common(panel=members, local=local, trust=trust)
    description = run_async(_describe(workspace_of(Path.cwd()).resolve(), common))
    if as_json:
        write_text(out, json.dumps(description.to_wire(), indent=2) + "\n")
        return
    for seat in description.seats:
        _print_seat(seat, out)
    for note in description.notes:
        err.print(Text(one_line(note), style="yellow"), soft_wrap=True)
    err.print(
        f"spent today: ${description.spent_today_usd:.4f} of ${description.day_usd:.2f}", soft_wrap=True
    )


def _print_seat(seat: PanelSeat, out: Console) -> None:
    head = Text.assemble(
        (one_line(seat.id), "bold"),
        f"  {one_line(seat.family)}  ",
        (seat.role, "green" if seat.role == "anchor" else "cyan" if seat.role == "strong" else ""),
        f"  {_prices(seat)}",
    )
    receives = f"sent to {one_line(seat.recipient)}" if seat.recipient else "stays on this machine"
    parts = [one_line(seat.model), f"key {one_line(seat.key)}", receives, one_line(seat.why)]
    if seat.key == "not needed":
        parts[1] = "no key needed"
    out.print(head, soft_wrap=True)
    out.print(Text("    " + " · ".join(part for part in parts if part), style="dim"), soft_wrap=True)


def _prices(seat: PanelSeat) -> str:
    if seat.price_in == 0 and seat.price_out == 0:
        return "free"
    if seat.price_in is None or seat.price_out is None:
        return "price unknown"
    return f"${seat.price_in:.2f} in, ${seat.price_out:.2f} out a million tokens"


@app.command(epilog=STATS_EPILOG)
def stats(as_json: options.JsonOption = False) -> None:
    """Show what was learnt on this machine: how reliable each member is, and how far confidence holds."""
    out, err = consoles()
    learned = run_async(_learned())
    if as_json:
        write_text(out, json.dumps(asdict(learned), indent=2) + "\n")
        return
    if not learned.members:
        err.print("nothing was learnt yet: accept, reject or dismiss a result")
        return
    rows = [
        (
            one_line(line.member),
            line.action,
            one_line(line.category),
            line.language or "any",
            f"{line.successes:.1f}",
            f"{line.failures:.1f}",
            f"{line.reliability:.2f} ({line.low:.2f}–{line.high:.2f})",
        )
        for line in learned.members
    ]
    heads = ("member", "action", "category", "language", "successes", "failures", "reliability (95%)")
    print_columns(out, heads, rows, flexible=0)
    for anchor in learned.anchors:
        where = f" in {anchor.language}" if anchor.language else ""
        among = ", ".join(one_line(name) for name in anchor.panel)
        err.print(
            f"anchor of {anchor.action}{where}: {one_line(anchor.member)} (among {among})", soft_wrap=True
        )
    err.print(_believed(learned), soft_wrap=True)


def _believed(learned: "Learned") -> str:
    shown = learned.calibration
    if shown is None:
        return (
            f"confidence: {learned.claims} findings judged; from {ENOUGH_CLAIMS} on it says how far it holds"
        )
    return (
        f"confidence: of {shown.claims} findings judged {shown.right:.0%} were right, {shown.said:.0%} was said; "
        f"calibration error (ECE) {shown.ece:.3f}, Brier {shown.brier:.3f}"
    )


@app.command(epilog=RESET_EPILOG)
def reset(
    member: Annotated[str | None, typer.Argument(help="Only this member; all when left out.")] = None,
) -> None:
    """Forget what was learnt about the members."""
    _, err = consoles()
    count = run_async(_reset(member))
    err.print(f"forgot {counted(count, 'outcome')}")


async def _describe(workspace: Path, common: options.Common) -> PanelDescription:
    async with LocalEngine.open(refuse) as engine:
        query = PanelQuery(
            workspace=str(workspace),
            trusted=common.trust or await engine.wiring.trust.is_trusted(workspace),
            options=common.job_options(),
        )
        return await engine.wiring.describe_panel(query)


@dataclass(frozen=True, slots=True)
class Learned:
    """What `panel stats` shows: the document of `--json`. `calibration` is null while too little was judged."""

    members: tuple[MemberStats, ...]
    anchors: tuple[Anchor, ...]
    claims: int
    calibration: Shown | None


async def _learned() -> Learned:
    async with LocalEngine.open(refuse) as engine:
        learner = engine.wiring.learner
        claims = await learner.claims.claims()
        return Learned(
            members=(await learner.outcomes.reliabilities()).stats(),
            anchors=await learner.outcomes.anchors(),
            claims=len(claims),
            calibration=judged(claims),
        )


async def _reset(member: str | None) -> int:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.learner.reset(member)
