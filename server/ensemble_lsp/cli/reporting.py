"""Puts a result on standard output in the format that was asked for, and into the files that were named."""

from ensemble_lsp.cli.formats.choosing import WRITERS, Copy, Format, write_copy
from ensemble_lsp.cli.formats.report import Report, fixes_in, prefix_of
from ensemble_lsp.cli.render import json_document, print_end, print_findings, print_fixes
from ensemble_lsp.cli.running import Ended, Request
from ensemble_lsp.cli.terminal import consoles, write_for_programs, write_text


def report_of(request: Request, ended: Ended, code: int, *, with_dismissed: bool = False) -> Report:
    """Return what formats need of a job that ended; `code` is the command's exit status."""
    return Report(
        job=ended.job,
        action=request.action,
        result=ended.result,
        code=code,
        workspace=request.workspace,
        prefix=prefix_of(request.workspace),
        with_dismissed=with_dismissed,
        fixes=ended.fixes or fixes_in(ended.result),
    )


def show_report(report: Report, ended: Ended, form: Format, copies: tuple[Copy, ...]) -> None:
    """Print the findings as `form` and write the copies; the files first, since a reader of the output may go away.

    Raises `EnsembleError` when a file cannot be written.
    """
    out, err = consoles()
    for copy in copies:
        write_copy(copy, text_of(report, ended, copy.form))
    if form == "text":
        print_findings(ended.result.findings, out, dismissed=report.with_dismissed)
        print_fixes(ended.result.findings, ended.fixes, out)
    elif form == "markdown":
        write_text(out, text_of(report, ended, form))
    elif form == "github":
        write_for_programs(out, text_of(report, ended, form))
    else:
        # The same document for who parses it, and no command in a log.
        write_for_programs(out, text_of(report, ended, form).replace("##[", "\\u0023#["))
    if form != "json":
        print_end(ended, err)


def text_of(report: Report, ended: Ended, form: Format) -> str:
    """Return the result in a format that is not for a person at a terminal."""
    return json_document(ended, code=report.code) if form == "json" else WRITERS[form](report)
