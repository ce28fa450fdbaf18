"""`ensemble-lsp bench`: does the panel earn its price, on your own code or on a set of cases?"""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.report.contents import Report, report
from ensemble_lsp.bench.report.markdown import to_markdown
from ensemble_lsp.bench.report.page import to_html
from ensemble_lsp.bench.ways.catalogue import DEFAULT, DEFINITIONS
from ensemble_lsp.cli.bench_options import BenchOptions
from ensemble_lsp.cli.benchmarking import Benched, run_bench
from ensemble_lsp.cli.columns import print_columns
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.options import with_options_of
from ensemble_lsp.cli.render import print_document
from ensemble_lsp.cli.terminal import consoles, one_line, write_text
from ensemble_lsp.core.errors import UsageError

EPILOG = examples("bench fix", "bench review --cases 10 --local", "bench fix --ways list")
FIX_EPILOG = examples(
    "bench fix",
    "bench fix bugs.jsonl --cases 40 --check visible --html report.html",
    "bench fix --ways single,samples,panel --budget 2 --yes",
    "bench fix --ways list",
)
REVIEW_EPILOG = examples(
    "bench review --only src/shop",
    "bench review bugs.jsonl --cases 20 --markdown report.md",
    "bench review --ways single,panel,debate,debate-no-critique --local",
)

app = typer.Typer(
    epilog=EPILOG, help="Compare the panel with its members alone, on the same cases and checks."
)

SetArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="SET",
        help="A JSONL file of programs with known bugs; without one, mutants of your own tested functions.",
        exists=True,
        dir_okay=False,
    ),
]


@app.command(epilog=FIX_EPILOG)
@with_options_of(BenchOptions, "options")
def fix(target: SetArgument = None, *, options: BenchOptions) -> None:
    """Fix known bugs in several ways of answering: how many each solves, how often it is wrong, what it costs.

    The estimate is shown, and nothing is asked before you agree. The same command goes on where a run ended.

    Exit status: 0 done, 2 usage, 3 no model, no trust or nobody agreed, 4 over budget, 130 interrupted.
    """
    _bench(Subject.FIX, target, options)


@app.command(epilog=REVIEW_EPILOG)
@with_options_of(BenchOptions, "options")
def review(target: SetArgument = None, *, options: BenchOptions) -> None:
    """Look for known bugs in several ways of answering: what each finds, and its false alarms on clean code.

    The estimate is shown, and nothing is asked before you agree. The same command goes on where a run ended.

    Exit status: 0 done, 2 usage, 3 no model, no trust or nobody agreed, 4 over budget, 130 interrupted.
    """
    _bench(Subject.REVIEW, target, options)


def _bench(subject: Subject, target: Path | None, options: BenchOptions) -> None:
    out, err = consoles()
    if options.ways == "list":
        rows = [
            (kind.value, what, "default" if kind in DEFAULT else "") for kind, what in DEFINITIONS.items()
        ]
        print_columns(out, ("way", "what it does", ""), rows, flexible=1)
        return
    for file in (options.markdown, options.html):
        if file is not None and not os.access(file if file.exists() else file.absolute().parent, os.W_OK):
            raise UsageError(f"{file} cannot be written", hint="nothing was asked")
    benched = run_bench(subject, target, options)
    made = report(benched.head, benched.outcomes)
    _write(made, options)
    if options.as_json:
        write_text(out, made.to_json())
    else:
        print_document(to_markdown(made), out)
    _tell_end(benched, err)
    raise typer.Exit(benched.stopped.exit_code if benched.stopped is not None else 0)


def _write(made: Report, options: BenchOptions) -> None:
    if options.markdown is not None:
        options.markdown.write_text(to_markdown(made), encoding="utf-8")
    if options.html is not None:
        options.html.write_text(to_html(made), encoding="utf-8")


def _tell_end(benched: Benched, err: Console) -> None:
    if benched.stopped is not None:
        err.print(one_line(benched.stopped.message), style="yellow", soft_wrap=True)
        if benched.stopped.hint:
            err.print(f"  {one_line(benched.stopped.hint)}", soft_wrap=True)
    err.print(one_line(f"the record is in {benched.directory}"), soft_wrap=True)
