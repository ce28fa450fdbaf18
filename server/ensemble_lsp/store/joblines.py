"""The lines of the job list. Functions on an open connection; `is_alive` says whether an owner still runs."""

import sqlite3
from collections.abc import Callable
from typing import Any

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.store.columns import from_column, to_column, to_usd
from ensemble_lsp.store.records import JobLine, JobState

IsAlive = Callable[[str], bool]

_SELECT = """
    SELECT j.job, j.workspace, j.action, j.title, j.status, j.reason, j.pid, j.owner, j.started, j.seconds,
        j.calls, j.tokens_in, j.tokens_out, j.nano_usd,
        coalesce(sum(s.calls), 0), coalesce(sum(s.tokens_in), 0), coalesce(sum(s.tokens_out), 0),
        coalesce(sum(s.nano_usd), 0)
    FROM jobs j LEFT JOIN spend s ON j.status = 'running' AND s.job = j.job
"""


def one(connection: sqlite3.Connection, job: str, is_alive: IsAlive, now: float) -> JobLine | None:
    """Return the line of one job, or None."""
    row = connection.execute(f"{_SELECT} WHERE j.job = ? GROUP BY j.job", (to_column(job),)).fetchone()
    return None if row is None else _line(row, is_alive, now)


def newest(
    connection: sqlite3.Connection, workspace: str | None, limit: int, is_alive: IsAlive, now: float
) -> tuple[JobLine, ...]:
    """Return the newest lines first."""
    where, values = ("", ()) if workspace is None else ("WHERE j.workspace = ?", (to_column(workspace),))
    rows = connection.execute(
        f"{_SELECT} {where} GROUP BY j.job ORDER BY j.started DESC, j.rowid DESC LIMIT ?", (*values, limit)
    )
    alive: dict[str, bool] = {}

    def asked_once(owner: str) -> bool:
        if owner not in alive:
            alive[owner] = is_alive(owner)
        return alive[owner]

    return tuple(_line(row, asked_once, now) for row in rows.fetchall())


def starting_with(connection: sqlite3.Connection, prefix: str) -> tuple[str, ...]:
    """Return the ids that start with `prefix`, two of them at most, the exact one first."""
    rows = connection.execute(
        "SELECT job FROM jobs WHERE substr(job, 1, ?1) = ?2 ORDER BY job = ?2 DESC LIMIT 2",
        (len(prefix), prefix),
    )
    return tuple(from_column(row[0]) for row in rows.fetchall())


def remove(
    connection: sqlite3.Connection,
    is_alive: IsAlive,
    condition: str,
    values: tuple[str | bytes | float, ...] = (),
    *,
    limit: int = -1,
) -> int:
    """Remove jobs that do not run, oldest first, and return how many.

    `condition` is SQL of our own with a mark for each of `values`; a negative `limit` means all.
    """
    gone = _ended(connection, is_alive, condition, values, limit)
    connection.executemany("DELETE FROM jobs WHERE job = ?", gone)
    return len(gone)


def count(
    connection: sqlite3.Connection,
    is_alive: IsAlive,
    condition: str,
    values: tuple[str | bytes | float, ...] = (),
) -> int:
    """Return how many jobs `remove` would remove."""
    return len(_ended(connection, is_alive, condition, values, -1))


def _ended(
    connection: sqlite3.Connection,
    is_alive: IsAlive,
    condition: str,
    values: tuple[str | bytes | float, ...],
    limit: int,
) -> list[tuple[str | bytes]]:
    rows = connection.execute(
        f"SELECT job, status, owner FROM jobs WHERE {condition} ORDER BY started LIMIT ?",  # noqa: S608
        (*values, limit),
    ).fetchall()
    return [(job,) for job, status, owner in rows if status != "running" or not is_alive(owner)]


def _line(row: tuple[Any, ...], is_alive: IsAlive, now: float) -> JobLine:
    (job, workspace, action, title, status, reason, pid, owner, started, seconds, *counts) = row
    state: JobState
    if status != "running":
        state = Status(status)
    else:
        state = "running" if is_alive(owner) else "lost"
        if state == "lost":
            reason = "the process that ran it ended; what was answered is kept"
    calls, tokens_in, tokens_out, nano = counts[4:] if status == "running" else counts[:4]
    return JobLine(
        job=from_column(job),
        workspace=from_column(workspace),
        action=Action(action),
        title=from_column(title),
        state=state,
        reason=from_column(reason),
        pid=pid,
        started=started,
        seconds=seconds if seconds is not None else (max(0.0, now - started) if state == "running" else 0.0),
        spend=Spend(calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, usd=to_usd(nano)),
    )
