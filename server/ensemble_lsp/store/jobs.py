"""Jobs and their transcripts, written while they run: a killed process loses nothing that was paid."""

import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ensemble_lsp.core.errors import StoreError, UnknownItem, UsageError
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import DraftRecord, JobResult
from ensemble_lsp.store import joblines, retention, transcripts
from ensemble_lsp.store.columns import to_column, to_nano
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.records import JobLine, JobRecord


@dataclass(frozen=True, slots=True)
class _Started:
    """What was recorded of a job that runs here: it can be written again when the file had to be replaced."""

    job: str
    workspace: str
    action: Action
    title: str
    task: Mapping[str, object]
    pid: int
    start: Mapping[str, object] | None
    at: float
    expires: float


class JobStore:
    """The jobs of all processes on this machine.

    Jobs recorded with `keep_transcript=False` leave their summary line in the file; what they were asked and
    what was answered is held in memory, so that this process can still continue them.

    Writing never fails a job: what could not be written is reported in the database's notices.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._swept = float("-inf")
        self._unkept: Database | None = None
        self._unkept_jobs: set[str] = set()
        self._started: dict[str, _Started] = {}

    async def record_start(
        self,
        *,
        job: str,
        workspace: str,
        action: Action,
        title: str,
        task: Mapping[str, object],
        pid: int,
        start: Mapping[str, object] | None = None,
        keep_transcript: bool = True,
        keep_days: float = retention.JOB_DAYS,
    ) -> None:
        """Write down that a job starts in this process.

        `task` and `start` (the whole request, for `continue`) are in wire form. After `keep_days` the job is
        removed. The first start of a process, and later one a day, also removes what is past its time. Raises
        `UsageError` when the id is taken.
        """
        now = self._clock()
        expires = now + keep_days * retention.DAY
        started = _Started(job, workspace, action, title, task, pid, start, now, expires)
        try:
            await self._kept(self._database.write(lambda c: self._insert(c, started, keep_transcript)))
        except sqlite3.IntegrityError as error:
            raise UsageError(f"the job id {job!r} is taken", field="job") from error
        self._started[job] = started
        if not keep_transcript:
            self._unkept_jobs.add(job)
            await self._kept(self._memory().write(lambda c: self._insert(c, started, True)))
        if now - self._swept >= retention.SWEEP_EVERY:
            self._swept = now
            await self._kept(self._database.write(lambda c: retention.sweep(c, self._is_alive, now)))

    async def append_events(self, job: str, events: Sequence[dict[str, object]]) -> None:
        """Keep a batch of events in the protocol's flat form, streamed text joined; raises `UnknownItem`."""
        if events:
            batch = list(events)
            await self._change(job, lambda c: transcripts.append(c, job, batch))

    async def save_draft(self, job: str, draft: DraftRecord) -> None:
        """Keep one paid answer at once, also when the caller is cancelled meanwhile; raises `UnknownItem`."""
        await self._change(job, lambda c: transcripts.add_draft(c, job, draft))

    async def drafts(self, job: str) -> tuple[DraftRecord, ...]:
        """Return the paid answers of a job in the order in which they came; empty for an unknown job."""
        return await self._contents(job).read(lambda c: transcripts.drafts_of(c, job))

    async def start_of(self, job: str) -> dict[str, object] | None:
        """Return the request that started the job, or None when it is unknown or was not kept."""
        return await self._contents(job).read(lambda c: transcripts.start_of(c, job))

    async def finish(self, job: str, result: JobResult, seconds: float | None = None) -> None:
        """Write down how a job ended; `seconds` is measured from its start when not given."""
        now = self._clock()

        def line(connection: sqlite3.Connection) -> None:
            spend = result.spend
            connection.execute(
                "UPDATE jobs SET status = ?, reason = ?, seconds = coalesce(?, max(0, ? - started)), "
                "calls = ?, tokens_in = ?, tokens_out = ?, nano_usd = ? WHERE job = ?",
                (
                    result.status.value,
                    to_column(result.reason),
                    seconds,
                    now,
                    spend.calls,
                    spend.tokens_in,
                    spend.tokens_out,
                    to_nano(spend.usd),
                    to_column(job),
                ),
            )

        def all_of_it(connection: sqlite3.Connection) -> None:
            line(connection)
            transcripts.end(connection, job, result)

        if job in self._unkept_jobs:
            await self._kept(self._database.write(line))
        await self._change(job, all_of_it)
        self._started.pop(job, None)

    async def get(self, job: str) -> JobRecord:
        """Return everything kept of a job; raises `UnknownItem`."""
        now = self._clock()
        line = await self._database.read(lambda c: joblines.one(c, job, self._is_alive, now))
        if line is None:
            raise UnknownItem(f"no job {job!r}", field="job", hint="`ensemble-lsp jobs` lists them")

        def contents(connection: sqlite3.Connection) -> JobRecord:
            return JobRecord(
                line=line,
                task=transcripts.task_of(connection, job),
                events=tuple(transcripts.events_of(connection, job)),
                drafts=transcripts.drafts_of(connection, job),
                result=transcripts.result_of(connection, job),
            )

        return await self._contents(job).read(contents)

    async def list(self, workspace: str | None = None, limit: int = 20) -> tuple[JobLine, ...]:
        """Return the newest jobs first, of one workspace or of all."""
        now = self._clock()
        return await self._database.read(lambda c: joblines.newest(c, workspace, limit, self._is_alive, now))

    async def find(self, prefix: str) -> str:
        """Return the one job whose id starts with `prefix`; raises `UnknownItem`, also when several do."""
        found = await self._database.read(lambda c: joblines.starting_with(c, prefix))
        if len(found) == 1 or prefix in found:
            return prefix if prefix in found else found[0]
        what = f"several jobs start with {prefix!r}" if found else f"no job {prefix!r}"
        raise UnknownItem(what, field="job", hint="`ensemble-lsp jobs` lists them")

    async def purge(
        self, *, older_than_days: float | None = None, workspace: str | None = None, everything: bool = False
    ) -> int:
        """Remove ended jobs with all that was kept of them; returns how many. Running jobs stay.

        Exactly one of the three says which: started before so many days, of one workspace, or all. What was
        spent stays in the ledger, which holds no contents.
        """
        condition, values = self._purged(older_than_days, workspace, everything=everything)

        def work(connection: sqlite3.Connection) -> int:
            return joblines.remove(connection, self._is_alive, condition, values)

        removed = await self._database.write(work)
        if self._unkept is not None:
            await self._unkept.write(work)
        await self._database.compact()
        return removed

    async def count_purged(
        self, *, older_than_days: float | None = None, workspace: str | None = None, everything: bool = False
    ) -> int:
        """Return how many jobs `purge` would remove; nothing is changed."""
        condition, values = self._purged(older_than_days, workspace, everything=everything)
        return await self._database.read(lambda c: joblines.count(c, self._is_alive, condition, values))

    def _purged(
        self, older_than_days: float | None, workspace: str | None, *, everything: bool
    ) -> tuple[str, tuple[str | bytes | float, ...]]:
        if [older_than_days is not None, workspace is not None, everything].count(True) != 1:
            raise ValueError("say exactly one of older_than_days, workspace, everything")
        if older_than_days is not None:
            return "started < ?", (self._clock() - older_than_days * retention.DAY,)
        if workspace is not None:
            return "workspace = ?", (to_column(workspace),)
        return "1", ()

    def close(self) -> None:
        """Forget what was held in memory; the database is closed by its owner."""
        if self._unkept is not None:
            self._unkept.close()

    def _insert(self, connection: sqlite3.Connection, started: _Started, contents: bool) -> None:
        connection.execute(
            "INSERT INTO jobs (job, workspace, action, title, pid, owner, started, expires, status, reason) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running', '')",
            (
                to_column(started.job),
                to_column(started.workspace),
                started.action.value,
                to_column(started.title),
                started.pid,
                self._database.presence.token,
                started.at,
                started.expires,
            ),
        )
        if contents:
            transcripts.begin(connection, started.job, started.task, started.start)

    async def _change(self, job: str, work: Callable[[sqlite3.Connection], None]) -> None:
        """Change the contents of a job, whose start is written again if the file was replaced meanwhile."""

        def known(connection: sqlite3.Connection) -> None:
            row = connection.execute("SELECT 1 FROM jobs WHERE job = ?", (to_column(job),)).fetchone()
            if row is None:
                if job not in self._started:
                    raise UnknownItem(f"no job {job!r}", field="job")
                self._insert(connection, self._started[job], True)
            work(connection)

        await self._kept(self._contents(job).write(known))

    def _is_alive(self, owner: str) -> bool:
        return self._database.presence.is_alive(owner)

    def _memory(self) -> Database:
        if self._unkept is None:
            self._unkept = Database(in_memory=True)
        return self._unkept

    def _contents(self, job: str) -> Database:
        return self._memory() if job in self._unkept_jobs else self._database

    async def _kept(self, writing: Awaitable[Any]) -> None:
        """Wait for a write; a store that cannot take it is a notice, not the end of the job."""
        try:
            await writing
        except StoreError as error:
            self._database.note(f"part of a job could not be written down: {error.message}")


__all__ = ["JobLine", "JobRecord", "JobStore"]
