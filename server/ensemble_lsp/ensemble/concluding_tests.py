"""From tests that were tried to the result: a test file as a proposal, suspected bugs, and what notices what."""

import hashlib
from collections.abc import Sequence

from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.events import ProposalMade, Status
from ensemble_lsp.core.evidence import Evidence, Outcome, Strength
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.panel import families_of
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.results import CheckVerdict, JobResult
from ensemble_lsp.ensemble.choosing_tests import NOTICES_NOTHING, Choice, Score, choose, strength_of
from ensemble_lsp.ensemble.framework import TestModule, Unit
from ensemble_lsp.ensemble.tests_document import tests_document
from ensemble_lsp.ensemble.trying_tests import Bench

TOGETHER = "together"
"""What a run of the whole proposal is about, in the place of a member's name."""


async def conclude_tests(bench: Bench, findings: tuple[Finding, ...]) -> JobResult:
    """Choose what stays, run the file that is proposed once more, and say what came out."""
    sitting = bench.sitting
    scores = bench.scores()
    choice = _in_words(bench, choose(scores, len(bench.runs)))
    if bench.refusal:
        every = [unit.id_in for item in bench.contributions for unit in item.module.units]
        choice = choose([Score(name, frozenset(), 0) for name in every], 0)
    change = bench.change(_chosen(bench, choice.kept)) if choice.kept else None
    proposal = None
    strength = strength_of([score for score in scores if score.test in choice.kept], bench.runs)
    if change is not None:
        evidence = None if bench.refusal else await _confirmed(bench, change, choice.kept)
        proposal = _proposal(bench, change, choice, evidence, strength)
    for voice, _, why in bench.unloaded:
        sitting.note(
            f"the tests of {voice.id} could not be run: {why.strip().splitlines()[-1][:200] if why.strip() else ''}"
        )
    if proposal is not None:
        sitting.deliberation.emit(ProposalMade.of(proposal))
    status, reason = _end(
        bench, choice, proposal, strength, len([item for item in findings if item.admitted])
    )
    return JobResult(
        status=status,
        reason=reason,
        proposal=proposal,
        findings=findings,
        document=tests_document(bench, choice, strength, findings),
        dissent=tuple(sitting.dissent),
        drafts=tuple(sitting.drafts),
        verdicts=_verdicts(bench, choice),
        spend=sitting.spend,
        notes=tuple(sitting.notes),
    )


def _in_words(bench: Bench, choice: Choice) -> Choice:
    """Say of tests that were measured against the rest only that they add nothing."""
    later = {unit.id_in for item in bench.contributions if item.later for unit in item.module.units}
    reasons = {
        test: "notices nothing that the other tests do not"
        if test in later and why == NOTICES_NOTHING
        else why
        for test, why in choice.left_out.items()
    }
    return Choice(choice.kept, reasons)


async def _confirmed(bench: Bench, change: FileChange, kept: Sequence[str]) -> Evidence | None:
    """Run the file that is proposed; where others of its tests fail, the new ones alone decide."""
    whole = await bench.confirm(change, TOGETHER)
    if whole is None or whole.outcome is Outcome.PASSED or bench.existing is None:
        return whole
    units = [unit for _, some in _chosen(bench, kept) for unit in some]
    alone = await bench.confirm(change, TOGETHER, units)
    if alone is None or alone.outcome is not Outcome.PASSED:
        return whole
    bench.sitting.note(f"tests that {bench.home} had before do not pass: {whole.summary}")
    return alone


def _chosen(bench: Bench, kept: Sequence[str]) -> list[tuple[TestModule, list[Unit]]]:
    return [
        (item.module, [unit for unit in item.module.units if unit.id_in in kept])
        for item in bench.contributions
    ]


def _proposal(
    bench: Bench, change: FileChange, choice: Choice, evidence: Evidence | None, strength: Strength | None
) -> Proposal | None:
    sitting = bench.sitting
    authors = [
        item.voice.member
        for item in bench.contributions
        if any(unit.id_in in choice.kept for unit in item.module.units)
    ]
    passes = evidence is not None and evidence.outcome is Outcome.PASSED
    if evidence is not None and not passes:
        # Each passed on its own; together they do not.
        sitting.note(f"together the tests do not pass: {evidence.summary}")
    after = change.after.text if change.after is not None else ""
    ident = "c" + hashlib.sha256(f"{change.path}\0{after}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    count = len(choice.kept)
    candidate = Candidate(
        id=ident,
        changes=(change,),
        members=tuple(sorted({member.id for member in authors})),
        families=families_of(authors),
        evidence=(evidence,) if evidence is not None else (),
        changed_lines=len(after.splitlines()) - len(bench.before.splitlines()),
    )
    name = bench.region.name or bench.region.path
    deliberation = sitting.deliberation
    weak = strength is None or strength.weak
    not_run = "not run" if bench.refusal else "not run together"
    how = f"notice {strength.killed} of {strength.total} changes" if strength is not None else "pass"
    return Proposal(
        id=f"{deliberation.job}-{ident}" if deliberation.job else ident,
        job=deliberation.job,
        title=f"Test {name} — {counted(count, 'test')}, {how if passes else not_run}",
        standing=Standing.VERIFIED if passes else Standing.UNVERIFIED,
        weak=weak and passes,
        strength=strength,
        chosen=candidate,
        dissent=tuple(sitting.dissent),
        single_family=len(deliberation.panel.families) == 1,
        would_settle="" if passes else (bench.refusal or "running the tests together to their end"),
        spend=sitting.spend,
    )


def _end(
    bench: Bench, choice: Choice, proposal: Proposal | None, strength: Strength | None, bugs: int
) -> tuple[Status, str]:
    sitting = bench.sitting
    suspected = counted(bugs, "suspected bug") if bugs else ""
    short = sitting.cut_short()
    if proposal is not None:
        one = len(choice.kept) == 1
        count = f"{len(choice.kept)} test{'' if one else 's'}"
        reason = f"{count}, not run" if bench.refusal else f"{count} {'passes' if one else 'pass'}"
        if strength is not None:
            noticed = f"{strength.killed} of {strength.total} changes of the code"
            reason += f" and {'notices' if one else 'notice'} {noticed}"
        if choice.left_out:
            reason += f"; {len(choice.left_out)} left out"
        reason = "; ".join(part for part in (reason, suspected, short) if part)
        return (Status.OVER_BUDGET if sitting.over_budget is not None else Status.DONE), reason
    if not bench.contributions and not bench.unloaded:
        if not sitting.drafts:
            return sitting.silent_end()
        reason = "no written test was run to its end"
    else:
        reason = suspected or "no written test passes on the code as it is and notices a change of it"
    status = Status.DONE if bugs else Status.ABSTAINED
    return status, "; ".join(part for part in (reason, short) if part)


def _verdicts(bench: Bench, choice: Choice) -> tuple[CheckVerdict, ...]:
    """Return for every member whose tests were run whether any of them is worth keeping or showed a bug."""
    if bench.refusal:
        return ()
    made = [
        CheckVerdict(
            candidate=f"tests-{item.voice.id}",
            members=(item.voice.member.id,),
            passed=any(unit.id_in in choice.kept for unit in item.module.units),
        )
        for item in bench.contributions
        if item.outcomes
    ]
    broken = [
        CheckVerdict(candidate=f"tests-{voice.id}", members=(voice.member.id,), passed=False)
        for voice, _, _ in bench.unloaded
    ]
    return (*made, *broken)
