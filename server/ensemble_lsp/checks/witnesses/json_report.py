"""The report that a scanner prints as JSON: bandit's and semgrep's both list what they found under `results`."""

import json
from dataclasses import dataclass
from typing import cast

from ensemble_lsp.checks.site import Ran
from ensemble_lsp.checks.witness import Verdict, cut_short
from ensemble_lsp.core.evidence import Outcome


@dataclass(frozen=True, slots=True)
class Report:
    """What was printed."""

    entries: list[dict[str, object]]
    errors: list[dict[str, object]]


def report_of(ran: Ran) -> Report | Verdict:
    """Return the report, or the verdict of a run that was cut short or printed none."""
    early = cut_short(ran.completed)
    if early is not None:
        return early
    start = ran.stdout.find("{")
    try:
        report = cast("dict[str, object]", json.loads(ran.stdout[start:] if start >= 0 else ""))
        entries = cast("list[dict[str, object]]", report["results"])
    except (ValueError, KeyError):
        return Verdict(Outcome.ERROR, _last_line(ran.output))
    return Report(entries, cast("list[dict[str, object]]", report.get("errors") or []))


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else "no answer"
