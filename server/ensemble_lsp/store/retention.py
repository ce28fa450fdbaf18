"""How long things are kept, all of it in one place; swept when a process starts its first job, then daily."""

import sqlite3

from ensemble_lsp.store import joblines
from ensemble_lsp.store.columns import local_day
from ensemble_lsp.store.joblines import IsAlive

DAY = 86_400.0
"""Seconds."""

JOB_DAYS = 30
"""Days a job is kept where nobody said otherwise; each job carries its own."""

REPLY_DAYS = 30
"""Days after which an answer is asked for anew: models change behind their names."""

SPEND_DAYS = 400
"""A year and a month, so that years can be compared."""

OUTCOME_DAYS = 600
"""Ten half-lives (see `reliability`): what is older weighs less than a thousandth."""

SWEEP_EVERY = DAY

_JOBS_AT_ONCE = 500
"""Jobs removed in one sweep; the next one takes the rest."""


def sweep(connection: sqlite3.Connection, is_alive: IsAlive, now: float) -> None:
    """Remove what is past its time; `now` in seconds since the epoch. Jobs that run stay."""
    joblines.remove(
        connection,
        is_alive,
        "coalesce(expires, started + ?) < ?",
        (JOB_DAYS * DAY, now),
        limit=_JOBS_AT_ONCE,
    )
    connection.execute("DELETE FROM replies WHERE made < ?", (now - REPLY_DAYS * DAY,))
    connection.execute("DELETE FROM reviewed WHERE expires < ?", (now,))
    connection.execute("DELETE FROM spend WHERE day < ?", (local_day(now - SPEND_DAYS * DAY),))
    for table in ("outcomes", "claims", "anchors"):
        connection.execute(f"DELETE FROM {table} WHERE at < ?", (now - OUTCOME_DAYS * DAY,))  # noqa: S608
