"""What a test run amounts to: read from the results that pytest's plugin leaves, or from what a runner prints."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ensemble_lsp.checks.site import Ran
from ensemble_lsp.checks.witness import Verdict, cut_short
from ensemble_lsp.core.evidence import Evidence, Outcome

_OUTCOMES = {"passed": Outcome.PASSED, "failed": Outcome.FAILED, "timedOut": Outcome.TIMED_OUT}
_WORDS = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.TIMED_OUT: "timed out"}
_MAX_LINES = 200_000


@dataclass(slots=True)
class PytestResults:
    """What the plugin wrote. Skipped tests are not among `tests`: they neither pass nor fail."""

    tests: dict[str, Outcome] = field(default_factory=dict[str, Outcome])
    skipped: int = 0
    broken: dict[str, str] = field(default_factory=dict[str, str])
    """Files that could not be collected, with the error's last line."""
    running: str = ""
    """The test that was begun and not ended."""
    unfit: dict[str, str] = field(default_factory=dict[str, str])
    """Tests that failed before their own code ran (a fixture is missing or failed)."""
    lines: dict[str, dict[str, frozenset[int]]] = field(default_factory=dict[str, dict[str, frozenset[int]]])
    """Test → file → lines that it ran, 0-based; where they were recorded."""
    exit: int | None = None


def read_results(text: str) -> PytestResults:
    """Read the plugin's lines; a last line that was cut off is passed over."""
    found = PytestResults()
    for line in text.splitlines()[:_MAX_LINES]:
        try:
            entry = cast("object", json.loads(line))
        except ValueError:
            continue
        if isinstance(entry, dict):
            _take(found, cast("dict[str, object]", entry))
    return found


def _take(found: PytestResults, entry: Mapping[str, object]) -> None:
    if "start" in entry:
        found.running = str(entry["start"])
    elif "broken" in entry:
        found.broken[str(entry["broken"])] = str(entry.get("text", ""))
    elif "lines" in entry:
        of = entry.get("of")
        if isinstance(of, dict):
            ran = {str(path): _lines_of(str(text)) for path, text in cast("dict[str, object]", of).items()}
            found.lines[str(entry["lines"])] = ran
    elif "id" in entry:
        name, outcome = str(entry["id"]), str(entry.get("outcome"))
        found.running = "" if found.running == name else found.running
        if outcome in _OUTCOMES:
            found.tests[name] = _OUTCOMES[outcome]
            if outcome == "failed" and entry.get("when") == "setup":
                found.unfit[name] = "setup"
        else:
            found.skipped += 1
    elif isinstance(entry.get("exit"), int):
        found.exit = cast("int", entry["exit"])


def _lines_of(ranges: str) -> frozenset[int]:
    """Read "1-3,5" as 0-based lines; a file has at most a million."""
    lines: set[int] = set()
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (not last or last.isdigit()):
            start, end = int(first) - 1, int(last or first)
            lines.update(range(start, min(end, start + 1_000_000)))
    return frozenset(lines)


def of_pytest(ran: Ran) -> Verdict:
    """Return what a run of pytest amounts to. Only a run that came to its end and reported so can pass."""
    results = read_results(ran.results)
    if not ran.results and not ran.completed.ended and not ran.completed.failed:
        return Verdict(Outcome.ERROR, _last_line(ran.output) or "pytest did not start")
    tests = dict(results.tests)
    early = cut_short(ran.completed)
    if early is not None:
        if results.running:
            tests[results.running] = early.outcome
            return Verdict(early.outcome, f"{early.summary}, in {results.running}", tests)
        return Verdict(early.outcome, early.summary, tests)
    if results.exit is None:
        if results.running:
            tests[results.running] = Outcome.FAILED
        where = f" in {results.running}" if results.running else ""
        return Verdict(Outcome.FAILED, f"the test process died ({_death(ran.completed.code)}){where}", tests)
    summary = _counted(results)
    if results.exit == 0 and Outcome.PASSED in tests.values():
        return Verdict(Outcome.PASSED, summary, tests)
    if results.exit in {0, 5}:
        return Verdict(Outcome.NOT_RUN, summary or "no tests were found", tests)
    if results.exit in {1, 2} or results.broken:
        return Verdict(Outcome.FAILED, summary, tests)
    return Verdict(Outcome.ERROR, _last_line(ran.output) or f"pytest ended with {results.exit}", tests)


def finished_files(told: Evidence, files: Sequence[str]) -> tuple[tuple[str, ...], Evidence] | None:
    """Return the test files that a run got through before its time was over, and its evidence about these alone.

    None when the run came to its end, or did not get through a single file. Files run in the order given.
    """
    if told.outcome is not Outcome.TIMED_OUT:
        return None
    began = {name.partition("::")[0] for name in told.tests}
    through = [
        file for place, file in enumerate(files) if any(later in began for later in files[place + 1 :])
    ]
    tests = {name: outcome for name, outcome in told.tests.items() if name.partition("::")[0] in through}
    if not through or not tests:
        return None
    passed = all(outcome is Outcome.PASSED for outcome in tests.values())
    left = len(files) - len(through)
    summary = f"{_summary_of(tests)}; {left} more test file{'s take' if left > 1 else ' takes'} too long"
    update = {
        "outcome": Outcome.PASSED if passed else Outcome.FAILED,
        "target": " ".join(through),
        "tests": tests,
        "summary": summary,
    }
    return tuple(through), told.model_copy(update=update)


def _counted(results: PytestResults) -> str:
    counts = Counter(outcome.value for outcome in results.tests.values())
    words = [f"{counts[outcome.value]} {word}" for outcome, word in _WORDS.items() if counts[outcome.value]]
    if results.skipped:
        words.append(f"{results.skipped} skipped")
    for path, text in list(results.broken.items())[:1]:
        words.append(f"{path} cannot be collected: {text[:160]}")
    return ", ".join(words)


def _death(code: int | None) -> str:
    if code is None:
        return "killed"
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


_CARGO_LINE = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)", re.MULTILINE)


def of_exit_code(ran: Ran, tests: Mapping[str, Outcome] | None = None) -> Verdict:
    """Return what a command amounts to of which only the exit code is known, or tests besides."""
    early = cut_short(ran.completed)
    named = dict(tests or {})
    if early is not None:
        return Verdict(early.outcome, early.summary, named)
    code = ran.completed.code
    last = _last_line(ran.output)
    if code == 0:
        return Verdict(Outcome.PASSED, _summary_of(named) or last or "exit code 0", named)
    how = _death(code)
    return Verdict(Outcome.FAILED, f"{how}: {_summary_of(named) or last}".rstrip(": "), named)


def _summary_of(tests: Mapping[str, Outcome]) -> str:
    return _counted(PytestResults(tests=dict(tests))) if tests else ""


def cargo_tests(output: str) -> dict[str, Outcome]:
    """Read the lines of Rust's test harness; ignored tests are left out."""
    return {
        name: Outcome.PASSED if word == "ok" else Outcome.FAILED
        for name, word in _CARGO_LINE.findall(output)
        if word != "ignored"
    }


def go_tests(output: str) -> dict[str, Outcome]:
    """Read the lines of `go test -json`: package and test name, skipped ones left out."""
    found: dict[str, Outcome] = {}
    for line in output.splitlines()[:_MAX_LINES]:
        try:
            event = cast("object", json.loads(line))
        except ValueError:
            continue
        if isinstance(event, dict):
            fields = cast("dict[str, object]", event)
            action, test = fields.get("Action"), fields.get("Test")
            if test and action in {"pass", "fail"}:
                outcome = Outcome.PASSED if action == "pass" else Outcome.FAILED
                found[f"{fields.get('Package')}::{test}"] = outcome
    return found


def javascript_tests(report: str, relative: Mapping[str, str] | None = None) -> dict[str, Outcome]:
    """Read the JSON report that Jest and Vitest share: file and full test name; skipped ones left out.

    `relative` maps a prefix of file names to what replaces it.
    """
    try:
        data = cast("object", json.loads(report))
    except ValueError:
        return {}
    found: dict[str, Outcome] = {}
    suites = cast("dict[str, object]", data).get("testResults") if isinstance(data, dict) else None
    for suite in cast("list[dict[str, object]]", suites) if isinstance(suites, list) else []:
        path = str(suite.get("name", ""))
        for prefix, replacement in (relative or {}).items():
            path = path.replace(prefix, replacement)
        cases = suite.get("assertionResults")
        for case in cast("list[dict[str, object]]", cases) if isinstance(cases, list) else []:
            outcome = _OUTCOMES.get(str(case.get("status")))
            if outcome is not None:
                found[f"{path}::{case.get('fullName')}"] = outcome
    return found
