-- Times are nanoseconds since 1970 in UTC; 0 stands for none. Ids sort by their
-- bytes, whatever the language of the database.

-- +goose Up
-- The oldest schema whose programs may work with this one. A migration that an older
-- program cannot live with raises it; docs/operations.md says for how long it stays.
CREATE TABLE compatibility (oldest BIGINT NOT NULL);
INSERT INTO compatibility VALUES (1);

-- Processes that are at work or died: one lives while it holds the advisory lock of
-- its id, and is given up for dead some time after its last sign of life.
CREATE TABLE instances (
    id      TEXT COLLATE "C" PRIMARY KEY,
    seen_at TIMESTAMPTZ NOT NULL
);

-- The right to write to a session is in its row, so that whoever locks the row sees
-- the present holder. The token grows with every holder.
CREATE TABLE sessions (
    id            TEXT COLLATE "C" PRIMARY KEY,
    principal     TEXT COLLATE "C" NOT NULL,
    title         TEXT NOT NULL,
    source        TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    turns         BIGINT NOT NULL,
    payload_bytes BIGINT NOT NULL DEFAULT 0, -- what its turns brought
    lock_owner    TEXT COLLATE "C" NOT NULL DEFAULT '', -- instance that holds it; '' when free
    lock_token    BIGINT NOT NULL DEFAULT 0,
    lock_expires  BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_use ON sessions (principal, updated_at DESC, id DESC);
CREATE INDEX sessions_by_owner ON sessions (lock_owner) WHERE lock_owner <> '';

-- The router's state of each thread of a session.
CREATE TABLE chats (
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    id         TEXT COLLATE "C" NOT NULL,
    state      BYTEA NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (session_id, id)
);

CREATE TABLE messages (
    seq           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id    TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    chat_id       TEXT COLLATE "C" NOT NULL,
    run_id        TEXT COLLATE "C" NOT NULL,
    role          TEXT NOT NULL,
    content       TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    tool_call_ids TEXT NOT NULL, -- JSON array
    detail        BYTEA
);
CREATE INDEX messages_by_session ON messages (session_id, seq);
CREATE INDEX messages_by_chat ON messages (session_id, chat_id, seq);

CREATE TABLE tool_calls (
    id                TEXT COLLATE "C" PRIMARY KEY,
    session_id        TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    chat_id           TEXT COLLATE "C" NOT NULL,
    run_id            TEXT COLLATE "C" NOT NULL,
    tool_name         TEXT NOT NULL,
    agent_name        TEXT NOT NULL,
    arguments         BYTEA NOT NULL, -- JSON
    source_id         TEXT COLLATE "C" NOT NULL,
    next_id           TEXT COLLATE "C" NOT NULL,
    status            TEXT COLLATE "C" NOT NULL,
    started_at        BIGINT NOT NULL,
    ended_at          BIGINT NOT NULL,
    output_type       TEXT NOT NULL,
    output            BYTEA,
    output_coding     TEXT NOT NULL, -- '' as it is, 'zstd'
    output_removed_at BIGINT NOT NULL DEFAULT 0,
    error             TEXT NOT NULL,
    error_reason      TEXT NOT NULL
);
ALTER TABLE tool_calls ALTER COLUMN output SET STORAGE EXTERNAL; -- packed already
CREATE INDEX tool_calls_by_session ON tool_calls (session_id);
CREATE INDEX tool_calls_by_run ON tool_calls (run_id);

-- A run keeps its own record in its row, and the records of its tree as the steps
-- brought them.
CREATE TABLE runs (
    id               TEXT COLLATE "C" PRIMARY KEY,
    principal        TEXT COLLATE "C" NOT NULL,
    session_id       TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    chat_id          TEXT COLLATE "C" NOT NULL,
    question         TEXT NOT NULL,
    owner            TEXT COLLATE "C" NOT NULL, -- instance at work on it; '' once it ended
    checkpoint       BYTEA,
    cancel_requested BOOLEAN NOT NULL DEFAULT false,
    parent_id        TEXT COLLATE "C" NOT NULL,
    name             TEXT NOT NULL,
    service          TEXT NOT NULL,
    status           TEXT COLLATE "C" NOT NULL,
    started_at       BIGINT NOT NULL,
    ended_at         BIGINT NOT NULL,
    attributes       TEXT NOT NULL, -- JSON object
    error            TEXT NOT NULL,
    steps_removed_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX runs_by_start ON runs (principal, started_at DESC, id DESC);
CREATE INDEX runs_by_session ON runs (session_id, started_at DESC, id DESC);
CREATE INDEX runs_by_owner ON runs (owner) WHERE owner <> '';

CREATE TABLE run_steps (
    seq     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    root_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    records TEXT NOT NULL -- JSON array; of two records with one id the later counts
);
CREATE INDEX run_steps_by_root ON run_steps (root_id, seq);

CREATE TABLE feedback (
    seq             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id          TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    principal       TEXT COLLATE "C" NOT NULL,
    rating          TEXT NOT NULL,
    comment         TEXT NOT NULL,
    corrected_sql   TEXT NOT NULL,
    accepted_tables TEXT NOT NULL, -- JSON array
    rejected_tables TEXT NOT NULL, -- JSON array
    created_at      BIGINT NOT NULL
);
CREATE INDEX feedback_by_run ON feedback (run_id, seq);

-- What was removed and by which rule, so that its owner can be told.
CREATE TABLE removed (
    id         TEXT COLLATE "C" PRIMARY KEY, -- of a session or a run
    principal  TEXT COLLATE "C" NOT NULL,
    removed_at BIGINT NOT NULL,
    rule       TEXT NOT NULL -- key of the setting
);
CREATE INDEX removed_by_time ON removed (removed_at DESC, id DESC);
