"""`ensemble-lsp locate`: from a failing test, a traceback or an issue to ranked places."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ensemble_lsp.cli import options
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.failures import exit_status
from ensemble_lsp.cli.formats.quickfix import quickfix
from ensemble_lsp.cli.proposing import CheckOption
from ensemble_lsp.cli.render import json_document, print_document, print_end, print_findings
from ensemble_lsp.cli.running import Request, run_job
from ensemble_lsp.cli.target import parse_target, target_of_test, workspace_of
from ensemble_lsp.cli.terminal import consoles, write_text
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action

EPILOG = examples(
    "locate tests/test_cart.py::test_discount",
    "pytest -q 2>&1 | ensemble-lsp locate --traceback -",
    "locate --issue issue.md --format quickfix",
    'locate src/cart.py --check "pytest -q tests/test_cart.py"',
)

MOST_CHARACTERS = 20_000
"""Of a traceback or an issue that is read: of the one the end, where the error stands, of the other the beginning."""


@options.with_common_options
def locate(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE[:LINE[-LINE]]|TEST",
            help="The failing test, or the code that a check or traceback is about; else what the report points to.",
        ),
    ] = None,
    instruction: Annotated[
        str, typer.Option("-m", "--message", metavar="TEXT", help="What goes wrong, in your words.")
    ] = "",
    traceback: Annotated[
        str | None,
        typer.Option(
            "--traceback", metavar="FILE", help="A file with the traceback; - reads standard input."
        ),
    ] = None,
    issue: Annotated[
        str | None,
        typer.Option("--issue", metavar="FILE", help="A file with the issue's text; - reads standard input."),
    ] = None,
    check: CheckOption = None,
    output: Annotated[
        Literal["text", "json", "quickfix"],
        typer.Option("--format", help="How places are printed; quickfix: path:line:col: text, for editors."),
    ] = "text",
    *,
    common: options.Common,
) -> None:
    """Find where a fault is: members vote blind, and which lines the failing test runs is a witness beside them.

    Exit status: 0 places were named, 1 none, 2 usage, 3 no model or bad configuration, 4 over budget,
    130 interrupted.
    """
    if traceback == "-" and issue == "-":
        raise UsageError("standard input can be one of the two", field="--issue")
    told = "\n\n".join(
        part
        for part in (
            instruction,
            _read(issue, "--issue")[:MOST_CHARACTERS],
            _read(traceback, "--traceback")[-MOST_CHARACTERS:],
        )
        if part.strip()
    )
    request = _request(file, told, check)
    ended = run_job(request, common)
    out, err = consoles()
    code = exit_status(ended.result) or (0 if ended.result.findings else 1)
    if common.as_json or output == "json":
        write_text(out, json_document(ended, code=code))
        raise typer.Exit(code)
    if output == "quickfix":
        write_text(out, quickfix(ended.result.findings, request.workspace))
    else:
        print_findings(ended.result.findings, out)
    print_document(ended.result.document, err)
    print_end(ended, err)
    raise typer.Exit(code)


def _request(file: str | None, told: str, check: str | None) -> Request:
    if file is not None:
        target = target_of_test(file) or parse_target(file)
        return Request(Action.LOCATE, target.workspace, (target,), instruction=told, check=check)
    if not told:
        raise UsageError(
            "there is nothing to go by",
            field="FILE",
            hint="name a file or a failing test, or give --traceback, --issue or -m",
        )
    return Request(Action.LOCATE, workspace_of(Path.cwd()).resolve(), instruction=told, check=check)


def _read(name: str | None, option: str) -> str:
    if name is None:
        return ""
    if name == "-":
        return sys.stdin.read()
    try:
        return Path(name).read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise UsageError(f"{name} cannot be read: {problem.strerror or problem}", field=option) from problem
