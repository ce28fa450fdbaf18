"""The rules of the decision, each on its own."""

from collections.abc import Mapping

from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Evidence, Outcome, Rank, Severity, Strength
from ensemble_lsp.core.proposals import Candidate, FileChange, Standing
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.checking import (
    Assessment,
    Target,
    TargetState,
    added_diagnostics,
    assess,
    regressions,
    targets_of,
    touches_judge,
)
from ensemble_lsp.ensemble.clusters import Contender, cluster
from ensemble_lsp.ensemble.deciding import decide, is_settled, rejection

STRONG = Strength(killed=8, total=10)
WEAK = Strength(killed=4, total=10)
TARGET = (Target("pytest", "tests", frozenset({"t.py::test_a"})),)
TASK = Task(action=Action.FIX, path="m.py")


def contender(
    name: str,
    *families: str,
    target: TargetState = TargetState.GREEN,
    lines: int = 2,
    rejected: str = "",
    contested: int = 0,
    probes: Mapping[str, Outcome] | None = None,
    executed: bool = True,
    supporters: int | None = None,
) -> Contender:
    return Contender(
        Candidate(
            id=name, changes=(), members=families, families=families, changed_lines=lines, rejected=rejected
        ),
        Assessment(target, executed=executed),
        supporters=len(families) if supporters is None else supporters,
        contested=contested,
        probes=probes or {},
    )


def test_red_to_green_is_verified() -> None:
    decision = decide([contender("x", "a")], (), TARGET, STRONG)
    assert (decision.standing, decision.weak) == (Standing.VERIFIED, False)


def test_below_half_of_the_mutants_killed_is_weak() -> None:
    decision = decide([contender("x", "a")], (), TARGET, WEAK)
    assert decision.weak
    assert "40%" in decision.reason
    assert decision.would_settle


def test_unknown_strength_is_weak() -> None:
    assert decide([contender("x", "a")], (), TARGET, None).weak


def test_a_message_of_a_tool_that_is_gone_is_weak_because_nothing_ran() -> None:
    message = Diagnostic(
        path="m.py",
        line=1,
        end_line=1,
        severity=Severity.WARNING,
        source="ruff",
        code="F821",
        message="undefined",
    )
    decision = decide([contender("x", "a")], (), (Target("ruff", "m.py", diagnostic=message),), STRONG)
    assert decision.standing is Standing.VERIFIED
    assert decision.weak


def test_among_verified_ones_more_families_come_first() -> None:
    decision = decide([contender("x", "a", lines=1), contender("y", "b", "c", lines=9)], (), TARGET, STRONG)
    assert decision.chosen is not None
    assert decision.chosen.id == "y"
    assert [item.id for item in decision.alternatives] == ["x"]


def test_among_equals_the_smallest_change_comes_first() -> None:
    decision = decide([contender("x", "a", lines=9), contender("y", "b", lines=1)], (), TARGET, STRONG)
    assert decision.chosen is not None
    assert decision.chosen.id == "y"
    assert "2 different changes pass" in decision.reason


def test_a_contested_test_turns_the_scale_among_equals() -> None:
    decision = decide(
        [contender("x", "a", lines=1, contested=1), contender("y", "b", lines=9)], (), TARGET, STRONG
    )
    assert decision.chosen is not None
    assert decision.chosen.id == "y"


def test_two_families_without_a_target_agree() -> None:
    decision = decide([contender("x", "a", "b", target=TargetState.NONE)], (), (), None)
    assert decision.standing is Standing.AGREED


def test_two_samples_of_one_family_do_not_agree() -> None:
    decision = decide([contender("x", "a", target=TargetState.NONE, supporters=2)], (), (), None)
    assert decision.chosen is not None
    assert decision.standing is Standing.UNVERIFIED


def test_two_equal_changes_that_nothing_tells_apart_are_an_abstention() -> None:
    two = [contender("x", "a", target=TargetState.NONE), contender("y", "b", target=TargetState.NONE)]
    decision = decide(two, (), (), None)
    assert decision.chosen is None
    assert decision.would_settle


def test_nobody_is_proposed_who_leaves_the_check_red() -> None:
    red = contender("x", "a", target=TargetState.RED, rejected="does not fix it")
    decision = decide([red], (), TARGET, STRONG)
    assert decision.chosen is None
    assert "t.py::test_a" in decision.would_settle


def test_settled_means_one_behaviour_and_a_check_that_is_not_weak() -> None:
    one, two = contender("x", "a"), contender("y", "b")
    assert is_settled([one], (), TARGET, STRONG)
    assert not is_settled([one], (), TARGET, WEAK)
    assert not is_settled([one, two], (), TARGET, STRONG)


def test_candidates_that_end_alike_in_every_separating_test_are_one_cluster() -> None:
    passed, failed = {"p": Outcome.PASSED}, {"p": Outcome.FAILED}
    found = cluster(
        [
            contender("x", "a", probes=passed),
            contender("y", "b", probes=passed),
            contender("z", "c", probes=failed),
        ],
        ("p",),
    )
    assert [len(item.contenders) for item in found] == [2, 1]
    assert found[0].families == ("a", "b")


def test_without_separating_tests_different_code_stays_apart() -> None:
    assert len(cluster([contender("x", "a"), contender("y", "b")], ())) == 2


def run(outcome: Outcome, tests: dict[str, Outcome] | None = None, target: str = "tests") -> CheckReport:
    item = Evidence(
        witness="pytest", rank=Rank.EXECUTED, target=target, outcome=outcome, summary="", tests=tests or {}
    )
    return CheckReport(evidence=(item,))


def state(before: CheckReport, after: CheckReport) -> TargetState:
    return assess(before, after, targets_of(before, TASK), {}, {}).target


def test_a_failing_test_is_the_target() -> None:
    before = run(Outcome.FAILED, {"a": Outcome.FAILED, "b": Outcome.PASSED})
    assert targets_of(before, TASK) == (Target("pytest", "tests", frozenset({"a"})),)
    assert state(before, run(Outcome.PASSED, {"a": Outcome.PASSED, "b": Outcome.PASSED})) is TargetState.GREEN


def test_a_failing_test_that_is_no_longer_run_is_not_green() -> None:
    before = run(Outcome.FAILED, {"a": Outcome.FAILED})
    assert state(before, run(Outcome.PASSED, {"b": Outcome.PASSED})) is TargetState.RED


def test_a_check_that_hung_and_ends_now_is_green() -> None:
    assert state(run(Outcome.TIMED_OUT), run(Outcome.PASSED, {"a": Outcome.PASSED})) is TargetState.GREEN


def test_a_tool_that_broke_says_nothing() -> None:
    assert targets_of(run(Outcome.ERROR), TASK) == ()
    assert state(run(Outcome.FAILED), run(Outcome.ERROR)) is TargetState.UNKNOWN


def test_a_test_that_passed_and_fails_now_is_a_regression() -> None:
    before = run(Outcome.FAILED, {"a": Outcome.FAILED, "b": Outcome.PASSED})
    after = run(Outcome.FAILED, {"a": Outcome.PASSED, "b": Outcome.FAILED})
    assert regressions(before, after) == ("b",)
    assert rejection(assess(before, after, targets_of(before, TASK), {}, {}), ()).startswith("breaks")


def test_a_test_that_vanished_in_a_run_that_hung_is_a_regression() -> None:
    assert regressions(run(Outcome.PASSED, {"b": Outcome.PASSED}), run(Outcome.TIMED_OUT)) == ("b",)


def message(line: int, severity: Severity = Severity.WARNING) -> Diagnostic:
    return Diagnostic(
        path="m.py", line=line, end_line=line, severity=severity, source="ruff", code="F401", message="unused"
    )


def test_a_message_that_only_moved_is_not_new() -> None:
    before, after = {"m.py": SourceText("import os\n")}, {"m.py": SourceText("\n\nimport os\n")}
    assert added_diagnostics([message(0)], [message(2)], before, after) == ()


def test_the_same_message_twice_is_new_once() -> None:
    before, after = {"m.py": SourceText("import os\n")}, {"m.py": SourceText("import os\nimport os\n")}
    assert len(added_diagnostics([message(0)], [message(0), message(1)], before, after)) == 1


def test_hints_do_not_reject() -> None:
    texts = {"m.py": SourceText("x\n")}
    assert added_diagnostics([], [message(0, Severity.HINT)], texts, texts) == ()


def changed(path: str, *, created: bool = False) -> FileChange:
    return FileChange(path=path, before=None if created else SourceText("a\n"), after=SourceText("b\n"))


def test_a_change_may_not_edit_the_test_that_judges_it() -> None:
    targets = (Target("pytest", "tests", frozenset({"tests/cases.py::test_a"})),)
    assert touches_judge([changed("tests/cases.py")], targets, TASK) == "tests/cases.py"
    assert touches_judge([changed("test_m.py")], (), TASK) == "test_m.py"
    assert touches_judge([changed("conftest.py", created=True)], (), TASK) == "conftest.py"


def test_the_file_the_person_pointed_at_may_be_changed_whatever_it_is() -> None:
    assert touches_judge([changed("test_m.py")], (), TASK.model_copy(update={"path": "test_m.py"})) == ""


def test_a_fix_that_works_but_adds_a_message_is_offered_unverified() -> None:
    noisy = Contender(
        Candidate(id="x", changes=(), members=("a",), families=("a",), rejected="adds ruff F401: unused"),
        Assessment(TargetState.GREEN, executed=True, added=(message(0),)),
    )
    decision = decide([noisy], (), TARGET, STRONG)
    assert decision.standing is Standing.UNVERIFIED
    assert decision.chosen is not None
    assert "passes now" in decision.reason
