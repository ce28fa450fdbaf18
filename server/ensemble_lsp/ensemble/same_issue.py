"""Merging findings of different members, with one call about the pairs that may be the same."""

from collections.abc import Sequence

from pydantic import Field

from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.answer_form import AnswerForm
from ensemble_lsp.ensemble.blind import cheapest
from ensemble_lsp.ensemble.issues import Issue, Raised, issues_from
from ensemble_lsp.ensemble.merging import group
from ensemble_lsp.ensemble.ports import ModelRequest
from ensemble_lsp.ensemble.prompts.numbered import reading
from ensemble_lsp.ensemble.prompts.reviewing import same_issue_task
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.speaking import Answer, ask_as, ask_together

COMPARE_TOKENS = 1_000
PAIRS_AT_MOST = 12
"""Unsure pairs in the one call that asks about them; the most alike come first."""


class SameIssue(AnswerForm):
    """The numbers of the pairs that are the same issue."""

    same: list[int] = Field(max_length=PAIRS_AT_MOST)


async def merged(sitting: Sitting, raised: Sequence[Raised]) -> list[Issue]:
    """Merge what is the same; pairs that may be the same are put to the cheapest member, all in one call."""
    by_id = {item.id: item for item in raised}
    statements = [item.statement for item in raised]
    grouping = group(statements)
    unsure = grouping.unsure[:PAIRS_AT_MOST]
    if unsure and sitting.may_ask:
        member = cheapest(sitting.deliberation.panel.members)
        texts = {statement.id: statement.text for statement in statements}
        pairs = [(texts[first], texts[second]) for first, second in unsure]
        same = await _ask_same(sitting, member, pairs)
        grouping = group(statements, {frozenset(unsure[number - 1]) for number in same})
    groups = [[by_id[ident] for ident in ids] for ids in grouping.groups]
    return issues_from(groups, sitting.deliberation.panel.anchor, sitting.quoting.redact)


async def _ask_same(sitting: Sitting, member: Member, pairs: Sequence[tuple[str, str]]) -> set[int]:
    deliberation = sitting.deliberation
    request = ModelRequest(
        member=member,
        messages=reading(
            deliberation.dossier, sitting.quoting, member, same_issue_task(pairs, sitting.quoting)
        ),
        purpose="compare",
        max_tokens=min(COMPARE_TOKENS, member.max_output_tokens),
        timeout=sitting.timeout(0.3),
    )
    outcomes = await ask_together(deliberation, [(member, ask_as(deliberation, request, SameIssue))])
    sitting.hear(outcomes)
    answers = [outcome.value.same for outcome in outcomes if isinstance(outcome, Answer)]
    return {number for same in answers for number in same if 1 <= number <= len(pairs)}
