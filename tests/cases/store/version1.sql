-- A database as schema version 1 wrote it. Never edited: later versions must still open it.
BEGIN TRANSACTION;
CREATE TABLE consents (
            kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            workspace TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (kind, subject, workspace)
        );
INSERT INTO "consents" VALUES('recipient','openai','',1790000000.0);
CREATE TABLE contents (
            job TEXT PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
            task BLOB NOT NULL,
            start BLOB,
            result BLOB
        );
CREATE TABLE dismissals (
            workspace TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            reason TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (workspace, fingerprint)
        );
CREATE TABLE drafts (
            job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
            ordinal INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (job, ordinal)
        );
CREATE TABLE events (
            job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
            batch INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (job, batch)
        );
CREATE TABLE jobs (
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
        );
INSERT INTO "jobs" VALUES('8f2c1a','/home/ada/project','fix','fix pay.py:12',4242,'00ff00ff00ff00ff',1790000000.0,12.5,'done','two families agree, tests pass',2,3000,400,1250000);
CREATE TABLE outcomes (
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
        );
CREATE TABLE replies (
            key TEXT PRIMARY KEY,
            body BLOB NOT NULL,
            size INTEGER NOT NULL,
            made REAL NOT NULL,
            used REAL NOT NULL
        );
CREATE TABLE spend (
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
        );
INSERT INTO "spend" VALUES(1,'2026-09-21','8f2c1a','openai/gpt-5-mini','settled','00ff00ff00ff00ff',1790000000.0,2,3000,400,1250000);
CREATE TABLE trusted (
            path TEXT PRIMARY KEY,
            at REAL NOT NULL
        );
INSERT INTO "trusted" VALUES('/home/ada/project',1790000000.0);
CREATE INDEX jobs_by_start ON jobs (started);
CREATE INDEX spend_by_day ON spend (day);
CREATE INDEX spend_by_job ON spend (job);
CREATE INDEX spend_held ON spend (owner) WHERE state = 'held';
CREATE INDEX replies_by_use ON replies (used);
CREATE INDEX outcomes_by_time ON outcomes (at);
COMMIT;
PRAGMA user_version = 1;
