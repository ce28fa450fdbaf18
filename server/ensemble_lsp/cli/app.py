"""The command line: every command, and what a person sees when one fails."""

import sys

import click
import typer

from ensemble_lsp import __version__
from ensemble_lsp.cli.commands import apply as apply_command
from ensemble_lsp.cli.commands import demo as demo_command
from ensemble_lsp.cli.commands import doctor as doctor_command
from ensemble_lsp.cli.commands import explain as explain_command
from ensemble_lsp.cli.commands import fix as fix_command
from ensemble_lsp.cli.commands import jobs as jobs_command
from ensemble_lsp.cli.commands import panel as panel_command
from ensemble_lsp.cli.commands import review as review_command
from ensemble_lsp.cli.commands import trust as trust_command
from ensemble_lsp.core.errors import EnsembleError, UsageError

INTERRUPTED = 130

app = typer.Typer(
    name="ensemble-lsp",
    help="Several models on the same hard problem, settled by evidence, shown as a diff before anything is applied.",
    epilog="Start with:  ensemble-lsp demo   ·   ensemble-lsp panel   ·   ensemble-lsp fix FILE",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"ensemble-lsp {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Several models on the same hard problem, settled by evidence, shown before anything is applied."""
    del version


@app.command(epilog="Editors start it as `ensemble-lsp serve`; see docs/editors.md.")
def serve() -> None:
    """Start the language server on standard input and output."""
    # `__main__` starts it before the terminal's modules are imported; only options in front lead here.
    raise UsageError("`serve` stands first on the command line and takes no options", field="serve")


app.command(epilog=fix_command.EPILOG)(fix_command.fix)
app.command(epilog=review_command.EPILOG)(review_command.review)
app.command(epilog=explain_command.EXPLAIN_EPILOG)(explain_command.explain)
app.command(epilog=explain_command.DEBATE_EPILOG)(explain_command.debate)
app.command(epilog=apply_command.EPILOG)(apply_command.apply)
app.add_typer(panel_command.app, name="panel")
app.add_typer(jobs_command.app, name="jobs")
app.command(epilog=jobs_command.SHOW_EPILOG)(jobs_command.show)
app.command(epilog=jobs_command.WATCH_EPILOG)(jobs_command.watch)
app.command(epilog=doctor_command.EPILOG)(doctor_command.doctor)
app.command(epilog=trust_command.EPILOG)(trust_command.trust)
app.command(epilog=demo_command.EPILOG)(demo_command.demo)


def run() -> None:
    """Run the command line and end the process with the right status."""
    sys.exit(invoke(sys.argv[1:]))


def invoke(arguments: list[str]) -> int:
    """Run one command and return its exit status; errors become a message on standard error."""
    try:
        result = app(arguments, prog_name="ensemble-lsp", standalone_mode=False)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as problem:
        problem.show()
        return UsageError.exit_code
    except EnsembleError as problem:
        typer.secho(f"ensemble-lsp: {problem.message}", err=True, fg="red")
        if problem.hint:
            typer.echo(f"  {problem.hint}", err=True)
        return problem.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`| head`): not an error, and not worth a traceback.
        sys.stderr.close()
        return 0
    return result if isinstance(result, int) else 0
