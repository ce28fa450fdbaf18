"""When a security patch counts: what showed the hole is silent because the hole is gone, not for another reason."""

from collections.abc import Sequence

import pytest

from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Evidence, Outcome, Rank, Severity
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.checking import Target, TargetState, assess
from ensemble_lsp.ensemble.diagnosing import same_weakness
from ensemble_lsp.ensemble.securing import refuse_silencing, reject_unsilenced, reported_holes
from tests.support.scripted_checks import ScriptedChecks

TEXTS = {"a.py": SourceText("one\ntwo\n"), "b.py": SourceText("three\n")}


def message(
    path: str = "a.py",
    line: int = 0,
    *,
    source: str = "secrets",
    code: str = "assigned-secret",
    words: str = "A hard-coded credential: assigned secret (CWE-798)",
    end_line: int | None = None,
) -> Diagnostic:
    return Diagnostic(
        path=path,
        line=line,
        end_line=line if end_line is None else end_line,
        severity=Severity.WARNING,
        source=source,
        code=code,
        message=words,
    )


def report(*told: Diagnostic, outcome: Outcome | None = None, witness: str = "secrets") -> CheckReport:
    """Return what one tool said, beside another that has nothing to say."""
    ended = outcome or (Outcome.FAILED if told else Outcome.PASSED)
    said = Evidence(
        witness=witness, rank=Rank.STATIC, target="a.py", outcome=ended, summary="", diagnostics=told
    )
    silent = Evidence(
        witness="ruff", rank=Rank.STATIC, target="a.py", outcome=Outcome.PASSED, summary="nothing to report"
    )
    return CheckReport(evidence=(silent, said))


def holes(found: CheckReport) -> tuple[Target, ...]:
    return reported_holes(found, Task(action=Action.SECURE, path="a.py", diagnostics=found.diagnostics))


def judged(before: CheckReport, after: CheckReport) -> tuple[TargetState, str]:
    """Return where the holes stand after a change, and why it is rejected."""
    targets = holes(before)
    assessment = assess(before, after, targets, TEXTS, TEXTS)
    return assessment.target, reject_unsilenced(assessment, targets)


def test_a_hole_that_is_no_longer_reported_is_closed():
    assert judged(report(message()), report()) == (TargetState.GREEN, "")


@pytest.mark.parametrize("outcome", [Outcome.TIMED_OUT, Outcome.ERROR, Outcome.NOT_RUN])
def test_a_tool_that_broke_on_the_patch_counted_as_silent(outcome: Outcome):
    assert judged(report(message()), report(outcome=outcome)) == (TargetState.UNKNOWN, "")


def test_of_two_holes_the_one_that_is_left_is_named():
    other = message(line=1, code="github-token", words="A hard-coded credential: GitHub token (CWE-798)")

    state, why = judged(report(message(), other), report(other))

    assert state is TargetState.RED
    assert why == "does not silence what showed the hole: secrets github-token still reported"


def test_a_hole_that_is_moved_within_the_file_is_still_reported():
    assert judged(report(message()), report(message(line=1)))[0] is TargetState.RED


def test_a_hole_that_is_moved_to_another_file_is_not_closed():
    _, why = judged(report(message()), report(message("b.py")))

    assert why == "only moves the hole: secrets assigned-secret is reported in b.py:1 now"


def refused(path: str, before: str, after: str) -> str:
    changes = (FileChange(path=path, before=SourceText(before), after=SourceText(after)),)
    task = Task(action=Action.SECURE, path="a.py")
    return refuse_silencing(changes, (), task, ScriptedChecks(TEXTS, "a.py", None))


@pytest.mark.parametrize(
    "path", [".semgrep.yml", ".semgrep/rules/sql.yaml", "semgrep.yaml", ".semgrepignore", ".bandit"]
)
def test_the_rules_of_a_tool_are_not_changed_by_a_patch_that_it_judges(path: str):
    assert refused(path, "rules: [{}]\n", "rules: []\n") == f"changes {path}, which says what tools report"


@pytest.mark.parametrize("comment", ["# nosec", "# nosemgrep: no-shell-true", "// nosemgrep", "# noqa: S602"])
def test_a_comment_that_silences_a_tool_is_refused(comment: str):
    assert refused("a.py", "run(x)\n", f"run(x)  {comment}\n") == "silences a tool by a comment in a.py"


def sources(groups: Sequence[Sequence[Diagnostic]]) -> list[list[str]]:
    return [[item.source for item in group] for group in groups]


def shell(source: str, line: int = 0, end_line: int = 0, cwe: str = "CWE-78") -> Diagnostic:
    return message(line=line, end_line=end_line, source=source, code="x", words=f"{source} says so ({cwe})")


def test_tools_that_name_one_weakness_on_the_same_lines_are_one_finding_of_the_one_that_is_always_there():
    assert sources(same_weakness([shell("semgrep", 0, 3), shell("bandit", 2, 2)])) == [["bandit", "semgrep"]]


def test_a_slight_message_stands_behind_a_finding_and_is_none_itself():
    slight = shell("bandit", 4, 4)
    assert sources(same_weakness([shell("semgrep", 4, 4)], [slight, shell("bandit", 9, 9)])) == [
        ["semgrep", "bandit"]
    ]


def test_hard_coded_passwords_and_credentials_are_the_same_weakness():
    assert sources(same_weakness([shell("bandit", cwe="CWE-259"), shell("secrets", cwe="CWE-798")])) == [
        ["bandit", "secrets"]
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (shell("bandit"), shell("semgrep", cwe="CWE-89")),
        (shell("bandit"), shell("semgrep", 1, 1)),
        (shell("semgrep"), shell("semgrep")),
        (shell("bandit", cwe="no number"), shell("semgrep", cwe="no number")),
    ],
)
def test_other_weaknesses_other_lines_and_one_tool_twice_stay_apart(one: Diagnostic, other: Diagnostic):
    assert len(same_weakness([one, other])) == 2
