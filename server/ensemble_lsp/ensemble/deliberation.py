"""The deliberation's one entrance: one job in, one result out, everything between as events."""

from importlib import import_module
from typing import Protocol, cast

from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.ports import Deliberation

_MODULES = {Action.TEST: "write_tests"}
"""Modules of `ensemble.actions` that are not called as their action is."""


class _Run(Protocol):
    async def __call__(self, deliberation: Deliberation, /) -> JobResult: ...


def _run_of(action: Action) -> _Run:
    """Import the action that is asked for: the others are more than half of this package."""
    name = _MODULES.get(action, action.value)
    return cast("_Run", import_module(f"ensemble_lsp.ensemble.actions.{name}").run)


def import_actions() -> None:
    """Import all of them, for a process that serves for long: what it is made of may be upgraded meanwhile."""
    for action in Action:
        _run_of(action)


async def deliberate(deliberation: Deliberation) -> JobResult:
    """Run one job's deliberation and return what came out of it.

    A member that fails, a check that cannot run, an exhausted budget, the deadline and "decide now" are not
    raised: the job ends with what it has, and its status and reason say so. Cancelling the caller cancels
    all calls and checks in flight; answers that had arrived have been handed to `save_draft`. `started` and
    `finished` are the engine's events, all between are emitted here.
    """
    return await _run_of(deliberation.task.action)(deliberation)
