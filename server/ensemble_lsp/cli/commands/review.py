"""`ensemble-lsp review`: findings that a witness or a second family stands behind."""

from dataclasses import replace
from typing import Annotated

import typer
from typer import Context

from ensemble_lsp.cli import options
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.failures import DONE, WITHOUT_RESULT, exit_status
from ensemble_lsp.cli.formats.choosing import Format, copies_of
from ensemble_lsp.cli.help_columns import PlainCommand
from ensemble_lsp.cli.reporting import report_of, show_report
from ensemble_lsp.cli.review_request import LAST_COMMIT, review_request
from ensemble_lsp.cli.running import run_job
from ensemble_lsp.cli.suggesting import FIXES_AT_MOST
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.results import JobResult

EPILOG = examples(
    "review src/cart.py",
    "review src/cart.py:10-80 --fail-on critical",
    "review src/cart.py src/pay.py --mode quick --json",
    "review . --budget 5",
    "review --staged --fail-on warning",
    "review --diff main src/",
    "review --diff origin/main...HEAD --rules-from origin/main",
)

_ORDER = (Severity.HINT, Severity.INFO, Severity.WARNING, Severity.CRITICAL)


class ReviewCommand(PlainCommand):
    """The command with a `--diff` whose value may be left out, which typer cannot say."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Read a `--diff` that nothing follows, or another option, as one with an empty value."""
        end = args.index("--") if "--" in args else len(args)
        read = [
            f"--diff={LAST_COMMIT}"
            if word == "--diff" and number < end and (number + 1 >= end or args[number + 1].startswith("-"))
            else word
            for number, word in enumerate(args)
        ]
        return super().parse_args(ctx, read)


@options.with_common_options
def review(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH[:LINE[-LINE]]",
            help="What to review: files, lines of one file, folders. With --diff or --staged: what to limit it to.",
        ),
    ] = None,
    diff: Annotated[
        str | None,
        typer.Option(
            "--diff",
            metavar="[BASE]",
            help="Review what changed since BASE, or where HEAD left that branch; without BASE since the last commit. "
            "BASE...HEAD leaves out what is not committed.",
        ),
    ] = None,
    staged: Annotated[
        bool, typer.Option("--staged", help="Review what is staged for the next commit.")
    ] = False,
    all_lines: Annotated[
        bool,
        typer.Option("--all-lines", help="Of a change, report findings on lines that it did not touch, too."),
    ] = False,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Of folders, look at every file anew, also where an earlier review of the same text is kept.",
        ),
    ] = False,
    rules_from: Annotated[
        str | None,
        typer.Option(
            "--rules-from",
            metavar="REV",
            help="Read settings, ignore files, AGENTS.md and dismissals as they are at REV, and obey them; "
            "nothing of the folder is run for that.",
        ),
    ] = None,
    fail_on: Annotated[
        Severity | None,
        typer.Option(
            "--fail-on",
            metavar="SEVERITY",
            help="Exit with 1 on findings at or above this severity: critical, warning, info or hint.",
        ),
    ] = None,
    output: Annotated[
        Format,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="How findings are printed: text, json, sarif, github or markdown.",
        ),
    ] = "text",
    reports: Annotated[
        list[str] | None,
        typer.Option(
            "--report",
            metavar="FORMAT=FILE",
            help="Write the result in this format, too; may be given often.",
        ),
    ] = None,
    fixes: Annotated[
        int,
        typer.Option(
            "--fixes",
            metavar="N",
            min=0,
            max=FIXES_AT_MOST,
            help="Ask for a checked patch for each of the N worst findings, under the same budget.",
        ),
    ] = 0,
    instruction: Annotated[
        str, typer.Option("-m", "--message", metavar="TEXT", help="What to look for especially.")
    ] = "",
    dismissed: Annotated[
        bool,
        typer.Option("--dismissed", help="Show what was dismissed before, too; --fail-on then counts it."),
    ] = False,
    *,
    common: options.Common,
) -> None:
    """Review files or a change: blind finders, witnesses, and a challenger of another family for what stands alone.

    Of a change only findings on the lines that it touched are reported. Of folders the riskiest files come first, and
    a review that ended early goes on where it was when the same command is given again.

    Exit status: 0 done, 1 findings at or above --fail-on, 2 usage, 3 no model or bad configuration,
    4 over budget, 130 interrupted.
    """
    output = "json" if common.as_json else output
    common = replace(common, as_json=output == "json")
    copies = copies_of(reports or [])
    request = review_request(
        paths or [],
        diff=diff,
        staged=staged,
        instruction=instruction,
        all_lines=all_lines,
        rules_from=rules_from,
        fixes=fixes,
        fresh=fresh,
    )
    ended = run_job(request, common)
    code = exit_status(ended.result)
    if code == DONE and fail_on is not None and _reaches(ended.result, fail_on, dismissed=dismissed):
        code = WITHOUT_RESULT
    report = report_of(request, ended, code, with_dismissed=dismissed)
    show_report(report, ended, output, copies)
    raise typer.Exit(code)


def _reaches(result: JobResult, bar: Severity, *, dismissed: bool) -> bool:
    return any(
        (finding.admitted or (dismissed and finding.dismissed is not None))
        and _ORDER.index(finding.severity) >= _ORDER.index(bar)
        for finding in result.findings
    )
