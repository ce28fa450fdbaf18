"""Removing what was kept: jobs with their transcripts, models' answers, documents that an editor opened as files."""

import asyncio
import time
from pathlib import Path

from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.directories import documents_directory
from ensemble_lsp.store.cache import StoredReplies
from ensemble_lsp.store.jobs import JobStore

DAY = 86_400.0
"""Seconds."""


class PurgeScope(Frozen):
    """What to remove: what is older than some days, the jobs of one workspace, or everything that does not run.

    Answers and documents bear no workspace: they go by age, or with everything.
    """

    older_than_days: float | None = None
    workspace: str | None = None
    everything: bool = False


class Purged(Frozen):
    """How many of each."""

    jobs: int
    answers: int
    documents: int


async def would_purge(scope: PurgeScope, jobs: JobStore, replies: StoredReplies) -> Purged:
    """Return what `purge` would remove; nothing is changed."""
    days = _days(scope)
    return Purged(
        jobs=await jobs.count_purged(
            older_than_days=scope.older_than_days, workspace=scope.workspace, everything=scope.everything
        ),
        answers=0 if days is None else await replies.count_older(days),
        documents=0 if days is None else len(await asyncio.to_thread(_documents, days)),
    )


async def purge(scope: PurgeScope, jobs: JobStore, replies: StoredReplies) -> Purged:
    """Remove it; what was spent stays in the ledger, which holds no contents."""
    days = _days(scope)
    return Purged(
        jobs=await jobs.purge(
            older_than_days=scope.older_than_days, workspace=scope.workspace, everything=scope.everything
        ),
        answers=0 if days is None else await replies.forget(days),
        documents=0 if days is None else await asyncio.to_thread(_remove_documents, days),
    )


def _days(scope: PurgeScope) -> float | None:
    return 0.0 if scope.everything else scope.older_than_days


def _documents(days: float) -> list[Path]:
    until = time.time() - days * DAY
    try:
        return [path for path in documents_directory().iterdir() if path.lstat().st_mtime <= until]
    except OSError:
        return []


def _remove_documents(days: float) -> int:
    found = [path for path in _documents(days) if not path.is_dir()]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)
