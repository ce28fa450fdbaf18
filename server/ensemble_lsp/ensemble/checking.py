"""What the checks of a candidate mean, next to the same checks on the code as it is. Pure functions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Evidence, Outcome, Rank, Severity
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText, split_lines

RED = frozenset({Outcome.FAILED, Outcome.TIMED_OUT})
"""Outcomes that say that the code is wrong. `error` says that the tool is, `notRun` says nothing."""

_STEERS_TESTS = frozenset({"conftest.py", "sitecustomize.py", "usercustomize.py", "pytest.ini", "tox.ini"})


@dataclass(frozen=True, slots=True)
class Target:
    """Something red on the code as it is, which a fix is to turn green."""

    witness: str
    target: str
    tests: frozenset[str] = frozenset()
    """The tests that fail; empty for a check that reports none by name."""
    diagnostic: Diagnostic | None = None
    """Set when the target is a message of a static tool."""
    elsewhere: int = 0
    """How often the tool says the same of other places, which are not to change."""

    @property
    def executed(self) -> bool:
        """Whether turning it green takes running the code."""
        return self.diagnostic is None

    def __str__(self) -> str:
        if self.diagnostic is not None:
            return f"{self.diagnostic.source} {self.diagnostic.code}".strip()
        if len(self.tests) == 1:
            return next(iter(self.tests))
        return f"{len(self.tests)} tests" if self.tests else self.target


class TargetState(StrEnum):
    """Where the targets stand with a candidate in place."""

    GREEN = "green"
    RED = "red"
    UNKNOWN = "unknown"
    """There are targets, and their checks did not come to an end."""
    NONE = "none"
    """Nothing was red before."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the checks say of one candidate, compared with the code as it is."""

    target: TargetState
    checked: bool = True
    """False when the checks were cut off or could not run."""
    executed: bool = False
    """Whether any check ran the code and came to an end."""
    regressed: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    """Tests that failed before and pass now."""
    added: tuple[Diagnostic, ...] = ()
    """New messages of critical or warning severity."""
    failing: tuple[Evidence, ...] = ()
    """Executed checks that did not pass, for the author to see."""
    red: tuple[Target, ...] = ()
    """The targets that are still red."""


def targets_of(baseline: CheckReport, task: Task) -> tuple[Target, ...]:
    """Return what is red on the code as it is: failing checks, and the messages that triggered the fix."""
    targets: list[Target] = []
    for item in baseline.executed:
        if item.outcome in RED:
            failing = frozenset(name for name, outcome in item.tests.items() if outcome is not Outcome.PASSED)
            # A run that hung has not reported the test it hung in, so only its end counts.
            names = failing if item.outcome is Outcome.FAILED else frozenset[str]()
            targets.append(Target(item.witness, item.target, names))
    if targets:
        return tuple(targets)
    wanted = {(item.path, item.source, item.code, item.message) for item in task.diagnostics}
    return tuple(
        Target(item.source, item.path, diagnostic=item)
        for item in baseline.diagnostics
        if (item.path, item.source, item.code, item.message) in wanted
    )


def assess(
    baseline: CheckReport,
    report: CheckReport,
    targets: Sequence[Target],
    before: Mapping[str, SourceText],
    after: Mapping[str, SourceText],
) -> Assessment:
    """Compare a candidate's report with the baseline's.

    `before` and `after` map paths to texts: messages are recognised by the line they speak of, so that a
    message that only moved is not new.
    """
    executed = report.executed
    states = [_state(target, report) for target in targets]
    if not states:
        target = TargetState.NONE
    elif any(state is TargetState.RED for state in states):
        target = TargetState.RED
    elif any(state is TargetState.UNKNOWN for state in states):
        target = TargetState.UNKNOWN
    else:
        target = TargetState.GREEN
    return Assessment(
        target=target,
        executed=any(item.outcome is not Outcome.ERROR for item in executed),
        regressed=regressions(baseline, report),
        mended=tuple(
            name
            for name, outcome in baseline.tests.items()
            if outcome in RED and report.tests.get(name) is Outcome.PASSED
        ),
        added=added_diagnostics(baseline.diagnostics, report.diagnostics, before, after),
        failing=tuple(item for item in executed if item.outcome is not Outcome.PASSED),
        red=tuple(item for item, state in zip(targets, states, strict=True) if state is TargetState.RED),
    )


def regressions(baseline: CheckReport, report: CheckReport) -> tuple[str, ...]:
    """Return the tests (or unnamed checks) that passed before and do not pass now."""
    lost: list[str] = []
    now_by_check = {(item.witness, item.target): item for item in report.executed}
    for was in baseline.executed:
        now = now_by_check.get((was.witness, was.target))
        if now is None or now.outcome is Outcome.ERROR:
            continue
        for name, outcome in was.tests.items():
            if outcome is not Outcome.PASSED:
                continue
            # A test that is no longer reported was lost only when the run did not end well.
            missing = Outcome.PASSED if now.outcome is Outcome.PASSED else now.outcome
            if now.tests.get(name, missing) is not Outcome.PASSED:
                lost.append(name)
        if not was.tests and was.outcome is Outcome.PASSED and now.outcome in RED:
            lost.append(was.target)
    return tuple(lost)


def added_diagnostics(
    old: Sequence[Diagnostic],
    new: Sequence[Diagnostic],
    before: Mapping[str, SourceText],
    after: Mapping[str, SourceText],
) -> tuple[Diagnostic, ...]:
    """Return the messages of critical or warning severity that are in `new` more often than in `old`."""
    left = Counter(_fingerprint(item, before) for item in old)
    added: list[Diagnostic] = []
    for item in new:
        key = _fingerprint(item, after)
        if left[key] > 0:
            left[key] -= 1
        elif item.severity in {Severity.CRITICAL, Severity.WARNING}:
            added.append(item)
    return tuple(added)


def touches_judge(changes: Sequence[FileChange], targets: Sequence[Target], task: Task) -> str:
    """Return the path of a test file that decides over the change and is changed by it, or "".

    What steers a test run (conftest.py and the like) may not be created either. The file that the person
    pointed at may be changed, whatever it is.
    """
    judges = {name.split("::", maxsplit=1)[0] for target in targets for name in target.tests}
    for change in changes:
        if change.path != task.path and (change.path in judges or is_judge(change)):
            return change.path
    return ""


def is_test_path(path: str) -> bool:
    """Whether a path is one of a test by its name or its folder."""
    parts = PurePosixPath(path).parts
    name = parts[-1] if parts else ""
    stem = name.split(".", 1)[0]
    named = (
        stem.startswith("test_") or stem.endswith(("_test", "_spec")) or ".test." in name or ".spec." in name
    )
    return named or name == "conftest.py" or bool({"tests", "test", "__tests__"} & set(parts[:-1]))


def is_judge(change: FileChange) -> bool:
    """Whether a change is one of an existing test file, or of what steers a test run (also when it creates it)."""
    name = PurePosixPath(change.path).name
    is_test = change.before is not None and (name.startswith("test_") or "_test." in name)
    return is_test or name in _STEERS_TESTS


def _state(target: Target, report: CheckReport) -> TargetState:
    if target.diagnostic is not None:
        wanted = target.diagnostic
        key = (wanted.path, wanted.source, wanted.code, wanted.message)
        said = sum((item.path, item.source, item.code, item.message) == key for item in report.diagnostics)
        if said > target.elsewhere:
            return TargetState.RED
        # A tool that crashed, or was ended, is silent too, and so are the others about what it alone reports.
        ran = any(
            item.rank is Rank.STATIC
            and item.outcome in {Outcome.PASSED, Outcome.FAILED}
            and _same_tool(item.witness, wanted.source)
            for item in report.evidence
        )
        return TargetState.GREEN if ran else TargetState.UNKNOWN
    for item in report.executed:
        if (item.witness, item.target) != (target.witness, target.target):
            continue
        if item.outcome is Outcome.PASSED:
            # A named test that is no longer run has not passed: it may have been skipped or removed.
            ran_all = all(item.tests.get(name) is Outcome.PASSED for name in target.tests)
            return TargetState.GREEN if ran_all else TargetState.RED
        return TargetState.RED if item.outcome in RED else TargetState.UNKNOWN
    return TargetState.UNKNOWN


def _same_tool(witness: str, source: str) -> bool:
    """Whether messages of `source` come from this witness: "cargo" is what "cargo check" prints."""
    return witness.split(" ", maxsplit=1)[0] == source.split(" ", maxsplit=1)[0]


def _fingerprint(item: Diagnostic, texts: Mapping[str, SourceText]) -> tuple[str, str, str, str]:
    source = texts.get(item.path)
    lines = split_lines(source.text) if source is not None else []
    text = lines[item.line].strip() if item.line < len(lines) else ""
    return item.fingerprint(text)
