"""What failing tests tell a review: the lines that they point to, with no member behind it."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import pytest

from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.events import Action, CheckFinished, FindingMade, Mode, Status
from ensemble_lsp.core.evidence import SEARCH, CheckReport, Evidence, Outcome, Rank
from ensemble_lsp.core.findings import Band, Finding
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import JobResult, LineRange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.actions.review import run
from ensemble_lsp.ensemble.ports import Coverage, FoundRepair, ModelRequest, RepairsFound
from tests.ensemble.reading_panel import (
    CODE,
    Answer,
    Table,
    ToldChecks,
    by_purpose,
    draft,
    findings,
    table,
    verdicts,
)

MEAN = "test_pay.py::test_mean"
EMPTY = "test_pay.py::test_empty"
READ = "test_pay.py::test_read"
GUARD = ("    return total / len(values)", "    return total / len(values) if values else 0")
BODY = frozenset({4, 5, 6, 7})
HELPER = {"helper.py": frozenset({0})}

Lines = Mapping[str, Mapping[str, frozenset[int]]]


@dataclass
class RunChecks(ToldChecks):
    """Checks whose tests run and fail. `lines`: test → path → lines that it ran; `repair`: what makes all pass."""

    outcomes: Mapping[str, Outcome] = field(default_factory=dict[str, Outcome])
    lines: Lines = field(default_factory=dict[str, dict[str, frozenset[int]]])
    repair: tuple[str, str] | None = None
    recorded: bool = True
    unreadable: CheckError | None = None
    searched: list[tuple[dict[int, float], frozenset[str]]] = field(
        default_factory=list[tuple[dict[int, float], frozenset[str]]]
    )

    @property
    def _run(self) -> Evidence:
        told = set(self.outcomes.values())
        worst = [each for each in (Outcome.TIMED_OUT, Outcome.FAILED) if each in told]
        return Evidence(
            witness="pytest",
            rank=Rank.EXECUTED,
            target="test_pay.py",
            outcome=worst[0] if worst else Outcome.PASSED,
            summary="some passed, some failed",
            tests=dict(self.outcomes),
        )

    async def baseline(self) -> CheckReport:
        return CheckReport(evidence=(*(await super().baseline()).evidence, self._run))

    async def coverage(self) -> Coverage | None:
        if self.unreadable is not None:
            raise self.unreadable
        lines = {test: dict(files) for test, files in self.lines.items()} if self.recorded else {}
        return Coverage(outcomes=dict(self.outcomes), lines=lines, evidence=self._run)

    async def repairs(
        self, path: str, suspicion: Mapping[int, float], failing: Collection[str]
    ) -> RepairsFound:
        self.searched.append((dict(suspicion), frozenset(failing)))
        if self.repair is None:
            return RepairsFound(tried=40)
        before = SourceText(CODE)
        after = before.with_text(CODE.replace(*self.repair))
        change = FileChange(path=path, before=before, after=after)
        return RepairsFound(tried=12, repairs=(FoundRepair(what="line 8: guarded", change=change),))


def failing(**fields: object) -> RunChecks:
    """Return checks of `mean`: one test fails with its last line, another passes without it."""
    told: dict[str, object] = {
        "outcomes": {MEAN: Outcome.PASSED, EMPTY: Outcome.FAILED},
        "lines": {MEAN: {"pay.py": frozenset({4, 5, 6})}, EMPTY: {"pay.py": BODY}},
        **fields,
    }
    return RunChecks(**told)  # type: ignore[arg-type]


def laid(checks: RunChecks, **fields: object) -> Table:
    """Lay a table of two families that see nothing."""
    silent = by_purpose(draft=findings(), refute=verdicts(), exploit={"test": ""})
    return table({"a": silent, "b": silent}, checks=checks, **fields)  # type: ignore[arg-type]


async def only(at: Table) -> Finding:
    (finding,) = (await run(at.deliberation)).findings
    return finding


async def test_a_failing_test_is_a_finding_though_no_member_says_anything() -> None:
    at = laid(failing())
    result = await run(at.deliberation)
    (finding,) = result.findings
    assert (finding.line, finding.end_line, finding.quote) == (7, 7, "return total / len(values)")
    assert finding.title == "test_empty fails: the likeliest place"
    assert finding.reason == "pytest fails, run by 1 failing test and no passing one"
    assert finding.admitted
    assert finding.members == ()
    assert [item.witness for item in finding.evidence] == ["pytest", "coverage"]
    assert finding.evidence[0].tests == {EMPTY: Outcome.FAILED}
    assert (result.status, result.spend.calls) == (Status.DONE, 2)
    assert [event.finding for event in at.of_kind(FindingMade)] == [finding]


async def test_a_small_change_that_makes_the_tests_pass_names_its_line_and_says_that_it_may_be_chance() -> (
    None
):
    at = laid(failing(repair=GUARD))
    finding = await only(at)
    assert (finding.line, finding.end_line) == (7, 7)
    assert finding.title == "test_empty fails: a small change here makes it pass"
    assert "Of 12 small changes that were tried this makes all tests pass: line 8: guarded." in finding.detail
    assert "by chance" in finding.detail
    assert [(item.witness, item.outcome) for item in finding.evidence][-1] == (SEARCH, Outcome.PASSED)
    assert [event.summary for event in at.of_kind(CheckFinished) if event.witness == SEARCH] == [
        "12 small changes tried, one passes: line 8: guarded"
    ]


async def test_a_line_that_a_change_mends_is_surer_than_one_that_the_tests_merely_run() -> None:
    run_only, mended = await only(laid(failing())), await only(laid(failing(repair=GUARD)))
    assert run_only.confidence < mended.confidence
    assert mended.band is Band.HIGH


async def test_lines_that_run_together_are_one_place() -> None:
    checks = failing(lines={MEAN: {"pay.py": frozenset({4})}, EMPTY: {"pay.py": BODY}})
    finding = await only(laid(checks))
    assert (finding.line, finding.end_line) == (5, 7)


async def test_tests_that_fail_for_two_reasons_are_two_findings() -> None:
    checks = failing(
        outcomes={MEAN: Outcome.PASSED, EMPTY: Outcome.FAILED, READ: Outcome.FAILED},
        lines={
            MEAN: {"pay.py": frozenset({4, 5, 6})},
            EMPTY: {"pay.py": BODY},
            READ: {"pay.py": frozenset({11})},
        },
    )
    result = await run(laid(checks).deliberation)
    assert sorted((item.line, tuple(item.evidence[0].tests)) for item in result.findings) == [
        (7, (EMPTY,)),
        (11, (READ,)),
    ]


async def test_nothing_is_said_of_lines_that_are_less_suspicious_than_another_files() -> None:
    lines = {MEAN: {"pay.py": BODY}, EMPTY: {"pay.py": BODY, **HELPER}}
    checks = failing(lines=lines)
    result = await run(laid(checks).deliberation)
    assert result.findings == ()
    assert checks.searched == []
    assert "before any change, pytest fails: some passed, some failed" in result.notes


@pytest.mark.parametrize(
    ("checks", "why"),
    [
        (failing(outcomes={MEAN: Outcome.PASSED, EMPTY: Outcome.PASSED}), "all tests pass"),
        (failing(outcomes={MEAN: Outcome.FAILED, EMPTY: Outcome.TIMED_OUT}), "one hangs"),
        (failing(recorded=False), "no lines are known"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_nothing_is_searched_where(checks: RunChecks, why: str) -> None:
    assert (await run(laid(checks).deliberation)).findings == (), why
    assert checks.searched == []


async def test_lines_outside_the_selection_are_not_searched() -> None:
    checks = failing()
    assert (await run(laid(checks, selection=LineRange(start=14, end=17)).deliberation)).findings == ()
    assert checks.searched == []


async def test_in_a_review_of_a_change_only_its_lines_are_to_blame() -> None:
    checks = failing(lines={MEAN: {}, EMPTY: {"pay.py": BODY}})
    finding = await only(laid(checks, changed_lines={"pay.py": (LineRange(start=5, end=6),)}))
    assert (finding.line, finding.end_line) == (5, 5)
    assert [set(suspicion) for suspicion, _failing in checks.searched] == [{5}]


async def test_a_dismissed_place_is_left_out_the_next_time() -> None:
    first = await only(laid(failing()))
    at = laid(failing())
    at.deliberation.dismissal = lambda _path, print_: "wontfix" if print_ == first.fingerprint else None
    again = await only(at)
    assert not again.admitted
    assert again.reason == "dismissed: wontfix"


async def test_a_security_review_is_about_security() -> None:
    checks = failing()
    assert (await run(laid(checks, action=Action.SECURE, mode=Mode.QUICK).deliberation)).findings == ()
    assert checks.searched == []


async def test_a_benchmark_can_leave_it_out() -> None:
    at = laid(failing())
    at.deliberation.leaves_out = frozenset({SEARCH})
    assert (await run(at.deliberation)).findings == ()


async def test_lines_that_cannot_be_recorded_are_a_note_and_not_the_end() -> None:
    result: JobResult = await run(laid(failing(unreadable=CheckError("the copy is gone"))).deliberation)
    assert "where the failing tests point to is not known: the copy is gone" in result.notes
    assert result.status is Status.NOTHING


async def test_a_secret_in_a_tests_name_does_not_reach_the_finding() -> None:
    secret = "test_pay.py::test_empty[sk-live-4242]"
    checks = failing(
        outcomes={MEAN: Outcome.PASSED, secret: Outcome.FAILED},
        lines={MEAN: {"pay.py": frozenset({4, 5, 6})}, secret: {"pay.py": BODY}},
    )
    result = await run(laid(checks, secret=("sk-live-4242", "<secret>")).deliberation)
    (finding,) = (item for item in result.findings if "fails" in item.title)
    assert "sk-live-4242" not in finding.title + finding.detail


def _says(title: str = "Division by zero for an empty list", category: str = "bug") -> Table:
    said = by_purpose(draft=findings(draft(title=title, category=category)), refute=verdicts())
    return table({"a": said, "b": said}, checks=failing(repair=GUARD))


async def test_a_kept_finding_on_the_very_line_has_the_tests_behind_it() -> None:
    at = _says()
    (finding,) = (await run(at.deliberation)).findings
    assert finding.title == "Division by zero for an empty list"
    assert finding.reason == "2 families; pytest fails, run by 1 failing test and no passing one"
    assert [item.witness for item in finding.evidence] == ["pytest", "coverage"]
    assert finding.grounds is not None
    assert (finding.grounds.families, finding.grounds.witness) == (2, Rank.STATIC)
    assert finding.band is Band.HIGH


async def test_where_two_families_have_named_the_line_no_change_is_searched_for() -> None:
    at = _says()
    await run(at.deliberation)
    assert isinstance(at.checks, RunChecks)
    assert at.checks.searched == []


@dataclass
class SlowSearch(RunChecks):
    """Checks whose search goes on until `released` is set: `begun` is, when it runs; `ended`: it was given up."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    ended: bool = False

    async def repairs(
        self, path: str, suspicion: Mapping[int, float], failing: Collection[str]
    ) -> RepairsFound:
        self.begun.set()
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.ended = True
            raise
        return await super().repairs(path, suspicion, failing)


@pytest.mark.parametrize(("second", "given_up"), [(findings(draft()), True), (findings(), False)])
async def test_a_search_that_runs_is_given_up_once_two_families_have_named_the_line(
    second: Mapping[str, object], given_up: bool
) -> None:
    ran = failing(repair=GUARD)
    checks = SlowSearch(outcomes=ran.outcomes, lines=ran.lines, repair=ran.repair)
    answers = by_purpose(draft=second, refute=verdicts())

    def answer_late(request: ModelRequest) -> Answer:
        if not given_up:
            checks.released.set()
        return answers(request)

    first = by_purpose(draft=findings(draft()), refute=verdicts())
    at = table({"a": first, "b": answer_late}, checks=checks)
    at.members.late["b"] = checks.begun
    result = await run(at.deliberation)
    assert checks.begun.is_set()
    assert checks.ended is given_up
    kept = [item for item in result.findings if item.admitted]
    assert (SEARCH in {each.witness for item in kept for each in item.evidence}) is not given_up


async def test_a_remark_on_style_there_is_a_finding_of_its_own() -> None:
    said = (await run(_says(category="style", title="The name is unclear").deliberation)).findings
    assert len([item for item in said if item.admitted]) == 2


async def test_a_finding_that_was_not_kept_does_not_come_back_by_a_failing_test() -> None:
    alone = by_purpose(draft=findings(draft()), refute=verdicts())
    silent = by_purpose(draft=findings(), refute=verdicts())
    at = table({"a": silent, "b": alone}, checks=failing(repair=GUARD))
    said = (await run(at.deliberation)).findings
    assert [(item.admitted, item.reason) for item in said] == [
        (True, "pytest fails, and passes with a small change"),
        (False, "one family only, and nobody was asked to refute it"),
    ]
