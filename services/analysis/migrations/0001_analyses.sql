-- Times are nanoseconds since 1970 in UTC.

-- +goose Up
CREATE TABLE analyses (
    id          TEXT NOT NULL PRIMARY KEY,
    owner       TEXT NOT NULL,
    title       TEXT NOT NULL, -- the question, cut short
    status      TEXT NOT NULL,
    revision    INTEGER NOT NULL, -- counts the changes of the state
    runner      TEXT NOT NULL,    -- process at work on it; empty: none
    lease_until INTEGER NOT NULL, -- until when that process is taken to live
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    state       BLOB NOT NULL     -- JSON
) STRICT, WITHOUT ROWID;
CREATE INDEX analyses_by_owner ON analyses (owner, created_at DESC, id);

-- +goose Down
DROP TABLE analyses;
