"""What a person or a script sees when a command fails, and the exit status it ends with."""

import json

from ensemble_lsp.cli.terminal import one_line, printable
from ensemble_lsp.core import errors
from ensemble_lsp.core.errors import ConfigurationError, EnsembleError, UsageError
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.results import JobResult

DONE = 0
WITHOUT_RESULT = 1
USAGE = 2
UNREACHABLE = 3
OVER_BUDGET = 4
INTERRUPTED = 130

_STATUSES = {
    Status.DONE: DONE,
    Status.NOTHING: DONE,
    Status.ABSTAINED: WITHOUT_RESULT,
    Status.FAILED: UNREACHABLE,
    Status.OVER_BUDGET: OVER_BUDGET,
    Status.CANCELLED: INTERRUPTED,
}

_JOB_KINDS = {
    Status.FAILED: "JobFailed",
    Status.OVER_BUDGET: "BudgetExceeded",
    Status.CANCELLED: "Interrupted",
}


class Interrupted(EnsembleError):
    """The person pressed Ctrl-C where no job was running."""

    exit_code = INTERRUPTED


class NotApplied(EnsembleError):
    """There is a patch and it was not written to the files, which are as they were."""

    exit_code = WITHOUT_RESULT


def exit_status(result: JobResult) -> int:
    """Return the exit status for how a job ended; the kind of its error decides where there is one."""
    if result.status is Status.FAILED:
        kind = getattr(errors, result.error, None)
        if isinstance(kind, type) and issubclass(kind, EnsembleError):
            return kind.exit_code
    return _STATUSES[result.status]


def error_document(problem: EnsembleError) -> dict[str, object]:
    """Return the value of `error` in the `--json` document of a command that failed."""
    document = _error(type(problem).__name__, problem.message, problem.hint, problem.exit_code)
    if isinstance(problem, UsageError | ConfigurationError) and problem.field:
        document["field"] = problem.field
    if isinstance(problem, ConfigurationError) and problem.source:
        document |= {"source": problem.source, "line": problem.line}
    return document


def job_error(result: JobResult) -> dict[str, object] | None:
    """Return the value of `error` for a job that did not come to its own end, else None."""
    if result.status not in _JOB_KINDS:
        return None
    message, _, hint = result.reason.partition("\n")
    return _error(result.error or _JOB_KINDS[result.status], message, hint, exit_status(result))


def failure_json(problem: EnsembleError) -> str:
    """Return the whole document of `--json` for a command that failed before it had a result."""
    return json.dumps({"error": error_document(problem)}, indent=2) + "\n"


def failure_lines(problem: EnsembleError) -> tuple[str, str]:
    """Return the message and what to do next (or ""), safe to print."""
    return printable(problem.message), one_line(problem.hint)


def _error(kind: str, message: str, hint: str, code: int) -> dict[str, object]:
    return {"kind": kind, "message": message, "hint": hint, "exitCode": code}
