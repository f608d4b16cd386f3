-- Times are nanoseconds since 1970 in UTC; 0 stands for none. Ids sort by their bytes,
-- whatever the language of the database.

-- +goose Up
-- The oldest version whose programs may work with these tables. A migration that an
-- older program cannot live with raises it.
CREATE TABLE text2sql_compatibility (oldest BIGINT NOT NULL);
INSERT INTO text2sql_compatibility VALUES (1);

CREATE TABLE text2sql_examples (
    id           TEXT COLLATE "C" PRIMARY KEY,
    source       TEXT COLLATE "C" NOT NULL,
    mart         TEXT COLLATE "C" NOT NULL,
    question     TEXT COLLATE "C" NOT NULL,
    question_key TEXT COLLATE "C" NOT NULL, -- normalised; see Parse
    sql          TEXT COLLATE "C" NOT NULL,
    tables       TEXT COLLATE "C" NOT NULL, -- JSON array
    status       TEXT COLLATE "C" NOT NULL CHECK (status IN ('approved', 'proposed')),
    added_by     TEXT COLLATE "C" NOT NULL,
    added_at     BIGINT NOT NULL,
    approved_by  TEXT COLLATE "C" NOT NULL,
    approved_at  BIGINT NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL
);
-- A key may be longer than an index takes: its hash stands for it.
CREATE UNIQUE INDEX text2sql_examples_approved ON text2sql_examples (source, sha256(replace(question_key, '\', '\\')::bytea)) WHERE status = 'approved';
CREATE UNIQUE INDEX text2sql_examples_proposed ON text2sql_examples (source, sha256(replace(question_key, '\', '\\')::bytea), added_by) WHERE status = 'proposed';
CREATE INDEX text2sql_examples_by_source ON text2sql_examples (source, added_at DESC, id DESC);

-- Grows with each change of a source's approved examples, so that readers in other
-- processes know when to read anew.
CREATE TABLE text2sql_revisions (
    source TEXT COLLATE "C" PRIMARY KEY,
    n      BIGINT NOT NULL
);
