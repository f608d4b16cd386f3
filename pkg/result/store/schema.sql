-- Results of statements: an index of the files beside it. A cache: the file may be
-- deleted while nobody uses it.
CREATE TABLE IF NOT EXISTS results (
    id         TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,    -- principal id; nobody else reads the result
    created_ms INTEGER NOT NULL, -- Unix milliseconds
    columns    TEXT NOT NULL,    -- JSON, [{"name", "type"}]
    rows       INTEGER NOT NULL,
    truncated  INTEGER NOT NULL,
    bytes      INTEGER NOT NULL  -- of the file
);
CREATE INDEX IF NOT EXISTS results_created ON results (created_ms);
CREATE INDEX IF NOT EXISTS results_owner ON results (owner, created_ms);
-- Where the batches of a result's file are, and their checksums.
CREATE TABLE IF NOT EXISTS batches (
    result_id  TEXT PRIMARY KEY REFERENCES results (id) ON DELETE CASCADE,
    marks      BLOB NOT NULL -- see marks.go
);
-- Results that are being written, and the room that they have taken so far.
CREATE TABLE IF NOT EXISTS writing (
    id    TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    bytes INTEGER NOT NULL
);
-- The result of an owner's statement that the same statement gives again.
CREATE TABLE IF NOT EXISTS reusable (
    owner     TEXT NOT NULL,
    key       TEXT NOT NULL,
    result_id TEXT NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    PRIMARY KEY (owner, key)
);
CREATE INDEX IF NOT EXISTS reusable_result ON reusable (result_id);
-- What was removed and why, so that its owner can be told.
CREATE TABLE IF NOT EXISTS removed (
    id         TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    removed_ms INTEGER NOT NULL,
    why        TEXT NOT NULL -- age, quota, or owner
);
CREATE INDEX IF NOT EXISTS removed_at ON removed (removed_ms);
-- Earlier versions kept the rows in this file. They were a cache.
DELETE FROM results WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'chunks');
DROP TABLE IF EXISTS chunks;
