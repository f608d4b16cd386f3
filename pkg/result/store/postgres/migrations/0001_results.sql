-- Times are milliseconds since 1970 in UTC.

-- +goose Up
-- The oldest version whose programs may work with these tables. A migration that an
-- older program cannot live with raises it.
CREATE TABLE results_compatibility (oldest BIGINT NOT NULL);
INSERT INTO results_compatibility VALUES (1);

-- Results of statements: an index of the files that have their rows.
CREATE TABLE results (
    id         TEXT COLLATE "C" PRIMARY KEY,
    owner      TEXT COLLATE "C" NOT NULL, -- principal id; nobody else reads the result
    created_ms BIGINT NOT NULL,
    columns    TEXT NOT NULL,             -- JSON, [{"name", "type"}]
    rows       BIGINT NOT NULL,
    truncated  BOOLEAN NOT NULL,
    bytes      BIGINT NOT NULL            -- of the file
);
CREATE INDEX results_created ON results (created_ms);
CREATE INDEX results_owner ON results (owner, created_ms);

-- Where the batches of a result's file are, and their checksums.
CREATE TABLE results_batches (
    result_id TEXT COLLATE "C" PRIMARY KEY REFERENCES results (id) ON DELETE CASCADE,
    marks     BYTEA NOT NULL
);

-- Results that are being written, the room that they have taken so far, and until when the
-- process that writes is taken to live.
CREATE TABLE results_writing (
    id          TEXT COLLATE "C" PRIMARY KEY,
    owner       TEXT COLLATE "C" NOT NULL,
    bytes       BIGINT NOT NULL,
    process     TEXT COLLATE "C" NOT NULL,
    lease_until BIGINT NOT NULL -- by the clock of this database
);
CREATE INDEX results_writing_process ON results_writing (process);

-- The result of an owner's statement that the same statement gives again.
CREATE TABLE results_reusable (
    owner     TEXT COLLATE "C" NOT NULL,
    key       TEXT COLLATE "C" NOT NULL,
    result_id TEXT COLLATE "C" NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    PRIMARY KEY (owner, key)
);
CREATE INDEX results_reusable_result ON results_reusable (result_id);

-- What was removed and why, so that its owner can be told.
CREATE TABLE results_removed (
    id         TEXT COLLATE "C" PRIMARY KEY,
    owner      TEXT COLLATE "C" NOT NULL,
    removed_ms BIGINT NOT NULL,
    why        TEXT NOT NULL -- age, quota, or owner
);
CREATE INDEX results_removed_at ON results_removed (removed_ms);

-- Statements that servers of remote engines work on, so that those of a process that is
-- gone are ended by another.
CREATE TABLE running_statements (
    id          TEXT COLLATE "C" NOT NULL, -- the server's name of it
    source      TEXT COLLATE "C" NOT NULL,
    runs_as     TEXT NOT NULL,             -- whom it runs for, as the server was told
    since_ms    BIGINT NOT NULL,
    process     TEXT COLLATE "C" NOT NULL,
    lease_until BIGINT NOT NULL,           -- by the clock of this database
    PRIMARY KEY (source, id)
);
CREATE INDEX running_statements_process ON running_statements (process);
