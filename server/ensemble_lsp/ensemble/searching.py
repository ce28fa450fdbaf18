"""A change that was found by running tests and not by a model: one more candidate, with nobody behind it."""

from ensemble_lsp.core.events import CheckFinished, Phase
from ensemble_lsp.core.evidence import SEARCH, Evidence, Outcome, Rank
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.casefile import Case, Entry, entry_id
from ensemble_lsp.ensemble.ports import FoundRepair, RepairsFound
from ensemble_lsp.ensemble.suspiciousness import suspects_of
from ensemble_lsp.ensemble.trials import check_entry, measure_strength, run_check


async def search(case: Case) -> None:
    """Try small changes of the lines that the failing tests run, unless something stands already. No call is made.

    What is found goes through the same checks as a member's change and is weighed after all of them: nobody is behind
    it, so that a member's change that passes as well is preferred. Done once in a job.
    """
    failing = frozenset[str]().union(*(target.tests for target in case.targets if target.executed))
    executed = any(target.executed for target in case.targets)
    if case.searched or case.alive or not executed or not case.undertaking.searches:
        return
    if SEARCH in case.deliberation.leaves_out:
        return
    case.searched = True
    if case.phase is not Phase.CHECK:
        case.enter(Phase.CHECK, case.round)
    found = await run_check(case, _find(case, failing))
    if found is None or not found.tried:
        return
    taken = None
    for repair in found.repairs:
        entry = _entry(case, repair, found.tried)
        if entry is None:
            continue
        await check_entry(case, entry)
        if not entry.rejected:
            taken = entry
            break
    summary = f"{found.tried} small changes tried, none passes"
    if taken is not None:
        summary = f"{found.tried} small changes tried, one passes: {taken.rationale.partition(': ')[2]}"
    case.deliberation.emit(
        CheckFinished(
            witness=SEARCH,
            target=case.region.path,
            outcome=Outcome.PASSED if taken is not None else Outcome.FAILED,
            summary=summary,
            about=taken.id if taken is not None else "",
            members=(),
        )
    )
    case.rejudge()
    await measure_strength(case)


async def _find(case: Case, failing: frozenset[str]) -> RepairsFound:
    checks = case.deliberation.checks
    region = case.region
    text = case.files[region.path].text
    inside = range(region.first, min(region.last + 1, len(split_lines(text))))
    # A test that hangs would be waited for again, line by line.
    hung = any(Outcome.TIMED_OUT in {item.outcome, *item.tests.values()} for item in case.baseline.executed)
    coverage = None if hung or not failing else await checks.coverage()
    suspicion = dict.fromkeys(inside, 0.0)
    if coverage is not None:
        suspects = suspects_of(coverage, failing, lambda path: path != region.path)
        suspicion = {item.line: item.score for item in suspects if item.line in inside} or suspicion
    return await checks.repairs(region.path, suspicion, failing)


def _entry(case: Case, repair: FoundRepair, tried: int) -> Entry | None:
    """Put a change on the table, under its syntax tree; None when a member has written the same before."""
    change: FileChange = repair.change
    if change.after is None:
        return None
    form = ((change.path, case.undertaking.form(case.deliberation.checks, change.path, change.after.text)),)
    if form in case.by_form:
        return None
    changes = (change,)
    rationale = f"Found by search, not by a model: {repair.what}"
    entry = Entry(id=entry_id(changes), changes=changes, rationale=rationale)
    entry.found_by = Evidence(
        witness=SEARCH,
        rank=Rank.OPINION,
        target=change.path,
        outcome=Outcome.PASSED,
        summary=f"found by search, not by a model: {repair.what} (one of {tried} small changes that were tried)",
    )
    case.by_form[form] = entry.id
    case.entries[entry.id] = entry
    return entry
