"""The options of `ensemble-lsp bench fix` and `bench review`, and what they become."""

import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from ensemble_lsp.bench.sets import Seen
from ensemble_lsp.cli import options
from ensemble_lsp.engine.messages import JobOptions

_CASES = "What is looked at"
_WAYS = "What is compared"
_REPORT = "What comes out"

CASES = 20
"""Bugs when the person names no number: enough to see whether it works, too few to decide much."""


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What both commands take; the annotations are the options of the command line."""

    mutants: Annotated[
        bool,
        typer.Option(
            "--mutants",
            help="Make cases of your own tested functions; so it is when no SET is named.",
            rich_help_panel=_CASES,
        ),
    ] = False
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="PATH",
            help="Mutate only files at or below this path; can be given several times.",
            rich_help_panel=_CASES,
        ),
    ] = None
    cases: Annotated[
        int,
        typer.Option("--cases", metavar="N", min=1, help="How many bugs at most.", rich_help_panel=_CASES),
    ] = CASES
    seed: Annotated[
        int, typer.Option("--seed", help="Fixes which cases are drawn.", rich_help_panel=_CASES)
    ] = 1
    check: Annotated[
        Seen,
        typer.Option(
            "--check",
            help="Which tests the members' answers are checked with: all of them, or the visible part only.",
            rich_help_panel=_CASES,
        ),
    ] = Seen.TESTS
    ways: Annotated[
        str,
        typer.Option(
            "--ways",
            metavar="WAY,WAY",
            help="Ways of answering: default, all, or names; --ways list shows them.",
            rich_help_panel=_WAYS,
        ),
    ] = "default"
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            metavar="N",
            min=1,
            help="Samples at most of a member alone.",
            show_default="the calls that a panel may make",
            rich_help_panel=_WAYS,
        ),
    ] = None
    rounds: options.RoundsOption = None
    panel: options.PanelOption = None
    local: options.LocalOption = False
    mirror: options.MirrorOption = False
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            metavar="USD",
            min=0,
            help="Cap in USD for the whole run, earlier parts of it included.",
            show_default="the estimate's upper bound",
            rich_help_panel="What it may cost",
        ),
    ] = None
    calls: Annotated[
        int | None,
        typer.Option(
            "--budget-calls",
            metavar="N",
            min=0,
            help="Cap on the calls of the whole run, earlier parts of it included.",
            rich_help_panel="What it may cost",
        ),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="N",
            min=1,
            help="End after so many seconds; the same command goes on.",
            rich_help_panel="What it may cost",
        ),
    ] = None
    at_once: Annotated[
        int,
        typer.Option(
            "--at-once",
            metavar="N",
            min=1,
            max=16,
            help="Cases at the same time; times are then those of a busy machine.",
            rich_help_panel="What it may cost",
        ),
    ] = 1
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder of the record and the answers; the same command goes on from it.",
            show_default="one for these inputs, in the state directory",
            rich_help_panel=_REPORT,
        ),
    ] = None
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown", metavar="FILE", help="Write the report as Markdown.", rich_help_panel=_REPORT
        ),
    ] = None
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write the report as one HTML page.", rich_help_panel=_REPORT
        ),
    ] = None
    trust: options.TrustOption = False
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", "-y", help="Agree to what would be asked: the estimate, recipients, downloads."
        ),
    ] = False
    as_json: options.JsonOption = False
    quiet: options.QuietOption = False

    def common(self) -> options.Common:
        """Return what the questions to the person go by."""
        return options.Common(trust=self.trust, yes=self.yes, as_json=self.as_json, quiet=self.quiet)

    def job_options(self) -> JobOptions:
        """Return how members are found. Caps are the run's: a job keeps those of the settings."""
        chosen = options.Common(panel=self.panel, local=self.local, no_cache=True, mirror=self.mirror)
        return chosen.job_options()

    def command(self, subject: str, target: Path | None) -> tuple[str, ...]:
        """Return the command line to type again: what differs from the defaults."""
        words = ["ensemble-lsp", "bench", subject, *((str(target),) if target is not None else ())]
        for field in fields(self):
            value = getattr(self, field.name)
            if value == field.default or field.name in _NOT_AGAIN:
                continue
            name = _NAMES.get(field.name, "--" + field.name.replace("_", "-"))
            for item in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
                words.append(name)
                if not isinstance(item, bool):
                    words.append(str(item))  # pyright: ignore[reportUnknownArgumentType]
        return tuple(words)


_NOT_AGAIN = frozenset({"yes", "quiet", "as_json", "markdown", "html"})
_NAMES = {"k": "-k", "calls": "--budget-calls", "mirror": "--weights-mirror"}


def as_typed(command: tuple[str, ...]) -> str:
    """Return a command line as a shell reads it."""
    return shlex.join(command)
