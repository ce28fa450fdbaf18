"""What a job will use at most and about what it is expected to use, before it starts."""

from collections.abc import Iterable

from ensemble_lsp.core.events import Action, Estimate, Mode
from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import Message, ModelPort, ModelRequest

QUICK_CALLS = 4
"""Two blind drafts, one repair, one critique."""

OWN_TOKENS = 600
"""Our own words in a typical call; 2,000 at most."""

_CASCADES = frozenset({Action.FIX, Action.REFACTOR, Action.REWRITE})
"""Actions that ask two members first and more only while the question is open."""

OPEN_SHARE = 0.4
"""How often two blind drafts are assumed not to settle the matter: between the 25% at which the cascade pays
well and the 52% at which it breaks even (docs/deliberation.md)."""

TYPICAL_OUTPUT_TOKENS = 600
"""A change with two paragraphs of reasons."""

HOSTED_CALL_SECONDS = 12.0
"""About 600 tokens at 60 a second, and two seconds until the first."""
LOCAL_CALL_SECONDS = 60.0
"""About 600 tokens at 11 a second: a small model on a processor."""
_ROUNDS = 2
"""Calls that a typical review makes one after the other: the finders, then one challenger."""


def bound_on_calls(action: Action, mode: Mode, members: int, rounds: int) -> int:
    """Return how many calls a job can make at most; the deliberation is built so that it cannot pass it.

    `secure` is a review and a fix one after the other, and but for `quick` one call for an exploit test. The
    others: `quick`: 4. `panel`: three a member (draft, critique, revision), one repair and one escalation; for a
    review, one a finder and three. `debate`: one a member for the draft and for every round, and one repair.
    """
    if action is Action.SECURE:
        parts = [bound_on_calls(part, mode, members, rounds) for part in (Action.REVIEW, Action.FIX)]
        return sum(parts) + (mode is not Mode.QUICK)
    if mode is Mode.QUICK:
        return QUICK_CALLS
    if mode is Mode.DEBATE:
        return members * (1 + max(1, rounds)) + 1
    if action is Action.REVIEW:
        return members + 3
    return members * 3 + 2


def expected_calls(action: Action, mode: Mode, members: int, rounds: int) -> int:
    """Return the number of calls a typical job makes."""
    bound = bound_on_calls(action, mode, members, rounds)
    if action is Action.SECURE:
        parts = [expected_calls(part, mode, members, rounds) for part in (Action.REVIEW, Action.FIX)]
        return min(bound, sum(parts) + (mode is not Mode.QUICK))
    if mode is Mode.DEBATE:
        # Positions usually stop moving before the last round that is allowed.
        return min(bound, members * (1 + (1 + max(1, rounds)) // 2))
    if action is Action.REVIEW and mode is Mode.PANEL:
        return min(bound, members + 1)
    first = 2 if action in _CASCADES else min(members, bound)
    return min(bound, first + round(OPEN_SHARE * (bound - first)))


def estimate(
    task: Task,
    panel: Panel,
    models: ModelPort,
    dossier_tokens: int,
    *,
    files: int | None = None,
    typical_tokens: int | None = None,
    files_at_once: int = 1,
) -> Estimate:
    """Return calls and dollars, expected and at most, for a dossier of `dossier_tokens` tokens.

    The bound counts every call at its worst case: full prompt, all output tokens that the member may write. Of several
    `files` (those of the task) each counts as one such dossier, and as `typical_tokens` where that is known.
    """
    files = max(1, len(task.paths)) if files is None else files
    expected_tokens = dossier_tokens if typical_tokens is None else min(typical_tokens, dossier_tokens)
    several = len(task.paths) > 1
    members = panel.members
    calls = bound_on_calls(task.action, task.mode, len(members), task.rounds)
    expected = expected_calls(task.action, task.mode, len(members), task.rounds)
    worst = sorted((_worst(models, member, dossier_tokens) for member in members), reverse=True)
    typical = sorted(_typical(models, member, expected_tokens) for member in members)
    bound_usd = _shared_out(worst, calls)
    expected_usd = _shared_out(typical, expected)
    if panel.strong is not None and task.mode is Mode.PANEL:
        bound_usd += _worst(models, panel.strong, dossier_tokens)
        expected_usd += OPEN_SHARE / 2 * _typical(models, panel.strong, expected_tokens)
    return Estimate(
        calls_expected=expected * files,
        calls_bound=calls * files,
        usd_expected=min(expected_usd, bound_usd) * files,
        usd_bound=bound_usd * files,
        tokens_expected=(
            expected * files * (expected_tokens + OWN_TOKENS + TYPICAL_OUTPUT_TOKENS) if several else None
        ),
        seconds_expected=files * _seconds(members, expected) / files_at_once if several else None,
    )


def first_round_usd(members: Iterable[Member], models: ModelPort, dossier_tokens: int) -> float:
    """Return what the blind answers of these members cost at worst, all of which are held at once."""
    return sum(_worst(models, member, dossier_tokens) for member in members)


def _seconds(members: Iterable[Member], calls: int) -> float:
    """Return how long one file takes: hosted members answer side by side, those on this machine one after the other."""
    local = any(member.local for member in members)
    return LOCAL_CALL_SECONDS * calls if local else HOSTED_CALL_SECONDS * _ROUNDS


def _shared_out(prices: list[float], calls: int) -> float:
    """Return the price of `calls` calls, dealt out to the members in the order of `prices`."""
    rounds, rest = divmod(calls, len(prices))
    return sum(prices) * rounds + sum(prices[:rest])


def _worst(models: ModelPort, member: Member, dossier_tokens: int) -> float:
    return _price(models, member, dossier_tokens + 2_000, member.max_output_tokens)


def _typical(models: ModelPort, member: Member, dossier_tokens: int) -> float:
    output = min(TYPICAL_OUTPUT_TOKENS, member.max_output_tokens)
    return _price(models, member, dossier_tokens + OWN_TOKENS, output)


def _price(models: ModelPort, member: Member, tokens_in: int, tokens_out: int) -> float:
    # A text of that many common short words has that many tokens for the tokenizers in use.
    message = Message(role="user", content=" a" * tokens_in)
    request = ModelRequest(member=member, messages=(message,), purpose="estimate", max_tokens=tokens_out)
    return models.worst_case_usd(request)
