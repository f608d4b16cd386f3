-- Times are nanoseconds since 1970 in UTC; 0 stands for none.

-- +goose Up
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    principal  TEXT NOT NULL,
    title      TEXT NOT NULL,
    source     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    turns      INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_use ON sessions (principal, updated_at DESC, id DESC);

-- The router's state of each thread of a session.
CREATE TABLE chats (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    state      BLOB NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    chat_id       TEXT NOT NULL,
    run_id        TEXT NOT NULL,
    role          TEXT NOT NULL,
    content       TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    tool_call_ids TEXT NOT NULL, -- JSON array
    detail        BLOB
) STRICT;
CREATE INDEX messages_by_session ON messages (session_id, seq);
CREATE INDEX messages_by_chat ON messages (session_id, chat_id, seq);

CREATE TABLE tool_calls (
    id           TEXT PRIMARY KEY,
    session_id   TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    chat_id      TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    tool_name    TEXT NOT NULL,
    agent_name   TEXT NOT NULL,
    arguments    BLOB NOT NULL, -- JSON
    source_id    TEXT NOT NULL,
    next_id      TEXT NOT NULL,
    status       TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER NOT NULL,
    output_type  TEXT NOT NULL,
    output       BLOB,
    error        TEXT NOT NULL,
    error_reason TEXT NOT NULL
) STRICT;
CREATE INDEX tool_calls_by_session ON tool_calls (session_id);
CREATE INDEX tool_calls_by_run ON tool_calls (run_id);

-- A run is the root of a tree of records; its own record is in run_records too.
CREATE TABLE runs (
    id               TEXT PRIMARY KEY,
    principal        TEXT NOT NULL,
    session_id       TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    chat_id          TEXT NOT NULL,
    question         TEXT NOT NULL,
    status           TEXT NOT NULL,
    started_at       INTEGER NOT NULL,
    owner            TEXT NOT NULL, -- instance at work on it; '' once it ended
    checkpoint       BLOB,
    cancel_requested INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_start ON runs (principal, started_at DESC, id DESC);
CREATE INDEX runs_by_session ON runs (session_id, started_at DESC, id DESC);
CREATE INDEX runs_by_owner ON runs (owner) WHERE owner <> '';

CREATE TABLE run_records (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    root_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    parent_id    TEXT NOT NULL,
    name         TEXT NOT NULL,
    service      TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    tool_name    TEXT NOT NULL,
    status       TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER NOT NULL,
    attributes   TEXT NOT NULL, -- JSON object
    error        TEXT NOT NULL
) STRICT;
CREATE INDEX run_records_by_root ON run_records (root_id, seq);

-- The right to write to a session. The token grows with every holder; a row
-- stays when its holder has gone, so that tokens are never used twice.
CREATE TABLE locks (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    owner      TEXT NOT NULL, -- instance that holds it; '' when free
    token      INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX locks_by_owner ON locks (owner) WHERE owner <> '';

CREATE TABLE feedback (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id          TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    principal       TEXT NOT NULL,
    rating          TEXT NOT NULL,
    comment         TEXT NOT NULL,
    corrected_sql   TEXT NOT NULL,
    accepted_tables TEXT NOT NULL, -- JSON array
    rejected_tables TEXT NOT NULL, -- JSON array
    created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX feedback_by_run ON feedback (run_id);
