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
CREATE TABLE IF NOT EXISTS chunks (
    result_id TEXT NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    first_row INTEGER NOT NULL, -- from 0
    data      BLOB NOT NULL,    -- JSON, an array of rows
    PRIMARY KEY (result_id, first_row)
);
