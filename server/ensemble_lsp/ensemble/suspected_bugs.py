"""Tests that fail on the code as it is: never dropped, never mended in silence, but judged and shown."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from ensemble_lsp.core.events import FindingMade, Phase, PhaseEntered
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank, Severity
from ensemble_lsp.core.findings import Dissent, Finding, Grounds, Refutation
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.answer_form import AnswerForm
from ensemble_lsp.ensemble.calibration import Support, band_of
from ensemble_lsp.ensemble.fix_requests import call_seconds
from ensemble_lsp.ensemble.framework import Unit
from ensemble_lsp.ensemble.grounding import has_symbol, lines_of
from ensemble_lsp.ensemble.issues import finding_id
from ensemble_lsp.ensemble.ports import ModelRequest
from ensemble_lsp.ensemble.prompts.numbered import reading
from ensemble_lsp.ensemble.prompts.testing import verdict_task
from ensemble_lsp.ensemble.speaking import Answer, ask_as, ask_together
from ensemble_lsp.ensemble.trying_tests import Bench

CATEGORY = "suspected-bug"
MOST_JUDGED = 6
"""Failing tests in one question; what comes after them is shown unjudged."""
VERDICT_TOKENS = 1_200


class Verdict(AnswerForm):
    """What another member says of one failing test."""

    number: int = Field(ge=1)
    verdict: str = Field(max_length=20)
    reason: str = Field(max_length=400)
    quote: str = Field(max_length=300)


class Verdicts(AnswerForm):
    """What a judge of failing tests returns."""

    verdicts: list[Verdict] = Field(max_length=MOST_JUDGED)


@dataclass(frozen=True, slots=True)
class Failing:
    """One test that fails on the code as it is, with everybody who wrote it."""

    unit: Unit
    log: str
    authors: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a member of another family said of it; `grounded`: it cites a line that exists."""

    by: Member
    wrong: bool
    reason: str
    grounded: bool


def failing_tests(bench: Bench) -> list[Failing]:
    """Return the tests that fail as assertions do, equal ones as one; those that are broken themselves are noted."""
    found: dict[str, Failing] = {}
    framework = bench.framework
    for item in bench.contributions:
        for unit in item.of(Outcome.FAILED, Outcome.TIMED_OUT):
            log = framework.failure_of(item.log, unit)
            if framework.is_broken(log):
                bench.sitting.note(
                    f"{unit.name} of {item.voice.id} cannot run: {framework.essence(log)[:160]}"
                )
            else:
                same = framework.same_test(unit)
                known = found.get(same)
                first = known or Failing(unit, log, ())
                authors = {member.id: member for member in (*first.authors, item.voice.member)}
                found[same] = Failing(first.unit, first.log, tuple(authors.values()))
    return list(found.values())


async def judge_failing(bench: Bench, failing: Sequence[Failing]) -> dict[str, Judged]:
    """Ask one member of another family which failing tests expect the right thing; test name → what it said."""
    sitting = bench.sitting
    deliberation = sitting.deliberation
    asked = list(failing)[:MOST_JUDGED]
    authors = {member.family for item in asked for member in item.authors}
    ids = {member.id for item in asked for member in item.authors}
    others = [member for member in deliberation.panel.members if member.family not in authors]
    others = others or [member for member in deliberation.panel.members if member.id not in ids]
    if not asked or not others or not sitting.may_ask:
        return {}
    judge = others[0]
    deliberation.emit(
        PhaseEntered(
            phase=Phase.CRITIQUE, round=1, note=f"{len(asked)} test{'s fail' if len(asked) > 1 else ' fails'}"
        )
    )
    request = ModelRequest(
        member=judge,
        messages=reading(
            deliberation.dossier,
            sitting.quoting,
            judge,
            verdict_task([f"{item.unit.text}\n\n{item.log}" for item in asked], sitting.quoting),
        ),
        purpose="critique",
        max_tokens=min(VERDICT_TOKENS, judge.max_output_tokens),
        timeout=call_seconds(deliberation, judge),
    )
    (outcome,) = await ask_together(deliberation, [(judge, ask_as(deliberation, request, Verdicts))])
    sitting.hear((outcome,))
    if not isinstance(outcome, Answer):
        return {}
    texts = [source.text for source in deliberation.dossier.files.values()]
    said: dict[str, Judged] = {}
    for verdict in outcome.value.verdicts:
        if verdict.number <= len(asked):
            quote = " ".join(verdict.quote.split())
            grounded = len(quote) >= 4 and any(quote in " ".join(text.split()) for text in texts)
            wrong = verdict.verdict.strip().lower() != "bug"
            said[asked[verdict.number - 1].unit.id_in] = Judged(judge, wrong, verdict.reason, grounded)
    return said


def suspected_bugs(bench: Bench, failing: Sequence[Failing], judged: dict[str, Judged]) -> list[Finding]:
    """Return one finding per failing test; one that another family refutes with a cited line is kept as dissent."""
    sitting = bench.sitting
    path = bench.region.path
    source = sitting.deliberation.dossier.files[path]
    lines = lines_of(source.text)
    quote = sitting.quoting.redact(lines[bench.region.first].strip()) if lines else ""
    findings: list[Finding] = []
    for item in failing:
        verdict = judged.get(item.unit.id_in)
        refuted = verdict is not None and verdict.wrong and verdict.grounded
        beside = bool(bench.region.name) and not has_symbol(item.unit.text, bench.region.name)
        seconded = verdict is not None and not verdict.wrong
        families = {member.family for member in item.authors}
        if verdict is not None and seconded:
            families.add(verdict.by.family)
        grounds = Grounds(
            families=len(families),
            # Running a test shows that test and code differ; that the test is right takes somebody else.
            witness=Rank.EXECUTED if seconded else None,
            refutation=Refutation.REFUTED_BY_CITATION if refuted else Refutation.NOT_ATTEMPTED,
        )
        authors = tuple(sorted(member.id for member in item.authors))
        sure = sitting.deliberation.calibration.confidence(
            Support(grounds, authors, CATEGORY, sitting.deliberation.task.action.value)
        )
        ident = finding_id(path, quote, CATEGORY, item.unit.name)
        against: tuple[Dissent, ...] = ()
        if verdict is not None and verdict.wrong:
            against = (
                Dissent(member=verdict.by.id, family=verdict.by.family, about=ident, text=verdict.reason),
            )
        finding = Finding(
            id=ident,
            path=path,
            line=bench.region.first,
            end_line=bench.region.last,
            quote=quote,
            severity=Severity.WARNING,
            category=CATEGORY,
            title=f"A written test fails on the code as it is: {item.unit.name}",
            detail=sitting.quoting.redact(f"{textwrap.dedent(item.unit.text).strip()}\n\n{item.log}")[:3_000],
            confidence=sure,
            band=band_of(sure),
            members=authors,
            families=tuple(sorted(families)),
            evidence=(
                Evidence(
                    witness=bench.framework.name,
                    rank=Rank.EXECUTED,
                    target=item.unit.id_in,
                    outcome=Outcome.FAILED,
                    summary=sitting.quoting.redact(bench.framework.essence(item.log) or "it fails"),
                    log=sitting.quoting.redact(item.log),
                ),
            ),
            dissent=against,
            admitted=not refuted and not beside,
            reason=f"it does not speak of {bench.region.name}"
            if beside
            else _reason(verdict, refuted=refuted),
            grounds=grounds,
        )
        for dissent in against:
            sitting.keep_dissent(dissent)
        if finding.admitted:
            sitting.deliberation.emit(FindingMade(finding=finding))
        findings.append(finding)
    return sorted(findings, key=lambda finding: (not finding.admitted, -finding.confidence))


def _reason(verdict: Judged | None, *, refuted: bool) -> str:
    if verdict is None:
        return "the test was run and fails; nobody else was asked whether it is right"
    if refuted:
        return f"refuted by a cited line: {verdict.reason}"
    if verdict.wrong:
        return "the test was run and fails; another family says that it expects too much, and cites nothing"
    return "the test was run and fails; another family says that it is right"
