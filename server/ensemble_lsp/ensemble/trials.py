"""Running things for a fix: the checks of a change, the tests that critics wrote, the strength of a pass."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TypeVar

from ensemble_lsp.core.errors import CheckError, TrustRequired
from ensemble_lsp.core.events import CheckFinished, CritiqueMade, Phase
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case, Entry, Hit, Probe
from ensemble_lsp.ensemble.checking import TargetState, assess
from ensemble_lsp.ensemble.critique import Attack, Verdict, is_grounded
from ensemble_lsp.ensemble.prompts.quoting import tail
from ensemble_lsp.ensemble.sitting import unless_stopped

V = TypeVar("V")

MOST_PROBES = 12
"""Tests of critics that are run in one job."""

MOST_TRIED = 6
"""Entries that one test is run against."""


async def gather_baseline(case: Case) -> None:
    """Run the witnesses on the code as it is, still in the phase in which the job gathers."""
    report = await run_check(case, case.deliberation.checks.baseline())
    if report is None:
        return
    case.baseline = report
    case.targets = case.undertaking.targets(report, case.deliberation.task)
    for item in report.evidence:
        _show(case, item)


async def check_entry(case: Case, entry: Entry) -> None:
    """Check one change; what was found is in the entry afterwards. Called once per entry."""
    deliberation = case.deliberation
    entry.check_started = True
    if case.phase is not Phase.CHECK:
        case.enter(Phase.CHECK, case.round)
    entry.rejected = case.undertaking.refuse(
        entry.changes, case.targets, deliberation.task, deliberation.checks
    )
    if entry.rejected:
        return
    report = await run_check(
        case,
        deliberation.checks.check(entry.changes, on_evidence=lambda item: _show(case, item, entry)),
    )
    if report is None:
        return
    entry.report = report
    after = dict(case.files)
    for change in entry.changes:
        after.pop(change.path, None)
        if change.after is not None:
            after[change.path] = change.after
    before: dict[str, SourceText] = dict(case.files)
    entry.assessment = assess(case.baseline, report, case.targets, before, after)
    entry.rejected = case.undertaking.reject(entry.assessment, case.targets)
    if not entry.rejected:
        for probe in list(case.probes.values()):
            await _try(case, probe, [entry])
            _tell_of_laid_out(probe, entry)


def _tell_of_laid_out(probe: Probe, entry: Entry) -> None:
    """Show the author that a test which was there before anybody wrote a change fails with its change."""
    said = probe.outcomes.get(entry.id)
    if probe.aimed_at or said is None or said.outcome not in {Outcome.FAILED, Outcome.TIMED_OUT}:
        return
    text = f"{probe.claim}\n\n{probe.test.strip()}\n\nWith your change in place:\n{tail(said.log, 2_000)}"
    entry.hits.append(Hit(probe.critic.id, text, supported=False))


async def measure_strength(case: Case) -> None:
    """Measure once how much the checks would catch, on the first change that they pass."""
    if case.strength_measured:
        return
    passing = next((entry for entry in case.alive if _passes(case, entry)), None)
    if passing is None:
        return
    case.strength_measured = True
    checks = case.deliberation.checks
    checks.fixed_by(passing.changes)
    case.strength = await run_check(case, checks.strength())


async def run_attack(case: Case, critic: Voice, entry: Entry, attack: Attack) -> Verdict:
    """Run what a critic wrote against an entry, and say what it showed; the author sees it as a hit."""
    if not attack.test:
        return _cite(case, critic, entry, attack)
    probe = next((item for item in case.probes.values() if item.test.split() == attack.test.split()), None)
    if probe is None:
        if len(case.probes) >= MOST_PROBES:
            return Verdict.NO_EVIDENCE
        number = len(case.probes) + 1
        probe = Probe(f"probe {number}", attack.test, attack.claim, critic, entry.id)
        case.probes[probe.id] = probe
        if case.undertaking.keeps_behaviour:
            probe.original = await run_check(case, case.deliberation.checks.probe((), probe.test))
        others = [item for item in case.alive if item.id != entry.id]
        await _try(case, probe, [entry, *others[: MOST_TRIED - 1]])
    elif entry.id not in probe.outcomes:
        await _try(case, probe, [entry])
    case.rejudge()
    verdict = case.verdict(probe, entry.id)
    if verdict is Verdict.UNSUPPORTED and not _may_be_asked(case, entry):
        verdict = Verdict.NO_EVIDENCE
    said = probe.outcomes.get(entry.id)
    evidence = f"{said.outcome.value}: {said.summary}" if said is not None else ""
    _tell(
        case, critic, entry, attack, f"{evidence} ({verdict.value})".strip(), broke=verdict is Verdict.BREAKS
    )
    if verdict is not Verdict.NO_EVIDENCE and said is not None:
        text = (
            f"{attack.claim}\n\n{attack.test.strip()}\n\nWith your change in place:\n{tail(said.log, 2_000)}"
        )
        passes = [name for name, item in probe.outcomes.items() if item.outcome is Outcome.PASSED]
        if case.undertaking.keeps_behaviour:
            text += "\n\nThe test passes on the code as it is."
        elif passes:
            text += f"\n\nThe test passes with {len(passes)} other change(s) in place."
        entry.hits.append(Hit(critic.id, text, supported=verdict is not Verdict.UNSUPPORTED))
    return verdict


def _cite(case: Case, critic: Voice, entry: Entry, attack: Attack) -> Verdict:
    texts = [change.after.text for change in entry.changes if change.after is not None]
    texts += [excerpt.text for excerpt in case.deliberation.dossier.related]
    if case.undertaking.about_prose:
        texts += [change.before.text for change in entry.changes if change.before is not None]
        focus = case.deliberation.dossier.focus
        texts += [focus.text] if focus is not None else []
    grounded = bool(attack.cited) and is_grounded(attack.cited, texts)
    _tell(case, critic, entry, attack, attack.cited if grounded else "", broke=False)
    if not grounded:
        return Verdict.NO_EVIDENCE
    entry.hits.append(Hit(critic.id, f"{attack.claim}\n{attack.cited}"))
    return Verdict.UNSUPPORTED


async def _try(case: Case, probe: Probe, entries: Sequence[Entry]) -> None:
    async def one(entry: Entry) -> None:
        evidence = await run_check(case, case.deliberation.checks.probe(entry.changes, probe.test))
        if evidence is not None and evidence.outcome is not Outcome.NOT_RUN:
            probe.outcomes[entry.id] = evidence
            _show(case, evidence.model_copy(update={"target": probe.id}), entry)

    async with asyncio.TaskGroup() as group:
        for entry in entries:
            if entry.id not in probe.outcomes:
                group.create_task(one(entry))


def _may_be_asked(case: Case, entry: Entry) -> bool:
    """Whether an author is shown a test that no change passes.

    Not when its change passed a check that is not weak, and not by its own family, whose mistakes are its own.
    """
    if entry.assessment.target is not TargetState.GREEN:
        return True
    strong = case.strength is not None and not case.strength.weak
    return not strong and len(case.deliberation.panel.families) > 1


def _passes(case: Case, entry: Entry) -> bool:
    if case.targets:
        return entry.assessment.target is TargetState.GREEN
    return entry.assessment.executed and not entry.assessment.failing


async def run_check(case: Case, work: Coroutine[object, object, V]) -> V | None:
    """Run a check until its end, the deadline, or "decide now"; a check that cannot run is noted."""
    try:
        return await unless_stopped(case.deliberation, work)
    except (CheckError, TrustRequired) as problem:
        if problem.message not in case.sitting.notes:
            case.sitting.notes.append(problem.message)
        return None


def _show(case: Case, item: Evidence, about: Entry | None = None) -> None:
    case.deliberation.emit(
        CheckFinished(
            witness=item.witness,
            target=item.target,
            outcome=item.outcome,
            summary=item.summary,
            about=about.id if about else "",
            members=about.members if about else (),
        )
    )


def _tell(case: Case, critic: Voice, entry: Entry, attack: Attack, evidence: str, *, broke: bool) -> None:
    case.deliberation.emit(
        CritiqueMade.model_validate(
            {
                "from": critic.member.id,
                "about": entry.id,
                "claim": attack.claim,
                "evidence": evidence,
                "broke": broke,
                "against": entry.members,
            }
        )
    )
