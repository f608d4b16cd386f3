-- Results of statements. A cache: the file may be deleted while nobody uses it.
CREATE TABLE IF NOT EXISTS results (
    id         TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,    -- principal id; nobody else reads the result
    created_ms INTEGER NOT NULL, -- Unix milliseconds
    columns    TEXT NOT NULL,    -- JSON, [{"name", "type"}]
    rows       INTEGER NOT NULL,
    truncated  INTEGER NOT NULL,
    bytes      INTEGER NOT NULL  -- of the chunks
);
CREATE INDEX IF NOT EXISTS results_created ON results (created_ms);
CREATE INDEX IF NOT EXISTS results_owner ON results (owner, created_ms);
-- What was removed and why, so that its owner can be told.
CREATE TABLE IF NOT EXISTS removed (
    id         TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    removed_ms INTEGER NOT NULL,
    why        TEXT NOT NULL -- age, or quota
);
CREATE INDEX IF NOT EXISTS removed_at ON removed (removed_ms);
CREATE TABLE IF NOT EXISTS chunks (
    result_id TEXT NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    first_row INTEGER NOT NULL, -- from 0
    data      BLOB NOT NULL,    -- JSON, an array of rows
    PRIMARY KEY (result_id, first_row)
);
