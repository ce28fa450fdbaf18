"""From a way's name to running it on one case."""

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.examination import Attempt, Examination
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.ways import fixing, reviewing, voting
from ensemble_lsp.bench.ways.catalogue import REVIEW_SAMPLES, Kind, Way
from ensemble_lsp.bench.workspace import Place
from ensemble_lsp.core.events import Mode, Phase
from ensemble_lsp.core.evidence import SEARCH

_MODES: dict[Kind, tuple[Mode, frozenset[str]]] = {
    Kind.QUICK: (Mode.QUICK, frozenset()),
    Kind.PANEL: (Mode.PANEL, frozenset()),
    Kind.PANEL_NO_CRITIQUE: (Mode.PANEL, frozenset({Phase.CRITIQUE})),
    Kind.PANEL_NO_REVISION: (Mode.PANEL, frozenset({Phase.REVISE})),
    Kind.PANEL_NO_SEARCH: (Mode.PANEL, frozenset({SEARCH})),
    Kind.DEBATE: (Mode.DEBATE, frozenset()),
    Kind.DEBATE_NO_CRITIQUE: (Mode.DEBATE, frozenset({Phase.CRITIQUE})),
    Kind.DEBATE_NO_REVISION: (Mode.DEBATE, frozenset({Phase.REVISE})),
}


async def answer(examination: Examination, case: BenchCase, place: Place, way: Way) -> Outcome:
    """Run one way on one case and judge what comes out; cancelling it cancels all calls and checks in flight."""
    mode, leaves_out = _MODES.get(way.kind, (Mode.PANEL, frozenset[str]()))
    async with examination.attempt(case, place, way, mode=mode, leaves_out=leaves_out) as attempt:
        if examination.subject is Subject.FIX:
            return await _fix(examination, attempt)
        return await _review(examination, attempt)


async def _fix(examination: Examination, attempt: Attempt) -> Outcome:
    way = attempt.way
    if way.kind in _MODES:
        return await fixing.product(examination, attempt)
    if way.kind is Kind.SEARCH:
        return await fixing.searched(examination, attempt)
    if way.kind is Kind.VOTING:
        return await voting.fix(examination, attempt)
    member = examination.panel.member(way.member)
    most = examination.k if way.kind is Kind.SAMPLES else 1
    return await fixing.alone(examination, attempt, member, most)


async def _review(examination: Examination, attempt: Attempt) -> Outcome:
    way = attempt.way
    if way.kind in _MODES:
        return await reviewing.product(examination, attempt)
    if way.kind is Kind.SEARCH:
        return await reviewing.searched(examination, attempt)
    if way.kind is Kind.VOTING:
        return await voting.review(examination, attempt)
    member = examination.panel.member(way.member)
    sampled = way.kind in REVIEW_SAMPLES
    return await reviewing.alone(
        examination,
        attempt,
        member,
        examination.k if sampled else 1,
        plurality=way.kind is Kind.PLURALITY,
        checked=way.kind is Kind.CHECKED,
    )
