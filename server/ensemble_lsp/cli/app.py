"""The command line: every command, and what a person sees when one fails."""

import atexit
import gc
import logging
import os
import sys
from itertools import pairwise

import typer

from ensemble_lsp import __version__
from ensemble_lsp.cli.command_table import CommandsOnDemand, import_ahead
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.failures import DONE, Interrupted, failure_json, failure_lines
from ensemble_lsp.cli.terminal import consoles, discard, tolerate_any_encoding, write_text
from ensemble_lsp.core.errors import EnsembleError, UsageError

_log = logging.getLogger(__name__)

app = typer.Typer(
    name="ensemble-lsp",
    cls=CommandsOnDemand,
    help="Several models on the same hard problem, settled by evidence, shown as a diff before anything is applied.",
    epilog=examples("demo", "panel", "fix src/cart.py"),
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
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


def run() -> None:
    """Run the command line and end the process with the right status."""
    tolerate_any_encoding()
    import_ahead(sys.argv[1:])
    gc.freeze()
    gc.enable()
    status = invoke(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # Said already where it could be; the interpreter's own flush at the end must not fail once more.
            discard(stream)
    # Taking a thousand modules apart would be a fifth of what starting them took, and nobody has anything from it.
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] - all of an ordinary end that matters
    os._exit(status)


def invoke(arguments: list[str]) -> int:
    """Run one command and return its exit status; an error becomes a message, and with `--json` a document."""
    try:
        try:
            result = app(arguments or ["--help"], prog_name="ensemble-lsp", standalone_mode=False)
        except typer.TyperException as problem:
            command = getattr(getattr(problem, "ctx", None), "command_path", "ensemble-lsp")
            # Pydantic's words for a value that a check of typer's own refused.
            message = problem.format_message().replace("Value error, ", "")
            raise UsageError(message, hint=f"{command} --help shows how it is used") from problem
        except (KeyboardInterrupt, typer.Abort) as problem:
            raise Interrupted("interrupted") from problem
        except OSError as problem:
            raise _unwritten(problem) from problem
        except SystemExit as problem:
            # typer's own way to end when the reader of standard output went away: not a failure of ours.
            if isinstance(problem.__context__, BrokenPipeError):
                return DONE
            raise
    except EnsembleError as problem:
        _report(problem, as_json=_wants_json(arguments))
        return problem.exit_code
    except Exception as problem:  # noqa: BLE001
        # The process rim: a person gets one line, the log the traceback.
        _log.exception("internal error")
        internal = EnsembleError(
            f"internal error: {type(problem).__name__}: {problem}",
            hint="please report it with the lines above",
        )
        _report(internal, as_json=_wants_json(arguments))
        return internal.exit_code
    return result if isinstance(result, int) else DONE


def _wants_json(arguments: list[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return bool({"--json", "--format=json"} & set(options)) or ("--format", "json") in pairwise(options)


def _unwritten(problem: OSError) -> EnsembleError:
    where = problem.filename or "the output"
    return EnsembleError(
        f"{where} cannot be used: {problem.strerror or problem}",
        hint="what a job gave is kept: ensemble-lsp jobs lists it, ensemble-lsp show JOB prints it again",
    )


def _report(problem: EnsembleError, *, as_json: bool) -> None:
    out, err = consoles()
    message, hint = failure_lines(problem)
    err.print(f"ensemble-lsp: {message}", style="red", soft_wrap=True)
    if hint:
        err.print(f"  {hint}", soft_wrap=True)
    if as_json:
        try:
            write_text(out, failure_json(problem))
        except OSError:
            discard(out.file)
