"""Every command of the terminal by its name; a command's module is imported when the command is asked for.

Importing all of them takes longer than most of them run. Only the list of commands (`--help`, completion) needs all.
"""

from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from ensemble_lsp.cli.help_columns import PlainCommand, PlainGroup

Command = TyperCommand | TyperGroup


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command is: a module of `cli.commands`, and the names of what it has there."""

    module: str
    function: str = ""
    """Empty for a group of commands: the module's `app`."""
    epilog: str = "EPILOG"
    kind: str = ""
    """A class of the command's own."""


PLACES = {
    "fix": Place("fix", "fix"),
    "review": Place("review", "review", kind="ReviewCommand"),
    "refactor": Place("refactor", "refactor"),
    "rewrite": Place("rewrite", "rewrite"),
    "secure": Place("secure", "secure"),
    "test": Place("write_tests", "write_tests"),
    "locate": Place("locate", "locate"),
    "explain": Place("explain", "explain", "EXPLAIN_EPILOG"),
    "debate": Place("explain", "debate", "DEBATE_EPILOG"),
    "apply": Place("apply", "apply"),
    "show": Place("jobs", "show", "SHOW_EPILOG"),
    "watch": Place("jobs", "watch", "WATCH_EPILOG"),
    "doctor": Place("doctor", "doctor"),
    "trust": Place("trust", "trust"),
    "consent": Place("consent", "consent"),
    "demo": Place("demo", "demo"),
    "panel": Place("panel"),
    "bench": Place("bench"),
    "jobs": Place("jobs"),
    "dismissed": Place("dismissed"),
}
"""In the order in which they are listed."""


class CommandsOnDemand(PlainGroup):
    """The root of the command line: what is registered with it, and the commands of the table."""

    def __init__(self, **attributes: object) -> None:
        super().__init__(**attributes)  # pyright: ignore[reportArgumentType] - typer's own keywords, passed on
        self.commands = _Imported(self.commands)

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002
        """Return the names; nothing is imported for them."""
        return list(self.commands)


class _Imported(MutableMapping[str, Command]):
    """Name → command; one of the table is imported when it is looked up."""

    def __init__(self, registered: MutableMapping[str, Command]) -> None:
        self._there = dict(registered)
        self._names = dict.fromkeys((*registered, *PLACES))

    def __getitem__(self, name: str) -> Command:
        if name not in self._there:
            self._there[name] = _load(name, PLACES[name])
        return self._there[name]

    def __setitem__(self, name: str, command: Command) -> None:
        self._names[name] = None
        self._there[name] = command

    def __delitem__(self, name: str) -> None:
        del self._names[name]
        self._there.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def import_ahead(arguments: Sequence[str]) -> None:
    """Import what a command line asks for; one that cannot be imported fails where the command is looked up."""
    place = PLACES.get(arguments[0]) if arguments else None
    if place is not None:
        with suppress(ImportError):
            _module_of(place)


def _module_of(place: Place) -> ModuleType:
    return import_module(f"ensemble_lsp.cli.commands.{place.module}")


def _load(name: str, place: Place) -> Command:
    module = _module_of(place)
    app = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)
    if place.function:
        own = getattr(module, place.kind) if place.kind else PlainCommand
        app.command(name, epilog=getattr(module, place.epilog), cls=own)(getattr(module, place.function))
    else:
        for each in module.app.registered_commands:
            each.cls = each.cls if each.cls is not TyperCommand else PlainCommand
        app.add_typer(module.app, name=name, cls=PlainGroup)
    return cast("Command", get_group(app).commands[name])
