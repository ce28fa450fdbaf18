"""What a person does with a result, and what was executed, reaches the right members and findings; twice is once."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.core.evidence import Rank, Severity
from ensemble_lsp.core.findings import Band, Finding, Grounds, Refutation
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.results import CheckVerdict, JobResult, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.engine.learning import Learner
from ensemble_lsp.engine.messages import DismissalNote, OutcomeNote
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.jobs import JobStore

WORKSPACE = "/w"


def finding(ident: str = "f1", grounds: Grounds | None = None, *members: str) -> Finding:
    return Finding(
        id=ident,
        path="a.py",
        line=0,
        end_line=0,
        quote="",
        severity=Severity.WARNING,
        category="bug",
        title="t",
        detail="d",
        confidence=0.4,
        band=Band.MEDIUM,
        members=members or ("finder",),
        families=("x",),
        grounds=grounds or Grounds(families=1),
    )


def fixed(*, of: str | None = None) -> JobResult:
    change = FileChange(path="a.py", before=SourceText("1\n"), after=SourceText("2\n"))
    candidate = Candidate(id="c1", changes=(change,), members=("fixer",), families=("y",))
    proposal = Proposal(
        id="j-c1",
        job="j",
        title="t",
        standing=Standing.VERIFIED,
        chosen=candidate,
        finding=of,
    )
    return JobResult(status=Status.DONE, reason="", proposal=proposal)


@pytest.fixture
async def learner(tmp_path: Path) -> AsyncIterator[Learner]:
    with Database(tmp_path / "state") as database:
        jobs = JobStore(database)
        yield Learner(database, jobs)
        jobs.close()


async def keep(
    learner: Learner, result: JobResult, *, action: Action = Action.FIX, about: Finding | None = None
) -> None:
    jobs = learner.jobs
    task = Task(action=action, path="a.py", finding=about)
    await jobs.record_start(
        job="j", workspace=WORKSPACE, action=action, title="t", task=task.to_wire(), pid=1
    )
    await jobs.finish("j", result, 1.0)


async def known(learner: Learner, member: str, action: str) -> tuple[float, float]:
    count = (await learner.outcomes.reliabilities()).known(member, action)
    return round(count.successes, 2), round(count.failures, 2)


async def test_taking_the_fix_of_a_finding_credits_who_fixed_and_who_found(learner: Learner) -> None:
    await keep(learner, fixed(of="f1"), about=finding())
    note = OutcomeNote(job="j", outcome="accepted", candidate="c1", finding="f1")
    for _ in range(2):
        await learner.told(note)
    assert await known(learner, "fixer", "fix") == (1, 0)
    assert await known(learner, "finder", "review") == (1, 0)
    assert [claim.right for claim in await learner.claims.claims()] == [1.0]


async def test_turning_a_fix_down_says_nothing_of_the_finding(learner: Learner) -> None:
    await keep(learner, fixed(of="f1"), about=finding())
    await learner.told(OutcomeNote(job="j", outcome="rejected", candidate="c1", finding="f1", taken=0.25))
    assert await known(learner, "fixer", "fix") == (0.25, 0.75)
    assert await known(learner, "finder", "review") == (0, 0)
    assert await learner.claims.claims() == ()


async def test_an_undo_takes_back_what_was_learned_of_both(learner: Learner) -> None:
    await keep(learner, fixed(of="f1"), about=finding())
    for outcome in ("accepted", "undone"):
        await learner.told(
            OutcomeNote.model_validate({"job": "j", "outcome": outcome, "candidate": "c1", "finding": "f1"})
        )
    assert await known(learner, "fixer", "fix") == (0, 0)
    assert await known(learner, "finder", "review") == (0, 0)
    assert await learner.claims.claims() == ()


@pytest.mark.parametrize(
    ("reason", "failures", "claims"), [("wrong", 1, [0.0]), ("wontfix", 0, []), ("", 0, [])]
)
async def test_only_a_dismissal_as_wrong_counts_against_a_finding(
    learner: Learner, reason: str, failures: int, claims: list[float]
) -> None:
    note = DismissalNote(job="gone", workspace=WORKSPACE, finding=finding(), reason=reason)
    await learner.dismissed(note)
    await learner.dismissed(note)
    assert await known(learner, "finder", "review") == (0, failures)
    assert [claim.right for claim in await learner.claims.claims()] == claims


async def test_checks_speak_of_every_candidate_and_once_when_a_job_goes_on_from_another(
    learner: Learner,
) -> None:
    verdicts = (
        CheckVerdict(candidate="c1", members=("a",), passed=True),
        CheckVerdict(candidate="c2", members=("b", "c"), passed=False),
    )
    result = JobResult(status=Status.DONE, reason="", verdicts=verdicts)
    for _ in range(2):
        await learner.checked(WORKSPACE, Task(action=Action.FIX, path="a.py"), result)
    stats = (await learner.outcomes.reliabilities()).stats()
    assert {
        (line.member, line.language, round(line.successes, 2), round(line.failures, 2)) for line in stats
    } == {
        ("a", "python", 1.0, 0.0),
        ("b", "python", 0.0, 1.0),
        ("c", "python", 0.0, 1.0),
    }


async def test_tests_for_and_against_findings_teach_of_their_members_and_not_of_confidence(
    learner: Learner,
) -> None:
    shown = finding("f1", Grounds(families=1, witness=Rank.EXECUTED), "right")
    refuted = finding("f2", Grounds(families=1, refutation=Refutation.REFUTED_BY_EXECUTION), "wrong")
    both = finding(
        "f3",
        Grounds(families=1, witness=Rank.EXECUTED, refutation=Refutation.REFUTED_BY_EXECUTION),
        "unclear",
    )
    result = JobResult(status=Status.DONE, reason="", findings=(shown, refuted, both, finding("f4")))
    await learner.checked(WORKSPACE, Task(action=Action.REVIEW, path="a.py"), result)
    assert await known(learner, "right", "review") == (1, 0)
    assert await known(learner, "wrong", "review") == (0, 1)
    assert await known(learner, "unclear", "review") == (0, 0)
    assert await known(learner, "finder", "review") == (0, 0)
    assert await learner.claims.claims() == ()


async def test_an_outcome_of_nothing_is_refused(learner: Learner) -> None:
    await keep(learner, JobResult(status=Status.NOTHING, reason=""))
    with pytest.raises(UnknownItem, match="nothing that could be accepted"):
        await learner.told(OutcomeNote(job="j", outcome="accepted"))
    with pytest.raises(UnknownItem):
        await learner.told(OutcomeNote(job="another", outcome="accepted"))
