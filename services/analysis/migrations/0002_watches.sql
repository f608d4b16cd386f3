-- Times are nanoseconds since 1970 in UTC; 0 stands for none.

-- +goose Up
CREATE TABLE watches (
    id          TEXT NOT NULL PRIMARY KEY,
    owner       TEXT NOT NULL,
    name        TEXT NOT NULL,
    status      TEXT NOT NULL,
    revision    INTEGER NOT NULL, -- counts the changes
    due_at      INTEGER NOT NULL, -- when something has to be done next
    runner      TEXT NOT NULL,    -- process at work on it; empty: none
    lease_until INTEGER NOT NULL, -- until when that process is taken to live
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    state       BLOB NOT NULL     -- JSON
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX watches_by_owner ON watches (owner, name);
CREATE INDEX watches_by_time ON watches (status, due_at);

-- +goose Down
DROP TABLE watches;
