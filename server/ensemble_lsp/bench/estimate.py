"""What a run will take, before anything is asked: calls, money, and very roughly time."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.ways.catalogue import REVIEW_SAMPLES, Kind, Way
from ensemble_lsp.bench.ways.voting import bound_of
from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.ensemble.estimate import (
    OWN_TOKENS,
    TYPICAL_OUTPUT_TOKENS,
    bound_on_calls,
    expected_calls,
)

HOSTED_SECONDS = 8.0
"""For one call of a hosted member."""
LOCAL_SECONDS = 30.0
"""For one call of a member on this machine: 600 tokens at some 20 a second."""
CHECK_SECONDS = 4.0
"""For the checks of one way on one case, beside its calls."""
BESIDE_TOKENS = 800
"""What is shown beside the program itself: tests, logs, definitions."""
SAMPLES_SHARE = 0.6
"""How many of k samples are drawn until one passes, or k are drawn."""

_MODES: Mapping[Kind, Mode] = {
    Kind.QUICK: Mode.QUICK,
    Kind.PANEL: Mode.PANEL,
    Kind.PANEL_NO_CRITIQUE: Mode.PANEL,
    Kind.PANEL_NO_REVISION: Mode.PANEL,
    Kind.PANEL_NO_SEARCH: Mode.PANEL,
    Kind.DEBATE: Mode.DEBATE,
    Kind.DEBATE_NO_CRITIQUE: Mode.DEBATE,
    Kind.DEBATE_NO_REVISION: Mode.DEBATE,
}


class RunEstimate(Frozen):
    """Of what is still to be done. `calls` and `usd` are expected ones, each first answer counted once."""

    outcomes: int
    calls: int
    calls_bound: int
    usd: float
    usd_bound: float
    """Every call at its worst case: a full prompt, all output tokens that the member may write."""
    seconds: float


def estimate_run(
    subject: Subject,
    todo: Mapping[str, Sequence[BenchCase]],
    ways: Sequence[Way],
    panel: Panel,
    *,
    k: int,
    rounds: int,
    prompt_tokens: int,
) -> RunEstimate:
    """Estimate the outcomes that are missing: `todo` has the cases of each way by its name.

    `prompt_tokens` is the most that a prompt may have.
    """
    calls = bound = firsts = 0.0
    usd = usd_bound = seconds = 0.0
    outcomes = 0
    for way in ways:
        cases = todo.get(way.name, ())
        if not cases:
            continue
        outcomes += len(cases)
        members = _asked(way, panel)
        expected, most, first = _calls(way, subject, panel, k=k, rounds=rounds)
        size = min(prompt_tokens, OWN_TOKENS + BESIDE_TOKENS + fmean(_tokens(case) for case in cases))
        calls += len(cases) * expected
        bound += len(cases) * most
        firsts += len(cases) * first
        usd += (
            len(cases) * expected * fmean(_price(member, size, TYPICAL_OUTPUT_TOKENS) for member in members)
        )
        usd_bound += (
            len(cases)
            * most
            * max(_price(member, prompt_tokens + 2_000, member.max_output_tokens) for member in members)
        )
        each = fmean(LOCAL_SECONDS if member.local else HOSTED_SECONDS for member in members)
        seconds += len(cases) * (CHECK_SECONDS + (expected - first) * each)
    # All ways begin with the same first answers: they are paid for once.
    once = max((len(cases) for cases in todo.values()), default=0) * len(panel.members)
    saved = max(0.0, firsts - once)
    each = fmean(LOCAL_SECONDS if member.local else HOSTED_SECONDS for member in panel.members)
    share = (calls - saved) / calls if calls else 0.0
    return RunEstimate(
        outcomes=outcomes,
        calls=round(calls - saved),
        calls_bound=round(bound),
        usd=usd * share,
        usd_bound=usd_bound,
        seconds=seconds + once * each,
    )


def _calls(way: Way, subject: Subject, panel: Panel, *, k: int, rounds: int) -> tuple[float, int, int]:
    """Return calls of one way on one case: expected, at most, and the first answers among the expected."""
    members = len(panel.members)
    action = Action.FIX if subject is Subject.FIX else Action.REVIEW
    mode = _MODES.get(way.kind)
    if mode is not None:
        expected = expected_calls(action, mode, members, rounds)
        firsts = min(members, 2) if mode is Mode.QUICK else members
        return expected, bound_on_calls(action, mode, members, rounds), min(firsts, expected)
    if way.kind is Kind.SEARCH:
        return 0, 0, 0
    if way.kind is Kind.VOTING:
        return 2 * members + 1, bound_of(members), members
    if way.kind is Kind.SAMPLES:
        return max(1.0, SAMPLES_SHARE * k), k, 1
    if way.kind in REVIEW_SAMPLES:
        return k, k + 1, 1
    return 1, 1, 0 if way.kind is Kind.STRONG else 1


def _asked(way: Way, panel: Panel) -> tuple[Member, ...]:
    return (panel.member(way.member),) if way.member else panel.members


def _tokens(case: BenchCase) -> float:
    # Some four characters of code a token.
    return len(case.files[case.path]) / 4


def _price(member: Member, tokens_in: float, tokens_out: float) -> float:
    """Return US dollars; a member whose price nobody knows counts as free here, and the caller says so."""
    return ((member.price_in or 0.0) * tokens_in + (member.price_out or 0.0) * tokens_out) / 1_000_000
