"""The contents of jobs: task, events, drafts, result. Functions on an open connection."""

import sqlite3
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from ensemble_lsp.core.results import DraftRecord, JobResult
from ensemble_lsp.store.coalescing import coalesce
from ensemble_lsp.store.columns import pack, to_column, unpack_object, unpack_objects


def begin(
    connection: sqlite3.Connection,
    job: str,
    task: Mapping[str, object],
    start: Mapping[str, object] | None,
) -> None:
    """Keep what a job was asked."""
    connection.execute(
        "INSERT OR REPLACE INTO contents (job, task, start) VALUES (?, ?, ?)",
        (to_column(job), pack(task), None if start is None else pack(start)),
    )


def append(connection: sqlite3.Connection, job: str, events: Sequence[dict[str, object]]) -> None:
    """Keep one batch of events."""
    connection.execute(
        "INSERT INTO events (job, batch, body) "
        "SELECT ?1, coalesce(max(batch), -1) + 1, ?2 FROM events WHERE job = ?1",
        (to_column(job), pack(coalesce(events))),
    )


def add_draft(connection: sqlite3.Connection, job: str, draft: DraftRecord) -> None:
    """Keep one paid answer."""
    connection.execute(
        "INSERT INTO drafts (job, ordinal, body) "
        "SELECT ?1, coalesce(max(ordinal), -1) + 1, ?2 FROM drafts WHERE job = ?1",
        (to_column(job), pack(draft.to_wire())),
    )


def end(connection: sqlite3.Connection, job: str, result: JobResult) -> None:
    """Keep the result, and the events from now on in one piece."""
    key = to_column(job)
    connection.execute("UPDATE contents SET result = ? WHERE job = ?", (pack(result.to_wire()), key))
    rows = connection.execute("SELECT count(*) FROM events WHERE job = ?", (key,)).fetchone()
    if rows[0] > 1:
        events = events_of(connection, job)
        connection.execute("DELETE FROM events WHERE job = ?", (key,))
        append(connection, job, events)


def task_of(connection: sqlite3.Connection, job: str) -> dict[str, object] | None:
    """Return the task, in wire form, or None when it was not kept."""
    row = connection.execute("SELECT task FROM contents WHERE job = ?", (to_column(job),)).fetchone()
    return None if row is None else unpack_object(row[0])


def start_of(connection: sqlite3.Connection, job: str) -> dict[str, object] | None:
    """Return the whole request that started the job, in wire form, or None when it was not kept."""
    row = connection.execute("SELECT start FROM contents WHERE job = ?", (to_column(job),)).fetchone()
    return None if row is None or row[0] is None else unpack_object(row[0])


def events_of(connection: sqlite3.Connection, job: str) -> list[dict[str, object]]:
    """Return all events, streamed text joined."""
    rows = connection.execute("SELECT body FROM events WHERE job = ? ORDER BY batch", (to_column(job),))
    return coalesce(event for (body,) in rows.fetchall() for event in unpack_objects(body))


def drafts_of(connection: sqlite3.Connection, job: str) -> tuple[DraftRecord, ...]:
    """Return the paid answers in the order in which they came; those of an older form are left out."""
    rows = connection.execute("SELECT body FROM drafts WHERE job = ? ORDER BY ordinal", (to_column(job),))
    drafts: list[DraftRecord] = []
    for (body,) in rows.fetchall():
        try:
            drafts.append(DraftRecord.model_validate(unpack_object(body)))
        except ValidationError:
            continue
    return tuple(drafts)


def result_of(connection: sqlite3.Connection, job: str) -> JobResult | None:
    """Return the result; None when there is none, or when an older version wrote it in another form."""
    row = connection.execute("SELECT result FROM contents WHERE job = ?", (to_column(job),)).fetchone()
    if row is None or row[0] is None:
        return None
    try:
        return JobResult.model_validate(unpack_object(row[0]))
    except ValidationError:
        return None
