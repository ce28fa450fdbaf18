"""The tables, as the list of migrations that lead to them.

A migration that was released is never edited; a change is a new entry. `PRAGMA user_version` counts how many
have been applied.
"""

import sqlite3

Migration = tuple[str, ...]
"""The statements of one step, run in one transaction together with the new `user_version`."""

MIGRATIONS: tuple[Migration, ...] = (
    (
        # One line per job: all that is kept when transcripts are off.
        """CREATE TABLE jobs (
            job TEXT PRIMARY KEY,
            workspace TEXT NOT NULL,
            action TEXT NOT NULL,
            title TEXT NOT NULL,
            pid INTEGER NOT NULL,
            owner TEXT NOT NULL,
            started REAL NOT NULL,
            seconds REAL,
            status TEXT NOT NULL,
            reason TEXT NOT NULL,
            calls INTEGER NOT NULL DEFAULT 0,
            tokens_in INTEGER NOT NULL DEFAULT 0,
            tokens_out INTEGER NOT NULL DEFAULT 0,
            nano_usd INTEGER NOT NULL DEFAULT 0
        )""",
        "CREATE INDEX jobs_by_start ON jobs (started)",
        """CREATE TABLE contents (
            job TEXT PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
            task BLOB NOT NULL,
            start BLOB,
            result BLOB
        )""",
        """CREATE TABLE events (
            job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
            batch INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (job, batch)
        )""",
        """CREATE TABLE drafts (
            job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
            ordinal INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (job, ordinal)
        )""",
        """CREATE TABLE spend (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            day TEXT NOT NULL,
            job TEXT NOT NULL,
            member TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('held', 'settled', 'lost')),
            owner TEXT NOT NULL,
            at REAL NOT NULL,
            calls INTEGER NOT NULL DEFAULT 0,
            tokens_in INTEGER NOT NULL DEFAULT 0,
            tokens_out INTEGER NOT NULL DEFAULT 0,
            nano_usd INTEGER NOT NULL
        )""",
        "CREATE INDEX spend_by_day ON spend (day)",
        "CREATE INDEX spend_by_job ON spend (job)",
        "CREATE INDEX spend_held ON spend (owner) WHERE state = 'held'",
        """CREATE TABLE replies (
            key TEXT PRIMARY KEY,
            body BLOB NOT NULL,
            size INTEGER NOT NULL,
            made REAL NOT NULL,
            used REAL NOT NULL
        )""",
        "CREATE INDEX replies_by_use ON replies (used)",
        # `source` is "person" or "check": a later word of the same source replaces the earlier one.
        """CREATE TABLE outcomes (
            job TEXT NOT NULL,
            subject TEXT NOT NULL,
            member TEXT NOT NULL,
            source TEXT NOT NULL,
            category TEXT NOT NULL,
            verdict TEXT NOT NULL,
            success REAL NOT NULL,
            failure REAL NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (job, subject, member, source)
        )""",
        "CREATE INDEX outcomes_by_time ON outcomes (at)",
        """CREATE TABLE dismissals (
            workspace TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            reason TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (workspace, fingerprint)
        )""",
        # `workspace` empty: everywhere.
        """CREATE TABLE consents (
            kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            workspace TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (kind, subject, workspace)
        )""",
        """CREATE TABLE trusted (
            path TEXT PRIMARY KEY,
            at REAL NOT NULL
        )""",
    ),
    # When a job may go, in seconds since the epoch: what was promised when it ran, whatever is set later or
    # in another workspace.
    ("ALTER TABLE jobs ADD COLUMN expires REAL",),
    # Fingerprints that hold no path, and what a person needs to know an entry again. Entries of the old form
    # left nothing out, and nothing can be found by them.
    (
        "DROP TABLE dismissals",
        """CREATE TABLE dismissals (
            workspace TEXT NOT NULL,
            path TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            title TEXT NOT NULL,
            category TEXT NOT NULL,
            reason TEXT NOT NULL,
            date TEXT NOT NULL,
            PRIMARY KEY (workspace, path, fingerprint)
        )""",
    ),
    # What was learned counts once for a change or finding, however many jobs bring it up again: `scope` stands for
    # the workspace instead of the job. Action and language, since who is best at one need not be at another.
    (
        "ALTER TABLE outcomes RENAME COLUMN job TO scope",
        "ALTER TABLE outcomes ADD COLUMN action TEXT NOT NULL DEFAULT 'review'",
        "ALTER TABLE outcomes ADD COLUMN language TEXT NOT NULL DEFAULT ''",
        # Findings were filed under their own category, candidates under the action.
        """UPDATE outcomes SET action = category
            WHERE category IN ('fix', 'explain', 'test', 'secure', 'locate', 'refactor', 'rewrite', 'debate')""",
        # What was claimed with which confidence on which grounds, and how far it was right. `members`: a list in JSON.
        """CREATE TABLE claims (
            scope TEXT NOT NULL,
            subject TEXT NOT NULL,
            members TEXT NOT NULL,
            action TEXT NOT NULL,
            category TEXT NOT NULL,
            families INTEGER NOT NULL,
            witness INTEGER,
            refutation TEXT NOT NULL,
            shown REAL NOT NULL,
            correct REAL NOT NULL,
            weight REAL NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (scope, subject)
        )""",
        "CREATE INDEX claims_by_time ON claims (at)",
        # Who was trusted most, so that it changes only for a reason. `panel`: the members who sat, in JSON.
        """CREATE TABLE anchors (
            panel TEXT NOT NULL,
            action TEXT NOT NULL,
            language TEXT NOT NULL,
            member TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (panel, action, language)
        )""",
    ),
    # What a review said of one file. `key`: a hash of the text and of all else that the result depends on.
    (
        """CREATE TABLE reviewed (
            key TEXT PRIMARY KEY,
            workspace TEXT NOT NULL,
            body BLOB NOT NULL,
            made REAL NOT NULL,
            expires REAL NOT NULL
        )""",
        "CREATE INDEX reviewed_by_time ON reviewed (expires)",
    ),
)

TABLES: frozenset[str] = frozenset(
    {
        "jobs",
        "contents",
        "events",
        "drafts",
        "spend",
        "replies",
        "outcomes",
        "claims",
        "anchors",
        "reviewed",
        "dismissals",
        "consents",
        "trusted",
    }
)
"""What a database of the current version has; one without them is not ours."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return how many migrations a database has been through."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Bring a database to the current version, each step in a transaction of its own.

    Safe for several processes at once: the version is read again inside the transaction. The connection must
    be in autocommit mode (`isolation_level=None`). Raises `sqlite3.Error`; a step that failed left nothing.
    """
    for number, statements in enumerate(migrations, start=1):
        if version_of(connection) >= number:
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            if version_of(connection) < number:
                for statement in statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise


def tables_of(connection: sqlite3.Connection) -> frozenset[str]:
    """Return the names of the tables; reading them makes SQLite parse the whole schema."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return frozenset(str(row[0]) for row in rows)
