"""The rules of a refactoring: what ran before runs now, no tool has more to say, and tests keep what they assert."""

from collections.abc import Sequence

from ensemble_lsp.core.evidence import CheckReport, Outcome, Strength
from ensemble_lsp.core.proposals import Candidate, FileChange, Standing
from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.checking import Assessment, Target, is_judge
from ensemble_lsp.ensemble.clusters import Contender, cluster
from ensemble_lsp.ensemble.deciding import Decision, nothing_survives, rejection
from ensemble_lsp.ensemble.ports import CheckPort
from ensemble_lsp.ensemble.prompts.refactoring import REFACTORING
from ensemble_lsp.ensemble.renaming import only_names_changed
from ensemble_lsp.ensemble.undertaking import Undertaking

_STANDINGS = {
    (Standing.VERIFIED, False): "tests end as before",
    (Standing.VERIFIED, True): "tests end as before, but they are weak",
    (Standing.AGREED, False): "agreed, not executed",
    (Standing.UNVERIFIED, False): "not verified",
}

_FOR_YOU = "whether it is what you asked for, no tool can tell"


def no_targets(report: CheckReport, task: Task) -> tuple[Target, ...]:
    """Return nothing: what fails before may go on failing, and nothing has to turn green."""
    del report, task
    return ()


def refuse_changed_tests(
    changes: Sequence[FileChange], targets: Sequence[Target], task: Task, checks: CheckPort
) -> str:
    """Refuse a change of tests in more than the names that they use, and of what steers their run."""
    del targets, checks
    for change in changes:
        if change.path == task.path or not is_judge(change):
            continue
        if change.before is None or change.after is None:
            return f"{'creates' if change.before is None else 'deletes'} {change.path}, which steers or judges it"
        if not only_names_changed(change.before.text, change.after.text):
            return f"changes what {change.path} asserts, which is to judge it"
    return ""


def reject_changed_behaviour(assessment: Assessment, targets: Sequence[Target]) -> str:
    """Say why a checked refactoring does not survive; also when a test that failed passes now."""
    if assessment.mended and not assessment.regressed:
        return f"changes behaviour: {', '.join(assessment.mended[:3])} failed before and passes now"
    return rejection(assessment, targets)


def decide_preserved(
    contenders: Sequence[Contender],
    separating: Sequence[str],
    targets: Sequence[Target],
    strength: Strength | None,
) -> Decision:
    """Decide over refactorings: verified when tests ran and end as before, agreed, unverified, or abstain."""
    alive = [item for item in contenders if not item.candidate.rejected]
    if not alive:
        return nothing_survives(contenders, targets)
    clusters = cluster(alive, separating)
    best = clusters[0].representative
    chosen = best.candidate
    others = tuple(
        item.candidate for group in clusters for item in group.contenders if item.candidate.id != chosen.id
    )
    families = clusters[0].families
    passed = tests_passed(chosen)
    if best.assessment.executed and passed:
        weak = strength is None or strength.weak
        reason = f"{_tests(passed)} before and after, and no tool has more to say; {_FOR_YOU}"
        settle = "a test that would notice other changes to this code" if weak else ""
        if weak:
            share = strength.share if strength is not None else None
            seen = (
                f"{share:.0%} of the changes tried here"
                if share is not None
                else "an unknown share of changes"
            )
            reason = f"{_tests(passed)} before and after, but they notice {seen}; {_FOR_YOU}"
        return Decision(chosen, Standing.VERIFIED, reason, weak, others, settle)
    settle = "a test that runs this code and passes"
    ran = "the tests that ran fail before and after" if best.assessment.executed else "no test ran the code"
    if len(families) > 1:
        reason = f"{len(families)} families wrote the same; {ran}"
        return Decision(chosen, Standing.AGREED, reason, alternatives=others, would_settle=settle)
    reason = ran if best.assessment.checked else "it was not checked to the end"
    return Decision(chosen, Standing.UNVERIFIED, reason, alternatives=others, would_settle=settle)


def tests_passed(candidate: Candidate) -> int:
    """Return how many tests (or commands that name none) pass with a candidate in place."""
    count = 0
    for item in candidate.evidence:
        if item.witness == "probe":
            continue
        count += sum(outcome is Outcome.PASSED for outcome in item.tests.values())
        count += int(not item.tests and item.witness == "command" and item.outcome is Outcome.PASSED)
    return count


def _tests(count: int) -> str:
    return "the check that ran passes" if count == 1 else f"{count} tests pass"


REFACTOR = Undertaking(
    verb="Refactor",
    wording=REFACTORING,
    standing_words=_STANDINGS,
    targets=no_targets,
    refuse=refuse_changed_tests,
    reject=reject_changed_behaviour,
    decide=decide_preserved,
    keeps_behaviour=True,
    takes_votes=True,
)
