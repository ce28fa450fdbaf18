"""Help in which a flag has no type: typer names one for what takes no value."""

from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption


class PlainCommand(TyperCommand):
    """A command whose flags are listed without `<bool>`."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help` among them."""
        return [_plain(each) for each in super().get_params(ctx)]


class PlainGroup(TyperGroup):
    """The same for a group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help` among them."""
        return [_plain(each) for each in super().get_params(ctx)]


def _plain(parameter: object) -> object:
    if isinstance(parameter, TyperOption) and parameter.is_flag and parameter.metavar is None:
        parameter.metavar = ""
    return parameter
