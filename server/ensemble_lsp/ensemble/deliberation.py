"""The deliberation's one entrance: one job in, one result out, everything between as events."""

from collections.abc import Awaitable, Callable

from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.actions import (
    debate,
    explain,
    fix,
    locate,
    refactor,
    review,
    rewrite,
    secure,
    write_tests,
)
from ensemble_lsp.ensemble.ports import Deliberation

_ACTIONS: dict[Action, Callable[[Deliberation], Awaitable[JobResult]]] = {
    Action.FIX: fix.run,
    Action.REVIEW: review.run,
    Action.EXPLAIN: explain.run,
    Action.TEST: write_tests.run,
    Action.SECURE: secure.run,
    Action.LOCATE: locate.run,
    Action.REFACTOR: refactor.run,
    Action.REWRITE: rewrite.run,
    Action.DEBATE: debate.run,
}


async def deliberate(deliberation: Deliberation) -> JobResult:
    """Run one job's deliberation and return what came out of it.

    A member that fails, a check that cannot run, an exhausted budget, the deadline and "decide now" are not
    raised: the job ends with what it has, and its status and reason say so. Cancelling the caller cancels
    all calls and checks in flight; answers that had arrived have been handed to `save_draft`. `started` and
    `finished` are the engine's events, all between are emitted here.
    """
    return await _ACTIONS[deliberation.task.action](deliberation)
