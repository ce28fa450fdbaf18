"""`ensemble-lsp locate`: from a failing test or a traceback to ranked places."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.failures import exit_status
from ensemble_lsp.cli.proposing import CheckOption
from ensemble_lsp.cli.render import json_document, print_document, print_end, print_findings
from ensemble_lsp.cli.running import Request, run_job
from ensemble_lsp.cli.target import parse_target
from ensemble_lsp.cli.terminal import consoles, write_text
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action

EPILOG = examples(
    "locate tests/test_cart.py:14",
    "pytest -q 2>&1 | ensemble-lsp locate src/cart.py --traceback -",
    'locate src/cart.py --check "pytest -q tests/test_cart.py"',
)

MOST_CHARACTERS = 20_000
"""Of a traceback that is read; the end counts, where the error stands."""


@options.with_common_options
def locate(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE[:LINE[-LINE]]",
            help="The failing test, or the code that a check or traceback is about.",
        ),
    ],
    instruction: Annotated[str, typer.Option("-m", "--message", help="What goes wrong, in your words.")] = "",
    traceback: Annotated[
        str | None,
        typer.Option(
            "--traceback", metavar="FILE", help="A file with the traceback; - reads standard input."
        ),
    ] = None,
    check: CheckOption = None,
    *,
    common: options.Common,
) -> None:
    """Find where a fault is: members vote blind, and which lines the failing test runs is a witness beside them.

    Exit status: 0 places were named, 1 none, 2 usage, 3 no model or bad configuration, 4 over budget,
    130 interrupted.
    """
    target = parse_target(file)
    told = "\n".join(part for part in (instruction, _read(traceback)) if part)
    ended = run_job(
        Request(Action.LOCATE, target.workspace, (target,), instruction=told, check=check), common
    )
    out, err = consoles()
    code = exit_status(ended.result) or (0 if ended.result.findings else 1)
    if common.as_json:
        write_text(out, json_document(ended, code=code))
    else:
        print_findings(ended.result.findings, out)
        print_document(ended.result.document, err)
        print_end(ended, err)
    raise typer.Exit(code)


def _read(name: str | None) -> str:
    if name is None:
        return ""
    if name == "-":
        return sys.stdin.read()[-MOST_CHARACTERS:]
    try:
        return Path(name).read_text(encoding="utf-8", errors="replace")[-MOST_CHARACTERS:]
    except OSError as problem:
        raise UsageError(
            f"{name} cannot be read: {problem.strerror or problem}", field="--traceback"
        ) from problem
