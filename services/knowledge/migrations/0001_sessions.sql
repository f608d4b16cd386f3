-- Times are nanoseconds since 1970 in UTC.

-- +goose Up
CREATE TABLE sessions (
    owner      TEXT NOT NULL,
    id         TEXT NOT NULL,
    memory     TEXT NOT NULL, -- JSON
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_age ON sessions (owner, updated_at DESC);

-- +goose Down
DROP TABLE sessions;
