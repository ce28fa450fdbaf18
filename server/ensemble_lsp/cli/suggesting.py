"""Patches for the worst findings of a review: one fix job each, checked like any other, under the same caps."""

import uuid
from collections.abc import Awaitable, Callable
from typing import cast

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import Action, JobEvent, Status
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.proposals import Proposal
from ensemble_lsp.core.results import JobResult, LineRange, Task
from ensemble_lsp.engine.messages import JobStart, OpenDocument
from ensemble_lsp.engine.scoping import INDEX_VERSION
from ensemble_lsp.settings import Settings

FIXES_AT_MOST = 10
"""Findings of one review that are given a fix: each is a job of its own."""

Run = Callable[[JobStart, Callable[[JobEvent], None]], Awaitable[JobResult]]


async def fix_findings(
    reviewed: JobStart,
    result: JobResult,
    settings: Settings,
    *,
    most: int,
    run: Run,
    on_event: Callable[[JobEvent], None],
) -> tuple[dict[str, Proposal], Spend]:
    """Ask for a patch for each of the `most` worst findings; returns finding → proposal, and what it took.

    They share the caps of money and calls with the review; each has the review's seconds. None is begun after a cap
    was met or a job was cancelled.
    """
    fixes: dict[str, Proposal] = {}
    spent = Spend()
    for finding in [item for item in result.findings if item.admitted][:most]:
        left = _left(settings, result.spend + spent)
        if left is None:
            break
        ended = await run(_start(reviewed, result, finding, left), on_event)
        spent = spent + ended.spend
        if ended.proposal is not None:
            fixes[finding.id] = ended.proposal
        if ended.status in {Status.CANCELLED, Status.OVER_BUDGET}:
            break
    return fixes, spent


def _start(reviewed: JobStart, result: JobResult, finding: Finding, left: dict[str, object]) -> JobStart:
    budget = cast("dict[str, object]", reviewed.options.overrides.get("budget") or {})
    caps: dict[str, object] = {**budget, **left}
    return JobStart(
        job=uuid.uuid4().hex[:12],
        workspace=reviewed.workspace,
        task=Task(
            action=Action.FIX,
            path=finding.path,
            range=LineRange(start=finding.line, end=finding.end_line + 1),
            finding=finding,
            mode=reviewed.task.mode,
            rounds=reviewed.task.rounds,
        ),
        documents=tuple(
            OpenDocument(path=path, text=text, version=INDEX_VERSION) for path, text in result.texts.items()
        ),
        trusted=reviewed.trusted,
        rules=reviewed.rules,
        options=reviewed.options.model_copy(
            update={"overrides": {**reviewed.options.overrides, "budget": caps}}
        ),
    )


def _left(settings: Settings, spent: Spend) -> dict[str, object] | None:
    """Return the caps that are left, or None when one is used up."""
    left: dict[str, object] = {"usd": max(0.0, settings.budget.usd - spent.usd)}
    if settings.budget.calls is not None:
        left["calls"] = settings.budget.calls - spent.calls
        if settings.budget.calls <= spent.calls:
            return None
    return left
