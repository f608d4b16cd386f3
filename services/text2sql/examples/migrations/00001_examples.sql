-- Times are nanoseconds since 1970 in UTC; 0 stands for none.

-- +goose Up
CREATE TABLE examples (
    id           TEXT PRIMARY KEY,
    source       TEXT NOT NULL,
    mart         TEXT NOT NULL,
    question     TEXT NOT NULL,
    question_key TEXT NOT NULL, -- normalised; see Parse
    sql          TEXT NOT NULL,
    tables       TEXT NOT NULL, -- JSON array
    status       TEXT NOT NULL CHECK (status IN ('approved', 'proposed')),
    added_by     TEXT NOT NULL,
    added_at     INTEGER NOT NULL,
    approved_by  TEXT NOT NULL,
    approved_at  INTEGER NOT NULL,
    run_id       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX examples_approved ON examples (source, question_key) WHERE status = 'approved';
CREATE UNIQUE INDEX examples_proposed ON examples (source, question_key, added_by) WHERE status = 'proposed';
CREATE INDEX examples_by_source ON examples (source, added_at DESC, id DESC);

-- Grows with each change of a source's approved examples, so that readers in other
-- processes know when to read anew.
CREATE TABLE revisions (
    source TEXT PRIMARY KEY,
    n      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE revisions;
DROP TABLE examples;
