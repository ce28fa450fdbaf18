"""Semgrep with the project's own rules, where both are there: it is no dependency, and no rule is ever fetched."""

import re
from collections.abc import Iterable, Sequence
from typing import cast

from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Ran, Site
from ensemble_lsp.checks.toolchains import Toolchain
from ensemble_lsp.checks.witness import (
    Project,
    Targets,
    Verdict,
    evidence,
    not_run,
    of_diagnostics,
    without_report,
)
from ensemble_lsp.checks.witnesses.json_report import report_of
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Outcome, Rank, Severity

RULE_FILES = (".semgrep.yml", ".semgrep.yaml", "semgrep.yml", "semgrep.yaml")
RULE_FOLDER = ".semgrep"
_OPTIONS = (
    "scan",
    "--json",
    "--quiet",
    "--metrics",
    "off",
    "--disable-version-check",
    "--no-git-ignore",  # the copy is no repository, and which files are looked at is ours to say
    "--no-rewrite-rule-ids",
)
_SEVERITIES = {
    "CRITICAL": Severity.CRITICAL,
    "HIGH": Severity.CRITICAL,
    "ERROR": Severity.CRITICAL,
    "MEDIUM": Severity.WARNING,
    "WARNING": Severity.WARNING,
    "LOW": Severity.INFO,
    "INFO": Severity.INFO,
}
"""Semgrep's two scales, the older of which ends at ERROR."""
_ENVIRONMENT = {
    # The run's own, not the workspace's modules: it is a Python program like those that it looks at.
    "PYTHONPATH": "",
    "PYTEST_PLUGINS": "",
    "SEMGREP_SEND_METRICS": "off",
    "SEMGREP_ENABLE_VERSION_CHECK": "0",
}
_CWE = re.compile(r"CWE[-_ ]?0*(\d{1,5})\b", re.IGNORECASE)


def rule_places(files: Iterable[str]) -> tuple[str, ...]:
    """Return the files and the folder at the workspace's root that hold rules of its own, in a fixed order."""
    known = frozenset(files)
    found = [name for name in RULE_FILES if name in known]
    if any(path.startswith(f"{RULE_FOLDER}/") and path.endswith((".yml", ".yaml")) for path in known):
        found.append(RULE_FOLDER)
    return tuple(found)


class SemgrepWitness:
    """Matches the project's rules against the targets, of whatever language they are."""

    name = "semgrep"
    executes = True
    rank = Rank.STATIC

    def __init__(self, project: Project, program: Toolchain) -> None:
        self._places = rule_places(project.files)
        self._program = program

    def applies(self, project: Project, targets: Targets) -> bool:
        """Whether there are rules of the project's own, and a file to look at; those of strangers are not run."""
        return project.trusted and bool(self._places) and bool(_looked_at(targets))

    def target(self, targets: Targets) -> str:
        """Return the paths."""
        return " ".join(_looked_at(targets))

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Scan what the shadow holds."""
        paths = [f"./{path}" for path in _looked_at(targets) if site.has(path)]
        if not paths:
            return not_run(self, targets, "no such file")
        rules = [word for place in self._places for word in ("--config", place)]
        argv = [self._program.program, *_OPTIONS, *rules, "--", *paths]
        ran = await site.run(argv, limits, environment=_ENVIRONMENT, toolchain=self._program)
        return without_report(evidence(self, targets, of_semgrep(ran), ran, site.label))


def _looked_at(targets: Targets) -> tuple[str, ...]:
    return tuple(path for path in targets.paths if path not in rule_places((path,)))


def of_semgrep(ran: Ran) -> Verdict:
    """Read semgrep's JSON. A rule or a file that it could not read makes its silence worth nothing."""
    report = report_of(ran)
    if isinstance(report, Verdict):
        return report
    found = tuple(dict.fromkeys(_diagnostic(entry) for entry in report.entries))
    problem = _problem(report.errors)
    if problem:
        return Verdict(Outcome.ERROR, problem, diagnostics=found)
    return of_diagnostics(found)


def _diagnostic(entry: dict[str, object]) -> Diagnostic:
    extra = cast("dict[str, object]", entry["extra"])
    start, end = (cast("dict[str, int]", entry[name]) for name in ("start", "end"))
    message = " ".join(str(extra.get("message", "")).split())
    numbers = _cwes(extra.get("metadata"))
    return Diagnostic(
        path=str(entry["path"]).removeprefix("./"),
        line=start["line"] - 1,
        end_line=max(start["line"], end["line"]) - 1,
        severity=_SEVERITIES.get(str(extra.get("severity")).upper(), Severity.HINT),
        source="semgrep",
        code=str(entry["check_id"]),
        message=f"{message} ({', '.join(numbers)})" if numbers else message,
    )


def _cwes(metadata: object) -> list[str]:
    """Return the ids that a rule names, "CWE-89: SQL …" or a list of such."""
    said = cast("dict[str, object]", metadata).get("cwe") if isinstance(metadata, dict) else None
    texts = cast("Sequence[object]", said) if isinstance(said, list) else [said]
    numbers = [match.group(1) for text in texts if (match := _CWE.search(str(text)))]
    return [f"CWE-{number}" for number in dict.fromkeys(numbers)]


def _problem(errors: Sequence[dict[str, object]]) -> str:
    """Return the first trouble with a rule or a file; what only warns of a file hides matches, too (a time-out)."""
    first = next((item for item in errors if item.get("level") == "error" or item.get("path")), None)
    if first is None:
        return ""
    text = " ".join(str(first.get("message") or first.get("long_msg") or first.get("type")).split())
    return f"semgrep: {text}"[:300]
