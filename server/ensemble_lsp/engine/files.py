"""One review over many files: each deliberated for itself, few at a time, under one budget and one deadline."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from ensemble_lsp.core.errors import BudgetExceeded, EnsembleError
from ensemble_lsp.core.events import EventBody, Phase, PhaseEntered, Status
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.merged_results import merge_results

FILES_AT_ONCE = 3
"""Of a change; of a whole repository as many as the members serve (`whole.files_at_once`)."""

NAMED = 3
"""Files not looked at that are named; the result lists all."""

_LOOKED_AT = frozenset({Status.DONE, Status.NOTHING})
"""Of several files one that met a cap midway is left as it was shown before."""


class FilesInTurn:
    """The files of one review and what has come of them so far; what is there is never lost with the rest."""

    def __init__(
        self,
        paths: Sequence[str],
        *,
        emit: Callable[[EventBody], None],
        at_once: int = FILES_AT_ONCE,
        room: Callable[[int], str] = lambda _running: "",
        kept: Mapping[str, JobResult] | None = None,
    ) -> None:
        """`kept`: results of files that need not be looked at again.

        `room` is asked before a file is begun while so many run: "" where the budget has room for one more, else why
        not. Then it is asked again when a file ends, and no file is begun any more when none runs.
        """
        self._paths = tuple(paths)
        self._emit = emit
        self._at_once = at_once
        self._room = room
        self._kept = len(kept or {})
        self._results: dict[str, JobResult] = dict(kept or {})
        self._begun: set[str] = set(self._results)
        self._running = 0
        self._no_room = ""
        self._ended = asyncio.Condition()

    @property
    def total(self) -> int:
        """How many files there are, those that were kept among them."""
        return len(self._paths)

    async def run(
        self, review: Callable[[str], Awaitable[JobResult]], *, must_stop: Callable[[], bool]
    ) -> JobResult:
        """Review the files and return one result; what goes wrong with one of them ends only that one.

        No further file is begun once `must_stop` says so, or a cap was met. Cancelling it cancels all of them;
        `so_far` then has what was finished.
        """
        waiting = iter(
            [(number, path) for number, path in enumerate(self._paths, 1) if path not in self._results]
        )

        async def worker() -> None:
            # All workers share the one iterator: each turn takes one path.
            while await self._may_begin(must_stop):
                turn = next(waiting, None)
                if turn is None:
                    await self._leave()
                    return
                await self._one(*turn, review)

        async with asyncio.TaskGroup() as tasks:
            for _ in range(min(self._at_once, len(self._paths) - self._kept)):
                tasks.create_task(worker())
        return self.so_far()

    async def _may_begin(self, must_stop: Callable[[], bool]) -> bool:
        async with self._ended:
            # Each turn of the loop waits for a file to end; there is an end to them.
            while not (must_stop() or self._over_budget() or self._no_room):
                why_not = self._room(self._running)
                if not why_not:
                    self._running += 1
                    return True
                if self._running == 0:
                    self._no_room = why_not
                    self._ended.notify_all()
                    return False
                await self._ended.wait()
        return False

    async def _one(self, number: int, path: str, review: Callable[[str], Awaitable[JobResult]]) -> None:
        self._begun.add(path)
        self._emit(
            PhaseEntered(
                phase=Phase.GATHER,
                note=path,
                file=number,
                files=len(self._paths),
                done=len(self._results),
            )
        )
        try:
            self._results[path] = await review(path)
        except BudgetExceeded as problem:
            self._results[path] = JobResult(status=Status.OVER_BUDGET, reason=problem.message)
        except EnsembleError as problem:
            message = f"{path}: {problem.message}"
            self._results[path] = JobResult(status=Status.FAILED, reason=message, notes=(message,))
        finally:
            await self._leave()

    async def _leave(self) -> None:
        self._running -= 1
        async with self._ended:
            self._ended.notify_all()

    def _over_budget(self) -> bool:
        return any(result.status is Status.OVER_BUDGET for result in self._results.values())

    def so_far(self) -> JobResult:
        """Return what has come of the files up to now as one result."""
        results = self._results
        in_order = [results[path] for path in self._paths if path in results]
        result = merge_results(in_order)
        reviewed = tuple(
            path for path in self._paths if path in results and results[path].status in _LOOKED_AT
        )
        left = tuple(path for path in self._paths if path not in reviewed)
        changes: dict[str, object] = {"reviewed": reviewed, "unreviewed": left}
        unseen = len(self._paths) - len(self._begun)
        if unseen:
            over = not in_order or self._over_budget() or self._no_room
            changes["status"] = Status.OVER_BUDGET if over else result.status
            said = result.reason if in_order else "it ended before any file was begun"
            changes["reason"] = "; ".join(
                part
                for part in (said, self._no_room, f"{unseen} of {len(self._paths)} files were not looked at")
                if part
            )
        if left and len(self._paths) > NAMED:
            more = f" and {len(left) - NAMED} more" if len(left) > NAMED else ""
            changes["notes"] = (*result.notes, f"not looked at to the end: {', '.join(left[:NAMED])}{more}")
        return result.model_copy(update=changes)
