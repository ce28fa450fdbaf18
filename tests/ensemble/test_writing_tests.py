"""Writing tests, with scripted members and mutants: what is kept, what is shown, who is asked again."""

import json
import random

import pytest

from ensemble_lsp.core.budget import Budget, Limits
from ensemble_lsp.core.events import Action, EventBody, Mode, Status
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.panel import Panel
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import DraftRecord, JobResult, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.actions import write_tests
from ensemble_lsp.ensemble.choosing_tests import Score, choose, kills_of
from ensemble_lsp.ensemble.framework import Unit
from ensemble_lsp.ensemble.ports import Deliberation, Dossier, Excerpt, ModelRequest, MutantRun
from ensemble_lsp.frameworks.python_tests import PythonTests
from tests.ensemble.fix_cases import BUGGY, PATH, RIGHT, member
from tests.support.scripted_checks import ScriptedChecks
from tests.support.scripted_members import JobPurse, Line, ScriptedMembers

MUTANTS = {
    "line 2: max became min": RIGHT.replace("max", "min"),
    "line 2: high became low": RIGHT.replace("min(value, high)", "min(value, low)"),
    "line 2: low became 0": RIGHT.replace("max(low", "max(0"),
}
INSIDE = "def test_inside():\n    assert clamp(5, 0, 10) == 5\n"
BELOW = "def test_below():\n    assert clamp(-5, 1, 10) == 1\n"
WRONG = "def test_above():\n    assert clamp(50, 0, 10) == 11\n"
ABOVE = "def test_above():\n    assert clamp(50, 0, 10) == 10\n"


def answer(*tests: str, imports: str = "from clamp import clamp\n") -> str:
    return f"```python\n{imports}\n\n" + "\n\n".join(tests) + "```\n"


def verdicts(verdict: str, quote: str = "") -> str:
    return json.dumps(
        {"verdicts": [{"number": 1, "verdict": verdict, "reason": "the bound is high", "quote": quote}]}
    )


class Table:
    """One job about `clamp`, with what a test looks at afterwards."""

    def __init__(
        self,
        lines: dict[str, list[Line]],
        *,
        mode: Mode = Mode.PANEL,
        code: str = RIGHT,
        probes: bool = True,
        prior: tuple[DraftRecord, ...] = (),
    ) -> None:
        files = {PATH: SourceText(code)}
        self.members = ScriptedMembers(lines)
        self.checks = ScriptedChecks(files, PATH, None, mutants=MUTANTS, probes=probes)
        self.events: list[EventBody] = []
        budget = Budget(Limits(usd=None, seconds=None))
        members = tuple(member(name) for name in lines)
        self.deliberation = Deliberation(
            task=Task(action=Action.TEST, path=PATH, mode=mode),
            panel=Panel(members=members, anchor=members[0].id),
            models=self.members,
            checks=self.checks,
            dossier=Dossier(
                files=files,
                focus=Excerpt(path=PATH, start_line=0, text=code, why="whole file"),
                language="python",
                symbol="clamp",
                test_home="test_clamp.py",
                framework=PythonTests("pytest", "test_clamp.py", PATH),
            ),
            purse=JobPurse(budget),
            budget=budget,
            emit=self.events.append,
            job="job",
            prior_drafts=prior,
            randomness=random.Random(1),  # noqa: S311 - labels, not secrets
        )

    async def run(self) -> JobResult:
        return await write_tests.run(self.deliberation)


def proposed(result: JobResult) -> str:
    assert result.proposal is not None, result.reason
    (change,) = result.proposal.chosen.changes
    assert change.path == "test_clamp.py"
    assert change.after is not None
    return change.after.text


async def test_a_test_that_fails_on_the_code_as_it_is_is_shown_and_not_proposed() -> None:
    table = Table({"a": [answer(ABOVE, INSIDE)], "b": [answer(BELOW), verdicts("bug")]}, code=BUGGY)
    result = await table.run()

    titles = {finding.title.rpartition(": ")[2] for finding in result.findings}
    assert "test_above" in titles
    assert all(finding.category == "suspected-bug" and finding.admitted for finding in result.findings)
    assert any(finding.evidence[0].outcome is Outcome.FAILED for finding in result.findings)
    assert [event.kind for event in table.events].count("finding") == len(result.findings)


async def test_a_failing_test_that_a_cited_line_refutes_is_kept_as_dissent() -> None:
    judge: list[Line] = [answer(BELOW, INSIDE), verdicts("wrong", "return max(low, min(value, high))")]
    result = await Table({"a": [answer(WRONG)], "b": judge}).run()

    (finding,) = result.findings
    assert not finding.admitted
    assert "refuted by a cited line" in finding.reason
    assert [(item.member, item.text) for item in result.dissent] == [("b", "the bound is high")]
    assert "test_above" not in proposed(result)


async def test_the_same_failing_test_of_two_members_is_one_finding() -> None:
    twice: dict[str, list[Line]] = {
        "a": [answer(WRONG)],
        "b": [answer(WRONG.replace("test_above", "test_over"))],
        "c": [answer(INSIDE), verdicts("bug")],
    }
    result = await Table(twice).run()

    (finding,) = result.findings
    assert finding.members == ("a", "b")
    assert finding.families == ("family-a", "family-b", "family-c")


async def test_a_failing_test_of_something_else_is_no_suspicion_against_this_code() -> None:
    beside = "def test_other():\n    assert min(1, 2) == 2\n"
    result = await Table({"a": [answer(beside, INSIDE)], "b": [answer(BELOW)]}, mode=Mode.QUICK).run()

    (finding,) = result.findings
    assert not finding.admitted
    assert finding.reason == "it does not speak of clamp"


async def test_a_failing_test_that_nobody_else_looked_at_is_not_sure() -> None:
    alone = await Table({"a": [answer(WRONG, INSIDE)], "b": [answer(BELOW)]}, mode=Mode.QUICK).run()
    seconded = await Table({"a": [answer(WRONG, INSIDE)], "b": [answer(BELOW), verdicts("bug")]}).run()

    assert alone.findings[0].confidence < 0.6 < seconded.findings[0].confidence


async def test_a_verdict_that_cites_nothing_hides_no_failing_test() -> None:
    judge: list[Line] = [answer(BELOW, INSIDE), verdicts("wrong", "return 11")]
    result = await Table({"a": [answer(WRONG)], "b": judge}).run()

    (finding,) = result.findings
    assert finding.admitted
    assert finding.dissent


async def test_tests_that_cannot_be_loaded_get_one_more_try() -> None:
    broken = answer(BELOW, imports="from clump import clamp\n")
    table = Table({"a": [broken, answer(BELOW, INSIDE, ABOVE)], "b": ["I would rather not."]})
    result = await table.run()

    assert table.members.purposes()[:4] == ["a: draft", "b: draft", "a: repair", "b: repair"]
    assert "No module named 'clump'" in table.members.requests[2].messages[-1].content
    assert "test_below" in proposed(result)
    assert any("the tests of b could not be run" in note for note in result.notes)
    assert [(verdict.members, verdict.passed) for verdict in result.verdicts] == [
        (("a",), True),
        (("b",), False),
    ]


async def test_what_no_test_notices_is_asked_for_and_only_that_is_run_again() -> None:
    table = Table({"a": [answer(INSIDE), answer(BELOW)], "b": [answer(INSIDE), answer(BELOW)]})
    result = await table.run()

    first, second = table.checks.mutated
    assert first == list(MUTANTS)
    assert second == ["line 2: low became 0"]
    assert "line 2: low became 0" in table.members.requests[2].messages[-1].content
    assert "def test_below" in proposed(result)
    assert result.proposal is not None
    assert result.proposal.strength is not None
    assert (result.proposal.strength.killed, result.proposal.strength.total) == (3, 3)


async def test_a_name_that_two_members_use_becomes_two_names() -> None:
    other = INSIDE.replace("5, 0, 10) == 5", "-5, 1, 10) == 1")
    text = proposed(await Table({"a": [answer(INSIDE)], "b": [answer(other)]}, mode=Mode.QUICK).run())

    assert "def test_inside():" in text
    assert "def test_inside_2():" in text


async def test_where_nothing_may_be_run_the_tests_are_shown_as_unverified() -> None:
    table = Table({"a": [answer(INSIDE, BELOW)], "b": ["no"]}, probes=False)
    result = await table.run()

    assert result.proposal is not None
    assert result.proposal.standing is Standing.UNVERIFIED
    assert "not trusted" in result.proposal.would_settle
    assert result.verdicts == ()
    assert result.findings == ()


async def test_quick_makes_two_calls() -> None:
    table = Table({name: [answer(INSIDE)] for name in "abc"}, mode=Mode.QUICK)
    await table.run()

    assert len(table.members.requests) == 2


async def test_a_continued_job_runs_the_drafts_that_were_paid_for() -> None:
    prior = (DraftRecord(member="a", family="family-a", text=answer(INSIDE, BELOW)),)
    table = Table({"a": ["nothing"], "b": [answer(ABOVE)]}, mode=Mode.QUICK, prior=prior)
    result = await table.run()

    assert table.members.purposes() == ["b: draft"]
    assert "test_below" in proposed(result)


async def test_no_tests_at_all_is_an_honest_end() -> None:
    result = await Table({"a": ["no"], "b": ["no"]}).run()

    assert result.status is Status.ABSTAINED
    assert result.proposal is None


async def test_our_own_words_stay_short() -> None:
    table = Table({"a": [answer(INSIDE), answer(BELOW)], "b": [answer(WRONG), verdicts("bug")]})
    await table.run()

    assert {request.purpose for request in table.members.requests} >= {"draft", "revise"}
    for request in table.members.requests:
        assert own_words(request) / 3 < 2_000


def own_words(request: ModelRequest) -> int:
    return sum(len(message.content) for message in request.messages)


@pytest.mark.parametrize(
    ("kills", "kept"),
    [
        ({"a": {0, 1}, "b": {1}, "c": {2}}, ["a", "c", "b"]),
        ({"a": {0}, "b": {0}}, ["a"]),
        ({"a": set[int](), "b": {0}}, ["b"]),
    ],
)
def test_the_tests_that_notice_most_stay(kills: dict[str, set[int]], kept: list[str]) -> None:
    scores = [Score(name, frozenset(numbers), 10) for name, numbers in kills.items()]
    choice = choose(scores, mutants=3)

    assert list(choice.kept) == kept
    assert set(choice.left_out) == set(kills) - set(kept)


def test_a_case_of_a_parametrised_test_that_fails_is_the_test_that_notices() -> None:
    ran = {"t.py::T::test_a[1]": Outcome.PASSED, "t.py::T::test_a[2]": Outcome.FAILED}
    outcomes = PythonTests("pytest", "t.py", PATH).by_unit(ran, [Unit("test_a", "", "T")])

    assert kills_of("T::test_a", [MutantRun(mutant="m", outcomes=outcomes)]) == {0}
