"""GitHub's annotations, written so that no text of a model or a repository can become another command.

The runner reads commands from every line that a step prints: `::name key=value::message` at the beginning of a line,
and the older `##[name]message` anywhere in it.
"""

from ensemble_lsp.cli.formats.report import Report, columns_of
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.markdown import visible

MESSAGE_AT_MOST = 4_000
"""Characters of one message: GitHub cuts off what is longer."""

_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
    Severity.HINT: "notice",
}


def annotations(report: Report) -> str:
    """Return one command a line for each finding, the worst first, and one when the review did not come to its end.

    Lines count from 1, columns in UTF-16 code units from 1.
    """
    lines = [_annotation(report, finding) for finding in report.shown]
    if report.result.status not in {Status.DONE, Status.NOTHING}:
        title = f"Ensemble {report.action.value}: {report.result.status.value}"
        lines.append(command("warning", {"title": title}, report.result.reason))
    return "".join(f"{line}\n" for line in lines)


def command(name: str, properties: dict[str, str | int], message: str) -> str:
    """Return one workflow command on one line."""
    fields = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name}{' ' if fields else ''}{fields}::{_data(visible(message)[:MESSAGE_AT_MOST])}"


def _annotation(report: Report, finding: Finding) -> str:
    properties: dict[str, str | int] = {
        "file": report.path(finding.path),
        "line": finding.line + 1,
        "endLine": finding.end_line + 1,
    }
    lines = report.lines(finding.path)
    columns = None if lines is None else columns_of(lines, finding.line, finding.end_line)
    if columns is not None and finding.line == finding.end_line:
        # GitHub shows columns for single lines only.
        properties |= {"col": columns[0], "endColumn": columns[1]}
    properties["title"] = f"{visible(finding.title)} [{visible(finding.category)}]"
    message = (
        f"{finding.detail}\n{finding.reason}; confidence {finding.band.value} ({finding.confidence:.2f})"
    )
    if finding.dissent:
        count = len(finding.dissent)
        message += f"; {counted(count, 'objection')}"
    return command(_LEVELS[finding.severity], properties, message)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("##[", "%23#[")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
