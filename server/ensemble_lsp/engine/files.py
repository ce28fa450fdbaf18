"""One review over many files: each deliberated for itself, few at a time, under one budget and one deadline."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from ensemble_lsp.core.errors import BudgetExceeded, EnsembleError
from ensemble_lsp.core.events import EventBody, Phase, PhaseEntered, Status
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.merged_results import merge_results

FILES_AT_ONCE = 3
"""More would only wait for each other: the members answer all of them, and the checks share the processor."""

_LOOKED_AT = frozenset({Status.DONE, Status.NOTHING})
"""Of several files one that met a cap midway is left as it was shown before."""


async def each_file(
    paths: Sequence[str],
    review: Callable[[str], Awaitable[JobResult]],
    *,
    emit: Callable[[EventBody], None],
    must_stop: Callable[[], bool],
) -> JobResult:
    """Review the files and return one result; what goes wrong with one of them ends only that one.

    No further file is begun once `must_stop` says so, or a cap was met. Cancelling it cancels all of them.
    """
    results: dict[str, JobResult] = {}
    waiting = iter(enumerate(paths, 1))
    begun: set[str] = set()

    def over_budget() -> bool:
        return any(result.status is Status.OVER_BUDGET for result in results.values())

    async def worker() -> None:
        # Each turn takes one path; all workers share the one iterator.
        for number, path in waiting:
            if must_stop() or over_budget():
                return
            begun.add(path)
            emit(PhaseEntered(phase=Phase.GATHER, note=path, file=number, files=len(paths)))
            try:
                results[path] = await review(path)
            except BudgetExceeded as problem:
                results[path] = JobResult(status=Status.OVER_BUDGET, reason=problem.message)
            except EnsembleError as problem:
                message = f"{path}: {problem.message}"
                results[path] = JobResult(status=Status.FAILED, reason=message, notes=(message,))

    async with asyncio.TaskGroup() as tasks:
        for _ in range(min(FILES_AT_ONCE, len(paths))):
            tasks.create_task(worker())
    in_order = [results[path] for path in paths if path in results]
    result = merge_results(in_order)
    unseen = len(paths) - len(begun)
    changes: dict[str, object] = {
        "reviewed": tuple(path for path in paths if path in results and results[path].status in _LOOKED_AT)
    }
    if unseen:
        changes["status"] = Status.OVER_BUDGET if not in_order or over_budget() else result.status
        said = result.reason if in_order else "it ended before any file was begun"
        changes["reason"] = f"{said}; {unseen} of {len(paths)} files were not looked at"
    return result.model_copy(update=changes)
